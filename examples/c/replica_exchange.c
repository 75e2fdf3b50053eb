// The two-dimensional spin glass with couplings +1 and -1 in a transverse field, H = -sum J_ij s_i
// s_j - gamma sum x_i, at one low temperature and many gammas at once. At small gamma a
// configuration rarely leaves its energy valley. Replica exchange takes it to the largest gamma,
// where there are no valleys, and back to another valley. Prints the energy and <x> per spin for
// every gamma, and the acceptance rates of the swaps.
//
//   cc replica_exchange.c $(pkg-config --cflags --libs hotloops) -lm
#include <hotloops.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define L 6
#define SITES (L * L)
#define LAYERS 64
#define BETA 4.0
#define STEP (BETA / LAYERS) // the length of a layer in imaginary time
#define GAMMAS 20            // from 3 to 0.3

static void check(hl_status status)
{
    if (status != HL_OK) {
        fprintf(stderr, "hotloops: %s\n", hl_status_string(status));
        exit(1);
    }
}

static double gamma_at(size_t temperature)
{
    return 3.0 - 2.7 * (double)temperature / (GAMMAS - 1);
}

// The square lattice on a torus: signs[2 * site] is for the neighbour on the right, signs[2 * site
// + 1] for the neighbour below.
static hl_ising_model *glass(const uint32_t *signs)
{
    uint32_t row_pointers[SITES + 1], neighbours[4 * SITES], i, k;
    double couplings[4 * SITES];
    const hl_ising_graph graph = {LAYERS, SITES, row_pointers, neighbours, couplings, NULL};
    hl_ising_model *model;
    row_pointers[0] = 0;
    for (i = 0; i < SITES; i++) {
        const uint32_t x = i % L, y = i / L;
        const uint32_t left = y * L + (x + L - 1) % L, above = (y + L - 1) % L * L + x;
        const uint32_t sites[4] = {y * L + (x + 1) % L, (y + 1) % L * L + x, left, above};
        const uint32_t bonds[4] = {2 * i, 2 * i + 1, 2 * left, 2 * above + 1};
        for (k = 0; k < 4; k++) {
            neighbours[4 * i + k] = sites[k];
            couplings[4 * i + k] = signs[bonds[k]] >> 31 == 0 ? 1.0 : -1.0;
        }
        row_pointers[i + 1] = 4 * i + 4;
    }
    check(hl_ising_create(&graph, HL_ISING_AUTO, NULL, &model));
    return model;
}

// replica_exchange [ROUNDS]
int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    double sums[GAMMAS][2] = {{0.0}};
    hl_ising_model *models[GAMMAS];
    hl_ising_beta ladder[GAMMAS];
    hl_ising_replica_exchange *exchange;
    hl_random_mt19937 *rng;
    uint32_t seeds[16], signs[2 * SITES];
    uint64_t trips;
    size_t i, replica;
    int round;
    if (rounds < 1) {
        fprintf(stderr, "usage: replica_exchange [ROUNDS]\n");
        return 1;
    }
    for (i = 0; i < 16; i++)
        seeds[i] = 2010 + (uint32_t)i;
    check(hl_random_mt19937_create(seeds, 16, &rng));
    check(hl_random_mt19937_fill_u32(rng, signs, 2 * SITES));
    for (i = 0; i < GAMMAS; i++) {
        models[i] = glass(signs);
        ladder[i].space = (float)STEP;
        ladder[i].tau = (float)(-0.5 * log(tanh(STEP * gamma_at(i))));
    }
    check(hl_ising_replica_exchange_create(ladder, GAMMAS, 1, &exchange));

    // The first half thermalises the models.
    for (round = 0; round < 2 * rounds; round++) {
        for (replica = 0; replica < GAMMAS; replica++) {
            hl_ising_beta beta;
            check(hl_ising_replica_exchange_beta(exchange, replica, &beta));
            check(hl_ising_sweep(models[replica], rng, beta.space, beta.tau, 5, NULL));
        }
        check(hl_ising_replica_exchange_step(exchange, models, GAMMAS, NULL));
        for (i = 0; round >= rounds && i < GAMMAS; i++) {
            double space, tau;
            check(hl_ising_replica_exchange_replica_at(exchange, i, &replica));
            check(hl_ising_energy(models[replica], &space, &tau));
            sums[i][0] += space;
            sums[i][1] += tau;
        }
    }

    printf("gamma   energy  <x>     swaps with the next gamma    (%s)\n", hl_isa_active());
    for (i = 0; i < GAMMAS; i++) {
        const double spins = (double)rounds * LAYERS * SITES, gamma = gamma_at(i), weight = tanh(STEP * gamma);
        const double space = sums[i][0] / spins, tau = sums[i][1] / spins;
        // A spin and its copy in the next layer measure x: tanh where they are equal, coth where they differ.
        const double x = 0.5 * (1.0 + tau) * weight + 0.5 * (1.0 - tau) / weight;
        printf("%.3f  %7.4f  %.4f", gamma, -space - gamma * x, x);
        if (i + 1 < GAMMAS) {
            uint64_t attempts, swaps;
            check(hl_ising_replica_exchange_attempts(exchange, i, &attempts));
            check(hl_ising_replica_exchange_swaps(exchange, i, &swaps));
            printf("  %3.0f %%", 100.0 * (double)swaps / (double)attempts);
        }
        printf("\n");
        hl_ising_destroy(models[i]);
    }
    check(hl_ising_replica_exchange_round_trips(exchange, &trips));
    printf("%lu round trips\n", (unsigned long)trips);
    hl_ising_replica_exchange_destroy(exchange);
    hl_random_mt19937_destroy(rng);
    return 0;
}
