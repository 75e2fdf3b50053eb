// The sweeps of A.1 and A.2 (rungs.rs) in C. build.rs compiles them twice: without optimisation as the paper's A.1a and
// A.2a, with -O3 as its A.1b and A.2b. BUILD is the letter.

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define JOINED(name, build) hotloops_bench_##name##build
#define NAME(name, build) JOINED(name, build)

enum { WORDS = 624, SHIFT = 397, LANES = 4 };

static const float SCALE = 16777216.0f;

struct link {
    uint32_t far;
    float twice;
};

static uint32_t twist(uint32_t this, uint32_t next, uint32_t far) {
    uint32_t merged = (this & 0x80000000u) | (next & 0x7fffffffu);
    return far ^ (merged >> 1) ^ ((next & 1) ? 0x9908b0dfu : 0);
}

static uint32_t temper(uint32_t word) {
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    return word ^ (word >> 18);
}

// Renews the words of `lanes` interlaced generators.
static void renew(uint32_t *x, size_t lanes) {
    size_t i = 0, words = WORDS * lanes, shift = SHIFT * lanes;
    for (; i < words - shift; i++) {
        x[i] = twist(x[i], x[i + lanes], x[i + shift]);
    }
    for (; i < words - lanes; i++) {
        x[i] = twist(x[i], x[i + lanes], x[i + shift - words]);
    }
    for (; i < words; i++) {
        x[i] = twist(x[i], x[i + lanes - words], x[i + shift - words]);
    }
}

// As in the paper's Figure 4, ends, couplings and kinds of the edges are arrays apart.
uint64_t NAME(a1, BUILD)(size_t sweeps, size_t count, float beta_space, float beta_tau, const uint32_t *first,
                         const uint32_t *incident, const uint32_t (*ends)[2], const float *couplings,
                         const bool *is_tau, float *spins, float *space, float *tau, uint32_t *state,
                         size_t *position) {
    uint64_t flips = 0;
    for (size_t sweep = 0; sweep < sweeps; sweep++) {
        for (size_t i = 0; i < count; i++) {
            float spin = spins[i];
            float v = -2.0f * spin * (beta_space * space[i] + beta_tau * tau[i]);
            if (*position == WORDS) {
                renew(state, 1);
                *position = 0;
            }
            uint32_t random = temper(state[(*position)++]);
            if (!((float)(random >> 8) < expf(v) * SCALE)) {
                continue;
            }
            spins[i] = -spin;
            flips++;
            for (size_t k = first[i]; k < first[i + 1]; k++) {
                size_t edge = incident[k];
                size_t far = ends[edge][0] == i ? ends[edge][1] : ends[edge][0];
                if (is_tau[edge]) {
                    tau[far] -= 2.0f * spin * couplings[edge];
                } else {
                    space[far] -= 2.0f * spin * couplings[edge];
                }
            }
        }
    }
    return flips;
}

static bool accept_fast(float v, uint32_t random) {
    v = v > -87.0f ? v : -87.0f;
    v = v < 88.0f ? v : 88.0f;
    int32_t bits = (int32_t)(v * 12102203.0f) + 0x3f800000;
    float exponential;
    memcpy(&exponential, &bits, sizeof exponential);
    return (float)(random >> 8) < exponential * (0.960906f * SCALE);
}

uint64_t NAME(a2, BUILD)(size_t sweeps, size_t layers, size_t sites, float beta_space, float beta_tau,
                         const uint32_t *first, const struct link *links, float *spins, float *space, float *tau,
                         uint32_t *state, uint32_t *output, size_t *position) {
    float by_space = -2.0f * beta_space, by_tau = -2.0f * beta_tau;
    uint64_t flips = 0;
    for (size_t sweep = 0; sweep < sweeps; sweep++) {
        for (size_t layer = 0; layer < layers; layer++) {
            size_t base = layer * sites;
            size_t below = (layer + layers - 1) % layers * sites;
            size_t above = (layer + 1) % layers * sites;
            for (size_t site = 0; site < sites; site++) {
                if (*position == LANES * WORDS) {
                    renew(state, LANES);
                    for (size_t i = 0; i < LANES * WORDS; i++) {
                        output[i] = temper(state[i]);
                    }
                    *position = 0;
                }
                uint32_t random = output[(*position)++];
                float spin = spins[base + site];
                float v = spin * (by_space * space[base + site] + by_tau * tau[base + site]);
                if (!accept_fast(v, random)) {
                    continue;
                }
                spins[base + site] = -spin;
                flips++;
                for (size_t k = first[site]; k < first[site + 1]; k++) {
                    space[base + links[k].far] -= spin * links[k].twice;
                }
                tau[below + site] -= 2.0f * spin;
                tau[above + site] -= 2.0f * spin;
            }
        }
    }
    return flips;
}
