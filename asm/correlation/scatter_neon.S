// Pairs of points by their distance in uniform bins: for each i < n and j < m, bin b of table j mod
// 4, which is `words[(bins + 1) (j mod 4) + b]`, gets 2^47 and the product of `psi[2 i..]` and
// `other_psi[2 j..]`, as in offsets.
//
//   void hl_correlation_scatter_neon(const float *x, const float *y, const int16_t *psi, size_t n,
//       const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, float inverse_width, float start, size_t bins,
//       int64_t *words);
//
// In      x0 = x, x1 = y, x2 = psi, x3 = n, x4 = other_x, x5 = other_y, x6 = other_psi, x7 = m,
//         v0 = inverse_width, v1 = start, [sp] = shift, [sp + 8] = bins, [sp + 16] = words     Out  words
// Uses    x0..x2, x4..x17, v0..v6, v16..v25, v27..v31     Stack  none
// Loop    8 pairs, of one point and 8 in registers; 79 instructions; bound by the vector pipes: 72
//         cycles with Neoverse N1 (modelled)
// Tail    4 points in registers, then 1 to 3, without reading or counting others

#include "hl.h"

#define x           x0
#define y           x1
#define psi         x2
#define n           x3
#define other_x     x4
#define other_y     x5
#define other_psi   x6
#define m           x7
#define table0      x8
#define table1      x9
#define table2      x10
#define table3      x11
#define one         x12
#define i           x13
#define both_bins   x14
#define bin         w14
#define both        x15
#define low         w15
#define pair        x16
#define word        x17

#define start       v27.4s
#define width       v28.4s      // its inverse
#define most        v29.4s
#define shift_x     v30.4s
#define shift_y     v31.4s

// Distances of the next point to one or two vectors of points.
        .macro distances points
        ld1r    {v0.4s}, [x], #4
        ld1r    {v1.4s}, [y], #4
        fsub    v2.4s, v16.4s, v0.4s
        fsub    v5.4s, v18.4s, v1.4s
        fadd    v2.4s, v2.4s, shift_x
        fadd    v5.4s, v5.4s, shift_y
        fmul    v2.4s, v2.4s, v2.4s
        fmul    v5.4s, v5.4s, v5.4s
        fadd    v2.4s, v2.4s, v5.4s
        fsqrt   v2.4s, v2.4s
        .if     \points == 8
        fsub    v3.4s, v17.4s, v0.4s
        fsub    v6.4s, v19.4s, v1.4s
        fadd    v3.4s, v3.4s, shift_x
        fadd    v6.4s, v6.4s, shift_y
        fmul    v3.4s, v3.4s, v3.4s
        fmul    v6.4s, v6.4s, v6.4s
        fadd    v3.4s, v3.4s, v6.4s
        fsqrt   v3.4s, v3.4s
        .endif
        .endm

// The bins of these distances, v22 and v23, and the products, v24 and v25.
        .macro bins_and_products points
        ldr     s4, [psi], #4
        smull   v24.4s, v20.4h, v4.h[0]
        smlal   v24.4s, v21.4h, v4.h[1]
        fmul    v2.4s, v2.4s, width
        fsub    v2.4s, v2.4s, start
        fmin    v2.4s, v2.4s, most
        fcvtzu  v22.4s, v2.4s            // 0 if negative
        .if     \points == 8
        smull2  v25.4s, v20.8h, v4.h[0]
        smlal2  v25.4s, v21.8h, v4.h[1]
        fmul    v3.4s, v3.4s, width
        fsub    v3.4s, v3.4s, start
        fmin    v3.4s, v3.4s, most
        fcvtzu  v23.4s, v3.4s            // 0 if negative
        .endif
        .endm

// Two bins, and two products, move to the integer registers at once.
        .macro count_low table, bins, products
        umov    both_bins, \bins
        umov    both, \products
        add     pair, one, low, sxtw
        ldr     word, [\table, bin, uxtw #3]
        add     word, word, pair
        str     word, [\table, bin, uxtw #3]
        .endm

        .macro count_high table
        lsr     both_bins, both_bins, #32
        add     both, one, both, asr #32
        ldr     word, [\table, both_bins, lsl #3]
        add     word, word, both
        str     word, [\table, both_bins, lsl #3]
        .endm

// Counts the pairs of 8 or 4 lanes, or of the first m, one to three. `where` is a part of a label.
        .macro count points, where
        .if     \points < 4
        cmp     m, #2
        count_low table0, v22.d[0], v24.d[0]
        b.lo    .Lcounted_\where
        count_high table1
        b.eq    .Lcounted_\where
        count_low table2, v22.d[1], v24.d[1]
.Lcounted_\where:
        .else
        count_low table0, v22.d[0], v24.d[0]
        count_high table1
        count_low table2, v22.d[1], v24.d[1]
        count_high table3
        .endif
        .if     \points == 8
        count_low table0, v23.d[0], v25.d[0]
        count_high table1
        count_low table2, v23.d[1], v25.d[1]
        count_high table3
        .endif
        .endm

// All pairs with the points in registers. The square roots of a point start before the pairs of the
// previous one are counted.
        .macro pairs points
        mov     i, n
        distances \points
        bins_and_products \points
        b       .Lnext_\points
        .balign 16
.Lloop_\points:
        distances \points
        count   \points, in_loop
        bins_and_products \points
.Lnext_\points:
        subs    i, i, #1
        b.ne    .Lloop_\points
        count   \points, after
        sub     x, x, n, lsl #2
        sub     y, y, n, lsl #2
        sub     psi, psi, n, lsl #2
        .endm

FUNC(hl_correlation_scatter_neon)
        cbz     n, .Ldone
        ldp     both, both_bins, [sp]
        ldr     table0, [sp, #16]
        ld1r    {v30.4s}, [both], #4
        ld1r    {v31.4s}, [both]
        dup     width, v0.s[0]
        dup     start, v1.s[0]
        dup     most, bin
        scvtf   most, most
        add     both_bins, both_bins, #1
        add     table1, table0, both_bins, lsl #3
        add     table2, table1, both_bins, lsl #3
        add     table3, table2, both_bins, lsl #3
        mov     one, #1 << 47
        subs    m, m, #8
        b.lo    .Lfour

.Leight:
        ldp     q16, q17, [other_x], #32
        ldp     q18, q19, [other_y], #32
        ld2     {v20.8h, v21.8h}, [other_psi], #32
        pairs   8
        subs    m, m, #8
        b.hs    .Leight

        // The low bits of m count the points left.
.Lfour:
        tbz     m, #2, .Lrest
        ldr     q16, [other_x], #16
        ldr     q18, [other_y], #16
        ld2     {v20.4h, v21.4h}, [other_psi], #16
        pairs   4

        // 1 to 3 points, 4 bytes each in every array.
.Lrest:
        ands    m, m, #3
        b.eq    .Ldone
        cmp     m, #2
        b.lo    .Lone
        ldr     d16, [other_x], #8
        ldr     d18, [other_y], #8
        ldr     d20, [other_psi], #8
        b.eq    .Lloaded
        ld1     {v16.s}[2], [other_x]
        ld1     {v18.s}[2], [other_y]
        ld1     {v20.s}[2], [other_psi]
        b       .Lloaded
.Lone:
        ldr     s16, [other_x]
        ldr     s18, [other_y]
        ldr     s20, [other_psi]
.Lloaded:
        shrn    v21.4h, v20.4s, #16
        xtn     v20.4h, v20.4s
        pairs   3

.Ldone:
        ret
END(hl_correlation_scatter_neon)
