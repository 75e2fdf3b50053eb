// Pairs of points from each of some distances on: for each i < n, j < m and e < k, if r2 of the
// pair, as in scatter, is not less than `edges[e]`, then `words[e]` gets 2^47 and the rounded
// product, as there.
//
//   void hl_correlation_edges_avx2(const float *x, const float *y, const int16_t *psi, size_t n,
//       const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, const float *edges, size_t k, int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y,
//         [rsp+8..48] = other_psi, m, shift, edges, k, words     Out  words[0..k]
// Uses    rax, rbx, rbp, r10..r15, ymm0..ymm15     Stack  488 bytes
// Loop    8 pairs and up to 8 edges: 11 operations and 3 an edge; bound by the four vector pipes
//         (5 cycles with 3 edges; 6.5 measured on Zen 3)
// Tail    lanes past m hold a NaN whose bits are negative; reads exactly the operands
//
// Squared distances are compared by their bits, since the bits of non-negative floats have the
// order of the floats. r2 is not less than an edge if its bits, as an integer, exceed
// max(edge bits, 0) - 1.

#include "hl.h"

#define LANES       8
#define FRAME       384
#define near        rsp + 128

// Sums in ymm0..ymm7.
#define r2          ymm8
#define product     ymm9
#define pair        ymm10
#define xj          ymm11
#define yj          ymm12
#define psij        ymm13
#define shift_x     ymm14
#define shift_y     ymm15

#include "edges_x86_64.h"

        .macro constants
        vbroadcastss shift_x, [rax]
        vbroadcastss shift_y, [rax + 4]
        .endm

        .macro nears
        lea     rax, [near]
        vpxor   xmm1, xmm1, xmm1
        vpcmpeqd ymm2, ymm2, ymm2
.Lnear:
        vpbroadcastd ymm0, [r10]
        vpmaxsd ymm0, ymm0, ymm1
        vpaddd  ymm0, ymm0, ymm2
        vmovdqa [rax], ymm0
        add     r10, 4
        add     rax, 32
        sub     at, 1
        jnz     .Lnear
        .endm

        .macro clear_words
        vpxor   xmm0, xmm0, xmm0
        vmovdqa [sums], ymm0
        vmovdqa [sums + 32], ymm0
        .endm

        // Products may be negative: the sums start at half of a pair.
        .macro clear
        vpbroadcastd ymm0, [rip + .Lmiddle]
        .irp    sum, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm\sum, ymm0
        .endr
        .endm

        // Widens lanes to words, adding two lanes each: counts move above the products.
        .macro widen sum
        vpsrld  r2, \sum, COUNT_SHIFT - 15
        vpand   \sum, \sum, yj
        vpand   r2, r2, psij
        vpunpckldq product, \sum, r2
        vpunpckhdq \sum, \sum, r2
        vpaddq  \sum, \sum, product
        .endm

        .macro empty a, b, c, d, e
        .irp    sum, \a, \b, \c, \d
        widen   \sum
        .endr
        vpunpcklqdq r2, \a, \b
        vpunpckhqdq \a, \a, \b
        vpunpcklqdq product, \c, \d
        vpunpckhqdq \c, \c, \d
        vpaddq  \a, \a, r2
        vpaddq  \c, \c, product
        vperm2i128 r2, \a, \c, 0x20
        vperm2i128 \a, \a, \c, 0x31
        vpaddq  r2, r2, [sums + 8*(\e)]
        vpaddq  \a, \a, xj
        vpaddq  r2, r2, \a
        vmovdqa [sums + 8*(\e)], r2
        .endm

        .macro empty_four e
        vpbroadcastd yj, [rip + .Llow]
        vpbroadcastd psij, [rip + .Lhigh]
        vpbroadcastq xj, [rip + .Lmiddles]
        .if     \e
        empty   ymm4, ymm5, ymm6, ymm7, 4
        .else
        empty   ymm0, ymm1, ymm2, ymm3, 0
        .endif
        .endm

        .macro rows_begin
        .endm

        .macro points_begin
        mov     i, begin
        .endm

        .macro next_point
        add     i, 1
        cmp     i, end
        .endm

        // Lanes without another point have all bits of x set, and so of r2.
        .macro others
        mov     eax, 8
        cmp     at, rax
        cmova   at, rax
        neg     at
        lea     rax, [rip + .Lpresent + 32]
        vmovdqu pair, [rax + 4*at]
        vmaskmovps xj, pair, [other_x + 4*j]
        vmaskmovps yj, pair, [other_y + 4*j]
        vpmaskmovd psij, pair, [other_psi + 4*j]
        vpcmpeqd r2, r2, r2
        vpxor   pair, pair, r2
        vorps   xj, xj, pair
        .endm

        .macro meet
        vbroadcastss r2, [x + 4*i]
        vbroadcastss pair, [y + 4*i]
        vpbroadcastd product, [psi + 4*i]
        vsubps  r2, xj, r2
        vsubps  pair, yj, pair
        vaddps  r2, r2, shift_x
        vaddps  pair, pair, shift_y
        vmulps  r2, r2, r2
        vmulps  pair, pair, pair
        vaddps  r2, r2, pair
        vpmaddwd product, product, psij
        vpaddd  product, product, [rip + .Lhalf]
        vpsrad  product, product, 8
        vpaddd  product, product, [rip + .Lone]
        .endm

        .macro beyond e
        vpcmpgtd pair, r2, [near + 32*\e]
        vpand   pair, pair, product
        vpaddd  ymm\e, ymm\e, pair
        .endm

FUNC(hl_correlation_edges_avx2)
        edges vzeroupper
END(hl_correlation_edges_avx2)

        RODATA
        .balign 32
.Lhalf:                                 // half a unit of the rounded products
        .fill   8, 4, 128
.Lone:                                  // a pair
        .fill   8, 4, 1 << COUNT_SHIFT
.Lpresent:                              // mask of lanes with points, then without
        .fill   8, 4, -1
        .fill   8, 4, 0
.Lmiddles:                              // minus the start of 8 lanes
        .quad   -8 << (COUNT_SHIFT - 1)
.Lmiddle:                               // half of a pair, the start of a sum
        .long   1 << (COUNT_SHIFT - 1)
.Llow:                                  // mask of the sum in a lane
        .long   (1 << COUNT_SHIFT) - 1
.Lhigh:                                 // mask of the count after its move to the upper half of a word
        .long   31 << 15
