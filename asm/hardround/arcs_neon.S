// The arcs of a curve: their vertices, first rows and tolerances.
//
//   void hl_hardround_arcs_neon(const hl_hardround_curve *curve, const double *denominators, const double *differences,
//                               size_t count, hl_hardround_arcs_of_curve *arcs);
//
// In      x0 = curve, x1 = denominators, x2 = differences, x3 = count, x4 = arcs
//                                           Out  the first count elements of each array of arcs
// Uses    x1..x5, v0..v7, v16..v19, v22..v31          Stack  none
// Loop    2 arcs: 4 divisions, a square root and some 90 other operations; bound by the divider
//         (320 cycles in llvm-mca's model of Cortex-A76)
// Tail    none

#include "hl.h"

#define curve       x0
#define denominators x1
#define differences x2
#define count       x3
#define arcs        x4
#define at          x5

#define u           v0.2d
#define h           v0.2d
#define spread      v0.2d
#define right       v1.2d
#define class       v1.2d
#define tolerance   v2.2d
#define inverse     v3.2d
#define extra       v3.2d
#define of_mediant  v4.2d
#define rise        v4.2d
#define slope       v5.2d
#define row         v5.2d
#define vertex      v6.2d
#define position    v6.2d
#define flat        v7.2d
#define bend        v7.2d
#define value       v16.2d
#define above       v16.2d
#define height      v16.2d
#define scale       v17.2d
#define t           v18.2d
#define z           v19.2d

#define half        v22.2d
#define one         v23.2d
#define two         v24.2d
#define five        v25.2d
#define width       v26.2d      // 3/4
#define round       v27.2d      // 1.5 * 2^52: added and subtracted, it rounds to integers
#define fraction    v28.2d      // 1.5 * 2^20: added, it leaves numbers modulo 1 in units of 2^-32
#define extra_rows  v29.2d      // 1/2 + 2^-10
#define unit        v30.2d      // 2^14
#define every       v31.2d      // 1/2 - 2^-32

// An operation with a member of the curve, by way of t.
        .macro with op, to, a, member
        add     at, curve, #\member
        ld1r    {v18.2d}, [at]
        \op     \to, \a, t
        .endm

// Stores the lower halves of doubles.
        .macro put_low to, x
        xtn     v\x\().2s, v\x\().2d
        str     d\x, [arcs, #\to]
        .endm

FUNC(hl_hardround_arcs_neon)
        cbz     count, .Ldone
        fmov    half, #0.5
        fmov    one, #1.0
        fmov    two, #2.0
        fmov    five, #5.0
        fmov    width, #0.75
        mov     at, #0x4338000000000000
        dup     round, at
        mov     at, #0x4138000000000000
        dup     fraction, at
        mov     at, #0x80000000000
        movk    at, #0x3fe0, lsl #48
        dup     extra_rows, at
        mov     at, #0x40d0000000000000
        dup     unit, at
        mov     at, #0xffc00000
        movk    at, #0xffff, lsl #32
        movk    at, #0x3fdf, lsl #48
        dup     every, at

.Larcs:
        ldr     q1, [denominators, #16]
        ldur    q0, [denominators, #8]
        ldr     q4, [denominators], #16
        fdiv    inverse, one, u
        fmin    of_mediant, of_mediant, right
        fadd    of_mediant, of_mediant, u
        fdiv    of_mediant, one, of_mediant

        // The vertex, by a series in z.
        ldr     q5, [differences], #16
        fmul    slope, slope, inverse
        with    fsub, slope, slope, 48
        with    fmul, vertex, slope, 56
        with    fmul, z, vertex, 64
        fmul    value, z, five
        fsub    value, two, value
        fmul    value, value, z
        fsub    value, one, value
        fmul    value, value, z
        fsub    value, one, value
        fmul    vertex, vertex, value

        // The coefficient there, and the inverse of u times it; the value.
        with    fmul, flat, vertex, 32
        with    fadd, flat, flat, 8
        fdiv    flat, inverse, flat
        with    fmul, value, vertex, 24
        with    fadd, value, value, 16
        fmul    value, value, vertex
        with    fadd, value, value, 8
        fmul    value, value, vertex
        fsub    value, value, slope
        fmul    value, value, vertex
        with    fadd, value, value, 0
        fadd    row, value, round
        fsub    row, row, round
        fsub    value, value, row
        fsqrt   scale, flat

        // The first row.
        fmul    value, value, u
        fmul    class, right, inverse
        with    fmul, h, u, 72
        fsub    row, value, h
        fadd    row, row, half
        fadd    row, row, round
        fsub    row, row, round
        fsub    above, row, value
        fmul    position, vertex, inverse
        fmul    row, row, class
        fsub    position, position, row
        fadd    row, position, round
        fsub    row, row, round
        fsub    position, position, row

        // The tolerance without the row's width, and the number of rows.
        with    fmul, tolerance, inverse, 104
        with    fadd, tolerance, tolerance, 96
        fmul    z, inverse, of_mediant
        fmul    z, z, inverse
        with    fmul, z, z, 88
        with    fmul, z, z, 112
        fadd    tolerance, tolerance, z
        fmul    rise, of_mediant, of_mediant
        fmul    rise, rise, inverse
        with    fmul, rise, rise, 80
        fsub    row, h, above
        fadd    rise, rise, row
        fadd    rise, rise, extra_rows
        fadd    rise, rise, round
        put_low 1792, 4

        // The tolerance, and how much larger it is on the first row.
        fmax    height, above, h
        fmul    scale, scale, inverse
        fmul    spread, scale, h
        fmul    extra, spread, half
        fdiv    extra, extra, height
        fmul    bend, flat, flat
        with    fmul, bend, bend, 40
        fmul    spread, spread, width
        fmul    scale, scale, unit
        fadd    tolerance, tolerance, spread
        fcvtn   v18.2s, v17.2d          // scale
        str     d18, [arcs]
        fcvtn   v18.2s, v16.2d          // height
        str     d18, [arcs, #256]
        fmul    row, height, bend
        fadd    class, class, bend
        fsub    position, position, row
        fadd    position, position, tolerance
        fsub    position, position, half
        fadd    v1.2d, v1.2d, fraction
        put_low 768, 1
        fadd    v6.2d, v6.2d, fraction
        put_low 512, 6
        fadd    row, tolerance, extra
        fadd    tolerance, tolerance, tolerance
        fsub    tolerance, tolerance, half
        fadd    row, row, row
        fsub    row, row, half
        fadd    v2.2d, v2.2d, fraction
        put_low 1024, 2
        fmin    row, row, every
        fadd    v3.2d, v3.2d, fraction
        put_low 1280, 3
        fadd    v5.2d, v5.2d, fraction
        put_low 1536, 5
        add     arcs, arcs, #8
        subs    count, count, #2
        b.ne    .Larcs
.Ldone:
        ret
END(hl_hardround_arcs_neon)
