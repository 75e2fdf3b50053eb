// Counts the pairs of points beyond each of several distances: for each i < n, j < m and e < k, if
// r2 of the pair, as in scatter, is not less than `edges[e]`, adds 1 to `words[e]`.
//
//   void hl_correlation_counts_avx512(const float *x, const float *y, size_t n, const float *other_x,
//       const float *other_y, size_t m, const float *shift, const float *edges, size_t k,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = n, rcx = other_x, r8 = other_y, r9 = m,
//         [rsp+8..32] = shift, edges, k, words     Out  words[0..k]
// Uses    rax, rbx, rdx, rbp, rdi, rsi, r10..r13, zmm0..zmm14, k1     Stack  728 bytes
// Loop    16 pairs and up to 8 edges: 7 operations and 2 an edge, besides 2 broadcasts; bound by
//         the two 512-bit pipes (with 3 edges, 13 operations)
// Tail    the last vector overlaps the one before, whose lanes are marked; reads exactly the points

#include "hl.h"

#define BYTES       64

// Sums in zmm0..zmm7.
#define r2          zmm8
#define dy          zmm9
#define xj          zmm10
#define yj          zmm11
#define shift_x     zmm12
#define shift_y     zmm13
#define minus_one   zmm14

#include "counts_x86_64.h"

FUNC(hl_correlation_counts_avx512)
        counts  vzeroupper
END(hl_correlation_counts_avx512)

        RODATA
        .balign 64
.Lmarks:                                // all bits set in a vector, none in the next
        .fill   16, 4, -1
        .fill   16, 4, 0
