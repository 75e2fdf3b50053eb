// The product of motions of space: 1000 random ones of projective geometry, in which e0 has square 0,
// composed with each variant that this CPU can run.
//
//   c++ clifford.cpp $(pkg-config --cflags --libs hotloops)
#include <hotloops.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

static const int8_t projective[4] = {0, 1, 1, 1};
static const size_t blades = 16;

// Even multivectors: coefficients of 1, of the products of two generators, and of e0123.
static std::vector<double> motions(size_t n, unsigned seed)
{
    std::vector<double> all(n * blades);
    for (size_t i = 0; i < all.size(); i++) {
        const size_t blade = i % blades;
        seed = seed * 1664525u + 1013904223u;
        if (blade == 0 || (blade >= 5 && blade <= 10) || blade == 15)
            all[i] = static_cast<double>(seed) / 4294967296.0 - 0.5;
    }
    return all;
}

int main()
{
    const size_t n = 1000;
    const std::vector<double> x = motions(n, 1), y = motions(n, 2);
    std::vector<double> z(n * blades);
    const hl_status status = hl_clifford_product_f64(projective, 4, n, x.data(), y.data(), z.data());
    if (status != HL_OK)
        throw std::runtime_error(hl_status_string(status));

    // The product of even multivectors is even.
    double odd = 0, norm = 0;
    for (size_t i = 0; i < z.size(); i++) {
        const size_t blade = i % blades;
        const bool even = blade == 0 || (blade >= 5 && blade <= 10) || blade == 15;
        odd += even ? 0 : std::fabs(z[i]);
        norm += z[i] * z[i];
    }
    std::printf("%zu products: square norm %.6f, odd part %g (%s)\n", n, norm, odd, hl_isa_active());
    return odd == 0 ? 0 : 1;
}
