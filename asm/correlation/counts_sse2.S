// Counts the pairs of points beyond each of several distances: for each i < n, j < m and e < k, if
// r2 of the pair, as in scatter, is not less than `edges[e]`, adds 1 to `words[e]`.
//
//   void hl_correlation_counts_sse2(const float *x, const float *y, size_t n, const float *other_x,
//       const float *other_y, size_t m, const float *shift, const float *edges, size_t k,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = n, rcx = other_x, r8 = other_y, r9 = m,
//         [rsp+8..32] = shift, edges, k, words     Out  words[0..k]
// Uses    rax, rbx, rdx, rbp, rdi, rsi, r10..r13, xmm0..xmm13     Stack  248 bytes
// Loop    4 pairs and up to 8 edges: 11 operations and 3 an edge, one of them a copy; bound by the
//         vector pipes
// Tail    the last vector overlaps the one before, whose lanes are marked; reads exactly the points

#include "hl.h"

#define BYTES       16

// Sums in xmm0..xmm7.
#define r2          xmm8
#define dy          xmm9
#define xj          xmm10
#define yj          xmm11
#define shift_x     xmm12
#define shift_y     xmm13

#include "counts_x86_64.h"

        .macro constants
        movss   shift_x, [rax]
        shufps  shift_x, shift_x, 0
        movss   shift_y, [rax + 4]
        shufps  shift_y, shift_y, 0
        .endm

        // SSE2 has no maximum of 32-bit integers: the sign clears the bits.
        .macro near_edge
        movd    xmm0, [rax]
        pshufd  xmm0, xmm0, 0
        movdqa  xmm1, xmm0
        psrad   xmm1, 31
        pandn   xmm1, xmm0
        pcmpeqd xmm0, xmm0
        paddd   xmm1, xmm0
        movdqa  [rbx], xmm1
        .endm

        .macro clear
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        pxor    xmm\e, xmm\e
        .endr
        .endm

        .macro load to, from
        movups  \to, \from
        .endm

        .macro store to, from
        movaps  \to, \from
        .endm

        .macro mark from
        movups  dy, \from
        orps    xj, dy
        .endm

        // Differences have the opposite sign, which squaring removes.
        .macro meet
        movss   r2, [x + 4*i]
        movss   dy, [y + 4*i]
        shufps  r2, r2, 0
        shufps  dy, dy, 0
        subps   r2, xj
        subps   dy, yj
        subps   r2, shift_x
        subps   dy, shift_y
        mulps   r2, r2
        mulps   dy, dy
        addps   r2, dy
        .endm

        .macro beyond e
        movdqa  dy, r2
        pcmpgtd dy, [near + BYTES*\e]
        psubd   xmm\e, dy
        .endm

        .macro total e
        pshufd  xmm8, xmm\e, 0x4e
        paddd   xmm8, xmm\e
        pshufd  xmm9, xmm8, 0xb1
        paddd   xmm8, xmm9
        movd    eax, xmm8
        .endm

FUNC(hl_correlation_counts_sse2)
        counts
END(hl_correlation_counts_sse2)

        RODATA
        tables
