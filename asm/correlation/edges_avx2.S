// Pairs of points from each of some distances on: for each i < n, j < m and e < k, if r2 of the
// pair, as in scatter, is not less than `edges[e]`, then `words[e]` gets 2^47 and the product, as
// there.
//
//   void hl_correlation_edges_avx2(const float *x, const float *y, const int16_t *psi, size_t n,
//       const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, const float *edges, size_t k, int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y,
//         [rsp+8..48] = other_psi, m, shift, edges, k, words     Out  words[0..k]
// Uses    rax, rbx, rdx, rbp, rdi, rsi, r10..r15, ymm0..ymm15     Stack  936 bytes
// Loop    8 pairs and up to 4 edges: 7 operations and 5 an edge, besides 4 broadcasts; bound by the
//         four vector pipes (5.5 cycles with 3 edges)
// Tail    lanes past m hold a NaN whose bits are negative; reads exactly the operands

#include "hl.h"

#define BYTES       32
#define GROUP       4
#define ROOM        3
#define OWN         128

// Low sums in ymm0..ymm3, high sums in ymm4..ymm7.
#define r2          ymm8
#define low         ymm9
#define high        ymm10
#define free        ymm11
#define mask        ymm12
#define xj          ymm13
#define yj          ymm14
#define shift_x     ymm15
#define shift_y     ymmword ptr [last + 32]
#define psij        ymmword ptr [last]

#include "edges_x86_64.h"

FUNC(hl_correlation_edges_avx2)
        edges   vzeroupper
END(hl_correlation_edges_avx2)

        RODATA
        .balign 32
.Lpresent:                              // mask of lanes with points, then without
        .fill   8, 4, -1
        .fill   8, 4, 0
.Lsevens:                               // the low seven bits of both parts
        .fill   8, 4, 0x007f007f
.Lpoint:                                // a point
        .fill   8, 4, 1 << 11
.Lpoints:                               // mask of the number of points
        .fill   8, 4, 31 << 11
.Lstart:                                // the start of high sums
        .fill   8, 4, 1 << 15
.Lupper:                                // mask of the upper half
        .fill   8, 4, -1 << 16
