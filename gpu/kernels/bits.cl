// Bit planes of u32, distances of planes, comparisons of bit rows. All arithmetic is in integers.

// Transposes 32 words: bit i of word j becomes bit j of word i. A macro: PoCL makes vectors of items only where the
// loops stand in the kernel.
#define TRANSPOSE(a)                                                              \
    _Pragma("unroll") for (uint j = 16u, mask = 0x0000ffffu; j; j >>= 1, mask ^= mask << j) \
        _Pragma("unroll") for (uint q = 0; q < 16u; q++) {                        \
            uint k = (q / j) * 2u * j + q % j, t = (a[k] >> j ^ a[k + j]) & mask; \
            a[k + j] ^= t;                                                        \
            a[k] ^= t << j;                                                       \
        }

// Word w of each of the 32 planes of 32 x `words` elements. An item a word, without branches on its elements: compilers
// for CPUs make vectors of items.
kernel void slice_u32(global const uint *elements, global uint *planes, uint words) {
    uint w = get_global_id(0);
    if (w >= words) return;
    uint a[32];
#pragma unroll
    for (uint i = 0; i < 32u; i++) a[i] = elements[32u * w + i];
    TRANSPOSE(a)
#pragma unroll
    for (uint b = 0; b < 32u; b++) planes[b * words + w] = a[b];
}

// The inverse.
kernel void unslice_u32(global const uint *planes, global uint *elements, uint words) {
    uint w = get_global_id(0);
    if (w >= words) return;
    uint a[32];
#pragma unroll
    for (uint b = 0; b < 32u; b++) a[b] = planes[b * words + w];
    TRANSPOSE(a)
#pragma unroll
    for (uint i = 0; i < 32u; i++) elements[32u * w + i] = a[i];
}

// Adds the number of ones of each plane of n elements to `counts`. Groups of 64 items; an item 32 elements.
kernel void count_ones_u32(global const uint *elements, global uint *counts, uint n) {
    local uint sums[32];
    uint k = get_local_id(0), w = get_global_id(0), a[32];
    if (k < 32u) sums[k] = 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 32u; i++) a[i] = 32ul * w + i < n ? elements[32u * w + i] : 0u;
    TRANSPOSE(a)
    for (uint b = 0; b < 32u; b++) atomic_add(&sums[b], popcount(a[b]));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k < 32u && sums[k] != 0u) atomic_add(&counts[k], sums[k]);
}

// The distances of the 32 planes of each block of 2048 elements: entry (i, j) of 32 x 32 for j > i, the number of
// ones on the diagonal; entries below it are not written. A group of 64 items a block, an item 32 elements.
kernel void slices_distance(global const uint *elements, global uint *distances) {
    // A stride of 65 words: items of a plane's words lie in different banks.
    local uint planes[32 * 65];
    uint k = get_local_id(0), block = get_group_id(0), a[32];
#pragma unroll
    for (uint i = 0; i < 32u; i++) a[i] = elements[2048u * block + 32u * k + i];
    TRANSPOSE(a)
#pragma unroll
    for (uint b = 0; b < 32u; b++) planes[65u * b + k] = a[b];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint pair = k; pair < 1024u; pair += 64u) {
        uint i = pair >> 5, j = pair & 31u, sum = 0;
        if (j < i) continue;
        for (uint w = 0; w < 64u; w++) sum += popcount(planes[65u * i + w] ^ (i == j ? 0u : planes[65u * j + w]));
        distances[1024u * block + pair] = sum;
    }
}

// Ones in common of each query and row: groups of 16 x 16 items, each with 2 x 2 pairs of a tile of 32 x 32.
inline void common_ones(global const uint *queries, global const uint *rows, uint nq, uint nr, uint words,
                        local uint *q_tile, local uint *r_tile, uint sum[4]) {
    uint i = get_local_id(1), j = get_local_id(0), q0 = 32u * get_group_id(1), r0 = 32u * get_group_id(0);
    sum[0] = sum[1] = sum[2] = sum[3] = 0u;
    for (uint first = 0; first < words; first += 16u) {
        uint w = first + j;
        for (uint part = 0; part < 32u; part += 16u) {
            uint q = q0 + part + i, r = r0 + part + i;
            q_tile[17u * (part + i) + j] = q < nq && w < words ? queries[(size_t)q * words + w] : 0u;
            r_tile[17u * (part + i) + j] = r < nr && w < words ? rows[(size_t)r * words + w] : 0u;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint e = 0; e < 16u; e++) {
            uint qa = q_tile[17u * i + e], qb = q_tile[17u * (i + 16u) + e];
            uint ra = r_tile[17u * j + e], rb = r_tile[17u * (j + 16u) + e];
            sum[0] += popcount(qa & ra);
            sum[1] += popcount(qa & rb);
            sum[2] += popcount(qb & ra);
            sum[3] += popcount(qb & rb);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Appends (query, row, ones in common) of the pairs with at least `least[query * columns + ones of the row]` ones in
// common, of the `nr` rows from `first` on. `found` counts all of them; those past `room` are not written. Hits are in
// no order.
kernel void search(global const uint *queries, global const uint *rows, global const uint *ones,
                   global const uint *least, uint nq, uint first, uint nr, uint words, uint columns, uint room,
                   global uint *hits, global uint *found) {
    local uint q_tile[32 * 17], r_tile[32 * 17];
    uint sum[4];
    common_ones(queries, rows + (size_t)first * words, nq, nr, words, q_tile, r_tile, sum);
    for (uint p = 0; p < 4u; p++) {
        uint q = 32u * get_group_id(1) + get_local_id(1) + 16u * (p >> 1);
        uint r = 32u * get_group_id(0) + get_local_id(0) + 16u * (p & 1u);
        if (q < nq && r < nr && sum[p] >= least[(size_t)q * columns + ones[first + r]]) {
            uint place = atomic_inc(found);
            if (place < room) {
                hits[3u * place] = q;
                hits[3u * place + 1u] = first + r;
                hits[3u * place + 2u] = sum[p];
            }
        }
    }
}
