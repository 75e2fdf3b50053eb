// Pairs of points from each of some distances on: for each i < n, j < m and e < k, if r2 of the
// pair, as in scatter, is not less than `edges[e]`, then `words[e]` gets 2^47 and the rounded
// product, as there.
//
//   void hl_correlation_edges_sse2(const float *x, const float *y, const int16_t *psi, size_t n,
//       const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, const float *edges, size_t k, int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y,
//         [rsp+8..48] = other_psi, m, shift, edges, k, words     Out  words[0..k]
// Uses    rax, rbx, rbp, r10..r15, xmm0..xmm15     Stack  1896 bytes
// Loop    4 pairs and up to 8 edges: 11 operations and 3 an edge; bound by the four vector pipes
//         (5 cycles with 3 edges)
// Tail    lanes past m hold a NaN whose bits are negative; reads exactly the operands
//
// Squared distances are compared by their bits, since the bits of non-negative floats have the
// order of the floats. r2 is not less than an edge if its bits, as an integer, exceed
// max(edge bits, 0) - 1.

#include "hl.h"

#define LANES       4
#define POINT       48
#define FRAME       (304 + MAX_PAIRS * POINT)
#define near        rsp + 128
#define last        rsp + 256
#define own         rsp + 304
#define i_end       at

// Sums in xmm0..xmm7.
#define r2          xmm8
#define product     xmm9
#define pair        xmm10
#define xj          xmm11
#define yj          xmm12
#define psij        xmm13
#define shift_x     xmm14
#define shift_y     xmm15

#include "edges_x86_64.h"

        // Broadcasts a number.
        .macro spread v, from
        movd    \v, dword ptr [\from]
        pshufd  \v, \v, 0
        .endm

        .macro constants
        spread  shift_x, rax
        spread  shift_y, rax + 4
        .endm

        .macro nears
        lea     rax, [near]
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
        .endm

        .macro clear_words
        pxor    xmm0, xmm0
        .irp    e, 0, 2, 4, 6
        movdqa  [sums + 8*\e], xmm0
        .endr
        .endm

        // Products may be negative: the sums start at half of a pair.
        .macro clear
        movdqa  xmm0, [rip + .Lmiddle]
        .irp    sum, 1, 2, 3, 4, 5, 6, 7
        movdqa  xmm\sum, xmm0
        .endr
        .endm

        // Widens lanes to words, adding two lanes each: counts move above the products.
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

        .macro empty_four e
        .if     \e
        empty   xmm4, xmm5, 4
        empty   xmm6, xmm7, 6
        .else
        empty   xmm0, xmm1, 0
        empty   xmm2, xmm3, 2
        .endif
        .endm

        .macro points_begin
        lea     i, [own]
        lea     i_end, [rows + 2*rows]
        shl     i_end, 4
        add     i_end, i
        .endm

        .macro next_point
        add     i, POINT
        cmp     i, i_end
        .endm

        // Broadcast each number of these points to the stack.
        .macro rows_begin
        lea     rax, [own]
        mov     at, begin
.Lspread:
        spread  r2, x + 4*at
        spread  pair, y + 4*at
        spread  product, psi + 4*at
        movdqa  [rax], r2
        movdqa  [rax + 16], pair
        movdqa  [rax + 32], product
        add     rax, POINT
        add     at, 1
        cmp     at, end
        jne     .Lspread
        .endm

        // Lanes without another point have all bits of x set, and so of r2.
        .macro others
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
        .endm

        .macro meet
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
        .endm

        .macro beyond e
        movdqa  pair, r2
        pcmpgtd pair, [near + 16*\e]
        pand    pair, product
        paddd   xmm\e, pair
        .endm

FUNC(hl_correlation_edges_sse2)
        edges
END(hl_correlation_edges_sse2)

        RODATA
        .balign 16
.Lhalf:                                 // half a unit of the rounded products
        .fill   4, 4, 128
.Lone:                                  // a pair
        .fill   4, 4, 1 << COUNT_SHIFT
.Lmiddle:                               // half of a pair, the start of a sum
        .fill   4, 4, 1 << (COUNT_SHIFT - 1)
.Lmiddles:                              // minus the start of 4 lanes
        .quad   -4 << (COUNT_SHIFT - 1), -4 << (COUNT_SHIFT - 1)
.Llow:                                  // mask of the sum in a lane
        .fill   4, 4, (1 << COUNT_SHIFT) - 1
.Lhigh:                                 // mask of the count after its move to the upper half of a word
        .fill   4, 4, 31 << 15
