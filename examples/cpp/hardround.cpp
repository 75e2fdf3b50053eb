// Division is hard to round, too: the doubles 1 + x 2^-52, x from 2^31 to 2^32, whose reciprocals
// are nearest to a double or a midpoint, each verified with integers.
//
//   c++ hardround.cpp $(pkg-config --cflags --libs hotloops)
#include "handle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

// F(x) = 2^54 / (1 + x 2^-52) = sum over k of (-1)^k 2^(54 - 52 k) x^k, whose breakpoints are the
// integers: coefficients mod 1 in units of 2^-256, four words each, the lowest first.
static std::vector<uint64_t> series(size_t degree)
{
    std::vector<uint64_t> taylor(4 * (degree + 1));
    // The first two are integers.
    for (size_t k = 2; k <= degree; k++) {
        const size_t bit = 256 + 54 - 52 * k;
        for (size_t word = bit / 64; word < 4; word++) {
            const uint64_t power = word == bit / 64 ? uint64_t(1) << bit % 64 : 0;
            // The complement of a power of two has ones from there on.
            taylor[4 * k + word] = k % 2 == 0 ? power : word == bit / 64 ? ~(power - 1) : ~uint64_t(0);
        }
    }
    return taylor;
}

// The distance of F(x) = 2^106 / (2^52 + x) to the nearest integer.
static double distance(uint64_t x)
{
    const uint64_t divisor = (uint64_t(1) << 52) + x;
    uint64_t rest = 1;
    for (int bit = 0; bit < 106; bit++)
        rest = 2 * rest % divisor;
    return static_cast<double>(std::min(rest, divisor - rest)) / static_cast<double>(divisor);
}

int main()
{
    const uint32_t log2_length = 25;
    const uint64_t length = uint64_t(1) << log2_length, first = 64, end = 128;
    const std::vector<uint64_t> taylor = series(5);
    std::vector<hl_hardround_block> blocks(end - first);
    check(hl_hardround_blocks(taylor.data(), 5, log2_length, first, blocks.size(), blocks.data()));

    size_t cases = 0;
    bool right = true;
    for (uint64_t block = first; block < end; block++) {
        std::array<uint64_t, 16> found;
        size_t count = 0;
        // 2^-28, plus a margin for the error of the polynomials.
        const uint64_t within = (uint64_t(1) << 36) + (uint64_t(1) << 20);
        check(hl_hardround_scan(&blocks[block - first], length, within, HL_HARDROUND_DUAL, found.data(), found.size(),
                                &count));
        for (size_t i = 0; i < std::min(count, found.size()); i++) {
            const uint64_t x = block * length + found[i];
            std::printf("1 + %lu ulp: %.3g half ulps\n", static_cast<unsigned long>(x), distance(x));
            right = right && distance(x) < std::ldexp(1.001, -28);
        }
        cases += count;
    }
    std::printf("%zu cases\n", cases);
    return right && cases > 0 ? 0 : 1;
}
