// Counts the pairs of points beyond each of several distances: for each i < n, j < m and e < k, if
// r2 of the pair, as in scatter, is not less than `edges[e]`, adds 1 to `words[e]`.
//
//   void hl_correlation_counts_avx2(const float *x, const float *y, size_t n, const float *other_x,
//       const float *other_y, size_t m, const float *shift, const float *edges, size_t k,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = n, rcx = other_x, r8 = other_y, r9 = m,
//         [rsp+8..32] = shift, edges, k, words     Out  words[0..k]
// Uses    rax, rbx, rdx, rbp, rdi, rsi, r10..r13, ymm0..ymm13     Stack  408 bytes
// Loop    8 pairs and up to 8 edges: 7 operations and 2 an edge, besides 2 broadcasts; bound by the
//         four vector pipes (4.2 cycles with 3 edges on Zen 3, modelled)
// Tail    the last vector overlaps the one before, whose lanes are marked; reads exactly the points

#include "hl.h"

#define BYTES       32

// Sums in ymm0..ymm7.
#define r2          ymm8
#define dy          ymm9
#define xj          ymm10
#define yj          ymm11
#define shift_x     ymm12
#define shift_y     ymm13

#include "counts_x86_64.h"

FUNC(hl_correlation_counts_avx2)
        counts  vzeroupper
END(hl_correlation_counts_avx2)

        RODATA
        .balign 64
.Lmarks:                                // all bits set in a vector, none in the next
        .fill   8, 4, -1
        .fill   8, 4, 0
