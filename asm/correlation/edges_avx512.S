// Pairs of points from each of some distances on: for each i < n, j < m and e < k, if r2 of the
// pair, as in scatter, is not less than `edges[e]`, then `words[e]` gets 2^47 and the product, as
// there.
//
//   void hl_correlation_edges_avx512(const float *x, const float *y, const int16_t *psi, size_t n,
//       const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, const float *edges, size_t k, int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y,
//         [rsp+8..48] = other_psi, m, shift, edges, k, words     Out  words[0..k]
// Uses    rax, rbx, rdx, rbp, rdi, rsi, r10..r15, zmm0..zmm25, k1, k2     Stack  2664 bytes
// Loop    16 pairs and up to 8 edges: 7 operations and 3 an edge, besides 4 broadcasts; bound by
//         the two vector pipes (8 cycles with 3 edges)
// Tail    lanes past m hold a NaN whose bits are negative; reads exactly the operands

#include "hl.h"

#define BYTES       64
#define GROUP       8
#define ROOM        1
#define OWN         128

// Low sums in zmm0..zmm7, high sums in zmm8..zmm15.
#define r2          zmm16
#define low         zmm17
#define high        zmm18
#define free        zmm19
#define xj          zmm20
#define yj          zmm21
#define psij        zmm22
#define shift_x     zmm23
#define shift_y     zmm24
#define start       zmm25
#define present     k1
#define far         k2

#include "edges_x86_64.h"

FUNC(hl_correlation_edges_avx512)
        edges   vzeroupper
END(hl_correlation_edges_avx512)

        RODATA
        .balign 4
.Lsevens:                               // the low seven bits of both parts
        .long   0x007f007f
.Lpoint:                                // a point
        .long   1 << 11
.Lpoints:                               // mask of the number of points
        .long   31 << 11
.Lstart:                                // the start of high sums
        .long   1 << 15
.Lupper:                                // mask of the upper half
        .long   -1 << 16
