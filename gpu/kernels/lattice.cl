// One colour of one square lattice, with the spins of hotloops::ising::SquareLattice. Integers only.

#define BLOCK_ROWS 8u
#define OWN 4u
#define BITS 48u
#define OWN_CALLS 16u
#define ROUND_CALLS 22u
#define ODD 1u
#define NEGATIVE 2u
#define HEAT_BATH 4u

// Salmon, Moraes, Dror, Shaw (2011): Philox4x32 with 10 rounds.
inline uint4 philox(uint4 c, uint2 key) {
    for (uint round = 0; round < 10u; round++) {
        const uint4 next = (uint4)(mul_hi(0xcd9e8d57u, c.s2) ^ c.s1 ^ key.s0, 0xcd9e8d57u * c.s2,
                                   mul_hi(0xd2511f53u, c.s0) ^ c.s3 ^ key.s1, 0xd2511f53u * c.s0);
        c = next;
        key += (uint2)(0x9e3779b9u, 0xbb67ae85u);
    }
    return c;
}

// Two random planes of a block.
inline ulong2 planes(uint block, uint call, uint flags, uint2 key, ulong sweep) {
    const uint4 o = philox((uint4)(block, 2u * call + (flags & ODD), (uint)sweep, (uint)(sweep >> 32)), key);
    return (ulong2)((ulong)o.s0 << 32 | o.s1, (ulong)o.s2 << 32 | o.s3);
}

// All bits of a plane are those of bit k of a probability.
inline ulong bit_of(ulong probability, uint k) { return probability >> (BITS - 1u - k) & 1ul ? ~0ul : 0ul; }

// An item is a block: a word of up to 8 rows. Rows have `words` words, the last one `last` spins; bits after them are 0.
// `probabilities`: of none and of one unsatisfied bond, in units of 2^-48. `flips`: a count for each block.
kernel void sweep_lattice(global ulong *spins, global const ulong *others, global uint *flips, uint rows, uint words,
                          uint last, uint blocks, uint flags, ulong p0, ulong p1, ulong seed, ulong sweep) {
    const uint block = get_global_id(0);
    if (block >= blocks) return;
    const uint word = block % words, begin = block / words * BLOCK_ROWS, count = min(BLOCK_ROWS, rows - begin);
    const uint2 key = (uint2)((uint)seed, (uint)(seed >> 32));
    const ulong negative = flags & NEGATIVE ? ~0ul : 0ul, heat = flags & HEAT_BATH ? ~0ul : 0ul;
    const ulong live = word + 1u == words ? ~0ul >> (64u - last) : ~0ul;
    ulong own[BLOCK_ROWS], odd[BLOCK_ROWS], open[BLOCK_ROWS], flip[BLOCK_ROWS];
    for (uint b = 0; b < count; b++) {
        const uint row = begin + b, above = row == 0u ? rows - 1u : row - 1u, below = row + 1u == rows ? 0u : row + 1u;
        global const ulong *line = others + (size_t)words * row;
        const ulong same = line[word];
        ulong beside;
        if (((row ^ flags) & 1u) == 0u)
            beside = same << 1 | (word ? line[word - 1u] >> 63 : line[words - 1u] >> (last - 1u));
        else
            beside = same >> 1 | (word + 1u < words ? line[word + 1u] << 63 : (line[0] & 1ul) << (last - 1u));
        own[b] = spins[(size_t)words * row + word];
        // Unsatisfied bonds, counted by two half adders.
        const ulong u = own[b] ^ negative, x0 = u ^ others[(size_t)words * above + word];
        const ulong x1 = u ^ others[(size_t)words * below + word], x2 = u ^ same, x3 = u ^ beside;
        const ulong s0 = x0 ^ x1, c0 = x0 & x1, s1 = x2 ^ x3, c1 = x2 & x3, c2 = s0 & s1;
        const ulong all = c0 & c1, pairs = (c0 ^ c1) | c2;
        odd[b] = s0 ^ s1;
        // Two, and three or four.
        ulong half_done = pairs & ~odd[b] & ~all;
        const ulong over = (pairs & odd[b]) | all;
        open[b] = live & ~half_done & (~over | heat);
        ulong less = 0;
        for (uint k = 0; k < OWN; k += 2u) {
            const ulong2 random = planes(block, 2u * b + k / 2u, flags, key, sweep);
            if (k == 0u) half_done &= ~random.s0;
            for (uint h = 0; h < 2u; h++) {
                const ulong r = h ? random.s1 : random.s0;
                const ulong p = (bit_of(p0, k + h) & ~odd[b]) | (bit_of(p1, k + h) & odd[b]);
                less |= open[b] & p & ~r;
                open[b] &= ~(p ^ r);
            }
        }
        flip[b] = ((less ^ over) | half_done) & live;
    }
    for (uint round = 0;; round++) {
        ulong pool = 0, pool_odd = 0, less = 0, chosen[BLOCK_ROWS];
        for (uint b = 0; b < count; b++) {
            chosen[b] = open[b] & ~pool;
            open[b] &= pool;
            pool |= chosen[b];
            pool_odd |= odd[b] & chosen[b];
        }
        if (pool == 0ul) break;
        for (uint k = OWN; k < BITS && pool != 0ul; k += 2u) {
            const ulong2 random = planes(block, OWN_CALLS + round * ROUND_CALLS + (k - OWN) / 2u, flags, key, sweep);
            for (uint h = 0; h < 2u; h++) {
                const ulong r = h ? random.s1 : random.s0;
                const ulong p = (bit_of(p0, k + h) & ~pool_odd) | (bit_of(p1, k + h) & pool_odd);
                less |= pool & p & ~r;
                pool &= ~(p ^ r);
            }
        }
        for (uint b = 0; b < count; b++) flip[b] ^= less & chosen[b];
    }
    uint flipped = 0;
    for (uint b = 0; b < count; b++) {
        spins[(size_t)words * (begin + b) + word] = own[b] ^ flip[b];
        flipped += (uint)popcount(flip[b]);
    }
    flips[block] += flipped;
}
