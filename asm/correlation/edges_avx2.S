// Counts the pairs of points from each of some distances on, and adds their products.
//
//   void hl_correlation_edges_avx2(const float *x, const float *y, const int16_t *psi, size_t n, const float *other_x,
//       const float *other_y, const int16_t *other_psi, size_t m, const float *shift, const float *edges, size_t k,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y, [rsp+8..48] = other_psi, m, shift, edges, k,
//         words                             Out  words[0..k]
// Uses    rax, r10, r11, ymm0..ymm15; rbx, rbp, r12..r15 are kept     Stack  424 bytes
// Loop    8 pairs and up to 8 edges: 11 operations and 3 an edge; bound by the four vector pipes (5 cycles with 3 edges;
//         on Zen 3 it takes 6.5)
// Tail    lanes past m hold a NaN whose bits are negative; reads exactly what is named
//
// A lane of an edge's sum counts pairs in its upper 5 bits and sums products, of at most 2^21, below: 31 pairs fit.
// Squared distances are compared by their bits, which for floats that are not negative are ordered as they are.

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
// The other points j to j + 7 meet the points from `begin` to `end`, which are `rows`; lanes have room for so many more pairs.
#define i           rax
#define begin       rbx
#define end         r10
#define rows        r11
#define j           r12
#define room        r15

#define near        rsp
#define sums        rsp + 256
#define here        qword ptr [rsp + 320]
#define done        qword ptr [rsp + 328]
#define FRAME       352
#define shift       qword ptr [rbp + 72]
#define edges       qword ptr [rbp + 80]
#define k           qword ptr [rbp + 88]
#define words       qword ptr [rbp + 96]

// Sums in ymm0..ymm7.
#define r2          ymm8
#define product     ymm9
#define pair        ymm10
#define xj          ymm11
#define yj          ymm12
#define psij        ymm13
#define shift_x     ymm14
#define shift_y     ymm15

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
        vpaddd  product, product, [rip + .Lhalf]
        vpsrad  product, product, 8
        vpaddd  product, product, [rip + .Lone]
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \e < \edges_here
        vpcmpgtd pair, r2, [near + 32*\e]
        vpand   pair, pair, product
        vpaddd  ymm\e, ymm\e, pair
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
        vpand   \sum, \sum, yj
        vpand   r2, r2, psij
        vpunpckldq product, \sum, r2
        vpunpckhdq \sum, \sum, r2
        vpaddq  \sum, \sum, product
        .endm

// Adds four sums to the words e to e + 3.
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

// Products may be negative: their bits begin at the middle.
        .macro clear
        vpbroadcastd ymm0, [rip + .Lmiddle]
        .irp    sum, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm\sum, ymm0
        .endr
        .endm

FUNC(hl_correlation_edges_avx2)
        .irp    register, rbp, rbx, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        and     rsp, -32
        lea     rsp, [rsp - FRAME]
        mov     other_psi, [rbp + 56]
        mov     rax, shift
        vbroadcastss shift_x, [rax]
        vbroadcastss shift_y, [rax + 4]
        xor     begin, begin
        mov     done, begin
        test    n, n
        jz      .Ldone
        cmp     m, 0
        je      .Ldone

        // Up to 8 edges: r2 is not less than an edge if its bits are greater than those of the edge, or of zero, less one.
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
        mov     rax, rsp
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
        vpxor   xmm0, xmm0, xmm0
        vmovdqa [sums], ymm0
        vmovdqa [sums + 32], ymm0
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
        empty   ymm0, ymm1, ymm2, ymm3, 0
        cmp     here, 4
        jbe     .Lempty
        empty   ymm4, ymm5, ymm6, ymm7, 4
.Lempty:
        clear
        mov     room, MOST
        cmp     rows, MOST
        ja      .Lwords

        // 8 of the other points; where there are none x has all bits set, and so has r2.
.Lroom:
        sub     room, rows
        mov     at, m
        sub     at, j
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
        add     j, 8
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
END(hl_correlation_edges_avx2)

        RODATA
        .balign 32
.Lhalf:                                 // half a unit of the rounded products
        .fill   8, 4, 128
.Lone:                                  // a pair
        .fill   8, 4, 1 << COUNT_SHIFT
.Lpresent:                              // lanes of points, then of none
        .fill   8, 4, -1
        .fill   8, 4, 0
.Lmiddles:                              // 8 lanes of middles, less
        .quad   -8 << (COUNT_SHIFT - 1)
.Lmiddle:                               // half of a pair
        .long   1 << (COUNT_SHIFT - 1)
.Llow:                                  // the sum of a lane
        .long   (1 << COUNT_SHIFT) - 1
.Lhigh:                                 // and its count, where it stands in the upper half of a word
        .long   31 << 15
