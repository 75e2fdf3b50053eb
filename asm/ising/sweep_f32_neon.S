// The gather sweep with NEON.
//
// From the neighbours of a spin to its flip takes 50 cycles, and the registers of a CPU cannot hold
// all instructions that start in this time. So the sum of the next site is computed before the
// current site, whose sum waits, is decided. If the two sites are neighbours, the sum is discarded
// and computed again after the decision.

#include "hl.h"

#define scratch     w9
#include "constants_neon.h"

// Registers of the rules.
#define most        v26.4s
#define fast_unit   v27.4s
#define scale       v28.4s
#define least       v27.4s
#define A           v28.4s
#define B           v29.4s
#define C           v30.4s
#define D           v31.4s
#define S           v8.4s
#define unit        v28.4s
#define range       v29.4s
#define poly_range  v9.4s

#define spins       x0
#define index       x1
#define last        x2
#define below       x3
#define above       x4
#define links       x5
#define random      x6
#define counters    x7
#define header      x8
#define left        w9
#define neighbour   w10
#define row         x11

// Column c of a row.
#define sum         v\c
#define waiting     v1\c
#define t           v2\c

#define link        v16
#define power       v16.4s
#define f           v17.4s
#define p           v18.4s
#define q           v19.4s
#define space       v24.4s
#define tau         v25.4s

        .macro each statement:vararg
        .irp    c, 0.4s, 1.4s, 2.4s, 3.4s
        \statement
        .endr
        .endm

        // Adds a coupling times a spin. The product is exact, so fusing changes no bit.
        .macro couple at
        ldr     neighbour, [links, #\at]
        ldr     d16, [links, #\at]
        add     row, spins, neighbour, uxtw
        ldp     q20, q21, [row]
        ldp     q22, q23, [row, #32]
        each    fmla sum, t, link.s[1]
        .endm

        // The products with tau are exact, so fusing changes no bit.
        .macro visit heat, poly
        add     row, below, index
        ldp     q16, q17, [row]
        ldp     q18, q19, [row, #32]
        add     row, above, index
        ldp     q20, q21, [row]
        ldp     q22, q23, [row, #32]
        fadd    v20.4s, v20.4s, v16.4s
        fadd    v21.4s, v21.4s, v17.4s
        fadd    v22.4s, v22.4s, v18.4s
        fadd    v23.4s, v23.4s, v19.4s
        each    fmul waiting, waiting, space
        each    fmla waiting, t, tau
        add     row, spins, index
        ldp     q20, q21, [row]
        ldp     q22, q23, [row, #32]
        each    fmul waiting, waiting, t

        // The value to compare with the random numbers replaces the exponent.
        each    fminnm waiting, waiting, most
        .if     \heat | \poly
        each    fmax waiting, waiting, least
        .endif
        .if     \poly
        // `waiting` becomes 2^waiting = 2^n s ((f + a) f + b)^2 ((f + c) f + d)^2, where n is the
        // nearest integer and f the remainder.
        .irp    c, 0.4s, 1.4s, 2.4s, 3.4s
        fcvtns  power, waiting
        scvtf   f, power
        fsub    f, waiting, f
        fadd    p, f, A
        fadd    q, f, C
        fmul    p, p, f
        fmul    q, q, f
        fadd    p, p, B
        fadd    q, q, D
        fmul    p, p, q
        fmul    p, p, p
        fmul    p, p, S
        shl     power, power, #23
        add     waiting, p, power
        .endr
        .else
        each    fcvtns waiting, waiting
        .if     \heat == 0
        each    add waiting, waiting, fast_unit
        each    fmul waiting, waiting, scale
        .endif
        .endif

        // Where the flip is accepted, the mask is -1: subtracting it counts the flip, and its
        // lowest bit becomes the sign to change.
        add     row, random, index
        ldp     q20, q21, [row]
        ldp     q22, q23, [row, #32]
        each    ushr t, t, #8
        .if     \heat
        // x, an odd number below 2^24, in t.
        each    orr t, #1
        each    ucvtf t, t
        .irp    c, 0.4s, 1.4s, 2.4s, 3.4s
        .if     \poly
        // x < (2^24 - x) 2^v
        fsub    v17.4s, poly_range, t
        fmul    v17.4s, v17.4s, waiting
        fcmgt   t, v17.4s, t
        .else
        // x e(-n) < (2^24 - x) e(n)
        fsub    v17.4s, range, t
        sub     v18.4s, unit, waiting
        add     v16.4s, unit, waiting
        fmul    t, t, v18.4s
        fmul    v17.4s, v17.4s, v16.4s
        fcmgt   t, v17.4s, t
        .endif
        .endr
        .else
        // Accepts where the random number is less than `waiting`, the probability times 2^24.
        each    ucvtf t, t
        each    fcmgt t, waiting, t
        .endif
        sub     v4.4s, v4.4s, v20.4s
        sub     v5.4s, v5.4s, v21.4s
        sub     v6.4s, v6.4s, v22.4s
        sub     v7.4s, v7.4s, v23.4s
        each    shl t, t, #31
        add     row, spins, index
        ldp     q16, q17, [row]
        ldp     q18, q19, [row, #32]
        eor     v20.16b, v20.16b, v16.16b
        eor     v21.16b, v21.16b, v17.16b
        eor     v22.16b, v22.16b, v18.16b
        eor     v23.16b, v23.16b, v19.16b
        stp     q20, q21, [row]
        stp     q22, q23, [row, #32]
        .endm

        .macro sweep rule, heat, poly, factor
        cbz     x2, .Lnone_\rule
        stp     d8, d9, [sp, #-64]!
        .cfi_adjust_cfa_offset 64
        .cfi_rel_offset d8, 0
        .cfi_rel_offset d9, 8
        stp     d10, d11, [sp, #16]
        .cfi_rel_offset d10, 16
        .cfi_rel_offset d11, 24
        stp     d12, d13, [sp, #32]
        .cfi_rel_offset d12, 32
        .cfi_rel_offset d13, 40
        stp     d14, d15, [sp, #48]
        .cfi_rel_offset d14, 48
        .cfi_rel_offset d15, 56

        // `index` is the offset of a row in its group, for all arrays.
        lsl     index, index, #6
        lsl     last, last, #6
        sub     below, below, index
        sub     above, above, index
        sub     random, random, index
        add     last, last, index
        sub     last, last, #64

        // Clamp tau to 2^126 in magnitude: its products with -2, 0 and 2 are exact, so they may be
        // fused.
        constant v16.4s, \factor
        fmul    s0, s0, s16
        fmul    s1, s1, s16
        constant v16.4s, 0x7e800000
        fmin    s1, s1, s16
        fneg    s16, s16
        fmax    s1, s1, s16
        dup     space, v0.s[0]
        dup     tau, v1.s[0]
        .if     \poly
        .if     \heat
        constant most, 0x42000000       // 32, and its negative: odds of 2^32
        constant least, 0xc2000000
        .else
        constant most, 0
        constant least, 0xc2fc0000      // -126
        .endif
        constant A, 0x411fa717          // the polynomial: see src/exp/scalar.rs
        constant B, 0x41fb8bd9
        constant C, 0x3fc5280f
        constant D, 0x4252c7df
        .if     \heat
        constant S, 0x34c38e74
        constant poly_range, 0x4b800000 // 2^24
        .else
        constant S, 0x40b7558d          // times 15/16 2^24
        .endif
        .elseif \heat
        constant most, 0x4d000000       // 2^27, and its negative: odds of 2^32
        constant least, 0xcd000000
        constant unit, 0x3f800000       // the bits of 1.0
        constant range, 0x4b800000      // 2^24
        .else
        constant most, 0
        constant fast_unit, 0x3fe98000  // the bits of 1.82421875
        constant scale, 0x4b03902c      // 15/16 2^24 / 1.82421875
        .endif
        ldp     q4, q5, [counters]
        ldp     q6, q7, [counters, #32]
        b       .Lalone_\rule

        // Decide the waiting site before computing the sum of the next one.
.Lcoupled_\rule:
        mov     links, header
        visit   \heat, \poly
        cmp     index, last
        b.eq    .Ldone_\rule
        add     index, index, #64
.Lalone_\rule:
        ldr     left, [links]
        ldr     s0, [links, #4]
        dup     v3.4s, v0.s[0]
        dup     v2.4s, v0.s[0]
        dup     v1.4s, v0.s[0]
        dup     v0.4s, v0.s[0]
        add     links, links, #8
        cbz     left, .Lsite_\rule
.Llink_\rule:
        couple  0
        add     links, links, #8
        subs    left, left, #1
        b.ne    .Llink_\rule

        // Compute the sum of the next site before deciding the waiting one.
.Lsite_\rule:
        mov     v10.16b, v0.16b
        mov     v11.16b, v1.16b
        mov     v12.16b, v2.16b
        mov     v13.16b, v3.16b
        mov     header, links
        cmp     index, last
        b.eq    .Lcoupled_\rule
        ldr     left, [links]
        ldr     s0, [links, #4]
        dup     v3.4s, v0.s[0]
        dup     v2.4s, v0.s[0]
        dup     v1.4s, v0.s[0]
        dup     v0.4s, v0.s[0]
        add     links, links, #8
        subs    left, left, #4
        b.lo    .Lfew_\rule
.Lfour_\rule:
        .irp    at, 0, 8, 16, 24
        couple  \at
        cmp     neighbour, w1
        b.eq    .Lcoupled_\rule
        .endr
        add     links, links, #32
        subs    left, left, #4
        b.hs    .Lfour_\rule
.Lfew_\rule:
        adds    left, left, #4
        b.eq    .Lvisit_\rule
.Lone_\rule:
        couple  0
        cmp     neighbour, w1
        b.eq    .Lcoupled_\rule
        add     links, links, #8
        subs    left, left, #1
        b.ne    .Lone_\rule
.Lvisit_\rule:
        visit   \heat, \poly
        add     index, index, #64
        b       .Lsite_\rule

.Ldone_\rule:
        stp     q4, q5, [counters]
        stp     q6, q7, [counters, #32]
        ldp     d14, d15, [sp, #48]
        ldp     d12, d13, [sp, #32]
        ldp     d10, d11, [sp, #16]
        ldp     d8, d9, [sp], #64
#if defined(__ELF__) // Mach-O unwind data cannot extend past a label
        .cfi_adjust_cfa_offset -64
        .irp    register, d8, d9, d10, d11, d12, d13, d14, d15
        .cfi_restore \register
        .endr
#endif
.Lnone_\rule:
        ret
        .endm

// Visits `count` sites of one group in order, acceptance by the fast exponential; neighbours are
// read.
//
//   void hl_ising_sweep_fast_f32_neon(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau,
//       const uint32_t *random, uint32_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = below, x4 = above, x5 = links, s0 = beta_space,
//         s1 = beta_tau, x6 = random, x7 = flips     Out  spins, flips
// Uses    x1..x6, x8..x11, v0..v28     Stack  64 bytes, for d8..d15
// Loop    1 site of 16 spins; 56 vector operations and 4 a link, which bound it
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_fast_f32_neon)
        sweep   fast, 0, 0, 0xcbb8aa3b      // -2^24 log2 e
END(hl_ising_sweep_fast_f32_neon)

// sweep_fast_f32 with acceptance by the polynomial exponential.
//
//   void hl_ising_sweep_poly_f32_neon(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau,
//       const uint32_t *random, uint32_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = below, x4 = above, x5 = links, s0 = beta_space,
//         s1 = beta_tau, x6 = random, x7 = flips     Out  spins, flips
// Uses    x1..x6, x8..x11, v0..v31     Stack  64 bytes, for d8..d15
// Loop    1 site of 16 spins; 104 vector operations and 4 a link, which bound it
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_poly_f32_neon)
        sweep   poly, 0, 1, 0xc038aa3b      // -2 log2 e
END(hl_ising_sweep_poly_f32_neon)

// sweep_fast_f32 with acceptance by the heat bath of the fast exponential.
//
//   void hl_ising_sweep_heat_fast_f32_neon(float *spins, size_t first, size_t count,
//       const float *below, const float *above, const hl_ising_link *links, float beta_space,
//       float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = below, x4 = above, x5 = links, s0 = beta_space,
//         s1 = beta_tau, x6 = random, x7 = flips     Out  spins, flips
// Uses    x1..x6, x8..x11, v0..v29     Stack  64 bytes, for d8..d15
// Loop    1 site of 16 spins; 84 vector operations and 4 a link, which bound it
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_heat_fast_f32_neon)
        sweep   heat_fast, 1, 0, 0xcb38aa3b      // -2^23 log2 e
END(hl_ising_sweep_heat_fast_f32_neon)

// sweep_fast_f32 with acceptance by the heat bath of the polynomial exponential.
//
//   void hl_ising_sweep_heat_poly_f32_neon(float *spins, size_t first, size_t count,
//       const float *below, const float *above, const hl_ising_link *links, float beta_space,
//       float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = below, x4 = above, x5 = links, s0 = beta_space,
//         s1 = beta_tau, x6 = random, x7 = flips     Out  spins, flips
// Uses    x1..x6, x8..x11, v0..v31     Stack  64 bytes, for d8..d15
// Loop    1 site of 16 spins; 124 vector operations and 4 a link, which bound it
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_heat_poly_f32_neon)
        sweep   heat_poly, 1, 1, 0xc038aa3b      // -2 log2 e
END(hl_ising_sweep_heat_poly_f32_neon)
