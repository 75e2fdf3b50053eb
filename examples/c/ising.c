// Ground state of the quantum Ising chain in a transverse field, H = -sum s_i s_i+1 - gamma sum
// x_i, by quantum Monte Carlo: the chain at a low temperature is a classical model of LAYERS copies
// of itself in imaginary time, one step of length BETA / LAYERS apart. Prints the energy for each
// spin beside the exact one.
//
//   cc ising.c $(pkg-config --cflags --libs hotloops) -lm
#include <hotloops.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SITES 32
#define LAYERS 512
#define BETA 16.0

static void check(hl_status status)
{
    if (status != HL_OK) {
        fprintf(stderr, "hotloops: %s\n", hl_status_string(status));
        exit(1);
    }
}

// The ring: a torus of one dimension, with couplings of strength 1.
static hl_ising_model *chain(void)
{
    const uint32_t extent = SITES;
    double couplings[SITES];
    const hl_ising_lattice ring = {LAYERS, 1, &extent, couplings, HL_ISING_PERIODIC};
    hl_ising_model *model;
    int i;
    for (i = 0; i < SITES; i++)
        couplings[i] = 1.0;
    check(hl_ising_create_lattice(&ring, HL_ISING_AUTO, NULL, &model));
    return model;
}

static double exact_energy(double gamma)
{
    const double pi = acos(-1.0);
    double sum = 0.0;
    int i;
    for (i = 0; i < SITES; i++)
        sum += sqrt(1.0 + gamma * gamma - 2.0 * gamma * cos((2 * i + 1) * pi / SITES));
    return -sum / SITES;
}

// The mean over `sweeps` sweeps, after as many for thermalisation.
static double measured_energy(double gamma, int sweeps, hl_random_mt19937 *rng)
{
    const double step = BETA / LAYERS, spins = (double)SITES * LAYERS;
    const float beta_space = (float)step, beta_tau = (float)(-0.5 * log(tanh(step * gamma)));
    hl_ising_model *const model = chain();
    double space, tau, sum_space = 0.0, sum_tau = 0.0;
    int sweep;
    check(hl_ising_sweep(model, rng, beta_space, beta_tau, (uint64_t)sweeps, NULL));
    for (sweep = 0; sweep < sweeps; sweep++) {
        check(hl_ising_sweep(model, rng, beta_space, beta_tau, 1, NULL));
        check(hl_ising_energy(model, &space, &tau));
        sum_space += space;
        sum_tau += tau;
    }
    hl_ising_destroy(model);
    space = sum_space / sweeps / spins;
    tau = sum_tau / sweeps / spins;
    // <x> = tanh where a spin and its copy in the next layer are equal, coth where they differ.
    return -space - gamma * (0.5 * (1.0 + tau) * tanh(step * gamma) + 0.5 * (1.0 - tau) / tanh(step * gamma));
}

// ising [SWEEPS]
int main(int argc, char **argv)
{
    const int sweeps = argc > 1 ? atoi(argv[1]) : 2000;
    uint32_t seeds[16];
    hl_random_mt19937 *rng;
    int i;
    if (sweeps < 1) {
        fprintf(stderr, "usage: ising [SWEEPS]\n");
        return 1;
    }
    for (i = 0; i < 16; i++)
        seeds[i] = 1 + (uint32_t)i;
    check(hl_random_mt19937_create(seeds, 16, &rng));
    printf("gamma  energy   exact    (%s)\n", hl_isa_active());
    for (i = 1; i <= 8; i++) {
        const double gamma = 0.25 * i;
        printf("%.2f  %8.4f %8.4f\n", gamma, measured_energy(gamma, sweeps, rng), exact_energy(gamma));
    }
    hl_random_mt19937_destroy(rng);
    return 0;
}
