// The block sweep in f32 with NEON: a block in 16 vectors.

#include "hl.h"

#define scratch     w12
#include "constants_neon.h"

#define SPIN        4
#define bits        v20.16b
#include "blocks_neon.h"
#define random      x5
#define live        x7

// Vector e of a block.
#define sum         v\e

#define spin        v16
#define power       v17.4s
#define f           v18.4s
#define p           v19.4s
#define q           v20.4s
#define range       v23.4s
#define space       v24.4s
#define most        v25.4s
#define least       v26.4s
#define A           v27.4s
#define B           v28.4s
#define C           v29.4s
#define D           v30.4s
#define S           v31.4s

        // Adds couplings times spins, four vectors at a time. The products are exact.
        .macro line base
        add_products \base, 0, 0, 1, 2, 3
        add_products \base, 64, 4, 5, 6, 7
        add_products \base, 128, 8, 9, 10, 11
        add_products \base, 192, 12, 13, 14, 15
        .endm

        // Adds couplings times spins. The products are exact, so fusing changes no bit.
        .macro add_products base, at, a, b, c, d
        ldp     q16, q17, [\base, #\at]
        ldp     q18, q19, [\base, #\at + 32]
        ldp     q20, q21, [couplings], #32
        ldp     q22, q23, [couplings], #32
        fmla    v\a\().4s, v16.4s, v20.4s
        fmla    v\b\().4s, v17.4s, v21.4s
        fmla    v\c\().4s, v18.4s, v22.4s
        fmla    v\d\().4s, v19.4s, v23.4s
        .endm

        .macro sweep rule, heat
        cbz     x2, .Lnone_\rule
        sub     sp, sp, #320
        .cfi_adjust_cfa_offset 320
        stp     d8, d9, [sp, #256]
        .cfi_rel_offset d8, 256
        .cfi_rel_offset d9, 264
        stp     d10, d11, [sp, #272]
        .cfi_rel_offset d10, 272
        .cfi_rel_offset d11, 280
        stp     d12, d13, [sp, #288]
        .cfi_rel_offset d12, 288
        .cfi_rel_offset d13, 296
        stp     d14, d15, [sp, #304]
        .cfi_rel_offset d14, 304
        .cfi_rel_offset d15, 312
        add     own, spins, own, lsl #8
        mov     flips, #0
        constant v16.4s, 0xc038aa3b     // -2 log2 e
        fmul    s0, s0, s16
        dup     space, v0.s[0]
        constant A, 0x411fa717          // the coefficients of the polynomial
        constant B, 0x41fb8bd9
        constant C, 0x3fc5280f
        constant D, 0x4252c7df
        .if     \heat
        constant most, 0x42000000       // 32: odds of 2^32, and their inverse
        constant least, 0xc2000000
        constant S, 0x34c38e74
        .else
        constant most, 0
        constant least, 0xc2fc0000      // -126
        constant S, 0x40b7558d          // times 15/16 2^24
        .endif

        // Every value in the buffer is a number.
        .irp    at, 0, 32, 64, 96, 128, 160, 192, 224
        stp     q27, q27, [sp, #\at]
        .endr

.Lblock_\rule:
        ldp     diagonals, slots, [links]
        ldr     live, [links, #8]
        add     links, links, #16
        ldp     q0, q1, [couplings]
        ldp     q2, q3, [couplings, #32]
        ldp     q4, q5, [couplings, #64]
        ldp     q6, q7, [couplings, #96]
        ldp     q8, q9, [couplings, #128]
        ldp     q10, q11, [couplings, #160]
        ldp     q12, q13, [couplings, #192]
        ldp     q14, q15, [couplings, #224]
        add     couplings, couplings, #256
        add_diagonals \rule
        cbnz    slots, .Lslot_\rule

.Ldecide_\rule:
        .if     \heat
        // The sums use this register.
        constant range, 0x4b800000      // 2^24
        .endif
        .irp    e, 0.4s, 1.4s, 2.4s, 3.4s, 4.4s, 5.4s, 6.4s, 7.4s, 8.4s, 9.4s, 10.4s, 11.4s, 12.4s, 13.4s, 14.4s, 15.4s
        // The exponent is the sum times `space` and the spin.
        ldr     q16, [own]
        fmul    sum, sum, space
        fmul    sum, sum, spin.4s
        fminnm  sum, sum, most
        fmax    sum, sum, least

        // `sum` becomes 2^sum = 2^n s ((f + a) f + b)^2 ((f + c) f + d)^2, where n is the nearest
        // integer and f the remainder.
        fcvtns  power, sum
        scvtf   f, power
        fsub    f, sum, f
        shl     power, power, #23
        fadd    p, f, A
        fadd    q, f, C
        fmul    p, p, f
        fmul    q, q, f
        fadd    p, p, B
        fadd    q, q, D
        add     power, power, S
        fmul    p, p, q
        fmul    p, p, p
        fmul    sum, p, power
        ldr     q17, [random], #16
        ushr    v17.4s, v17.4s, #8
        .if     \heat
        // x < (2^24 - x) 2^v, where x is an odd number below 2^24.
        orr     v17.4s, #1
        ucvtf   v17.4s, v17.4s
        fsub    v18.4s, range, v17.4s
        fmul    sum, sum, v18.4s
        .else
        ucvtf   v17.4s, v17.4s
        .endif
        fcmgt   sum, sum, v17.4s
        shl     v17.4s, sum, #31
        eor     v17.16b, v17.16b, spin.16b
        str     q17, [own], #16
        .endr

        // Count the flips in the lanes with a site.
        uzp1    v0.8h, v0.8h, v1.8h
        uzp1    v2.8h, v2.8h, v3.8h
        uzp1    v0.16b, v0.16b, v2.16b
        uzp1    v4.8h, v4.8h, v5.8h
        uzp1    v6.8h, v6.8h, v7.8h
        uzp1    v4.16b, v4.16b, v6.16b
        uzp1    v8.8h, v8.8h, v9.8h
        uzp1    v10.8h, v10.8h, v11.8h
        uzp1    v8.16b, v8.16b, v10.16b
        uzp1    v12.8h, v12.8h, v13.8h
        uzp1    v14.8h, v14.8h, v15.8h
        uzp1    v12.16b, v12.16b, v14.16b
        mov     place, #0x0201
        movk    place, #0x0804, lsl #16
        movk    place, #0x2010, lsl #32
        movk    place, #0x8040, lsl #48
        dup     v20.2d, place
        gather  0, 4, 8, 12
        fmov    place, d16
        and     place, place, live
        fmov    d16, place
        cnt     v16.8b, v16.8b
        uaddlv  h16, v16.8b
        fmov    w12, s16
        add     flips, flips, place
        subs    left, left, #1
        b.ne    .Lblock_\rule

        ldr     place, [x6]
        add     place, place, flips
        str     place, [x6]
        ldp     d14, d15, [sp, #304]
        ldp     d12, d13, [sp, #288]
        ldp     d10, d11, [sp, #272]
        ldp     d8, d9, [sp, #256]
        .cfi_remember_state
        add     sp, sp, #320
        .cfi_adjust_cfa_offset -320
        .irp    register, d8, d9, d10, d11, d12, d13, d14, d15
        .cfi_restore \register
        .endr
.Lnone_\rule:
        ret
        .cfi_restore_state
        add_slots \rule
        .endm

// Visits `count` blocks of one system in order, with sums in f32.
//
//   void hl_ising_sweep_blocks_f32_neon(float *spins, size_t first, size_t count,
//       const uint32_t *links, const float *couplings, float beta_space, const uint32_t *random,
//       uint64_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = links, x4 = couplings, s0 = beta_space,
//         x5 = random, x6 = flips     Out  spins, *flips
// Uses    x1..x5, x7, x8, x10..x14, v0..v31     Stack  320 bytes
// Loop    1 block of 64 spins: 394 vector operations and 16 a diagonal, which bound it with two vector
//         pipes: 237 cycles at 5 diagonals. Not measured
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_blocks_f32_neon)
        sweep   metropolis, 0
END(hl_ising_sweep_blocks_f32_neon)

// sweep_blocks_f32 with acceptance by the heat bath.
//
//   void hl_ising_sweep_heat_blocks_f32_neon(float *spins, size_t first, size_t count,
//       const uint32_t *links, const float *couplings, float beta_space, const uint32_t *random,
//       uint64_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = links, x4 = couplings, s0 = beta_space,
//         x5 = random, x6 = flips     Out  spins, *flips
// Uses    x1..x5, x7, x8, x10..x14, v0..v31     Stack  320 bytes
// Loop    1 block of 64 spins: 443 vector operations and 16 a diagonal, which bound it with two vector
//         pipes: 261 cycles at 5 diagonals. Not measured
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_heat_blocks_f32_neon)
        sweep   heat, 1
END(hl_ising_sweep_heat_blocks_f32_neon)
