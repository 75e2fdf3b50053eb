// The share of G and C in a strand of DNA, counted on its three bit planes: the first has A = 0, C
// = 1, G = 1, T = 0, N = 1, the third 1 for N alone.
//
//   c++ bitslice.cpp $(pkg-config --cflags --libs hotloops)
#include "handle.hpp"

#include <cstdio>
#include <string>
#include <vector>

int main()
{
    std::string strand;
    for (unsigned i = 0; i < 100000; i++)
        strand += "GATTACAN"[i * 2654435761u >> 20 & 7];
    std::vector<uint8_t> letters(strand.begin(), strand.end());

    const size_t stride = (letters.size() + 7) / 8;
    std::vector<uint8_t> planes(3 * stride);
    check(hl_bitslice_encode_dna(letters.data(), letters.size(), planes.data(), stride));

    std::vector<uint32_t> ones(3);
    check(hl_hamming_popcount_rows(planes.data(), ones.size(), letters.size(), stride, ones.data()));
    const uint32_t known = static_cast<uint32_t>(letters.size()) - ones[2];
    std::printf("%zu letters in %zu bytes: %.2f %% of those known are G or C\n", letters.size(), planes.size(),
                100.0 * (ones[0] - ones[2]) / known);

    std::vector<uint8_t> back(letters.size());
    check(hl_bitslice_decode_dna(planes.data(), back.size(), stride, back.data()));
    return back == letters ? 0 : 1;
}
