// A code without structure: words of 256 random bits, up to a third of them flipped, are decoded to
// the nearest code word.
//
//   c++ hamming.cpp $(pkg-config --cflags --libs hotloops)
#include "handle.hpp"

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

int main()
{
    const size_t words = 1000, bits = 256, bytes = bits / 8;
    std::mt19937 rng(256);
    std::vector<uint8_t> sent(words * bytes);
    std::generate(sent.begin(), sent.end(), [&] { return static_cast<uint8_t>(rng()); });
    std::vector<uint8_t> received = sent;
    for (size_t word = 0; word < words; word++)
        for (size_t error = 0; error < bits / 3; error++) {
            const size_t bit = rng() % bits;
            received[word * bytes + bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
        }

    std::vector<uint8_t> packed(hl_hamming_packed_bytes(words, bits));
    check(hl_hamming_pack(sent.data(), words, bits, bytes, packed.data()));
    std::vector<uint32_t> distances(words * words);
    check(hl_hamming_cross(packed.data(), received.data(), words, bytes, distances.data(), words));

    size_t right = 0;
    for (size_t word = 0; word < words; word++) {
        const auto row = distances.begin() + static_cast<std::ptrdiff_t>(word * words);
        right += static_cast<size_t>(std::min_element(row, row + words) - row) == word;
    }
    std::printf("%zu of %zu words are read right (%s)\n", right, words, hl_isa_active());
    return right > words * 9 / 10 ? 0 : 1;
}
