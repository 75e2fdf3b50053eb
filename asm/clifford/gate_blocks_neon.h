// The products and arguments of the blocks of a pass: see gate_neon.S.

// Loads rows of coefficients 4 g to 4 g + 3 into v0..v3.
        .macro  coefficients n, g, source
        .irp    i, 0, 1, 2, 3
        ldr     q\i, [\source, #4*\n*\i + 16*\g]
        .endr
        transpose
        .endm

// Transposes 4 x 4 floats.
        .macro  transpose
        trn1    v4.4s, v0.4s, v1.4s
        trn2    v5.4s, v0.4s, v1.4s
        trn1    v6.4s, v2.4s, v3.4s
        trn2    v7.4s, v2.4s, v3.4s
        trn1    v0.2d, v4.2d, v6.2d
        trn1    v1.2d, v5.2d, v7.2d
        trn2    v2.2d, v4.2d, v6.2d
        trn2    v3.2d, v5.2d, v7.2d
        .endm

// Advances `index` by some channels.
        .macro  turn_channel by
        add     index, index, \by
        ldr     third, channels
        subs    third, index, third
        csel    index, third, index, hs
        .endm

// Adds the square of coefficient p, in v\i, to the sum of its grade.
        .macro  square i, p, sum
        ldr     q4, [sp, #SIGNS + 16*(\p)]
        fmul    v\i\().4s, v\i\().4s, v\i\().4s
        fmul    v\i\().4s, v\i\().4s, v4.4s
        fadd    v\sum\().4s, v\sum\().4s, v\i\().4s
        .endm

// Adds the squares of four coefficients to the sums of their grades. The first sum is x[0] itself.
        .macro  squares n, g, a, b, c, d
        coefficients \n, \g, at
        .if     \g == 0
        mov     v\a\().16b, v0.16b
        .else
        square  0, 4*\g, \a
        .endif
        square  1, 4*\g + 1, \b
        square  2, 4*\g + 2, \c
        square  3, 4*\g + 3, \d
        .endm

// Stores the argument of grade k.
        .macro  of_grade k, sum
        ldr     q0, [sp, #WEIGHTS + 16*\k]
        ldr     q1, [sp, #BIAS + 16*\k]
        fmul    v0.4s, v0.4s, v\sum\().4s
        fadd    v0.4s, v0.4s, v1.4s
        str     q0, [to, #16*\k]
        .endm

// Four coefficients of a block times the gates of their grades.
        .macro  graded n, g, a, b, c, d
        coefficients \n, \g, x_now
        fmul    v0.4s, v0.4s, v\a\().4s
        fmul    v1.4s, v1.4s, v\b\().4s
        fmul    v2.4s, v2.4s, v\c\().4s
        fmul    v3.4s, v3.4s, v\d\().4s
        transpose
        .irp    i, 0, 1, 2, 3
        str     q\i, [z_now, #4*\n*\i + 16*\g]
        .endr
        .endm

// Calls a macro for each four coefficients, with the registers of their grades: v16 for grade 0.
        .macro  by_grades macro, n
        .if     \n == 4
        \macro  \n, 0, 16, 17, 17, 18
        .elseif \n == 8
        \macro  \n, 0, 16, 17, 17, 17
        \macro  \n, 1, 18, 18, 18, 19
        .else
        \macro  \n, 0, 16, 17, 17, 17
        \macro  \n, 1, 17, 18, 18, 18
        \macro  \n, 2, 18, 18, 18, 19
        \macro  \n, 3, 19, 19, 19, 20
        .endif
        .endm

// The products of a pass and the arguments of the next one, for n blades.
        .macro  blocks n, grades, log
        // The products of a block, if one is left.
.Lblocks_\n:
        cbz     left_now, .Lmultiplied_\n
        ldp     q16, q17, [gates]
        cmp     kind, #SILU
        b.eq    .Lby_grade_\n
        .irp    i, 0, 1, 2, 3
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        ldr     q0, [x_now, #4*\n*\i + 16*\g]
        fmul    v0.4s, v0.4s, v16.s[\i]
        str     q0, [z_now, #4*\n*\i + 16*\g]
        .endif
        .endr
        .endr
        b       .Lstored_\n
.Lby_grade_\n:
        ldp     q18, q19, [gates, #32]
        ldr     q20, [gates, #64]
        by_grades graded, \n
.Lstored_\n:
        ldr     other, rows
        add     x_now, x_now, step_now
        add     z_now, z_now, step_now
        add     gates, gates, other
        sub     left_now, left_now, #1

        // The arguments of a block, if one is left: a row or, for kind 4, a row for each grade.
.Lmultiplied_\n:
        cbz     left, .Lnothing_\n
        cmp     kind, #GELU
        b.eq    .Lgelu_\n
        b.hi    .Lsilu_\n
        cbz     kind, .Llinear_\n

        // Kinds 1 and 2: the sum, or the mean.
        movi    v16.16b, #0
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        coefficients \n, \g, at
        .irp    v, v0.4s, v1.4s, v2.4s, v3.4s
        fadd    v16.4s, v16.4s, \v
        .endr
        .endif
        .endr
        cmp     kind, #MEAN
        b.ne    .Lsum_\n
        constant v0.4s, (127 - \log) << 23      // 1 / n
        fmul    v16.4s, v16.4s, v0.4s
.Lsum_\n:
        str     q16, [to]
        b       .Largued_\n

        // Kind 0: bias + weight x[p] + ..
.Llinear_\n:
        ldr     index, channel
        ldr     other, loaded
        cmp     index, other
        b.eq    .Lready_linear_\n
        str     index, loaded

        // Rows of weights and bias, from channel `index` on.
        ldr     third, channels
        ldr     other, bias
        add     row, index, #4
        cmp     row, third
        b.hi    .Lwrap_\n
        add     other, other, index, lsl #2
        ldr     q16, [other]
        mov     row, #4*\n
        mul     index, index, row
        ldr     row, weights
        add     row, row, index
        b       .Lcolumns_\n

        // If the block contains the last channel and channel 0 after it, the parameters of its multivectors
        // are first copied in their order.
.Lwrap_\n:
        mov     lane, #0
.Lchannel_\n:
        add     row, sp, lane, lsl #2
        ldr     s0, [other, index, lsl #2]
        str     s0, [row, #BIAS]
        mov     row, #4*\n
        ldr     third, weights
        madd    third, index, row, third
        mul     row, lane, row
        add     row, sp, row
        .irp    offset, 0, 16, 32, 48
        .if     \offset < 4*\n
        ldr     q0, [third, #\offset]
        str     q0, [row, #SIGNS + \offset]
        .endif
        .endr
        turn_channel #1
        add     lane, lane, #1
        cmp     lane, #4
        b.ne    .Lchannel_\n
        add     row, sp, #SIGNS
        ldr     q16, [sp, #BIAS]
.Lcolumns_\n:
        str     q16, [sp, #BIAS]
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        coefficients \n, \g, row
        stp     q0, q1, [sp, #WEIGHTS + 64*\g]
        stp     q2, q3, [sp, #WEIGHTS + 64*\g + 32]
        .endif
        .endr
.Lready_linear_\n:
        ldr     q16, [sp, #BIAS]
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        coefficients \n, \g, at
        ldp     q4, q5, [sp, #WEIGHTS + 64*\g]
        ldp     q6, q7, [sp, #WEIGHTS + 64*\g + 32]
        fmul    v0.4s, v0.4s, v4.4s
        fmul    v1.4s, v1.4s, v5.4s
        fmul    v2.4s, v2.4s, v6.4s
        fmul    v3.4s, v3.4s, v7.4s
        .irp    v, v0.4s, v1.4s, v2.4s, v3.4s
        fadd    v16.4s, v16.4s, \v
        .endr
        .endif
        .endr
        str     q16, [to]
        ldr     index, channel
        ldr     other, turn
        turn_channel other
        str     index, channel
        b       .Largued_\n

        // Kind 3: factor (x[0] + cubic x[0]^3).
.Lgelu_\n:
        .irp    i, 0, 1, 2, 3
        ldr     s\i, [at, #4*\n*\i]
        .endr
        trn1    v0.4s, v0.4s, v1.4s
        trn1    v2.4s, v2.4s, v3.4s
        trn1    v0.2d, v0.2d, v2.2d
        str     q0, [to, #X0]
        constant v2.4s, 0x3d372713
        constant v3.4s, 0x3fcc422a      // 2 sqrt(2 / pi)
        fmul    v1.4s, v0.4s, v0.4s
        fmul    v1.4s, v1.4s, v0.4s
        fmul    v1.4s, v1.4s, v2.4s
        fadd    v1.4s, v1.4s, v0.4s
        fmul    v1.4s, v1.4s, v3.4s
        str     q1, [to]
        b       .Largued_\n

        // Kind 4: weight n + bias for each grade.
.Lsilu_\n:
        ldr     index, channel
        ldr     other, loaded
        cmp     index, other
        b.eq    .Lready_silu_\n
        str     index, loaded

        // Rows of weights and bias, from channel `index` on.
        mov     row, sp
        mov     lane, #4
.Llane_\n:
        mov     third, #4*\grades
        ldr     other, weights
        madd    other, index, third, other
        .irp    k, 0, 1, 2, 3, 4
        .if     \k < \grades
        ldr     s0, [other, #4*\k]
        str     s0, [row, #WEIGHTS + 16*\k]
        .endif
        .endr
        ldr     other, bias
        madd    other, index, third, other
        .irp    k, 0, 1, 2, 3, 4
        .if     \k < \grades
        ldr     s0, [other, #4*\k]
        str     s0, [row, #BIAS + 16*\k]
        .endif
        .endr
        turn_channel #1
        add     row, row, #4
        subs    lane, lane, #1
        b.ne    .Llane_\n
.Lready_silu_\n:
        movi    v17.16b, #0
        movi    v18.16b, #0
        movi    v19.16b, #0
        movi    v20.16b, #0
        by_grades squares, \n
        of_grade 0, 16
        of_grade 1, 17
        of_grade 2, 18
        .if     \n > 4
        of_grade 3, 19
        .endif
        .if     \n > 8
        of_grade 4, 20
        .endif
        ldr     index, channel
        ldr     other, turn
        turn_channel other
        str     index, channel
.Largued_\n:
        ldr     other, rows
        add     at, at, step
        add     to, to, other
        subs    left, left, #1
        b.ne    .Lblocks_\n
.Lnothing_\n:
        cbnz    left_now, .Lblocks_\n
        b       .Lgates
        .endm
