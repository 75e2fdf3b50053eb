// The fingerprints most similar to a query: an index is built once, and each query takes the 10 best.
// Each query is a stored fingerprint with some bits cleared, which must come first.
//
//   c++ fingerprints.cpp $(pkg-config --cflags --libs hotloops)
#include "handle.hpp"

#include <cstdio>
#include <random>
#include <vector>

int main()
{
    const size_t n = 5000, bits = 1024, bytes = bits / 8, queries = 100;
    std::mt19937 rng(1024);
    std::vector<uint8_t> rows(n * bytes);
    for (size_t one = 0; one < 50 * n; one++) {
        const size_t bit = rng() % bits;
        rows[one / 50 * bytes + bit / 8] |= static_cast<uint8_t>(1u << bit % 8);
    }

    // The image may be written to a file, and mapped again by another program.
    std::vector<uint8_t> image(hl_fingerprints_bytes(n, bits));
    check(hl_fingerprints_build(rows.data(), n, bits, bytes, image.data(), image.size()));
    const hl_fingerprints_image index = {image.data(), image.size()};
    const hl_fingerprints_condition condition = {HL_FINGERPRINTS_TANIMOTO, 0.0f, 1.0f, 0.0, 0.0};

    size_t right = 0;
    double similarity = 0.0;
    for (size_t query = 0; query < queries; query++) {
        const size_t source = rng() % n;
        std::vector<uint8_t> part(rows.begin() + static_cast<std::ptrdiff_t>(source * bytes),
                                  rows.begin() + static_cast<std::ptrdiff_t>((source + 1) * bytes));
        for (size_t i = 0; i < bytes; i += 4)
            part[i] = 0;
        hl_fingerprints_match best[10];
        size_t found = 0;
        check(hl_fingerprints_top(&index, 1, part.data(), &condition, best, 10, &found));
        right += found > 0 && best[0].row == source;
        similarity += static_cast<double>(best[0].score) / queries;
    }
    std::printf("%zu of %zu queries find their source first, of similarity %.3f in the mean (%s)\n", right, queries,
                similarity, hl_isa_active());
    return right == queries ? 0 : 1;
}
