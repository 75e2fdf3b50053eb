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

// Appends (query, row, ones in common) of the pairs with at least `least[query * columns + ones of the row]` ones in
// common, of the `nr` rows from `first` on. `found` counts all of them; those past `room` are not written. Hits are in
// no order. Word w of row r is rows[w * stride + r]; `words` is a multiple of 4, and there is memory for the rows and
// queries of all items. An item is a row and 4 queries.
kernel void search(global const ulong *queries, global const ulong *rows, global const uint *ones,
                   global const uint *least, uint nq, uint first, uint nr, uint stride, uint words, uint columns,
                   uint room, global uint *hits, global uint *found) {
    const size_t i = get_global_id(0), row = first + i, q0 = 4 * get_global_id(1);
    global const ulong *r = rows + row, *qs = queries + q0 * words;
    ulong a = 0, b = 0, c = 0, d = 0;
    for (uint w = 0; w < words; w += 4u, r += 4 * (size_t)stride, qs += 4) {
#pragma unroll
        for (size_t e = 0; e < 4; e++) {
            const ulong x = r[e * stride];
            a += popcount(x & qs[e]);
            b += popcount(x & qs[words + e]);
            c += popcount(x & qs[2 * (size_t)words + e]);
            d += popcount(x & qs[3 * (size_t)words + e]);
        }
    }
    const uint common[4] = {(uint)a, (uint)b, (uint)c, (uint)d};
    for (uint p = 0; p < 4u && i < nr; p++) {
        const size_t q = q0 + p;
        if (q < nq && common[p] >= least[q * columns + ones[row]]) {
            const uint place = atomic_inc(found);
            if (place < room) {
                hits[3u * place] = q;
                hits[3u * place + 1u] = row;
                hits[3u * place + 2u] = common[p];
            }
        }
    }
}
