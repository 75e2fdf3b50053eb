// Programs B.1 and B.2 of Dickson, Karimi, Hamze (2011): Metropolis sweeps of layered models in f32. A group of 128
// items is a model; item k has lane k of the generator and the layers k * groups .. (k + 1) * groups. In a step, each
// item visits one of its layers: no two of these are adjacent, because there are at least two groups. The two programs
// differ in the places of numbers in memory alone.
#pragma OPENCL FP_CONTRACT OFF

#define ITEMS 128u
#define ROWS 624u   // Words of a lane of the generator.
#define CHUNK 32u   // Sites between updates of the adjacent layers: a bit for each flip.

// Strides of memory: from a row of the generator to the next one and from an item to the next one; from a layer of an
// item to the next one, from a site to the next one, and from an item to the next one.
typedef struct {
    uint row, lane, group, site, item;
} layout;

// This item's next number.
inline uint next_number(global uint *state, uint *row, uint stride) {
    const uint r = *row, next = r + 1u == ROWS ? 0u : r + 1u, far = r + 397u < ROWS ? r + 397u : r - 227u;
    const uint x = (state[stride * r] & 0x80000000u) | (state[stride * next] & 0x7fffffffu);
    uint y = state[stride * far] ^ x >> 1 ^ ((0u - (x & 1u)) & 0x9908b0dfu);
    state[stride * r] = y;
    *row = next;
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

// The library's acceptance of `F32Fast`: an exponent in units of 2^-23 ln 2, as the bits of a number.
inline bool accepts(uint random, float v) {
    const int n = convert_int_rte(fmax(v < 0.0f ? v : 0.0f, -2147483648.0f));
    return (float)(random >> 8) < as_float(0x3fe98000u + (uint)n) * 0x1.072058p+23f;
}

// Sweeps the model of a group. Its first number is at the pointers. Returns the flips of this item.
inline ulong sweep(global uint *state, uint *row, global float *spins, global float *fields, global float *taus,
                   global const uint *first, global const uint *far, global const float *couplings, float2 beta,
                   uint sites, uint groups, uint sweeps, layout at) {
    const uint k = get_local_id(0), before = (k + ITEMS - 1u) % ITEMS, after = (k + 1u) % ITEMS, last = groups - 1u;
    state += at.lane * k;
    ulong total = 0;
    for (uint s = 0; s < sweeps; s++)
        for (uint g = 0; g < groups; g++) {
            const uint own = at.group * g + at.item * k;
            const uint below = g ? own - at.group : at.group * last + at.item * before;
            const uint above = g == last ? at.item * after : own + at.group;
            for (uint begin = 0; begin < sites; begin += CHUNK) {
                const uint count = min(CHUNK, sites - begin);
                uint flipped = 0;
                for (uint i = 0; i < count; i++) {
                    const uint site = begin + i, cell = own + at.site * site;
                    const float spin = spins[cell];
                    const float v = (beta.x * fields[cell] + beta.y * taus[cell]) * spin;
                    if (accepts(next_number(state, row, at.row), v)) {
                        const float d = -2.0f * spin;
                        spins[cell] = -spin;
                        for (uint j = first[site]; j < first[site + 1u]; j++)
                            fields[own + at.site * far[j]] += couplings[j] * d;
                        flipped |= 1u << i;
                    }
                }
                total += popcount(flipped);
                // With two groups, the layer above this item's is the one below its neighbour's: one after the other.
                for (uint i = 0; i < count; i++)
                    if (flipped >> i & 1u) {
                        const uint site = at.site * (begin + i);
                        taus[below + site] += 2.0f * spins[own + site];
                    }
                barrier(CLK_GLOBAL_MEM_FENCE);
                for (uint i = 0; i < count; i++)
                    if (flipped >> i & 1u) {
                        const uint site = at.site * (begin + i);
                        taus[above + site] += 2.0f * spins[own + site];
                    }
            }
            barrier(CLK_GLOBAL_MEM_FENCE);
        }
    return total;
}

// `states` and `rows`: the generator of each model and the next row of its lanes. `spins`, `fields` and `taus`: of each
// model. Site i has the neighbours `far` and the couplings from `first[i]` to `first[i + 1]`, the same in all models.
// `betas`: for each model the factors of `fields` and of `taus`, in units of the exponent.
#define PROGRAM(name, ...)                                                                                             \
    kernel void name(global uint *states, global uint *rows, global float *spins, global float *fields,               \
                     global float *taus, global const uint *first, global const uint *far,                             \
                     global const float *couplings, global const float2 *betas, global ulong *flips, uint sites,       \
                     uint groups, uint sweeps) {                                                                       \
        local ulong sums[ITEMS];                                                                                       \
        const layout at = {__VA_ARGS__};                                                                               \
        const size_t model = get_group_id(0), cells = (size_t)ITEMS * groups * sites * model;                          \
        uint row = rows[model];                                                                                        \
        sums[get_local_id(0)] = sweep(states + ITEMS * ROWS * model, &row, spins + cells, fields + cells,              \
                                      taus + cells, first, far, couplings, betas[model], sites, groups, sweeps, at);   \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        if (get_local_id(0) == 0u) {                                                                                   \
            ulong total = 0;                                                                                           \
            for (uint j = 0; j < ITEMS; j++) total += sums[j];                                                         \
            flips[model] += total;                                                                                     \
            rows[model] = row;                                                                                         \
        }                                                                                                              \
    }

// An item's numbers are contiguous.
PROGRAM(sweep_b1, 1u, ROWS, sites, 1u, groups * sites)
// The items' numbers are interlaced, so that accesses are coalesced.
PROGRAM(sweep_b2, ITEMS, 1u, ITEMS * sites, ITEMS, 1u)
