// Counts the pairs of points beyond each of several distances: for each i < n, j < m and e < k, if
// r2 of the pair, as in scatter, is not less than `edges[e]`, adds 1 to `words[e]`.
//
//   void hl_correlation_counts_neon(const float *x, const float *y, size_t n, const float *other_x,
//       const float *other_y, size_t m, const float *shift, const float *edges, size_t k,
//       int64_t *words);
//
// In      x0 = x, x1 = y, x2 = n, x3 = other_x, x4 = other_y, x5 = m, x6 = shift, x7 = edges,
//         [sp] = k, [sp + 8] = words     Out  words[0..k]
// Uses    x0, x1, x3, x4, x6..x12, v0..v7, v16..v30     Stack  none
// Loop    4 pairs and up to 8 edges, which stay in registers: 7 vector operations and 2 an edge,
//         besides 2 broadcasts; bound by the vector pipes
// Tail    1 to 3 points, the other lanes NaN

#include "hl.h"

#define x           x0
#define y           x1
#define n           x2
#define other_x     x3
#define other_y     x4
#define m           x5
#define edges       x7
#define k           x8
#define words       x9
#define i           x10
#define left        x11         // others
#define count       x12
#define count_low   w12
#define word        x6
#define shift_x     v24.4s
#define shift_y     v25.4s
#define r2          v28.4s
#define dy          v29.4s

        .macro start sum, edge
        movi    \sum\().4s, #0
        ld1r    {\edge\().4s}, [edges], #4
        .endm

// A mask is -1, so sub adds. A comparison with NaN is false.
        .macro compare sum, edge
        fcmge   v30.4s, r2, \edge\().4s
        sub     \sum\().4s, \sum\().4s, v30.4s
        .endm

        .macro total sum, edge
        addv    s30, \sum\().4s
        ldr     word, [words]
        fmov    count_low, s30
        add     word, word, count
        str     word, [words], #8
        .endm

// `step` with the sum and the edge of each of `number` edges.
        .macro each number, step
        \step   v0, v16
        .if     \number > 1
        \step   v1, v17
        .endif
        .if     \number > 2
        \step   v2, v18
        .endif
        .if     \number > 3
        \step   v3, v19
        .endif
        .if     \number > 4
        \step   v4, v20
        .endif
        .if     \number > 5
        \step   v5, v21
        .endif
        .if     \number > 6
        \step   v6, v22
        .endif
        .if     \number > 7
        \step   v7, v23
        .endif
        .endm

FUNC(hl_correlation_counts_neon)
        ldp     k, words, [sp]
        cbz     n, .Ldone
        cbz     m, .Ldone
        cbz     k, .Ldone
        ld1r    {v24.4s}, [x6], #4
        ld1r    {v25.4s}, [x6]
.Lnext:
        cmp     k, #8
        b.hs    .Lpass8
        .irp    number, 7, 6, 5, 4, 3, 2
        cmp     k, #\number
        b.eq    .Lpass\number
        .endr

        // All pairs for the next `number` edges.
        .irp    number, 1, 2, 3, 4, 5, 6, 7, 8
.Lpass\number:
        each    \number, start
        mov     left, m
.Lothers\number:
        subs    left, left, #4
        b.lo    .Lrest\number
        ldr     q26, [other_x], #16
        ldr     q27, [other_y], #16
.Lloaded\number:
        mov     i, n
        .balign 16
.Lpoint\number:
        ld1r    {v28.4s}, [x], #4
        ld1r    {v29.4s}, [y], #4
        fsub    r2, v26.4s, r2
        fsub    dy, v27.4s, dy
        fadd    r2, r2, shift_x
        fadd    dy, dy, shift_y
        fmul    r2, r2, r2
        fmul    dy, dy, dy
        fadd    r2, r2, dy
        each    \number, compare
        subs    i, i, #1
        b.ne    .Lpoint\number
        sub     x, x, n, lsl #2
        sub     y, y, n, lsl #2
        cmp     left, #0
        b.gt    .Lothers\number
        sub     other_x, other_x, m, lsl #2
        sub     other_y, other_y, m, lsl #2
        each    \number, total
        subs    k, k, #\number
        b.ne    .Lnext
        ret

        // `left` is 4 less than the number of points left, 1 to 3.
.Lrest\number:
        movi    v26.16b, #255
        movi    v27.4s, #0
        ld1     {v26.s}[0], [other_x], #4
        ld1     {v27.s}[0], [other_y], #4
        cmn     left, #2
        b.lt    .Lloaded\number
        ld1     {v26.s}[1], [other_x], #4
        ld1     {v27.s}[1], [other_y], #4
        b.eq    .Lloaded\number
        ld1     {v26.s}[2], [other_x], #4
        ld1     {v27.s}[2], [other_y], #4
        b       .Lloaded\number
        .endr
.Ldone:
        ret
END(hl_correlation_counts_neon)
