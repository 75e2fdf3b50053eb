// A generator for <random> and <algorithm>: 16 streams that are drawn in blocks, each the
// standard's std::mt19937.
//
//   c++ random.cpp $(pkg-config --cflags --libs hotloops)
#include "handle.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

// A UniformRandomBitGenerator: element i of the stream is number i / 16 of the std::mt19937 seeded
// with seeds[i % 16].
class Interlaced {
public:
    using result_type = uint32_t;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return UINT32_MAX; }

    explicit Interlaced(const std::vector<uint32_t> &seeds)
        : generator(make<Generator>(hl_random_mt19937_create, seeds.data(), static_cast<uint32_t>(seeds.size()))),
          block(4096), next(block.size())
    {
    }

    result_type operator()()
    {
        if (next == block.size()) {
            check(hl_random_mt19937_fill_u32(generator.get(), block.data(), block.size()));
            next = 0;
        }
        return block[next++];
    }

private:
    Generator generator;
    std::vector<uint32_t> block;
    size_t next;
};

int main()
{
    std::vector<uint32_t> seeds(16);
    std::iota(seeds.begin(), seeds.end(), 5489u);
    Interlaced rng(seeds);

    std::vector<std::mt19937> standard(seeds.begin(), seeds.end());
    bool same = true;
    for (int round = 0; round < 1000; round++)
        for (std::mt19937 &lane : standard)
            same = rng() == lane() && same;
    std::printf("16 lanes of std::mt19937: %s\n", same ? "the same" : "different");

    std::vector<int> deck(52);
    std::iota(deck.begin(), deck.end(), 0);
    std::shuffle(deck.begin(), deck.end(), rng);
    std::normal_distribution<double> normal(170, 10);
    std::printf("first card %d, a height of %.1f cm\n", deck[0], normal(rng));
    return same ? 0 : 1;
}
