// Pairs of points from each of some distances on: for each i < n, j < m and e < k, if r2 of the
// pair, as in scatter, is not less than `edges[e]`, then `words[e]` gets 2^47 and the rounded
// product, as there.
//
//   void hl_correlation_edges_neon(const float *x, const float *y, const int16_t *psi, size_t n,
//       const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, const float *edges, size_t k, int64_t *words);
//
// In      x0 = x, x1 = y, x2 = psi, x3 = n, x4 = other_x, x5 = other_y, x6 = other_psi, x7 = m,
//         [sp] = shift, [sp + 8] = edges, [sp + 16] = k, [sp + 24] = words
//                                           Out  words
// Uses    x0..x2, x4..x17, v0..v6, v8..v22, v24..v27, v30, v31     Stack  2048 bytes
// Loop    8 pairs, of one point and 8 in registers, into a buffer: 29 instructions, 24 of them
//         vector instructions; from the buffer, with 4 edges: 20, of them 16; bound by the vector
//         pipes: 0.84 cycles a pair and 0.13 a pair and edge with Neoverse V1, 1.8 and 0.50 with
//         N1, whose mls takes 2 (modelled)
// Tail    4 points in registers, then 1 to 3, without reading or counting others; 3, 2 and 1 edges
//
// A pair adds 2^27 plus its product, which is at most 2^21: in 32 bits, the count and the sum stay
// apart for up to FULL pairs.

#include "hl.h"

#define x           x0
#define y           x1
#define psi         x2
#define n           x3
#define other_x     x4
#define other_y     x5
#define other_psi   x6
#define m           x7
#define frame       x8
#define edges       x9
#define k           x10
#define words       x11
#define left        x12         // points of n
#define at          x13
#define end         x14
#define e           x15         // edges left
#define i           x16
#define sum         x16
#define last        x17         // points in the buffer
#define count       x17
#define count_low   w17
#define ones        v22.4s      // 2^27
#define shift_x     v30.4s
#define shift_y     v31.4s

#define FULL        31          // pairs of vectors in the buffer

// The next point against one or two vectors of points.
        .macro point vectors
        ld1r    {v0.4s}, [x], #4
        ld1r    {v1.4s}, [y], #4
        ldr     s4, [psi], #4
        vector  v16.4s, v18.4s, smull, smlal, 4h
        .if     \vectors > 1
        vector  v17.4s, v19.4s, smull2, smlal2, 8h
        .endif
        .endm

// Squared distances and packed pairs of the point and a vector.
        .macro vector x, y, first, second, half
        fsub    v2.4s, \x, v0.4s
        fsub    v3.4s, \y, v1.4s
        fadd    v2.4s, v2.4s, shift_x
        fadd    v3.4s, v3.4s, shift_y
        fmul    v2.4s, v2.4s, v2.4s
        fmul    v3.4s, v3.4s, v3.4s
        fadd    v2.4s, v2.4s, v3.4s
        \first  v3.4s, v20.\half, v4.h[0]
        \second v3.4s, v21.\half, v4.h[1]
        srshr   v3.4s, v3.4s, #8
        add     v3.4s, v3.4s, ones
        stp     q2, q3, [at], #32
        .endm

// Puts the pairs of up to `most` next points with the points in registers into the buffer.
        .macro fill vectors, most
        mov     i, #\most
        cmp     left, i
        csel    i, left, i, lo
        sub     left, left, i
        mov     last, i
        .balign 16
.Lfill\vectors:
        point   \vectors
        subs    i, i, #1
        b.ne    .Lfill\vectors
        .endm

// Compares both vectors of pairs with an edge, each with its own sum. A mask is -1, so mls adds.
        .macro compare edge, even, odd
        fcmge   v4.4s, v0.4s, \edge\().4s
        fcmge   v5.4s, v2.4s, \edge\().4s
        mls     \even\().4s, v4.4s, v1.4s
        mls     \odd\().4s, v5.4s, v3.4s
        .endm

        .macro start edge, even, odd
        ld1r    {\edge\().4s}, [edges], #4
        movi    \even\().4s, #0
        movi    \odd\().4s, #0
        .endm

// Adds the counts and sums of an edge to the next word. Rounding gives the count also where the sum
// is negative.
        .macro flush edge, even, odd
        urshr   v4.4s, \even\().4s, #27
        ursra   v4.4s, \odd\().4s, #27
        uaddlp  \even\().2d, \even\().4s
        uadalp  \even\().2d, \odd\().4s
        addv    s4, v4.4s
        addp    \even\().2d, \even\().2d, \even\().2d
        fmov    count_low, s4
        umov    sum, \even\().d[0]
        sub     sum, sum, count, lsl #27
        add     sum, sum, count, lsl #47
        ldr     count, [words]
        add     sum, sum, count
        str     sum, [words], #8
        .endm

// `step` with the registers of each of `number` edges.
        .macro each number, step
        \step   v24, v8, v12
        .if     \number > 1
        \step   v25, v9, v13
        .endif
        .if     \number > 2
        \step   v26, v10, v14
        .endif
        .if     \number > 3
        \step   v27, v11, v15
        .endif
        .endm

// Compares the pairs in the buffer with the next edges.
        .macro pass number
        each    \number, start
        mov     at, sp
        .balign 16
.Lpass\number:
        ldp     q0, q1, [at], #32
        ldp     q2, q3, [at], #32
        each    \number, compare
        cmp     at, end
        b.lo    .Lpass\number
        each    \number, flush
        .endm

FUNC(hl_correlation_edges_neon)
        // Mach-O accepts CFI only before the first label, so `frame` keeps the old sp to the end.
        mov     frame, sp
        sub     sp, sp, #(64 * FULL + 64)   // the buffer, and d8..d15
        .cfi_def_cfa frame, 0
        stp     d8, d9, [frame, #-64]
        stp     d10, d11, [frame, #-48]
        stp     d12, d13, [frame, #-32]
        stp     d14, d15, [frame, #-16]
        .cfi_offset d8, -64
        .cfi_offset d9, -56
        .cfi_offset d10, -48
        .cfi_offset d11, -40
        .cfi_offset d12, -32
        .cfi_offset d13, -24
        .cfi_offset d14, -16
        .cfi_offset d15, -8
        ldp     i, edges, [frame]
        ldp     k, words, [frame, #16]
        cbz     n, .Ldone
        cbz     m, .Ldone
        cbz     k, .Ldone
        ld1r    {v30.4s}, [i], #4
        ld1r    {v31.4s}, [i]
        movi    ones, #8, lsl #24
        movi    v6.16b, #0

        // The other points, 8, 4 or fewer at a time. A lane without a point has orientation 0 and
        // counts 0 for a pair.
.Lpoints:
        mov     left, n
        cmp     m, #8
        b.lo    .Lfour
        ldp     q16, q17, [other_x], #32
        ldp     q18, q19, [other_y], #32
        ld2     {v20.8h, v21.8h}, [other_psi], #32
        b       .Lchunk
.Lfour:
        tbz     m, #2, .Lrest
        ldr     q16, [other_x], #16
        ldr     q18, [other_y], #16
        ld2     {v20.4h, v21.4h}, [other_psi], #16
        b       .Lchunk
.Lrest:
        movi    v22.2s, #8, lsl #24
        tbz     m, #1, .Lone
        ldr     d16, [other_x], #8
        ldr     d18, [other_y], #8
        ldr     d20, [other_psi], #8
        tbz     m, #0, .Lsplit
        ld1     {v16.s}[2], [other_x]
        ld1     {v18.s}[2], [other_y]
        ld1     {v20.s}[2], [other_psi]
        mov     v22.s[2], v22.s[0]
        b       .Lsplit
.Lone:
        ldr     s16, [other_x]
        ldr     s18, [other_y]
        ldr     s20, [other_psi]
        mov     v22.s[1], wzr
.Lsplit:
        shrn    v21.4h, v20.4s, #16
        xtn     v20.4h, v20.4s

        // Two vectors a point, or one; the buffer is padded to an even number of vectors.
.Lchunk:
        mov     at, sp
        cmp     m, #8
        b.lo    .Lsingle
        fill    2, FULL
        b       .Lfilled
.Lsingle:
        fill    1, 2 * FULL
        tbz     last, #0, .Lfilled
        stp     q6, q6, [at], #32

.Lfilled:
        mov     end, at
        subs    e, k, #4
        b.lo    .Lthree
.Lby_four:
        pass    4
        subs    e, e, #4
        b.hs    .Lby_four
.Lthree:
        tbz     e, #1, .Llast
        tbz     e, #0, .Ltwo
        pass    3
        b       .Lcompared
.Ltwo:
        pass    2
        b       .Lcompared
.Llast:
        tbz     e, #0, .Lcompared
        pass    1

.Lcompared:
        sub     edges, edges, k, lsl #2
        sub     words, words, k, lsl #3
        cbnz    left, .Lchunk
        sub     x, x, n, lsl #2
        sub     y, y, n, lsl #2
        sub     psi, psi, n, lsl #2
        mov     i, #8
        mov     last, #4
        cmp     m, #8
        csel    i, i, last, hs
        subs    m, m, i
        b.gt    .Lpoints

.Ldone:
        ldp     d8, d9, [frame, #-64]
        ldp     d10, d11, [frame, #-48]
        ldp     d12, d13, [frame, #-32]
        ldp     d14, d15, [frame, #-16]
        mov     sp, frame
        ret
END(hl_correlation_edges_neon)
