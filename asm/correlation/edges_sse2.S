// Pairs of points from each of some distances on: for each i < n, j < m and e < k, if r2 of the
// pair, as in scatter, is not less than `edges[e]`, then `words[e]` gets 2^47 and the product, as
// there.
//
//   void hl_correlation_edges_sse2(const float *x, const float *y, const int16_t *psi, size_t n,
//       const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, const float *edges, size_t k, int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y,
//         [rsp+8..48] = other_psi, m, shift, edges, k, words     Out  words[0..k]
// Uses    rax, rbx, rdx, rbp, rdi, rsi, r10..r15, xmm0..xmm15     Stack  1544 bytes
// Loop    4 pairs and up to 4 edges: 7 operations and 5 an edge, besides moves; bound by issue
// Tail    lanes past m hold a NaN whose bits are negative; reads exactly the operands

#include "hl.h"

#define BYTES       16
#define GROUP       4
#define ROOM        7
#define OWN         1056

// Low sums in xmm0..xmm3, high sums in xmm4..xmm7.
#define r2          xmm8
#define low         xmm9
#define high        xmm10
#define free        xmm11
#define mask        xmm12
#define xj          xmm13
#define yj          xmm14
#define psij        xmm15

#include "edges_x86_64.h"

FUNC(hl_correlation_edges_sse2)
        edges
END(hl_correlation_edges_sse2)

        RODATA
        .balign 16
.Lsevens:                               // the low seven bits of both parts
        .fill   4, 4, 0x007f007f
.Lpoint:                                // a point
        .fill   4, 4, 1 << 11
.Lpoints:                               // mask of the number of points
        .fill   4, 4, 31 << 11
.Lstart:                                // the start of high sums
        .fill   4, 4, 1 << 15
.Lupper:                                // mask of the upper half
        .fill   4, 4, -1 << 16
