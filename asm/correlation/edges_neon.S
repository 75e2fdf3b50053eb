// Pairs of points from each of some distances on: for each i < n, j < m and e < k, if r2 of the
// pair, as in scatter, is not less than `edges[e]`, then `words[e]` gets 2^47 and the product, as
// there.
//
//   void hl_correlation_edges_neon(const float *x, const float *y, const int16_t *psi, size_t n,
//       const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, const float *edges, size_t k, int64_t *words);
//
// In      x0 = x, x1 = y, x2 = psi, x3 = n, x4 = other_x, x5 = other_y, x6 = other_psi, x7 = m,
//         [sp] = shift, [sp + 8] = edges, [sp + 16] = k, [sp + 24] = words
//                                           Out  words
// Uses    x0..x2, x4..x6, x8..x17, v0..v7, v16..v30     Stack  128 bytes
// Loop    4 pairs and up to 4 edges: 7 vector operations and 5 an edge, besides 4 broadcasts; bound
//         by the vector pipes
// Tail    1 to 3 points, the other lanes NaN; 3, 2 and 1 edges
//
// The orientations of up to 16 points are added up in each lane of the others. Their parts are split
// into 128 times a high number and a low one below 128. A sum of low numbers also counts the points in
// its bits 11 to 15. A sum of high numbers starts at 2^15, so that its lower half borrows nothing from
// its upper half.

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
#define k           x10         // edges left
#define words       x11
#define left        x12         // points left
#define rows        x13         // points at once
#define j           x14         // others left
#define i           x15
#define at          x16
#define free        x17
#define xj          v0.4s
#define yj          v1.4s
#define shift_x     v3.4s
#define shift_y     v4.4s

        .macro clear edge, low, high
        movi    \low\().4s, #0
        movi    \high\().4s, #128, lsl #8
        .endm

        .macro compare edge, low, high
        fcmge   v29.4s, v5.4s, \edge\().4s
        and     v28.16b, v29.16b, v6.16b
        and     v29.16b, v29.16b, v7.16b
        add     \low\().4s, \low\().4s, v28.4s
        add     \high\().4s, \high\().4s, v29.4s
        .endm

// Adds the points of an edge, and the products of the others' orientations with its sums, to the next
// word.
        .macro flush edge, low, high
        movi    v28.4s, #0xf8, lsl #8
        and     v28.16b, v28.16b, \low\().16b
        eor     \low\().16b, \low\().16b, v28.16b
        movi    v29.4s, #128, lsl #8
        eor     \high\().16b, \high\().16b, v29.16b
        smull   v29.4s, v2.4h, \low\().4h
        smull2  \low\().4s, v2.8h, \low\().8h
        addp    \low\().4s, v29.4s, \low\().4s
        smull   v29.4s, v2.4h, \high\().4h
        smull2  \high\().4s, v2.8h, \high\().8h
        addp    \high\().4s, v29.4s, \high\().4s
        saddlp  \high\().2d, \high\().4s
        uaddlp  v28.2d, v28.4s
        shl     \high\().2d, \high\().2d, #7
        shl     v28.2d, v28.2d, #36
        sadalp  \high\().2d, \low\().4s
        add     v28.2d, v28.2d, \high\().2d
        addp    v28.2d, v28.2d, v28.2d
        ldr     free, [words]
        fmov    i, d28
        add     free, free, i
        str     free, [words], #8
        .endm

// `step` with the registers of each of `number` edges.
        .macro each number, step
        \step   v24, v16, v20
        .if     \number > 1
        \step   v25, v17, v21
        .endif
        .if     \number > 2
        \step   v26, v18, v22
        .endif
        .if     \number > 3
        \step   v27, v19, v23
        .endif
        .endm

// The last 1 to 3 of the others; the other lanes are unchanged.
        .macro few vector, from
        mov     free, \from
        ld1     {\vector\().s}[0], [free], #4
        cmp     j, #2
        b.lo    .Lfew_\from
        ld1     {\vector\().s}[1], [free], #4
        b.eq    .Lfew_\from
        ld1     {\vector\().s}[2], [free]
.Lfew_\from:
        .endm

FUNC(hl_correlation_edges_neon)
        // Mach-O accepts CFI only before the first label, so `frame` keeps the old sp to the end.
        mov     frame, sp
        sub     sp, sp, #128            // `own`: 16 points
        .cfi_def_cfa frame, 0
        ldp     free, edges, [frame]
        ldp     k, words, [frame, #16]
        cbz     n, .Ldone
        cbz     m, .Ldone
        ld1r    {v3.4s}, [free], #4
        ld1r    {v4.4s}, [free]
        movi    v30.8h, #0x7f

        // Up to 4 edges; reads no more.
.Ledges:
        cbz     k, .Ldone
        ld1r    {v24.4s}, [edges], #4
        cmp     k, #2
        b.lo    .Lloaded
        ld1r    {v25.4s}, [edges], #4
        b.eq    .Lloaded
        ld1r    {v26.4s}, [edges], #4
        cmp     k, #4
        b.lo    .Lloaded
        ld1r    {v27.4s}, [edges], #4
.Lloaded:
        mov     left, n

        // Up to 16 points.
.Lrows:
        mov     rows, #16
        cmp     left, rows
        csel    rows, left, rows, lo
        mov     at, sp
        mov     i, rows
.Lown:
        ldr     s5, [psi], #4
        and     v6.8b, v5.8b, v30.8b
        orr     v6.2s, #8, lsl #8
        shl     v7.2s, v5.2s, #16
        sshr    v5.2s, v5.2s, #7
        sshr    v7.2s, v7.2s, #23
        bic     v5.2s, #0xff
        bic     v5.2s, #0xff, lsl #8
        add     v7.2s, v7.2s, v5.2s
        zip1    v6.2s, v6.2s, v7.2s
        str     d6, [at], #8
        subs    i, i, #1
        b.ne    .Lown
        mov     j, m

        // Up to 4 others.
.Lothers:
        cmp     j, #4
        b.lo    .Lfew
        ldr     q0, [other_x], #16
        ldr     q1, [other_y], #16
        ldr     q2, [other_psi], #16
        b       .Lmeet
.Lfew:
        movi    v0.16b, #0xff
        movi    v1.16b, #0
        movi    v2.16b, #0
        few     v0, x4
        few     v1, x5
        few     v2, x6
.Lmeet:
        mov     at, sp
        mov     i, rows
        cmp     k, #2
        b.lo    .Lpoints1
        b.eq    .Lpoints2
        cmp     k, #4
        b.lo    .Lpoints3

        // The points against the others in registers.
        .irp    number, 4, 3, 2, 1
.Lpoints\number:
        each    \number, clear
.Lpoint\number:
        // The next point, whose numbers are at `at`: r2 in v5, its low numbers in v6, its high ones in v7.
        ld1r    {v5.4s}, [x], #4
        ld1r    {v28.4s}, [y], #4
        ld2r    {v6.4s, v7.4s}, [at], #8
        fsub    v5.4s, xj, v5.4s
        fsub    v28.4s, yj, v28.4s
        fadd    v5.4s, v5.4s, shift_x
        fadd    v28.4s, v28.4s, shift_y
        fmul    v5.4s, v5.4s, v5.4s
        fmul    v28.4s, v28.4s, v28.4s
        fadd    v5.4s, v5.4s, v28.4s
        each    \number, compare
        subs    i, i, #1
        b.ne    .Lpoint\number
        each    \number, flush
        sub     words, words, #(8 * \number)
        b       .Lnext
        .endr
.Lnext:
        sub     x, x, rows, lsl #2
        sub     y, y, rows, lsl #2
        subs    j, j, #4
        b.gt    .Lothers
        and     j, m, #-4
        sub     other_x, other_x, j, lsl #2
        sub     other_y, other_y, j, lsl #2
        sub     other_psi, other_psi, j, lsl #2
        add     x, x, rows, lsl #2
        add     y, y, rows, lsl #2
        subs    left, left, rows
        b.ne    .Lrows
        sub     x, x, n, lsl #2
        sub     y, y, n, lsl #2
        sub     psi, psi, n, lsl #2

        mov     i, #4
        cmp     k, i
        csel    i, k, i, lo
        add     words, words, i, lsl #3
        sub     k, k, i
        b       .Ledges

.Ldone:
        mov     sp, frame
        ret
END(hl_correlation_edges_neon)
