// The block sweep with NEON: a block in four vectors.

#include "hl.h"

#define SPIN        1
#define bits        v31.16b
#include "blocks_neon.h"

#define thresholds  x5
#define levels      x6
#define random      x7
#define count       x9
#define level       x13

#define sixteens    v28.16b
#define zero        v29.16b
#define live        v30

        // Subtracts the values where the spins are set: these bytes are -1.
        .macro line base
        ldp     q16, q17, [\base]
        ldp     q18, q19, [\base, #32]
        ldp     q24, q25, [couplings], #32
        ldp     q26, q27, [couplings], #32
        mla     v0.16b, v16.16b, v24.16b
        mla     v1.16b, v17.16b, v25.16b
        mla     v2.16b, v18.16b, v26.16b
        mla     v3.16b, v19.16b, v27.16b
        .endm

        // The index of the thresholds of quarter q, whose spins are `own`.
        .macro field heat, q, own
        eor     v\q\().16b, v\q\().16b, \own\().16b
        sub     v\q\().16b, v\q\().16b, \own\().16b
        .if     \heat
        cmlt    v2\q\().16b, v\q\().16b, #0
        abs     v\q\().16b, v\q\().16b
        .else
        smax    v\q\().16b, v\q\().16b, zero
        .endif
        .endm

        // The lanes that flip, in place of the index, and the tied ones, in place of `upper`; that
        // and `lower` are the bytes of the thresholds.
        .macro compare heat, q, upper, lower
        ldr     q6, [random, #16 * \q]
        ldr     q7, [random, #16 * \q + 64]
        .if     \heat
        eor     v6.16b, v6.16b, v2\q\().16b
        eor     v7.16b, v7.16b, v2\q\().16b
        .endif
        cmgt    v\q\().16b, \upper\().16b, v6.16b
        cmeq    \upper\().16b, \upper\().16b, v6.16b
        cmgt    v6.16b, \lower\().16b, v7.16b
        cmeq    \lower\().16b, \lower\().16b, v7.16b
        and     v6.16b, v6.16b, \upper\().16b
        and     \upper\().16b, \upper\().16b, \lower\().16b
        orr     v\q\().16b, v\q\().16b, v6.16b
        .if     \heat
        eor     v\q\().16b, v\q\().16b, v2\q\().16b
        .endif
        .endm

        .macro sweep rule, heat
        cbz     x2, .Lnone_\rule
        sub     sp, sp, #64
        .cfi_adjust_cfa_offset 64
        add     own, spins, own, lsl #6
        mov     count, left
        mov     flips, #0
        ldr     q4, [thresholds]
        ldr     q5, [thresholds, #128]
        movi    sixteens, #16
        movi    v29.2d, #0
        mov     x12, #0x0201
        movk    x12, #0x0804, lsl #16
        movk    x12, #0x2010, lsl #32
        movk    x12, #0x8040, lsl #48
        dup     v31.2d, x12

.Lblock_\rule:
        ldp     diagonals, slots, [links]
        ldr     d30, [links, #8]
        add     links, links, #16
        ldp     q0, q1, [couplings], #32
        ldp     q2, q3, [couplings], #32
        add_diagonals \rule
        cbnz    slots, .Lslot_\rule

        // m, the local field times the spin, selects the threshold.
.Ldecide_\rule:
        ldp     q16, q17, [own]
        ldp     q18, q19, [own, #32]
        field   \heat, 0, v16
        field   \heat, 1, v17
        field   \heat, 2, v18
        field   \heat, 3, v19
        tbl     v16.16b, {v4.16b}, v0.16b
        tbl     v17.16b, {v4.16b}, v1.16b
        tbl     v18.16b, {v4.16b}, v2.16b
        tbl     v19.16b, {v4.16b}, v3.16b
        tbl     v24.16b, {v5.16b}, v0.16b
        tbl     v25.16b, {v5.16b}, v1.16b
        tbl     v26.16b, {v5.16b}, v2.16b
        tbl     v27.16b, {v5.16b}, v3.16b
        subs    level, levels, #1
        b.ne    .Lmany_\rule
.Lfound_\rule:
        compare \heat, 0, v16, v24
        compare \heat, 1, v17, v25
        compare \heat, 2, v18, v26
        compare \heat, 3, v19, v27

        // A tie in a lane with a site ends the call.
        gather  16, 17, 18, 19
        and     v16.8b, v16.8b, live.8b
        fmov    place, d16
        cbnz    place, .Ldone_\rule
        gather  0, 1, 2, 3
        and     v16.8b, v16.8b, live.8b
        cnt     v16.8b, v16.8b
        uaddlv  h16, v16.8b
        fmov    w12, s16
        add     flips, flips, place
        ldp     q6, q7, [own]
        ldp     q16, q17, [own, #32]
        eor     v6.16b, v6.16b, v0.16b
        eor     v7.16b, v7.16b, v1.16b
        eor     v16.16b, v16.16b, v2.16b
        eor     v17.16b, v17.16b, v3.16b
        stp     q6, q7, [own], #32
        stp     q16, q17, [own], #32
        add     random, random, #128
        subs    left, left, #1
        b.ne    .Lblock_\rule

.Ldone_\rule:
        ldr     place, [sp, #64]
        ldr     lane, [place]
        add     lane, lane, flips
        str     lane, [place]
        sub     x0, count, left
        .cfi_remember_state
        add     sp, sp, #64
        .cfi_adjust_cfa_offset -64
        ret
.Lnone_\rule:
        mov     x0, #0
        ret
        .cfi_restore_state

        add_slots \rule

        // Look up 16 more thresholds at a time; an index outside of these keeps what was found.
.Lmany_\rule:
        mov     table, thresholds
.Llevel_\rule:
        ldr     q6, [table, #16]!
        ldr     q7, [table, #128]
        .irp    q, 0.16b, 1.16b, 2.16b, 3.16b
        sub     v\q, v\q, sixteens
        .endr
        tbx     v16.16b, {v6.16b}, v0.16b
        tbx     v17.16b, {v6.16b}, v1.16b
        tbx     v18.16b, {v6.16b}, v2.16b
        tbx     v19.16b, {v6.16b}, v3.16b
        tbx     v24.16b, {v7.16b}, v0.16b
        tbx     v25.16b, {v7.16b}, v1.16b
        tbx     v26.16b, {v7.16b}, v2.16b
        tbx     v27.16b, {v7.16b}, v3.16b
        subs    level, level, #1
        b.ne    .Llevel_\rule
        b       .Lfound_\rule
        .endm

// Visits up to `count` blocks of one system in order, with exact acceptance, and returns how many:
// it stops before a block where 16 random bits do not suffice.
//
//   size_t hl_ising_sweep_blocks_i8_neon(uint8_t *spins, size_t first, size_t count,
//       const uint32_t *links, const uint8_t *couplings, const int8_t *thresholds, size_t levels,
//       const uint32_t *random, uint64_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = links, x4 = couplings, x5 = thresholds,
//         x6 = levels, x7 = random, [sp] = flips     Out  x0 = blocks visited; spins, *flips
// Uses    x0..x4, x7..x14, v0..v7, v16..v19, v24..v31     Stack  64 bytes
// Loop    1 block of 64 spins: 80 vector operations and 4 a diagonal, which bound it with two vector
//         pipes: 50 cycles at 5 diagonals. Not measured
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_blocks_i8_neon)
        sweep   metropolis, 0
END(hl_ising_sweep_blocks_i8_neon)

// sweep_blocks_i8 with acceptance by the heat bath.
//
//   size_t hl_ising_sweep_heat_blocks_i8_neon(uint8_t *spins, size_t first, size_t count,
//       const uint32_t *links, const uint8_t *couplings, const int8_t *thresholds, size_t levels,
//       const uint32_t *random, uint64_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = links, x4 = couplings, x5 = thresholds,
//         x6 = levels, x7 = random, [sp] = flips     Out  x0 = blocks visited; spins, *flips
// Uses    x0..x4, x7..x14, v0..v7, v16..v31     Stack  64 bytes
// Loop    1 block of 64 spins: 96 vector operations and 4 a diagonal, which bound it with two vector
//         pipes: 58 cycles at 5 diagonals. Not measured
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_heat_blocks_i8_neon)
        sweep   heat, 1
END(hl_ising_sweep_heat_blocks_i8_neon)
