// load PLUGIN LIBRARY: loads a shared object that calls the library in its initialiser. Then loads
// the library itself many times; each time the first calls come from 64 threads at once. They call
// functions of each family, and all results must be equal.
#include "hotloops.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

static void *check(void *pointer)
{
    if (pointer == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        std::exit(1);
    }
    return pointer;
}

class Library {
public:
    explicit Library(const char *path) : handle(check(dlopen(path, RTLD_NOW | RTLD_LOCAL))) {}
    ~Library() { dlclose(handle); }
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    template <class Function> Function *find(const char *name) const
    {
        return reinterpret_cast<Function *>(check(dlsym(handle, name)));
    }

private:
    void *handle;
};

#define FIND(name) library.find<decltype(name)>(#name)

// The bytes of all results, concatenated.
class Results {
public:
    template <class T> void add(const std::vector<T> &values)
    {
        const auto first = reinterpret_cast<const unsigned char *>(values.data());
        bytes.insert(bytes.end(), first, first + values.size() * sizeof(T));
    }
    bool operator==(const Results &other) const { return bytes == other.bytes; }

private:
    std::vector<unsigned char> bytes;
};

static void ok(hl_status status)
{
    if (status != HL_OK)
        std::abort();
}

// The bins of all pairs of an image.
static std::vector<uint64_t> pairs(const Library &library, const std::vector<int32_t> &places,
                                   const std::vector<int16_t> &psi)
{
    hl_correlation_image *image = nullptr;
    hl_correlation_pairs *pairs = nullptr;
    std::vector<hl_correlation_pairs_bin> bins(10);
    ok(FIND(hl_correlation_image_create)(places.data(), places.data(), psi.data(), places.size(), &image));
    ok(FIND(hl_correlation_pairs_create_uniform)(0, 100, 10, &pairs));
    ok(FIND(hl_correlation_pairs_add_image)(pairs, image));
    ok(FIND(hl_correlation_pairs_get)(pairs, bins.data(), bins.size()));
    FIND(hl_correlation_pairs_destroy)(pairs);
    FIND(hl_correlation_image_destroy)(image);
    std::vector<uint64_t> words;
    for (const hl_correlation_pairs_bin &bin : bins)
        words.insert(words.end(), {bin.count, bin.sum_lo, static_cast<uint64_t>(bin.sum_hi)});
    return words;
}

// The spins of a torus after ten sweeps.
static std::vector<int8_t> spins(const Library &library)
{
    const uint32_t extents[2] = {4, 4};
    const std::vector<uint32_t> seeds(16, 1);
    const std::vector<double> couplings(32, 1);
    const hl_ising_lattice lattice = {32, 2, extents, couplings.data(), HL_ISING_PERIODIC};
    hl_ising_model *model = nullptr;
    hl_random_mt19937 *generator = nullptr;
    std::vector<int8_t> spins(32 * 16);
    ok(FIND(hl_random_mt19937_create)(seeds.data(), 16, &generator));
    ok(FIND(hl_ising_create_lattice)(&lattice, HL_ISING_AUTO, nullptr, &model));
    ok(FIND(hl_ising_sweep)(model, generator, 0.4f, 0.2f, 10, nullptr));
    ok(FIND(hl_ising_get_spins)(model, spins.data()));
    FIND(hl_ising_destroy)(model);
    FIND(hl_random_mt19937_destroy)(generator);
    return spins;
}

static Results call(const Library &library)
{
    const size_t n = 1000;
    Results results;
    std::vector<uint32_t> state(624 * 4), words(n), counts(n / 32);
    std::vector<float> x(n), y(n), c(100);
    std::vector<int32_t> places(100);
    std::vector<int16_t> psi(200, 100);
    std::vector<uint64_t> positions(64), distances(100);
    std::vector<uint8_t> bits(13);
    size_t position = 0;
    for (size_t i = 0; i < state.size(); i++)
        state[i] = static_cast<uint32_t>(i) * 2654435761u;
    for (size_t i = 0; i < n; i++)
        x[i] = static_cast<float>(i) / 100;
    std::iota(places.begin(), places.end(), 0);

    FIND(hl_random_mt19937_u32)(state.data(), 4, &position, words.data(), n);
    results.add(words);
    FIND(hl_exp_poly_f32)(x.data(), y.data(), n);
    results.add(y);
    FIND(hl_bitslice_count_positions)(reinterpret_cast<const uint64_t *>(state.data()), n, positions.data());
    results.add(positions);
    FIND(hl_hamming_counts)(reinterpret_cast<const uint8_t *>(words.data()), counts.size(), 1000, 125, counts.data());
    results.add(counts);
    results.add(std::vector<float>{FIND(hl_reduce_dot_f32)(x.data(), y.data(), n)});
    const auto gemm = FIND(hl_matmul_gemm_f32);
    ok(gemm(10, 10, 100, 1, x.data(), 100, 1, y.data(), 10, 1, 0, c.data(), 10, 1, nullptr, nullptr, 0));
    results.add(c);
    const int8_t squares[2] = {1, -1};
    ok(FIND(hl_clifford_product_f32)(squares, 2, n / 4, x.data(), x.data(), y.data()));
    results.add(y);
    results.add(pairs(library, places, psi));
    for (size_t i = 0; i < distances.size(); i++)
        distances[i] = (i + 1) * 0x9e3779b97f4a7c15;
    ok(FIND(hl_hardround_exists)(distances.data(), distances.data(), distances.size(), 4096, uint64_t(1) << 48,
                                 HL_HARDROUND_REGULAR, bits.data()));
    results.add(bits);
    results.add(spins(library));
    return results;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 1;
    const Library plugin(argv[1]);
    const Results expected = call(Library(argv[2]));
    for (int round = 0; round < 20; round++) {
        if (dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD) != nullptr) {
            std::fprintf(stderr, "the library is still there: no call is a first one\n");
            return 1;
        }
        const Library library(argv[2]);
        std::atomic<int> waiting(64), wrong(0);
        std::vector<std::thread> threads;
        for (int thread = 0; thread < 64; thread++)
            threads.emplace_back([&] {
                waiting--;
                while (waiting > 0)
                    std::this_thread::yield();
                wrong += !(call(library) == expected);
            });
        for (std::thread &thread : threads)
            thread.join();
        if (wrong != 0) {
            std::fprintf(stderr, "%d of 64 threads have other results\n", static_cast<int>(wrong));
            return 1;
        }
    }
    return 0;
}
