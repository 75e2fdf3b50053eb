// Counts the pairs of points from each of some distances on, and adds their products.
//
//   void hl_correlation_edges_sse2(const float *x, const float *y, const int16_t *psi, size_t n, const float *other_x,
//       const float *other_y, const int16_t *other_psi, size_t m, const float *shift, const float *edges, size_t k,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y, [rsp+8..48] = other_psi, m, shift, edges, k,
//         words                             Out  words[0..k]
// Uses    rax, r10, r11, xmm0..xmm15; rbx, rbp, r12..r15 are kept     Stack  1800 bytes
// Loop    4 pairs and up to 8 edges: 11 operations and 3 an edge; bound by the four vector pipes (5 cycles with 3 edges)
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
// The other points j to j + 3 meet the points from `begin` to `end`, which are `rows`; lanes have room for so many more pairs.
#define i           rax
#define i_end       r13
#define begin       rbx
#define end         r10
#define rows        r11
#define j           r12
#define room        r15

#define near        rsp
#define sums        rsp + 128
#define here        qword ptr [rsp + 192]
#define done        qword ptr [rsp + 200]
#define last        rsp + 208
#define points      rsp + 256
#define POINT       48
#define FRAME       (256 + MOST * POINT)
#define shift       qword ptr [rbp + 72]
#define edges       qword ptr [rbp + 80]
#define k           qword ptr [rbp + 88]
#define words       qword ptr [rbp + 96]

// Sums in xmm0..xmm7.
#define r2          xmm8
#define product     xmm9
#define pair        xmm10
#define xj          xmm11
#define yj          xmm12
#define psij        xmm13
#define shift_x     xmm14
#define shift_y     xmm15

// The other points with the points i, and the first of the edges. The differences are those of the contract, negated.
        .macro meet edges_here
        .balign 32
.Lpoint\edges_here:
        movaps  r2, [i]
        movaps  pair, [i + 16]
        movdqa  product, [i + 32]
        subps   r2, xj
        subps   pair, yj
        subps   r2, shift_x
        subps   pair, shift_y
        mulps   r2, r2
        mulps   pair, pair
        addps   r2, pair
        pmaddwd product, psij
        paddd   product, [rip + .Lhalf]
        psrad   product, 8
        paddd   product, [rip + .Lone]
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \e < \edges_here
        movdqa  pair, r2
        pcmpgtd pair, [near + 16*\e]
        pand    pair, product
        paddd   xmm\e, pair
        .endif
        .endr
        add     i, POINT
        cmp     i, i_end
        jne     .Lpoint\edges_here
        jmp     .Lnext
        .endm

// Lanes as words, a half of them each: counts come to stand above the products.
        .macro widen sum
        movdqa  r2, \sum
        psrld   r2, COUNT_SHIFT - 15
        pand    \sum, [rip + .Llow]
        pand    r2, [rip + .Lhigh]
        movdqa  product, \sum
        punpckldq product, r2
        punpckhdq \sum, r2
        paddq   \sum, product
        .endm

// Adds two sums to the words e and e + 1.
        .macro empty a, b, e
        widen   \a
        widen   \b
        movdqa  r2, \a
        punpcklqdq r2, \b
        punpckhqdq \a, \b
        paddq   r2, \a
        paddq   r2, [rip + .Lmiddles]
        paddq   r2, [sums + 8*(\e)]
        movdqa  [sums + 8*(\e)], r2
        .endm

// Products may be negative: their bits begin at the middle.
        .macro clear
        movdqa  xmm0, [rip + .Lmiddle]
        .irp    sum, 1, 2, 3, 4, 5, 6, 7
        movdqa  xmm\sum, xmm0
        .endr
        .endm

// A number in all lanes.
        .macro spread v, from
        movd    \v, dword ptr [\from]
        pshufd  \v, \v, 0
        .endm

FUNC(hl_correlation_edges_sse2)
        .irp    register, rbp, rbx, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        and     rsp, -16
        lea     rsp, [rsp - FRAME]
        mov     other_psi, [rbp + 56]
        mov     rax, shift
        spread  shift_x, rax
        spread  shift_y, rax + 4
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
        pcmpeqd xmm2, xmm2
.Lnear:
        spread  xmm0, r10
        movdqa  xmm1, xmm0
        psrad   xmm1, 31
        pandn   xmm1, xmm0
        paddd   xmm1, xmm2
        movdqa  [rax], xmm1
        add     r10, 4
        add     rax, 16
        sub     at, 1
        jnz     .Lnear
        pxor    xmm0, xmm0
        .irp    e, 0, 2, 4, 6
        movdqa  [sums + 8*\e], xmm0
        .endr
        clear
        mov     room, MOST

        // Up to 31 points, each number in all lanes, with all of the others; `begin` is zero.
.Lrows:
        lea     end, [begin + MOST]
        cmp     end, n
        cmova   end, n
        mov     rows, end
        sub     rows, begin
        lea     rax, [points]
        mov     j, begin
.Lspread:
        spread  r2, x + 4*j
        spread  pair, y + 4*j
        spread  product, psi + 4*j
        movdqa  [rax], r2
        movdqa  [rax + 16], pair
        movdqa  [rax + 32], product
        add     rax, POINT
        add     j, 1
        cmp     j, end
        jne     .Lspread
        xor     j, j

        // The sums are emptied before they could overflow.
.Lblock:
        cmp     room, rows
        jae     .Lroom
        empty   xmm0, xmm1, 0
        empty   xmm2, xmm3, 2
        cmp     here, 4
        jbe     .Lempty
        empty   xmm4, xmm5, 4
        empty   xmm6, xmm7, 6
.Lempty:
        clear
        mov     room, MOST
        cmp     rows, MOST
        ja      .Lwords

        // 4 of the other points; where there are none x has all bits set, and so has r2.
.Lroom:
        sub     room, rows
        mov     at, m
        sub     at, j
        cmp     at, 4
        jb      .Lfew
        movups  xj, [other_x + 4*j]
        movups  yj, [other_y + 4*j]
        movdqu  psij, [other_psi + 4*j]
        jmp     .Lmeet
.Lfew:
        pcmpeqd r2, r2
        pxor    pair, pair
        movdqa  [last], r2
        movdqa  [last + 16], pair
        movdqa  [last + 32], pair
        mov     at, j
        lea     i, [last]
.Lcopy:
        movss   r2, dword ptr [other_x + 4*at]
        movss   [i], r2
        movss   r2, dword ptr [other_y + 4*at]
        movss   [i + 16], r2
        movss   r2, dword ptr [other_psi + 4*at]
        movss   [i + 32], r2
        add     i, 4
        add     at, 1
        cmp     at, m
        jne     .Lcopy
        movaps  xj, [last]
        movaps  yj, [last + 16]
        movdqa  psij, [last + 32]
.Lmeet:
        lea     i, [points]
        lea     i_end, [rows + 2*rows]
        shl     i_end, 4
        add     i_end, i
        .irp    edges_here, 1, 2, 3, 4, 5, 6, 7
        cmp     here, \edges_here
        je      .Lpoint\edges_here
        .endr
        .irp    edges_here, 8, 7, 6, 5, 4, 3, 2, 1
        meet    \edges_here
        .endr
.Lnext:
        add     j, 4
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
        ret
END(hl_correlation_edges_sse2)

        RODATA
        .balign 16
.Lhalf:                                 // half a unit of the rounded products
        .fill   4, 4, 128
.Lone:                                  // a pair
        .fill   4, 4, 1 << COUNT_SHIFT
.Lmiddle:                               // half of a pair
        .fill   4, 4, 1 << (COUNT_SHIFT - 1)
.Lmiddles:                              // 4 lanes of middles, less
        .quad   -4 << (COUNT_SHIFT - 1), -4 << (COUNT_SHIFT - 1)
.Llow:                                  // the sum of a lane
        .fill   4, 4, (1 << COUNT_SHIFT) - 1
.Lhigh:                                 // and its count, where it stands in the upper half of a word
        .fill   4, 4, 31 << 15
