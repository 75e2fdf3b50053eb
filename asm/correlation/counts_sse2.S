// Counts the pairs of points beyond each of several distances: for each i < n, j < m and e < k, if
// r2 of the pair, as in scatter, is not less than `edges[e]`, adds 1 to `words[e]`.
//
//   void hl_correlation_counts_sse2(const float *x, const float *y, size_t n, const float *other_x,
//       const float *other_y, size_t m, const float *shift, const float *edges, size_t k,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = n, rcx = other_x, r8 = other_y, r9 = m,
//         [rsp+8..32] = shift, edges, k, words     Out  words[0..k]
// Uses    rax, rbx, rdx, rbp, rdi, rsi, r10..r13, xmm0..xmm13     Stack  248 bytes
// Loop    4 pairs and up to 8 edges: 11 operations and 3 an edge, one of them a copy; bound by the
//         vector pipes
// Tail    the last vector overlaps the one before, whose lanes are marked; reads exactly the points

#include "hl.h"

#define BYTES       16

// Sums in xmm0..xmm7.
#define r2          xmm8
#define dy          xmm9
#define xj          xmm10
#define yj          xmm11
#define shift_x     xmm12
#define shift_y     xmm13

#include "counts_x86_64.h"

FUNC(hl_correlation_counts_sse2)
        counts
END(hl_correlation_counts_sse2)

        RODATA
        .balign 64
.Lmarks:                                // all bits set in a vector, none in the next
        .fill   4, 4, -1
        .fill   4, 4, 0
