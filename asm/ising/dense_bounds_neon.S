// Bounds and levels of acceptance from random numbers, with NEON.

#include "hl.h"

#define scratch     w4
#include "constants_neon.h"

#define random      x0
#define bounds      x1
#define scales      x1
#define levels      x2
#define left        w2
#define doubt       x3

#define inner       v0
#define value       v1
#define integer     v2
#define sum         v3
#define places      v4
#define results     v5
#define spare       v6
#define doubts      v7
#define shift       v16
#define mantissa    v17
#define half        v18
#define unit        v19
#define c5          v20
#define c4          v21
#define c3          v22
#define c2          v23
#define c1          v24
#define c0          v25
#define exponent    v26
#define largest     v27
#define smallest    v28
#define edge        v29
#define margin      v30
// The factors: c6, ln 2, 4e-7 and the scale.
#define factors     v31

        // The logarithm `value` of 4 numbers, and their distance `inner` to the next end.
        .macro draw heat
        ldr     q0, [random], #16
        ushr    inner.4s, inner.4s, #1
        orr     inner.4s, #1
        scvtf   value.4s, inner.4s
        .if     \heat
        movi    integer.4s, #0x80, lsl #24
        sub     integer.4s, integer.4s, inner.4s
        scvtf   integer.4s, integer.4s
        fmin    inner.4s, value.4s, integer.4s
        fdiv    value.4s, integer.4s, value.4s
        .else
        mov     inner.16b, value.16b
        .endif

        // The logarithm in parts: the exponent in `value` and the rest in `sum`.
        add     value.4s, value.4s, shift.4s
        and     integer.16b, value.16b, mantissa.16b
        ushr    value.4s, value.4s, #23
        add     integer.4s, integer.4s, half.4s
        scvtf   value.4s, value.4s
        fsub    integer.4s, integer.4s, unit.4s
        fmul    sum.4s, integer.4s, factors.s[0]
        .irp    term, c5.4s, c4.4s, c3.4s, c2.4s, c1.4s, c0.4s
        fadd    sum.4s, sum.4s, \term
        fmul    sum.4s, sum.4s, integer.4s
        .endr
        .if     \heat
        fsub    value.4s, value.4s, exponent.4s
        fmul    value.4s, value.4s, factors.s[1]
        fadd    value.4s, value.4s, sum.4s
        .else
        fsub    value.4s, exponent.4s, value.4s
        fmul    value.4s, value.4s, factors.s[1]
        fsub    value.4s, value.4s, sum.4s
        .endif
        .endm

        // The bounds of 4 numbers, and masks of their doubts, in one half of a vector.
        .macro four heat, narrow, half_type
        draw    \heat
        fmul    value.4s, value.4s, factors.s[3]
        // Round down: the nearest integer, less 1 where that is above.
        fmin    value.4s, value.4s, largest.4s
        fmax    value.4s, value.4s, smallest.4s
        fcvtns  integer.4s, value.4s
        scvtf   sum.4s, integer.4s
        fcmgt   spare.4s, sum.4s, value.4s
        add     integer.4s, integer.4s, spare.4s
        \narrow results.\half_type, integer.4s

        // In doubt are numbers near the ends, and values near an integer.
        fabd    sum.4s, value.4s, sum.4s
        fabs    value.4s, value.4s
        fmul    value.4s, value.4s, factors.s[2]
        fadd    value.4s, value.4s, margin.4s
        fcmgt   inner.4s, edge.4s, inner.4s
        fcmge   sum.4s, value.4s, sum.4s
        orr     inner.16b, inner.16b, sum.16b
        \narrow doubts.\half_type, inner.4s
        .endm

        .macro constants
        constant shift.4s, 0xe0cafb0d           // see src/ising/dense/scalar.rs
        constant mantissa.4s, 0x7fffff
        constant half.4s, 0x3f3504f3
        fmov    unit.4s, #1.0
        constant c5.4s, 0xbe418e68              // the series
        constant c4.4s, 0x3e52fdf3
        constant c3.4s, 0xbe7ec8f0
        constant c2.4s, 0x3eaa834c
        constant c1.4s, 0xbf00014a
        constant c0.4s, 0x3f80001b
        mov     w4, #0x39cb                     // c6
        movk    w4, #0x3df2, lsl #16
        mov     v31.s[0], w4
        mov     w4, #0x7218                     // ln 2
        movk    w4, #0x3f31, lsl #16
        mov     v31.s[1], w4
        .endm

        .macro levels_of rule, heat
        constants
        constant largest.4s, 0x4effffff         // 2147483520.0
        mov     w3, #16
.Lnext_\rule:
        draw    \heat
        ldr     q6, [scales], #16
        fmul    value.4s, value.4s, spare.4s
        // Round down: the nearest integer, less 1 where that is above.
        fmin    value.4s, value.4s, largest.4s
        fmax    value.4s, value.4s, smallest.4s
        fcvtns  integer.4s, value.4s
        scvtf   sum.4s, integer.4s
        fcmgt   spare.4s, sum.4s, value.4s
        add     integer.4s, integer.4s, spare.4s
        str     q2, [levels], #16
        subs    w3, w3, #1
        b.ne    .Lnext_\rule
        ret
        .endm

        .macro bounds_of rule, heat
        dup     margin.4s, v1.s[0]
        mov     factors.s[3], v0.s[0]
        constants
        constant largest.4s, 0x46fffe80         // 32767.25
        constant edge.4s, 0x49000000            // 2^19
        mov     w4, #0xbf95                     // 4e-7
        movk    w4, #0x34d6, lsl #16
        mov     v31.s[2], w4
        mov     x4, #0x0001
        movk    x4, #0x0002, lsl #16
        movk    x4, #0x0004, lsl #32
        movk    x4, #0x0008, lsl #48
        fmov    d4, x4
        lsl     x4, x4, #4
        mov     places.d[1], x4
        mov     left, #8
.Lloop_\rule:
        four    \heat, xtn, 4h
        four    \heat, xtn2, 8h
        str     q5, [bounds], #16
        and     doubts.16b, doubts.16b, places.16b
        addv    h7, doubts.8h
        umov    w4, doubts.h[0]
        lsr     doubt, doubt, #8
        orr     doubt, doubt, x4, lsl #56
        subs    left, left, #1
        b.ne    .Lloop_\rule
        mov     x0, doubt
        ret
        .endm

// Computes the bounds of 64 random numbers for Metropolis flips, and returns which of them are in
// doubt, a bit for each.
//
//   uint64_t hl_ising_dense_bounds_neon(const uint32_t *random, float scale, float margin,
//       int16_t *bounds);
//
// In      x0 = random, s0 = scale, s1 = margin, x1 = bounds     Out  x0
// Uses    x0..x4, v0..v7, v16..v31     Stack  none
// Loop    8 numbers: 2 vectors of 41 operations; bound by the vector pipes
// Tail    none; reads random[0..64], writes bounds[0..64]
FUNC(hl_ising_dense_bounds_neon)
        constant exponent.4s, 0x42be0000        // 95.0
        fmov    smallest.4s, #0.25
        mov     doubt, #0
        bounds_of metropolis, 0
END(hl_ising_dense_bounds_neon)

// dense_bounds for the heat bath.
//
//   uint64_t hl_ising_dense_heat_bounds_neon(const uint32_t *random, float scale, float margin,
//       int16_t *bounds);
//
// In      x0 = random, s0 = scale, s1 = margin, x1 = bounds     Out  x0
// Uses    x0..x4, v0..v7, v16..v31     Stack  none
// Loop    8 numbers: 2 vectors of 44 operations; bound by the vector pipes and a division
// Tail    none; reads random[0..64], writes bounds[0..64]
FUNC(hl_ising_dense_heat_bounds_neon)
        constant exponent.4s, 0x42800000        // 64.0
        constant smallest.4s, 0xc6ffff80        // -32767.75
        mov     doubt, #0
        bounds_of heat, 1
END(hl_ising_dense_heat_bounds_neon)

// Computes the levels of 64 random numbers for Metropolis flips, in 32 bits.
//
//   void hl_ising_dense_levels_neon(const uint32_t *random, const float *scales, int32_t *levels);
//
// In      x0 = random, x1 = scales, x2 = levels     Out  levels[0..64]
// Uses    x0..x4, v0..v3, v6, v16..v28, v31     Stack  none
// Loop    4 numbers: 33 operations; bound by the vector pipes
// Tail    none; reads random[0..64] and scales[0..64], writes levels[0..64]
FUNC(hl_ising_dense_levels_neon)
        constant exponent.4s, 0x42be0000        // 95.0
        fmov    smallest.4s, #0.25
        levels_of metropolis, 0
END(hl_ising_dense_levels_neon)

// dense_levels for the heat bath.
//
//   void hl_ising_dense_heat_levels_neon(const uint32_t *random, const float *scales, int32_t *levels);
//
// In      x0 = random, x1 = scales, x2 = levels     Out  levels[0..64]
// Uses    x0..x4, v0..v3, v6, v16..v28, v31     Stack  none
// Loop    4 numbers: 36 operations; bound by the vector pipes and a division
// Tail    none; reads random[0..64] and scales[0..64], writes levels[0..64]
FUNC(hl_ising_dense_heat_levels_neon)
        constant exponent.4s, 0x42800000        // 64.0
        constant smallest.4s, 0xcf000000        // -2147483648.0
        levels_of heat, 1
END(hl_ising_dense_heat_levels_neon)
