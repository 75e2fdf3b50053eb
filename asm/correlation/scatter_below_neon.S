// Pairs of near points by their distance in uniform bins: of the pairs with r2 less than `limit`, in
// the order of i < n and then j < m, each adds to table k mod 4 what it adds to a table of scatter;
// k is the number of such pairs before it.
//
//   void hl_correlation_scatter_below_neon(const float *x, const float *y, const int16_t *psi,
//       size_t n, const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, float limit, float inverse_width, float start, size_t bins,
//       int64_t *words);
//
// In      x0 = x, x1 = y, x2 = psi, x3 = n, x4 = other_x, x5 = other_y, x6 = other_psi, x7 = m,
//         v0 = limit, v1 = inverse_width, v2 = start, [sp] = shift, [sp + 8] = bins,
//         [sp + 16] = words                     Out  4 tables of words
// Uses    x0..x3, x7..x17, v0..v4, v16..v25     Stack  1136 bytes
// Loop    4 pairs; 36 operations without the additions to words of those below the limit; bound by
//         issue
// Tail    a padded copy, whose padding is infinitely far; reads exactly the points
//
// Pairs below the limit are packed into a buffer of squares and products. When it holds a batch of
// 64, the previous batch, whose bins are known, is added to its words, and the bins of this one are
// computed: additions right after the square root that they depend on would stall.

#include "hl.h"

#define x           x0
#define y           x1
#define psi         x2
#define i           x3          // points left
#define other_x     x4
#define other_y     x5
#define other_psi   x6
#define size        x7          // bytes of a coordinate of all others
#define frame       x8          // sp at the entry
#define table0      x9
#define table1      x10
#define table2      x11
#define table3      x12
#define one         x13
#define j           x14         // bytes up to the next others
#define to          x16         // the end of the buffer

#define limit       v16.4s
#define inverse     v17.4s
#define start       v18.4s
#define last        v19.4s
#define shift_x     v20.4s
#define shift_y     v21.4s
#define eight       v22.4h
#define xi          v23.4s
#define yi          v24.4s

// The frame.
#define SAVED_I     0           // and j
#define SAVED_TO    16
#define WAITING     24          // the number of pairs in the batch
#define BUFFER      32
#define BINS        576
#define READY       832         // the products of the batch
#define REST_X      1088
#define REST_Y      1104
#define REST_PSI    1120
#define FRAME       1136
#define BATCH       64

// Adds a pair of the batch, from four at x14, to its word.
        .macro add_pair lane, table
        ldr     w15, [x14, #(4 * \lane)]
        ldrsw   x17, [x14, #(READY - BINS + 4 * \lane)]
        ldr     x16, [\table, x15, lsl #3]
        add     x17, x17, one
        add     x16, x16, x17
        str     x16, [\table, x15, lsl #3]
        .endm

// Adds all pairs of the batch to their words.
        .macro add_batch where
        ldr     x3, [sp, #WAITING]
        add     x14, sp, #BINS
        subs    x3, x3, #4
        b.lo    .Lpart_\where
.Lfour_\where:
        add_pair 0, table0
        add_pair 1, table1
        add_pair 2, table2
        add_pair 3, table3
        add     x14, x14, #16
        subs    x3, x3, #4
        b.hs    .Lfour_\where
.Lpart_\where:
        ands    x3, x3, #3
        b.eq    .Ladded_\where
        add_pair 0, table0
        cmp     x3, #2
        b.lo    .Ladded_\where
        add_pair 1, table1
        b.eq    .Ladded_\where
        add_pair 2, table2
.Ladded_\where:
        .endm

// Makes a batch of the first x3 pairs of the buffer, in whole vectors.
        .macro fill_batch where
        str     x3, [sp, #WAITING]
        add     x14, sp, #BUFFER
        add     x15, sp, #BINS
.Lfill_\where:
        ld2     {v0.4s, v1.4s}, [x14], #32
        fsqrt   v0.4s, v0.4s
        fmul    v0.4s, v0.4s, inverse
        fsub    v0.4s, v0.4s, start
        fmin    v0.4s, v0.4s, last
        fcvtzu  v0.4s, v0.4s            // 0 if negative
        str     q1, [x15, #(READY - BINS)]
        str     q0, [x15], #16
        subs    x3, x3, #4
        b.hi    .Lfill_\where
        .endm

FUNC(hl_correlation_scatter_below_neon)
        // Mach-O accepts CFI only before the first label, so `frame` keeps the old sp to the end.
        mov     frame, sp
        sub     sp, sp, #FRAME
        .cfi_def_cfa frame, 0
        cbz     i, .Ldone
        cbz     x7, .Ldone
        ldp     x15, x16, [frame]
        ldr     table0, [frame, #16]
        ld1r    {v20.4s}, [x15], #4
        ld1r    {v21.4s}, [x15]
        dup     limit, v0.s[0]
        dup     inverse, v1.s[0]
        dup     start, v2.s[0]
        dup     last, w16
        scvtf   last, last
        movi    eight, #8
        add     x16, x16, #1
        add     table1, table0, x16, lsl #3
        add     table2, table1, x16, lsl #3
        add     table3, table2, x16, lsl #3
        mov     one, #1 << 47
        str     xzr, [sp, #WAITING]
        add     to, sp, #BUFFER

        // A copy of the rest of the others, 1 to 3 points, with the padding infinitely far.
        lsl     size, x7, #2
        mov     w15, #0x7f800000
        dup     v0.4s, w15
        movi    v1.16b, #0
        str     q0, [sp, #REST_X]
        str     q1, [sp, #REST_Y]
        str     q1, [sp, #REST_PSI]
        add     x17, sp, #REST_X
        mov     j, size
.Lcopy:
        tst     j, #12
        b.eq    .Lpoint
        sub     j, j, #4
        and     x15, j, #12
        add     x15, x17, x15
        ldr     s0, [other_x, j]
        ldr     s1, [other_y, j]
        ldr     s2, [other_psi, j]
        str     s0, [x15]
        str     s1, [x15, #(REST_Y - REST_X)]
        str     s2, [x15, #(REST_PSI - REST_X)]
        b       .Lcopy

.Lpoint:
        ld1r    {v23.4s}, [x], #4
        ld1r    {v24.4s}, [y], #4
        ld1r    {v25.4s}, [psi], #4
        mov     j, #0
.Lvectors:
        sub     x15, size, j
        cmp     x15, #16
        b.lo    .Lrest
        ldr     q0, [other_x, j]
        ldr     q1, [other_y, j]
        ldr     q2, [other_psi, j]
        add     j, j, #16
        b       .Lpack
.Lrest:
        cbz     x15, .Lnext
        ldr     q0, [sp, #REST_X]
        ldr     q1, [sp, #REST_Y]
        ldr     q2, [sp, #REST_PSI]
        mov     j, size
.Lpack:
        // Append the pairs below the limit of a point and the others in v0 (x), v1 (y) and v2 (psi).
        fsub    v0.4s, v0.4s, xi
        fsub    v1.4s, v1.4s, yi
        fadd    v0.4s, v0.4s, shift_x
        fadd    v1.4s, v1.4s, shift_y
        fmul    v0.4s, v0.4s, v0.4s
        fmul    v1.4s, v1.4s, v1.4s
        smull   v3.4s, v2.4h, v25.4h
        smull2  v4.4s, v2.8h, v25.8h
        fadd    v0.4s, v0.4s, v1.4s
        addp    v3.4s, v3.4s, v4.4s
        fcmgt   v4.4s, limit, v0.4s
        xtn     v4.4h, v4.4s
        and     v4.8b, v4.8b, v22.8b
        umov    x15, v4.d[0]
        zip1    v1.4s, v0.4s, v3.4s
        zip2    v2.4s, v0.4s, v3.4s

        // Store each pair; over it the next one is stored, unless it is below the limit.
        st1     {v1.d}[0], [to]
        and     x17, x15, #8
        add     to, to, x17, lsr #0
        st1     {v1.d}[1], [to]
        and     x17, x15, #(8 << 16)
        add     to, to, x17, lsr #16
        st1     {v2.d}[0], [to]
        and     x17, x15, #(8 << 32)
        add     to, to, x17, lsr #32
        st1     {v2.d}[1], [to]
        and     x17, x15, #(8 << 48)
        add     to, to, x17, lsr #48
        add     x15, sp, #(BUFFER + 8 * BATCH)
        cmp     to, x15
        b.lo    .Lvectors

        // The buffer holds a batch.
        stp     i, j, [sp, #SAVED_I]
        str     to, [sp, #SAVED_TO]
        add_batch full
        mov     x3, #BATCH
        fill_batch full
        ldp     q0, q1, [sp, #(BUFFER + 8 * BATCH)]
        stp     q0, q1, [sp, #BUFFER]
        ldr     to, [sp, #SAVED_TO]
        ldp     i, j, [sp, #SAVED_I]
        sub     to, to, #(8 * BATCH)
        b       .Lvectors
.Lnext:
        subs    i, i, #1
        b.ne    .Lpoint

        // The batch, then the pairs in the buffer.
        str     to, [sp, #SAVED_TO]
        add_batch last_batch
        ldr     to, [sp, #SAVED_TO]
        add     x15, sp, #BUFFER
        sub     x3, to, x15
        lsr     x3, x3, #3
        fill_batch buffer
        add_batch buffer
.Ldone:
        mov     sp, frame
        ret
END(hl_correlation_scatter_below_neon)
