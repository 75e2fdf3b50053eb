// The exact sweep with NEON.

#include "hl.h"

// Registers of the rules.
#define low_lower   v24.16b
#define low_upper   v25.16b
#define high_lower  v26.16b
#define high_upper  v27.16b
#define tau_lower   v28.16b         // and from value 8 on the first k of each c
#define tau_upper   v29.16b
#define own_parity  v18.16b
#define two         v19.16b
#define fifteen     v20.16b
#define eight       v31.16b

#define spins       x0
#define bytes       x1
#define sites       x2              // while the rows are filled
#define least       w2              // afterwards, the value subtracted from k
#define index       x3
#define last        x4
#define below       x5
#define above       x6
#define links       x7
#define flips       x8
#define random      x9
#define row         x10
#define table       x10             // while the factors are computed
#define spin        x11
#define any         x12
#define both        x13
#define left        w14
#define header      w15
#define parity      w17

// Registers while one lane is decided.
#define lanes       x10
#define lane        x11
#define k           w12
#define at          x13
#define link        w14

// Lanes 16 c to 16 c + 15.
#define sum         v\c
#define spread      v1\c            // index of the byte of a word with the bit of each lane

#define bits        v16.16b         // that bit
#define turn        v17.16b
#define step        v18.16b
#define rise        v19.16b
#define most        v20.16b
#define zero        v21.16b

        .macro each statement:vararg
        .irp    c, 0.16b, 1.16b, 2.16b, 3.16b
        \statement
        .endr
        .endm

        // Gathers four vectors of masks into a word.
        .macro gather word
        each    and sum, sum, bits
        addp    v0.16b, v0.16b, v1.16b
        addp    v2.16b, v2.16b, v3.16b
        addp    v0.16b, v0.16b, v2.16b
        addp    v0.16b, v0.16b, v0.16b
        fmov    \word, d0
        .endm

        // The verdicts of Metropolis flips for two columns, from k - FIRST[0]: negative to accept a flip,
        // positive to reject it, 0 if undecided. With d = k - FIRST[c], the probability of a flip is
        // t = -low[d % 32] high[c, d / 32] in units of 2^-15. `high` is negative, and -1 where d is
        // negative. The factors are rounded such that t minus half the threshold is -3 to 4. Where half
        // the random number minus t is -4 to 3, which narrows to 0, a lane is undecided and takes the
        // threshold itself. This happens in one site of 64.
        .macro verdicts m, n
        // d, and an index of `high`: the bits `any`, `both`, and the upper three bits of d.
        tbl     v4.16b, {v8.16b}, v1\m\().16b
        tbl     v14.16b, {v8.16b}, v1\n\().16b
        tbl     v5.16b, {v9.16b}, v1\m\().16b
        tbl     v15.16b, {v9.16b}, v1\n\().16b
        cmtst   v4.16b, v4.16b, bits
        cmtst   v14.16b, v14.16b, bits
        cmtst   v5.16b, v5.16b, bits
        cmtst   v15.16b, v15.16b, bits
        mla     v\m\().16b, v4.16b, step
        mla     v\n\().16b, v14.16b, step
        sri     v4.16b, v5.16b, #1
        sri     v14.16b, v15.16b, #1
        mla     v\m\().16b, v5.16b, rise
        mla     v\n\().16b, v15.16b, rise
        sri     v4.16b, v\m\().16b, #2
        sri     v14.16b, v\n\().16b, #2
        smax    v\m\().16b, v\m\().16b, zero
        smax    v\n\().16b, v\n\().16b, zero
        ushr    v4.16b, v4.16b, #3
        ushr    v14.16b, v14.16b, #3
        and     v\m\().16b, v\m\().16b, most
        and     v\n\().16b, v\n\().16b, most
        tbl     v5.16b, {v28.16b, v29.16b}, v4.16b
        tbl     v15.16b, {v28.16b, v29.16b}, v14.16b
        tbl     v4.16b, {v30.16b, v31.16b}, v4.16b
        tbl     v14.16b, {v30.16b, v31.16b}, v14.16b
        tbl     v6.16b, {v24.16b, v25.16b}, v\m\().16b
        tbl     v22.16b, {v24.16b, v25.16b}, v\n\().16b
        tbl     v\m\().16b, {v26.16b, v27.16b}, v\m\().16b
        tbl     v\n\().16b, {v26.16b, v27.16b}, v\n\().16b
        zip1    v7.16b, v5.16b, v4.16b
        zip1    v23.16b, v15.16b, v14.16b
        zip2    v4.16b, v5.16b, v4.16b
        zip2    v14.16b, v15.16b, v14.16b
        zip1    v5.16b, v6.16b, v\m\().16b
        zip1    v15.16b, v22.16b, v\n\().16b
        zip2    v\m\().16b, v6.16b, v\m\().16b
        zip2    v\n\().16b, v22.16b, v\n\().16b
        sqdmulh v7.8h, v7.8h, v5.8h
        sqdmulh v23.8h, v23.8h, v15.8h
        sqdmulh v4.8h, v4.8h, v\m\().8h
        sqdmulh v14.8h, v14.8h, v\n\().8h

        // Negative where the random number is less, positive where it is not, 0 if undecided.
        ldr     q5, [random, #16 * \m]
        ldr     q15, [random, #16 * \n]
        ldr     q6, [random, #16 * \m + 64]
        ldr     q22, [random, #16 * \n + 64]
        zip1    v\m\().16b, v6.16b, v5.16b
        zip1    v\n\().16b, v22.16b, v15.16b
        zip2    v5.16b, v6.16b, v5.16b
        zip2    v15.16b, v22.16b, v15.16b
        usra    v7.8h, v\m\().8h, #1
        usra    v23.8h, v\n\().8h, #1
        usra    v4.8h, v5.8h, #1
        usra    v14.8h, v15.8h, #1
        sqrshrn v\m\().8b, v7.8h, #3
        sqrshrn v\n\().8b, v23.8h, #3
        sqrshrn2 v\m\().16b, v4.8h, #3
        sqrshrn2 v\n\().16b, v14.8h, #3
        .endm

        // The verdicts of the heat bath for a column, from k. Compares half the random number r with half
        // of (2^16 - r) exp(v). The weight exp(v), a product of three factors in units of 2^-15, is too low
        // by 0 to 7. Where v is positive, the opposite field and the complement of the random number are
        // compared, and the verdict is negated. The surplus is undecided from -12 to 3.
        .macro verdict n
        // c, and a mask of the lanes where k is less than the first k of c.
        tbl     v4.16b, {v8.16b}, v1\n\().16b
        tbl     v5.16b, {v9.16b}, v1\n\().16b
        cmtst   v4.16b, v4.16b, bits
        cmtst   v5.16b, v5.16b, bits
        add     v4.16b, v4.16b, v5.16b
        neg     v4.16b, v4.16b
        orr     v5.16b, v4.16b, eight
        tbl     v5.16b, {tau_lower}, v5.16b
        cmgt    v6.16b, v5.16b, v\n\().16b

        // In these lanes take -k - parity and 2 - c. Then d is k minus the first k of c.
        eor     v7.16b, v\n\().16b, v6.16b
        and     v5.16b, v6.16b, own_parity
        sub     v7.16b, v7.16b, v6.16b
        sub     v7.16b, v7.16b, v5.16b
        eor     v4.16b, v4.16b, v6.16b
        and     v5.16b, v6.16b, two
        sub     v4.16b, v4.16b, v6.16b
        add     v4.16b, v4.16b, v5.16b
        orr     v5.16b, v4.16b, eight
        tbl     v5.16b, {tau_lower}, v5.16b
        sub     v7.16b, v7.16b, v5.16b

        // The weight.
        ushr    v5.16b, v7.16b, #4
        and     v7.16b, v7.16b, fifteen
        tbl     v14.16b, {low_lower}, v7.16b
        tbl     v15.16b, {low_upper}, v7.16b
        zip1    v22.16b, v14.16b, v15.16b
        zip2    v14.16b, v14.16b, v15.16b
        tbl     v15.16b, {high_lower}, v5.16b
        tbl     v5.16b, {high_upper}, v5.16b
        zip1    v23.16b, v15.16b, v5.16b
        zip2    v15.16b, v15.16b, v5.16b
        sqdmulh v22.8h, v22.8h, v23.8h
        sqdmulh v14.8h, v14.8h, v15.8h
        tbl     v15.16b, {tau_lower}, v4.16b
        tbl     v5.16b, {tau_upper}, v4.16b
        zip1    v23.16b, v15.16b, v5.16b
        zip2    v15.16b, v15.16b, v5.16b
        sqdmulh v22.8h, v22.8h, v23.8h
        sqdmulh v14.8h, v14.8h, v15.8h

        // The surplus: (2^15 - 1 - half of the random number) times the weight, minus half of the
        // random number.
        ldr     q5, [random, #16 * \n]
        ldr     q15, [random, #16 * \n + 64]
        eor     v5.16b, v5.16b, v6.16b
        eor     v15.16b, v15.16b, v6.16b
        zip1    v23.16b, v15.16b, v5.16b
        zip2    v15.16b, v15.16b, v5.16b
        mvni    v5.8h, #0x80, lsl #8
        ushr    v23.8h, v23.8h, #1
        ushr    v15.8h, v15.8h, #1
        sub     v7.8h, v5.8h, v23.8h
        sub     v5.8h, v5.8h, v15.8h
        sqdmulh v22.8h, v22.8h, v7.8h
        sqdmulh v14.8h, v14.8h, v5.8h
        movi    v5.8h, #4
        sub     v22.8h, v22.8h, v23.8h
        sub     v14.8h, v14.8h, v15.8h
        sqadd   v22.8h, v22.8h, v5.8h
        sqadd   v14.8h, v14.8h, v5.8h
        sqrshrn v22.8b, v22.8h, #4
        sqrshrn2 v22.16b, v14.8h, #4
        sqneg   v\n\().16b, v22.16b
        bit     v\n\().16b, v22.16b, v6.16b
        .endm

        .macro sweep rule, heat
        cbz     x4, .Lnone_\rule
        stp     d8, d9, [sp, #-144]!
        .cfi_adjust_cfa_offset 144
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
        str     index, [sp, #64]

        movi    zero, #0
        movi    v11.16b, #1
        movi    v12.16b, #2
        zip1    v10.2d, v21.2d, v11.2d
        add     v11.16b, v10.16b, v12.16b
        add     v12.16b, v11.16b, v12.16b
        movi    v13.16b, #6
        add     v13.16b, v10.16b, v13.16b
        mov     x16, #0x0201
        movk    x16, #0x0804, lsl #16
        movk    x16, #0x2010, lsl #32
        movk    x16, #0x8040, lsl #48
        dup     v16.2d, x16
        movi    most, #31

        // At the start of a group, fill the rows of all its sites.
        cbnz    index, .Lfilled_\rule
        mov     row, bytes
        mov     x16, spins
.Lfill_\rule:
        ldr     d4, [x16], #8
        each    tbl sum, {v4.16b}, spread
        each    cmtst sum, sum, bits
        stp     q0, q1, [row], #32
        stp     q2, q3, [row], #32
        subs    sites, sites, #1
        b.ne    .Lfill_\rule

        // `index` counts the sites of the group, in all arrays except the random numbers.
.Lfilled_\rule:
        ldr     random, [sp, #152]
        mov     flips, #0
        sub     below, below, index, lsl #3
        sub     above, above, index, lsl #3
        add     last, last, index
        mov     parity, #2
        .balign 32
.Lsite_\rule:
        ldr     header, [links], #4
        ubfx    w16, header, #16, #1
        cmp     w16, parity
        b.ne    .Ltables_\rule
.Lready_\rule:
        ubfx    left, header, #8, #8
        sub     w16, header, least
        each    dup sum, w16
        cbz     left, .Lsum_\rule
.Llink_\rule:
        ldr     w16, [links], #4
        dup     v8.16b, w16
        lsr     w16, w16, #8
        add     row, bytes, x16, lsl #6
        ldp     q4, q5, [row]
        ldp     q6, q7, [row, #32]
        mla     v0.16b, v4.16b, v8.16b
        mla     v1.16b, v5.16b, v8.16b
        mla     v2.16b, v6.16b, v8.16b
        mla     v3.16b, v7.16b, v8.16b
        subs    left, left, #1
        b.ne    .Llink_\rule

        // v - least becomes k - least: the sign changes where the bit of the spin is 1.
.Lsum_\rule:
        ldr     spin, [spins, index, lsl #3]
        ldr     any, [below, index, lsl #3]
        ldr     x16, [above, index, lsl #3]
        add     row, bytes, index, lsl #6
        ldp     q4, q5, [row]
        ldp     q6, q7, [row, #32]
        eor     any, any, spin
        eor     x16, x16, spin
        and     both, any, x16
        orr     any, any, x16
        fmov    d8, any
        fmov    d9, both
        eor     v0.16b, v0.16b, v4.16b
        eor     v1.16b, v1.16b, v5.16b
        eor     v2.16b, v2.16b, v6.16b
        eor     v3.16b, v3.16b, v7.16b
        mla     v0.16b, v4.16b, turn
        mla     v1.16b, v5.16b, turn
        mla     v2.16b, v6.16b, turn
        mla     v3.16b, v7.16b, turn

        .if     \heat
        verdict 0
        verdict 1
        verdict 2
        verdict 3
        .else
        verdicts 0, 1
        verdicts 2, 3
        .endif
        umin    v4.16b, v0.16b, v1.16b
        umin    v5.16b, v2.16b, v3.16b
        umin    v4.16b, v4.16b, v5.16b
        uminv   b4, v4.16b
        fmov    w16, s4
        cbz     w16, .Ldoubt_\rule

.Lsure_\rule:
        add     row, bytes, index, lsl #6
        ldp     q4, q5, [row]
        ldp     q6, q7, [row, #32]
        each    cmlt sum, sum, #0
        eor     v4.16b, v4.16b, v0.16b
        eor     v5.16b, v5.16b, v1.16b
        eor     v6.16b, v6.16b, v2.16b
        eor     v7.16b, v7.16b, v3.16b
        stp     q4, q5, [row]
        stp     q6, q7, [row, #32]
        gather  x16
        ldr     spin, [spins, index, lsl #3]
        eor     spin, spin, x16
        str     spin, [spins, index, lsl #3]
        ldr     d4, [sp, #160]                  // live
        and     v0.8b, v0.8b, v4.8b
        cnt     v0.8b, v0.8b
        uaddlv  h0, v0.8b
        fmov    w16, s0
        add     flips, flips, x16
        add     random, random, #128
        add     index, index, #1
        cmp     index, last
        b.ne    .Lsite_\rule
        b       .Ldone_\rule

        // Compute the factors of the other parity.
.Ltables_\rule:
        mov     parity, w16
        ldr     table, [sp, #144]               // thresholds
        mov     w16, #864
        umaddl  table, parity, w16, table
        .if     \heat
        // The factors halved, of 16 bits, as planes of bytes.
        ldp     q0, q1, [table, #768]           // LOW
        ldp     q2, q3, [table, #800]           // HIGH, 8 values
        ldp     q4, q5, [table, #832]           // TAU, FIRST
        ushr    v0.8h, v0.8h, #1
        ushr    v1.8h, v1.8h, #1
        ushr    v2.8h, v2.8h, #1
        ushr    v4.8h, v4.8h, #1
        uzp1    low_lower, v0.16b, v1.16b
        uzp2    low_upper, v0.16b, v1.16b
        uzp1    high_lower, v2.16b, v3.16b
        uzp2    high_upper, v2.16b, v3.16b
        uzp1    tau_lower, v4.16b, v5.16b
        uzp2    tau_upper, v4.16b, v5.16b
        mov     least, #0
        sub     w16, parity, #1
        dup     turn, w16
        dup     own_parity, parity
        movi    two, #2
        movi    fifteen, #15
        movi    eight, #8
        .else
        // The factors, of 16 bits, as planes of bytes.
        ldp     q0, q1, [table, #768]           // LOW
        ldp     q2, q3, [table, #800]           // HIGH
        ldr     q4, [table, #832]               // TAU
        ushr    v0.8h, v0.8h, #1
        ushr    v1.8h, v1.8h, #1
        ushr    v2.8h, v2.8h, #1
        sqrdmulh v5.8h, v0.8h, v2.h[1]
        sqrdmulh v6.8h, v1.8h, v2.h[1]
        uzp1    v24.16b, v0.16b, v1.16b
        uzp1    v25.16b, v5.16b, v6.16b
        uzp2    v26.16b, v0.16b, v1.16b
        uzp2    v27.16b, v5.16b, v6.16b

        // high[c] is four products and, for negative d, four times -1; the lower half of the planes
        // is for c = 0.
        uzp1    v3.8h, v2.8h, v3.8h
        mvni    v5.8h, #1
        sqsub   v4.8h, v5.8h, v4.8h             // -2 - TAU
        movi    v5.8h, #0x80, lsl #8
        zip1    v5.2d, v21.2d, v5.2d
        sqrdmulh v0.8h, v3.8h, v4.h[0]
        sqrdmulh v1.8h, v3.8h, v4.h[1]
        sqrdmulh v2.8h, v3.8h, v4.h[2]
        orr     v0.16b, v0.16b, v5.16b
        orr     v1.16b, v1.16b, v5.16b
        orr     v2.16b, v2.16b, v5.16b
        uzp1    v28.16b, v0.16b, v0.16b
        uzp1    v29.16b, v1.16b, v2.16b
        uzp2    v30.16b, v0.16b, v0.16b
        uzp2    v31.16b, v1.16b, v2.16b

        // k - FIRST[0] = -(v - FIRST[0]) - parity - 2 FIRST[0] where the sign changes; `eor`
        // already subtracts 1.
        ldrb    least, [table, #848]            // FIRST
        ldrb    w11, [table, #850]
        ldrb    w12, [table, #852]
        sub     w16, parity, #1
        add     w16, w16, least, lsl #1
        dup     turn, w16
        sub     w16, w11, least
        dup     step, w16
        sub     w16, w12, w11
        dup     rise, w16
        .endif
        b       .Lready_\rule

        // Decide the undecided lanes one by one, in memory.
.Ldoubt_\rule:
        stp     q0, q1, [sp, #80]
        stp     q2, q3, [sp, #112]
        each    cmeq sum, sum, #0
        gather  lanes
.Llane_\rule:
        rbit    lane, lanes
        clz     lane, lane
        ubfx    w16, header, #8, #8
        sub     at, links, x16, lsl #2
        sxtb    k, header
        b       .Lterms_\rule
.Lterm_\rule:
        ldr     link, [at], #4
        lsr     w16, link, #8
        ldr     x16, [spins, x16, lsl #3]
        lsr     x16, x16, lane
        sbfx    w16, w16, #0, #1
        and     w16, w16, link
        sub     k, k, w16
.Lterms_\rule:
        cmp     at, links
        b.ne    .Lterm_\rule
        ldr     x16, [spins, index, lsl #3]
        lsr     x16, x16, lane
        tbz     w16, #0, .Lup_\rule
        neg     k, k
        sub     k, k, parity
.Lup_\rule:
        // The threshold for k and c, the number of the bits in `any` and `both`.
        and     k, k, #127
        fmov    x16, d8
        lsr     x16, x16, lane
        and     w16, w16, #1
        add     k, k, w16, lsl #7
        fmov    x16, d9
        lsr     x16, x16, lane
        and     w16, w16, #1
        add     k, k, w16, lsl #7
        mov     w16, #432
        madd    k, parity, w16, k
        ldr     at, [sp, #144]                  // thresholds
        ldrh    k, [at, w12, uxtw #1]
        add     at, random, lane
        ldrb    w16, [at]
        ldrb    link, [at, #64]
        orr     link, link, w16, lsl #8
        cmp     link, k
        b.ne    .Ldecided_\rule
        ldr     x16, [sp, #160]                 // live
        lsr     x16, x16, lane
        tbnz    w16, #0, .Ldone_\rule
.Ldecided_\rule:
        csetm   w16, lo
        add     at, sp, lane
        strb    w16, [at, #80]
        sub     x16, lanes, #1
        ands    lanes, lanes, x16
        b.ne    .Llane_\rule
        ldp     q0, q1, [sp, #80]
        ldp     q2, q3, [sp, #112]
        b       .Lsure_\rule

.Ldone_\rule:
        ldr     x16, [sp, #168]
        ldr     x10, [x16]
        add     x10, x10, flips
        str     x10, [x16]
        ldr     x16, [sp, #64]
        sub     x4, index, x16
        ldp     d14, d15, [sp, #48]
        ldp     d12, d13, [sp, #32]
        ldp     d10, d11, [sp, #16]
        ldp     d8, d9, [sp], #144
#if defined(__ELF__) // Mach-O unwind data cannot extend past a label
        .cfi_adjust_cfa_offset -144
        .irp    register, d8, d9, d10, d11, d12, d13, d14, d15
        .cfi_restore \register
        .endr
#endif
.Lnone_\rule:
        mov     x0, x4
        ret
        .endm

// Visits up to `count` sites of one group of 64 layers in order, with exact acceptance, and returns
// how many: it stops before a site where 16 random bits do not suffice.
//
//   size_t hl_ising_sweep_i8_neon(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
//       const uint64_t *below, const uint64_t *above, const uint32_t *links, const uint16_t *thresholds,
//       const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      x0 = spins, x1 = bytes, x2 = sites, x3 = first, x4 = count, x5 = below, x6 = above,
//         x7 = links, [sp] = thresholds, [sp + 8] = random, [sp + 16] = live, [sp + 24] = flips
//         Out  x0 = visited; spins, bytes, flips
// Uses    x0, x2..x17, v0..v31     Stack  144 bytes: d8..d15, first, 64 verdicts
// Loop    1 site of 64 spins; 148 vector operations and 5 a link, which bound it: at 4 links
//         42 cycles with four vector pipes, 84 with two. Not measured; llvm-mca: 55 on Neoverse V1,
//         47 on V2, 95 on N1
// Tail    none, a row is 64 spins; reads the words and rows of the sites and of their neighbours,
//         the links, random[0..32 count]
FUNC(hl_ising_sweep_i8_neon)
        sweep   metropolis, 0
END(hl_ising_sweep_i8_neon)

// sweep_i8 with acceptance by the heat bath: the values of `thresholds` are those of
// heat_thresholds.
//
//   size_t hl_ising_sweep_heat_i8_neon(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first,
//       size_t count, const uint64_t *below, const uint64_t *above, const uint32_t *links,
//       const uint16_t *thresholds, const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      x0 = spins, x1 = bytes, x2 = sites, x3 = first, x4 = count, x5 = below, x6 = above,
//         x7 = links, [sp] = thresholds, [sp + 8] = random, [sp + 16] = live, [sp + 24] = flips
//         Out  x0 = visited; spins, bytes, flips
// Uses    x0, x2..x17, v0..v29, v31     Stack  144 bytes: d8..d15, first, 64 verdicts
// Loop    1 site of 64 spins; 236 vector operations and 5 a link, which bound it: at 4 links
//         64 cycles with four vector pipes
// Tail    none, a row is 64 spins; reads the words and rows of the sites and of their neighbours,
//         the links, random[0..32 count]
FUNC(hl_ising_sweep_heat_i8_neon)
        sweep   heat, 1
END(hl_ising_sweep_heat_i8_neon)
