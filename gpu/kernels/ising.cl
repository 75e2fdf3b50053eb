// Metropolis and heat-bath sweeps, with the trajectories of the library.

// An interlaced generator of 16 lanes in memory order: 624 rows.
#define LANES 16u
#define WORDS 9984u

inline uint temper(uint y) {
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

inline uint twist(uint own, uint next, uint far) {
    uint x = (own & 0x80000000u) | (next & 0x7fffffffu);
    return far ^ x >> 1 ^ ((0u - (x & 1u)) & 0x9908b0dfu);
}

inline uint wrapped(uint word) { return word >= WORDS ? word - WORDS : word; }

// ---- Exact sweeps of interlaced layers. A group of 64 items is a model; item k is lane k.

#define SITES 32u   // Sites a refill: 1024 words are 64 rows, fewer than the 227 that no twist reads ahead of writing.
#define EACH 16u    // Words of an item in a refill.
#define NONE 0xffffffffu

#ifdef GLOBAL_SPINS
#define SPINS global
#else
#define SPINS local
#endif

// Draws `count` words, at most 1024, into `out`. Returns the new position.
inline uint refill(global uint *state, uint position, uint count, local uint *out, uint k) {
    uint y[EACH];
    for (uint j = 0; j < EACH; j++) {
        uint w = wrapped(position + k + 64u * j);
        y[j] = twist(state[w], state[wrapped(w + LANES)], state[wrapped(w + 397u * LANES)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint j = 0; j < EACH; j++) {
        uint i = k + 64u * j;
        if (i < count) {
            state[wrapped(position + i)] = y[j];
            out[i] = temper(y[j]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return wrapped(position + count);
}

inline ulong split_mix(ulong seed, ulong n) {
    ulong z = seed + n * 0x9e3779b97f4a7c15ul;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ z >> 27) * 0x94d049bb133111ebul;
    return z ^ z >> 31;
}

// `words`: sites x groups of each model, bit k for lane k. `long_lanes` of the `lanes` have a layer in the last group.
// `probabilities`: 771 of each model, 2 x 3 x 128 by parity, c and k, then 3 of free sites. `packed` has the spins of
// 32 sites a word: `packs` words a group and lane.
kernel void sweep_i8(global uint *states, global uint *positions, global ulong *words, global const uint *links,
                     global const uint *first_link, global const ulong *probabilities, global ulong *flips, uint sites,
                     uint groups, uint lanes, uint long_lanes, uint coupled, uint sweeps, SPINS uint *packed) {
    local uint random[1024], ties[64];
    local ushort table[771];
    const uint k = get_local_id(0), model = get_group_id(0), packs = (sites + 31u) / 32u, last = groups - 1u;
    global uint *state = states + (size_t)WORDS * model;
    words += (size_t)sites * groups * model;
    links += first_link[model];
    probabilities += 771u * model;
#ifdef GLOBAL_SPINS
    packed += (size_t)64u * packs * groups * model;
#endif
    for (uint i = k; i < 771u; i += 64u) table[i] = (ushort)(probabilities[i] >> 32);
    for (uint g = 0; g < groups; g++)
        for (uint q = 0; q < packs; q++) {
            uint pack = 0;
            for (uint i = 0; i < 32u && 32u * q + i < sites; i++)
                pack |= (uint)(words[g * sites + 32u * q + i] >> k & 1u) << i;
            packed[(g * packs + q) * 64u + k] = pack;
        }
    uint position = positions[model];
    ulong total = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    // The lanes beside this one. Idle lanes have none.
    const uint before = k >= lanes ? k : k == 0u ? lanes - 1u : k - 1u;
    const uint after = k >= lanes ? k : k + 1u == lanes ? 0u : k + 1u;
    for (uint s = 0; s < sweeps; s++) {
        position = refill(state, position, 16u, random, k);
        const ulong seed = (ulong)random[0] | (ulong)random[1] << 32;
        ulong drawn = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint g = 0; g < groups; g++) {
            const uint live = k < (g == last ? long_lanes : lanes);
            // The layers beside this one, at the ends of a lane in the lanes beside it.
            const uint ends = g == last || (g + 1u == last && k >= long_lanes);
            const uint g_below = g ? g - 1u : before < long_lanes ? last : last - 1u, k_below = g ? k : before;
            const uint g_above = ends ? 0u : g + 1u, k_above = ends ? after : k;
            uint link = 0;
            for (uint first = 0; first < sites; first += SITES) {
                const uint count = min(SITES, sites - first), pack = first / 32u;
                position = refill(state, position, 32u * count, random, k);
                SPINS uint *own = packed + g * packs * 64u + k;
                const uint below = coupled ? packed[(g_below * packs + pack) * 64u + k_below] : 0u;
                const uint above = coupled ? packed[(g_above * packs + pack) * 64u + k_above] : 0u;
                local const uchar *bytes = (local const uchar *)random;
                // A lane runs to its first tie. The first of all ties, by site, then by lane, draws; `decided` then
                // is 1 for a spin that stays and 2 for one that flips.
                uint i = 0, decided = 0;
                for (;;) {
                    uint at = NONE;
                    ulong probability = 0;
                    while (i < count) {
                        const uint header = links[link], degree = header >> 8 & 0xffu, parity = header >> 16;
                        int v = (char)header;
                        for (uint j = 1; j <= degree; j++) {
                            const uint l = links[link + j], row = l >> 8;
                            v -= (char)l * (int)(own[(row >> 5) * 64u] >> (row & 31u) & 1u);
                        }
                        const uint spins = own[pack * 64u], down = spins >> i & 1u;
                        const int f = down ? -v - (int)parity : v;
                        const uint c = coupled ? (down ^ (below >> i & 1u)) + (down ^ (above >> i & 1u)) : 0u;
                        const uint entry = header ? 384u * parity + 128u * c + ((uint)f & 127u) : 768u + c;
                        const uint threshold = table[entry];
                        const uint r = (uint)bytes[128u * i + k] << 8 | bytes[128u * i + 64u + k];
                        uint accepts = r < threshold;
                        if (r == threshold) {
                            if (decided) {
                                accepts = decided - 1u;
                                decided = 0;
                            } else {
                                probability = probabilities[entry];
                                if (probability == 0xfffffffffffful) accepts = 1u;
                                else if (live) {
                                    at = i;
                                    break;
                                }
                            }
                        }
                        own[pack * 64u] = spins ^ accepts << i;
                        total += accepts & live;
                        link += degree + 1u;
                        i++;
                    }
                    ties[k] = at == NONE ? NONE : at * 64u + k;
                    barrier(CLK_LOCAL_MEM_FENCE);
                    uint least = NONE;
                    for (uint j = 0; j < 64u; j++) least = min(least, ties[j]);
                    barrier(CLK_LOCAL_MEM_FENCE);
                    if (least == NONE) break;
                    drawn++;
                    // The upper 16 bits are equal.
                    if (least % 64u == k) decided = 1u + ((uint)(split_mix(seed, drawn) >> 32) < (uint)probability);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        }
    }
    for (uint i = k; i < sites * groups; i += 64u) {
        const uint g = i / sites, row = i % sites;
        ulong word = 0;
        for (uint j = 0; j < 64u; j++)
            word |= (ulong)(packed[(g * packs + row / 32u) * 64u + j] >> (row & 31u) & 1u) << j;
        words[i] = word;
    }
    random[2u * k] = (uint)total;
    random[2u * k + 1u] = (uint)(total >> 32);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (k == 0u) {
        for (uint j = 1; j < 64u; j++) total += (ulong)random[2u * j] | (ulong)random[2u * j + 1u] << 32;
        flips[model] += total;
        positions[model] = position;
    }
}

// ---- Independent copies, a bit a spin. A group of 16 items is a model of up to 512 copies a row; item j holds 32 of
// them and a lane of the generator, so that only the votes of the copies of a model need barriers.

// This item's word of the next plane.
inline uint plane(global uint *state, uint *row) {
    const uint r = *row, next = r + 1u == 624u ? 0u : r + 1u, far = r + 397u < 624u ? r + 397u : r - 227u;
    const uint y = twist(state[LANES * r], state[LANES * next], state[LANES * far]);
    state[LANES * r] = y;
    *row = next;
    return temper(y);
}

inline uint any(uint x, local uint *votes, uint j) {
    votes[j] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint all = 0;
    for (uint i = 0; i < LANES; i++) all |= votes[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

// The union of the classes whose bit in `code` is 1.
inline uint joined(const uint *classes, uint code) {
    uint all = 0;
    for (uint i = 0; i < 4u; i++) all |= code >> i & 1u ? classes[i] : 0u;
    return all;
}

// `spins`: `groups` x `rows` rows of 16 words of each model; `signs`: `groups` x `sign_rows`, of all models. `codes`:
// 432 of each model; `heat_baths`: 1 for models with this acceptance. `live_copies`: a row for each group, 1 for copies
// that exist.
kernel void sweep_bits(global uint *states, global uint *positions, global uint *spins, global const uint *links,
                       global const uint *signs, global const uchar *codes, global const uchar *heat_baths,
                       global const uint *live_copies, global ulong *flips, uint rows, uint groups, uint sign_rows,
                       uint blocks, uint sweeps) {
    local uint votes[16];
    local ulong sums[16];
    const uint j = get_local_id(0), model = get_group_id(0), heat = heat_baths[model];
    // A plane is 16 words from any position on: it may begin within a row.
    const uint begin = positions[model], within = begin % LANES, place = within + j;
    global uint *state = states + (size_t)WORDS * model + place % LANES;
    codes += 432u * model;
    uint row = (begin / LANES + place / LANES) % 624u;
    ulong total = 0;
    for (uint s = 0; s < sweeps; s++) {
        uint used = 0;
        for (uint g = 0; g < groups; g++) {
            global uint *own = spins + (size_t)LANES * rows * (groups * model + g) + j;
            global const uint *sign = signs + (size_t)LANES * sign_rows * g + j;
            const uint live = live_copies[LANES * g + j];
            uint link = 0, first = 0;
            for (uint block = 0; block < blocks; block++) {
                const uint header = links[link++], count = header & 0xffu, degree = header >> 8 & 0xffu;
                global const uchar *code = codes + 48u * degree;
                uint classes[8][4], undecided[8], flipped[8], word[8], open = 0;
                for (uint b = 0; b < count; b++) {
                    const uint spin = own[LANES * (first + b)];
                    uint c0 = 0, c1 = 0, c2 = 0, c3 = 0;
                    for (uint d = 0; d < degree; d++, link += 2u) {
                        uint x = spin ^ own[LANES * links[link]] ^ sign[LANES * links[link + 1u]], t = c0 & x;
                        c0 ^= x;
                        x = c1 & t;
                        c1 ^= t;
                        t = c2 & x;
                        c2 ^= x;
                        c3 ^= t;
                    }
                    uint even = 0, left_open = 0, sure = 0;
                    for (uint c = 0; c < 4u; c++) classes[b][c] = 0;
                    for (uint u = 0; u <= degree; u++) {
                        const uint is = (u & 1u ? c0 : ~c0) & (u & 2u ? c1 : ~c1) & (u & 4u ? c2 : ~c2) &
                                        (u & 8u ? c3 : ~c3) & live;
                        if (2u * u == degree) {
                            even = is;
                            continue;
                        }
                        const uint c = heat ? min(u, degree - u) : u;
                        if (2u * u > degree) sure |= is;
                        if (2u * c < degree) {
                            left_open |= is;
                            classes[b][c] |= is;
                        }
                    }
                    uint less = 0;
                    for (uint p = 0; p < 5u; p++) {
                        const uint r = plane(state, &row), t = joined(classes[b], code[p]);
                        less |= left_open & t & ~r;
                        left_open &= ~(r ^ t);
                        if (p == 0u) sure |= even & ~r;
                    }
                    used += 5u;
                    flipped[b] = sure ^ less;
                    undecided[b] = left_open;
                    open |= left_open;
                    word[b] = spin;
                }
                while (any(open, votes, j)) {
                    // Each copy decides its first undecided site.
                    uint pool = 0, chosen[8], less = 0;
                    for (uint b = 0; b < count; b++) {
                        chosen[b] = undecided[b] & ~pool;
                        pool |= undecided[b];
                        undecided[b] &= ~chosen[b];
                    }
                    uint rest = pool;
                    for (uint p = 5u; p < 48u && any(rest, votes, j); p++) {
                        uint t = 0;
                        for (uint b = 0; b < count; b++) t |= chosen[b] & joined(classes[b], code[p]);
                        const uint r = plane(state, &row);
                        less |= rest & t & ~r;
                        rest &= ~(r ^ t);
                        used++;
                    }
                    open = 0;
                    for (uint b = 0; b < count; b++) {
                        flipped[b] ^= less & chosen[b];
                        open |= undecided[b];
                    }
                }
                for (uint b = 0; b < count; b++) {
                    own[LANES * (first + b)] = word[b] ^ flipped[b];
                    total += popcount(flipped[b]);
                }
                first += count;
            }
        }
        // A sweep draws whole units.
        for (; used % 64u; used++) (void)plane(state, &row);
    }
    sums[j] = total;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (j == 0u) {
        for (uint i = 1; i < LANES; i++) total += sums[i];
        flips[model] += total;
        positions[model] = LANES * row + within;
    }
}
