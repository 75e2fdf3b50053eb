// The two-dimensional Ising model on a torus, beside Onsager's energy of the infinite one: layers
// that are rings of spins, stacked into a ring, with the same coupling everywhere.
//
//   c++ ising.cpp $(pkg-config --cflags --libs hotloops)
#include "handle.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static Model torus(uint32_t size)
{
    std::vector<uint32_t> row_pointers, neighbours;
    for (uint32_t i = 0; i < size; i++) {
        row_pointers.push_back(2 * i);
        neighbours.push_back((i + size - 1) % size);
        neighbours.push_back((i + 1) % size);
    }
    row_pointers.push_back(2 * size);
    const std::vector<double> couplings(neighbours.size(), 1.0);
    const hl_ising_graph graph = {size, size, row_pointers.data(), neighbours.data(), couplings.data(), nullptr};
    return make<Model>(hl_ising_create, &graph, HL_ISING_AUTO, nullptr);
}

static double onsager(double beta)
{
    const double tanh2 = std::tanh(2 * beta);
    const double modulus = 2 * std::sinh(2 * beta) / std::pow(std::cosh(2 * beta), 2);
    // The complete elliptic integral of the first kind by the arithmetic-geometric mean.
    double a = 1, g = std::sqrt(1 - modulus * modulus);
    for (int step = 0; step < 30; step++) {
        const double mean = (a + g) / 2;
        g = std::sqrt(a * g);
        a = mean;
    }
    return -(1 + (2 * tanh2 * tanh2 - 1) / a) / tanh2;
}

// ising [SWEEPS]
int main(int argc, char **argv)
{
    const uint64_t sweeps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20000;
    const uint32_t size = 64;
    std::vector<uint32_t> seeds(16);
    for (uint32_t lane = 0; lane < 16; lane++)
        seeds[lane] = lane + 1;
    const Generator rng = make<Generator>(hl_random_mt19937_create, seeds.data(), 16);

    std::printf("beta  energy   Onsager  (%s)\n", hl_isa_active());
    for (float beta : {0.2f, 0.3f, 0.4f, 0.5f, 0.6f}) {
        const Model model = torus(size);
        check(hl_ising_sweep(model.get(), rng.get(), beta, beta, sweeps / 4, nullptr));
        double sum = 0;
        for (uint64_t sweep = 0; sweep < sweeps; sweep++) {
            double space = 0, tau = 0;
            check(hl_ising_sweep(model.get(), rng.get(), beta, beta, 1, nullptr));
            check(hl_ising_energy(model.get(), &space, &tau));
            sum -= space + tau;
        }
        std::printf("%.1f  %8.5f %8.5f\n", static_cast<double>(beta), sum / static_cast<double>(sweeps) / (size * size),
                    onsager(static_cast<double>(beta)));
    }
}
