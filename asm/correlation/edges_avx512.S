// Pairs of points from each of some distances on: for each i < n, j < m and e < k, if r2 of the
// pair, as in scatter, is not less than `edges[e]`, then `words[e]` gets 2^47 and the rounded
// product, as there.
//
//   void hl_correlation_edges_avx512(const float *x, const float *y, const int16_t *psi, size_t n,
//       const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, const float *edges, size_t k, int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y,
//         [rsp+8..48] = other_psi, m, shift, edges, k, words     Out  words[0..k]
// Uses    rax, rbx, rbp, r10..r15, zmm0..zmm18, zmm20..zmm27, k1, k2     Stack  232 bytes
// Loop    16 pairs and up to 8 edges: 11 operations and 2 an edge; bound by the two vector pipes
//         (8.5 cycles with 3 edges)
// Tail    lanes past m are masked; reads exactly the operands

#include "hl.h"

#define LANES       16
#define FRAME       128

// Sums in zmm0..zmm7, the edges in zmm20..zmm27.
#define r2          zmm8
#define product     zmm9
#define pair        zmm10
#define xj          zmm11
#define yj          zmm12
#define psij        zmm13
#define shift_x     zmm14
#define shift_y     zmm15
#define half        zmm16
#define one         zmm17
#define middle      zmm18
#define present     k1
#define far         k2
#define GE_OQ       0x1d

#include "edges_x86_64.h"

        .macro constants
        vbroadcastss shift_x, [rax]
        vbroadcastss shift_y, [rax + 4]
        vpbroadcastd half, [rip + .Lhalf]
        vpbroadcastd one, [rip + .Lone]
        vpbroadcastd middle, [rip + .Lmiddle]
        .endm

        .macro nears
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \e
        cmp     at, \e + 1
        jb      .Lnear
        .endif
        vbroadcastss zmm2\e, [r10 + 4*\e]
        .endr
.Lnear:
        .endm

        .macro clear_words
        vpxor   xmm0, xmm0, xmm0
        vmovdqa64 [sums], zmm0
        .endm

        // Products may be negative: the sums start at half of a pair.
        .macro clear
        .irp    sum, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa32 zmm\sum, middle
        .endr
        .endm

        // Widens lanes to words, adding two lanes each: counts move above the products.
        .macro widen sum
        vpsrld  r2, \sum, COUNT_SHIFT - 15
        vpandd  \sum, \sum, yj
        vpandd  r2, r2, psij
        vpunpckldq product, \sum, r2
        vpunpckhdq \sum, \sum, r2
        vpaddq  \sum, \sum, product
        .endm

        .macro empty a, b, c, d, e
        .irp    sum, \a, \b, \c, \d
        widen   zmm\sum
        .endr
        vpunpcklqdq r2, zmm\a, zmm\b
        vpunpckhqdq zmm\a, zmm\a, zmm\b
        vpunpcklqdq product, zmm\c, zmm\d
        vpunpckhqdq zmm\c, zmm\c, zmm\d
        vpaddq  zmm\a, zmm\a, r2
        vpaddq  zmm\c, zmm\c, product
        vshufi64x2 r2, zmm\a, zmm\c, 0x88
        vshufi64x2 zmm\a, zmm\a, zmm\c, 0xdd
        vpaddq  zmm\a, zmm\a, r2
        vextracti64x4 ymm8, zmm\a, 1
        vperm2i128 ymm9, ymm\a, ymm8, 0x20
        vperm2i128 ymm8, ymm\a, ymm8, 0x31
        vpaddq  ymm9, ymm9, [sums + 8*(\e)]
        vpaddq  ymm8, ymm8, ymm11
        vpaddq  ymm8, ymm8, ymm9
        vmovdqa [sums + 8*(\e)], ymm8
        .endm

        .macro empty_four e
        vpbroadcastd yj, [rip + .Llow]
        vpbroadcastd psij, [rip + .Lhigh]
        vpbroadcastq xj, [rip + .Lmiddles]
        .if     \e
        empty   4, 5, 6, 7, 4
        .else
        empty   0, 1, 2, 3, 0
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

        .macro others
        mov     eax, 16
        cmp     at, rax
        cmova   at, rax
        mov     eax, -1
        bzhi    eax, eax, r13d
        kmovd   present, eax
        vmovups xj{present}{z}, [other_x + 4*j]
        vmovups yj{present}{z}, [other_y + 4*j]
        vmovdqu32 psij{present}{z}, [other_psi + 4*j]
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
        vpaddd  product, product, half
        vpsrad  product, product, 8
        vpaddd  product, product, one
        .endm

        .macro beyond e
        vcmpps  far{present}, r2, zmm2\e, GE_OQ
        vpaddd  zmm\e{far}, zmm\e, product
        .endm

FUNC(hl_correlation_edges_avx512)
        edges vzeroupper
END(hl_correlation_edges_avx512)

        RODATA
        .balign 8
.Lmiddles:                              // minus the start of 16 lanes
        .quad   -16 << (COUNT_SHIFT - 1)
.Lmiddle:                               // half of a pair, the start of a sum
        .long   1 << (COUNT_SHIFT - 1)
.Lhalf:                                 // half a unit of the rounded products
        .long   128
.Lone:                                  // a pair
        .long   1 << COUNT_SHIFT
.Llow:                                  // mask of the sum in a lane
        .long   (1 << COUNT_SHIFT) - 1
.Lhigh:                                 // mask of the count after its move to the upper half of a word
        .long   31 << 15
