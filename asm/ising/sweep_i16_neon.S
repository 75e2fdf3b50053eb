// The 16-bit sweep with NEON.
//
// Two columns are looked up together: a table of bytes has the lower or the upper bytes of the
// factors of a digit.

#include "hl.h"

#define spins       x0
#define own         x1
#define end         x2
#define below       x3
#define above       x4
#define links       x5
#define factors     x6
#define random      x7
#define flips       x8
#define start       x10
#define left        w11

// Offsets from sp: 1 in each live lane; the caller's arguments.
#define ALIVE       64
#define FRAME       96
#define LIVE        96
#define FLIPS       104
#define DOUBT       112

// The value for c = 0 and the increments to c = 1 and 2.
#define first_0     v24
#define first_1     v25
#define first_2     v26
#define tau_0       v27
#define tau_1       v28
#define tau_2       v29
#define fifteen     v30.16b
#define slack       v31.8h

        // The value for c, by the masks of c >= 1 in v7 and c = 2 in v5.
        .macro step to, zero, one, two
        and     v4.16b, v7.16b, \one\().16b
        and     v\to\().16b, v5.16b, \two\().16b
        add     v4.8h, v4.8h, \zero\().8h
        add     v\to\().8h, v\to\().8h, v4.8h
        .endm

        // Column c: d replaces m, `before` becomes the mask of the fields below the first, and `tau` the
        // factor of the bonds.
        .macro bonds heat, c, before, tau
        ldr     q4, [own, #16 * \c]
        ldr     q5, [below, #16 * \c]
        ldr     q6, [above, #16 * \c]
        eor     v\c\().16b, v\c\().16b, v4.16b
        sub     v\c\().8h, v\c\().8h, v4.8h
        eor     v5.16b, v5.16b, v4.16b
        eor     v6.16b, v6.16b, v4.16b
        orr     v7.16b, v5.16b, v6.16b
        eor     v12.16b, v5.16b, v6.16b
        and     v5.16b, v5.16b, v6.16b
        step    6, first_0, first_1, first_2
        cmgt    v\before\().8h, v6.8h, v\c\().8h
        .if     \heat
        // Where the field is below the first, take -m and 2 - c. The mask of c = 1 is in v12.
        eor     v\c\().16b, v\c\().16b, v\before\().16b
        sub     v\c\().8h, v\c\().8h, v\before\().8h
        bic     v12.16b, v\before\().16b, v12.16b
        eor     v7.16b, v7.16b, v12.16b
        eor     v5.16b, v5.16b, v12.16b
        step    6, first_0, first_1, first_2
        .endif
        sub     v\c\().8h, v\c\().8h, v6.8h
        step    \tau, tau_0, tau_1, tau_2
        .endm

        .macro times a, b
        umull   v12.4s, v\a\().4h, v\b\().4h
        umull2  v13.4s, v\a\().8h, v\b\().8h
        uzp2    v\a\().8h, v12.8h, v13.8h
        .endm

        // The factors of two columns at the indices in `index`, from the tables `low` and `high`.
        .macro look_up a, b, low, high, index
        tbl     v12.16b, {v\low\().16b}, v\index\().16b
        tbl     v13.16b, {v\high\().16b}, v\index\().16b
        zip1    v\a\().16b, v12.16b, v13.16b
        zip2    v\b\().16b, v12.16b, v13.16b
        .endm

        // From the product in `p`: the masks of the lanes that stay in `p` and of those in doubt in `n`.
        .macro verdict heat, c, before, p, n
        ldr     q4, [random, #16 * \c]
        .if     \heat
        // Where -m was taken, the complement of the random number is compared, and the lanes that
        // stay are those near the product.
        eor     v4.16b, v4.16b, v\before\().16b
        mvn     v5.16b, v4.16b
        times   \p, 5
        .else
        orr     v\p\().16b, v\p\().16b, v\before\().16b
        .endif
        uqsub   v\n\().8h, v4.8h, slack
        cmhs    v\n\().8h, v\p\().8h, v\n\().8h
        cmhs    v\p\().8h, v4.8h, v\p\().8h
        .if     \heat
        and     v5.16b, v\n\().16b, v\p\().16b
        bit     v\p\().16b, v\n\().16b, v\before\().16b
        mov     v\n\().16b, v5.16b
        .else
        and     v\n\().16b, v\n\().16b, v\p\().16b
        .endif
        .endm

        // Decides columns a and b. Bytes replace the sums: the lanes that stay, and those in doubt.
        .macro decide heat, a, b
        bonds   \heat, \a, 8, 10
        bonds   \heat, \b, 9, 11
        uzp1    v4.16b, v\a\().16b, v\b\().16b
        uzp2    v5.16b, v\a\().16b, v\b\().16b
        and     v6.16b, v4.16b, fifteen
        and     v7.16b, v5.16b, fifteen
        ushr    v4.16b, v4.16b, #4
        ushr    v5.16b, v5.16b, #4
        look_up 14, 15, 16, 17, 6
        look_up 4, 6, 18, 19, 4
        times   14, 4
        times   15, 6
        look_up 4, 6, 20, 21, 7
        look_up 5, 7, 22, 23, 5
        times   4, 5
        times   6, 7
        times   14, 4
        times   15, 6
        times   14, 10
        times   15, 11
        verdict \heat, \a, 8, 14, 6
        verdict \heat, \b, 9, 15, 7
        ldr     q4, [own, #16 * \a]
        ldr     q5, [own, #16 * \b]
        cmeq    v4.8h, v4.8h, v14.8h
        cmeq    v5.8h, v5.8h, v15.8h
        str     q4, [own, #16 * \a]
        str     q5, [own, #16 * \b]
        uzp1    v\a\().16b, v14.16b, v15.16b
        uzp1    v\b\().16b, v6.16b, v7.16b
        .endm

        .macro sweep rule, heat, width
        ldr     x9, [sp, #DOUBT - FRAME]
        str     wzr, [x9]
        cbz     x2, .Lnone_\rule
        stp     d8, d9, [sp, #-FRAME]!
        .cfi_adjust_cfa_offset FRAME
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

        add     own, spins, x1, lsl #6
        add     end, own, x2, lsl #6
        mov     start, own
        mov     flips, xzr

        // The tables, and 1 in each live lane.
        ld2     {v16.16b, v17.16b}, [factors], #32
        ld2     {v18.16b, v19.16b}, [factors], #32
        ld2     {v20.16b, v21.16b}, [factors], #32
        ld2     {v22.16b, v23.16b}, [factors], #32
        ldr     q0, [factors]
        dup     v24.8h, v0.h[0]
        dup     v25.8h, v0.h[1]
        dup     v26.8h, v0.h[2]
        dup     v27.8h, v0.h[4]
        dup     v28.8h, v0.h[5]
        dup     v29.8h, v0.h[6]
        sub     v26.8h, v26.8h, v25.8h
        sub     v25.8h, v25.8h, v24.8h
        sub     v29.8h, v29.8h, v28.8h
        sub     v28.8h, v28.8h, v27.8h
        movi    fifteen, #15
        movi    slack, #\width

        // One bit of each byte of 32.
        mov     x9, #0x0201
        movk    x9, #0x0804, lsl #16
        movk    x9, #0x2010, lsl #32
        movk    x9, #0x8040, lsl #48
        dup     v4.2d, x9
        ldr     w9, [sp, #LIVE]
        fmov    s0, w9
        zip1    v0.16b, v0.16b, v0.16b
        zip1    v0.8h, v0.8h, v0.8h
        zip2    v1.4s, v0.4s, v0.4s
        zip1    v0.4s, v0.4s, v0.4s
        movi    v2.16b, #1
        cmtst   v0.16b, v0.16b, v4.16b
        cmtst   v1.16b, v1.16b, v4.16b
        and     v0.16b, v0.16b, v2.16b
        and     v1.16b, v1.16b, v2.16b
        stp     q0, q1, [sp, #ALIVE]

        // The sums over the neighbours.
.Lsite_\rule:
        ldr     left, [links], #4
        ld1r    {v0.4s}, [links], #4
        mov     v1.16b, v0.16b
        mov     v2.16b, v0.16b
        mov     v3.16b, v0.16b
        cbz     left, .Lsummed_\rule
.Llink_\rule:
        ldr     w9, [links], #4
        ld1r    {v4.4s}, [links], #4
        add     x9, spins, x9
        ldp     q5, q6, [x9]
        ldp     q7, q12, [x9, #32]
        and     v5.16b, v5.16b, v4.16b
        sub     v0.8h, v0.8h, v5.8h
        and     v6.16b, v6.16b, v4.16b
        sub     v1.8h, v1.8h, v6.8h
        and     v7.16b, v7.16b, v4.16b
        sub     v2.8h, v2.8h, v7.8h
        and     v12.16b, v12.16b, v4.16b
        sub     v3.8h, v3.8h, v12.8h
        subs    left, left, #1
        b.ne    .Llink_\rule
.Lsummed_\rule:

        decide  \heat, 0, 1
        decide  \heat, 2, 3

        // Count the flips of live lanes.
        ldp     q4, q5, [sp, #ALIVE]
        bic     v0.16b, v4.16b, v0.16b
        bic     v2.16b, v5.16b, v2.16b
        add     v0.16b, v0.16b, v2.16b
        orr     v4.16b, v1.16b, v3.16b
        addv    b0, v0.16b
        umaxp   v4.4s, v4.4s, v4.4s
        fmov    w9, s0
        fmov    x12, d4
        add     flips, flips, x9
        add     own, own, #64
        add     below, below, #64
        add     above, above, #64
        add     random, random, #64
        cbnz    x12, .Lopen_\rule
.Lsettled_\rule:
        cmp     own, end
        b.ne    .Lsite_\rule

.Ldone_\rule:
        ldr     x9, [sp, #FLIPS]
        ldr     x12, [x9]
        add     x12, x12, flips
        str     x12, [x9]
        sub     x0, own, start
        lsr     x0, x0, #6
        ldp     d10, d11, [sp, #16]
        ldp     d12, d13, [sp, #32]
        ldp     d14, d15, [sp, #48]
        .cfi_remember_state
        ldp     d8, d9, [sp], #FRAME
        .cfi_adjust_cfa_offset -FRAME
        .irp    register, d8, d9, d10, d11, d12, d13, d14, d15
        .cfi_restore \register
        .endr
        ret
.Lnone_\rule:
        mov     x0, xzr
        ret
        .cfi_restore_state

        // Lanes are in doubt: the call ends if one of them is live.
.Lopen_\rule:
        mov     x9, #0x0201
        movk    x9, #0x0804, lsl #16
        movk    x9, #0x2010, lsl #32
        movk    x9, #0x8040, lsl #48
        dup     v4.2d, x9
        and     v1.16b, v1.16b, v4.16b
        and     v3.16b, v3.16b, v4.16b
        addp    v1.16b, v1.16b, v3.16b
        addp    v1.16b, v1.16b, v1.16b
        addp    v1.16b, v1.16b, v1.16b
        fmov    w9, s1
        ldr     w12, [sp, #LIVE]
        ands    w9, w9, w12
        b.eq    .Lsettled_\rule
        ldr     x12, [sp, #DOUBT]
        str     w9, [x12]
        b       .Ldone_\rule
        .endm

// Visits up to `count` sites of one group of 32 layers in order, with acceptance by 16-bit factors,
// and returns how many: it stops after a site where a lane is in doubt.
//
//   size_t hl_ising_sweep_i16_neon(int16_t *spins, size_t first, size_t count, const int16_t *below,
//       const int16_t *above, const hl_ising_wide_link *links, const uint16_t *factors,
//       const uint32_t *random, uint32_t live, uint64_t *flips, uint32_t *doubt);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = below, x4 = above, x5 = links, x6 = factors,
//         x7 = random, [sp..16] = live, flips, doubt     Out  x0 = sites visited; spins, *flips,
//         *doubt
// Uses    x0..x12, v0..v31     Stack  96 bytes
// Loop    1 site of 32 spins: 176 vector operations and 8 a link
// Tail    none, a row is 32 spins; reads and writes the rows of the group and the arguments to the
//         byte
FUNC(hl_ising_sweep_i16_neon)
        sweep   metropolis, 0, 8
END(hl_ising_sweep_i16_neon)

// sweep_i16 with acceptance by the heat bath; heat_factors computes the factors.
//
//   size_t hl_ising_sweep_heat_i16_neon(int16_t *spins, size_t first, size_t count,
//       const int16_t *below, const int16_t *above, const hl_ising_wide_link *links,
//       const uint16_t *factors, const uint32_t *random, uint32_t live, uint64_t *flips,
//       uint32_t *doubt);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = below, x4 = above, x5 = links, x6 = factors,
//         x7 = random, [sp..16] = live, flips, doubt     Out  x0 = sites visited; spins, *flips,
//         *doubt
// Uses    x0..x12, v0..v31     Stack  96 bytes
// Loop    1 site of 32 spins: 240 vector operations and 8 a link
// Tail    none, a row is 32 spins; reads and writes the rows of the group and the arguments to the
//         byte
FUNC(hl_ising_sweep_heat_i16_neon)
        sweep   heat, 1, 10
END(hl_ising_sweep_heat_i16_neon)
