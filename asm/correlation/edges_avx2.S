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

        .macro constants
        vbroadcastss shift_x, [rax]
        vbroadcastss free, [rax + 4]
        vmovaps shift_y, free
        .endm

        .macro near_edge
        vpbroadcastd ymm0, [rax]
        vpxor   xmm1, xmm1, xmm1
        vpmaxsd ymm0, ymm0, ymm1
        vpcmpeqd ymm1, ymm1, ymm1
        vpaddd  ymm0, ymm0, ymm1
        vmovdqa [at], ymm0
        .endm

        .macro zero to
        vpxor   xmm0, xmm0, xmm0
        vmovdqa \to, ymm0
        .endm

        .macro clear
        vmovdqa ymm4, [rip + .Lstart]
        .irp    sum, 0, 1, 2, 3
        vpxor   xmm\sum, xmm\sum, xmm\sum
        .endr
        .irp    sum, 5, 6, 7
        vmovdqa ymm\sum, ymm4
        .endr
        .endm

        // 8 points, if there are more than `first`.
        .macro own_eight first
        mov     at, rows
        sub     at, \first
        jbe     .Lown
        mov     eax, 8
        cmp     at, rax
        cmova   at, rax
        neg     at
        lea     rax, [rip + .Lpresent + 32]
        vmovdqu mask, [rax + 4*at]
        vpmaskmovd r2, mask, [psi + 4*\first]
        vpand   low, r2, [rip + .Lsevens]
        vpor    low, low, [rip + .Lpoint]
        vpslld  free, r2, 16
        vpsrad  free, free, 23
        vpsrad  high, r2, 7
        vpand   high, high, [rip + .Lupper]
        vpaddd  high, high, free
        vmovdqa [own + 4*\first], low
        vmovdqa [own + 64 + 4*\first], high
        .endm

        .macro own_points
        own_eight 0
        own_eight 8
.Lown:
        .endm

        // Lanes without another point have all bits of x set, and so of r2.
        .macro others
        mov     eax, 8
        cmp     at, rax
        cmova   at, rax
        neg     at
        lea     rax, [rip + .Lpresent + 32]
        vmovdqu mask, [rax + 4*at]
        vmaskmovps xj, mask, [other_x + 4*j]
        vmaskmovps yj, mask, [other_y + 4*j]
        vpmaskmovd low, mask, [other_psi + 4*j]
        vpcmpeqd r2, r2, r2
        vpxor   mask, mask, r2
        vorps   xj, xj, mask
        vmovdqa psij, low
        .endm

        .macro meet
        vbroadcastss r2, [x + 4*i]
        vbroadcastss free, [y + 4*i]
        vpbroadcastd low, [own + 4*i]
        vpbroadcastd high, [own + 64 + 4*i]
        vsubps  r2, xj, r2
        vsubps  free, yj, free
        vaddps  r2, r2, shift_x
        vaddps  free, free, shift_y
        vmulps  r2, r2, r2
        vmulps  free, free, free
        vaddps  r2, r2, free
        .endm

        .macro add_beyond sum, other, e
        vpand   free, mask, low
        vpand   mask, mask, high
        vpaddd  \sum, \sum, free
        vpaddd  \other, \other, mask
        .endm

        .macro empty_sums sum, other, e
        vpand   free, \sum, [rip + .Lpoints]
        vpxor   \sum, \sum, free
        vpxor   \other, \other, [rip + .Lstart]
        vpmaddwd \sum, \sum, psij
        vpmaddwd \other, \other, psij
        vpaddd  free, free, [totals + 96*\e]
        vpaddd  \sum, \sum, [totals + 96*\e + 32]
        vpaddd  \other, \other, [totals + 96*\e + 64]
        vmovdqa [totals + 96*\e], free
        vmovdqa [totals + 96*\e + 32], \sum
        vmovdqa [totals + 96*\e + 64], \other
        .endm

        // `step` with the sums of edge e.
        .macro sums_of e, step
        .if     \e == 0
        \step   ymm0, ymm4, \e
        .elseif \e == 1
        \step   ymm1, ymm5, \e
        .elseif \e == 2
        \step   ymm2, ymm6, \e
        .else
        \step   ymm3, ymm7, \e
        .endif
        .endm

        .macro beyond e
        vpcmpgtd mask, r2, [near + 32*\e]
        sums_of \e, add_beyond
        .endm

        .macro empty e
        sums_of \e, empty_sums
        .endm

        .macro quad from, to
        vmovdqa ymm0, [\from]
        vmovdqa ymm1, [\from + 64]
        vphaddd ymm0, ymm0, [\from + 32]
        vphaddd ymm1, ymm1, [\from + 96]
        vphaddd ymm0, ymm0, ymm1
        vextracti128 xmm1, ymm0, 1
        vpaddd  xmm0, xmm0, xmm1
        vmovdqa [\to], xmm0
        .endm

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
