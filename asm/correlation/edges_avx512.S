// Counts the pairs of points from each of some distances on, and adds their products.
//
//   void hl_correlation_edges_avx512(const float *x, const float *y, const int16_t *psi, size_t n, const float *other_x,
//       const float *other_y, const int16_t *other_psi, size_t m, const float *shift, const float *edges, size_t k,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y, [rsp+8..48] = other_psi, m, shift, edges, k,
//         words                             Out  words[0..k]
// Uses    rax, r10, r11, k1, k2, zmm0..zmm18, zmm20..zmm27; rbx, rbp, r12..r15 are kept     Stack  232 bytes
// Loop    16 pairs and up to 8 edges: 11 operations and 2 an edge; bound by the two vector pipes (8.5 cycles with 3 edges)
// Tail    lanes past m are masked; reads exactly what is named
//
// A lane of an edge's sum counts pairs in its upper 5 bits and sums products, of at most 2^21, below: 31 pairs fit.

#include "hl.h"

#define MOST        31
#define COUNT_SHIFT 27

#define x           rdi
#define y           rsi
#define psi         rdx
#define n           rcx
#define other_x     r8
#define other_y     r9
#define other_psi   r14
#define m           qword ptr [rbp + 64]
#define at          r13
// The other points j to j + 15 meet the points from `begin` to `end`, which are `rows`; lanes have room for so many more pairs.
#define i           rax
#define begin       rbx
#define end         r10
#define rows        r11
#define j           r12
#define room        r15

#define sums        rsp
#define here        qword ptr [rsp + 64]
#define done        qword ptr [rsp + 72]
#define FRAME       128
#define shift       qword ptr [rbp + 72]
#define edges       qword ptr [rbp + 80]
#define k           qword ptr [rbp + 88]
#define words       qword ptr [rbp + 96]

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
#define beyond      k2
#define GE_OQ       0x1d

// The other points with the points i, and the first of the edges.
        .macro points edges_here
        .balign 32
.Lpoint\edges_here:
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
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \e < \edges_here
        vcmpps  beyond{present}, r2, zmm2\e, GE_OQ
        vpaddd  zmm\e{beyond}, zmm\e, product
        .endif
        .endr
        add     i, 1
        cmp     i, end
        jne     .Lpoint\edges_here
        jmp     .Lnext
        .endm

// Lanes as words, a half of them each: counts come to stand above the products.
        .macro widen sum
        vpsrld  r2, \sum, COUNT_SHIFT - 15
        vpandd  \sum, \sum, yj
        vpandd  r2, r2, psij
        vpunpckldq product, \sum, r2
        vpunpckhdq \sum, \sum, r2
        vpaddq  \sum, \sum, product
        .endm

// Adds four sums to the words e to e + 3.
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

// Products may be negative: their bits begin at the middle.
        .macro clear
        .irp    sum, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa32 zmm\sum, middle
        .endr
        .endm

FUNC(hl_correlation_edges_avx512)
        .irp    register, rbp, rbx, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        and     rsp, -64
        lea     rsp, [rsp - FRAME]
        mov     other_psi, [rbp + 56]
        mov     rax, shift
        vbroadcastss shift_x, [rax]
        vbroadcastss shift_y, [rax + 4]
        vpbroadcastd half, [rip + .Lhalf]
        vpbroadcastd one, [rip + .Lone]
        vpbroadcastd middle, [rip + .Lmiddle]
        xor     begin, begin
        mov     done, begin
        test    n, n
        jz      .Ldone
        cmp     m, 0
        je      .Ldone

        // Up to 8 edges.
.Ledges:
        mov     rax, done
        mov     r10, edges
        lea     r10, [r10 + 4*rax]
        mov     at, k
        sub     at, rax
        jz      .Ldone
        mov     eax, 8
        cmp     at, rax
        cmova   at, rax
        mov     here, at
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \e
        cmp     at, \e + 1
        jb      .Lnear
        .endif
        vbroadcastss zmm2\e, [r10 + 4*\e]
        .endr
.Lnear:
        vpxor   xmm0, xmm0, xmm0
        vmovdqa64 [sums], zmm0
        clear
        mov     room, MOST

        // Up to 31 points with all of the others; `begin` is zero.
.Lrows:
        lea     end, [begin + MOST]
        cmp     end, n
        cmova   end, n
        mov     rows, end
        sub     rows, begin
        xor     j, j

        // The sums are emptied before they could overflow.
.Lblock:
        cmp     room, rows
        jae     .Lroom
        vpbroadcastd yj, [rip + .Llow]
        vpbroadcastd psij, [rip + .Lhigh]
        vpbroadcastq xj, [rip + .Lmiddles]
        empty   0, 1, 2, 3, 0
        cmp     here, 4
        jbe     .Lempty
        empty   4, 5, 6, 7, 4
.Lempty:
        clear
        mov     room, MOST
        cmp     rows, MOST
        ja      .Lwords

        // 16 of the other points.
.Lroom:
        sub     room, rows
        mov     at, m
        sub     at, j
        mov     eax, 16
        cmp     at, rax
        cmova   at, rax
        mov     eax, -1
        bzhi    eax, eax, r13d
        kmovd   present, eax
        vmovups xj{present}{z}, [other_x + 4*j]
        vmovups yj{present}{z}, [other_y + 4*j]
        vmovdqu32 psij{present}{z}, [other_psi + 4*j]
        mov     i, begin
        mov     at, here
        .irp    edges_here, 1, 2, 3, 4, 5, 6, 7
        cmp     at, \edges_here
        je      .Lpoint\edges_here
        .endr
        .irp    edges_here, 8, 7, 6, 5, 4, 3, 2, 1
        points  \edges_here
        .endr
.Lnext:
        add     j, 16
        cmp     j, m
        jb      .Lblock
        mov     begin, end
        cmp     begin, n
        jb      .Lrows

        // There is room for no more, and no more rows.
        mov     rows, MOST + 1
        jmp     .Lblock

.Lwords:
        xor     eax, eax
        mov     r10, words
        mov     r11, done
        lea     r10, [r10 + 8*r11]
.Lword:
        mov     r11, [sums + 8*rax]
        add     [r10 + 8*rax], r11
        add     rax, 1
        cmp     rax, here
        jne     .Lword
        add     done, rax
        xor     begin, begin
        jmp     .Ledges

.Ldone:
        lea     rsp, [rbp]
        .cfi_def_cfa_register rsp
        .irp    register, r15, r14, r13, r12, rbx, rbp
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        vzeroupper
        ret
END(hl_correlation_edges_avx512)

        RODATA
        .balign 8
.Lmiddles:                              // 16 lanes of middles, less
        .quad   -16 << (COUNT_SHIFT - 1)
.Lmiddle:                               // half of a pair
        .long   1 << (COUNT_SHIFT - 1)
.Lhalf:                                 // half a unit of the rounded products
        .long   128
.Lone:                                  // a pair
        .long   1 << COUNT_SHIFT
.Llow:                                  // the sum of a lane
        .long   (1 << COUNT_SHIFT) - 1
.Lhigh:                                 // and its count, where it stands in the upper half of a word
        .long   31 << 15
