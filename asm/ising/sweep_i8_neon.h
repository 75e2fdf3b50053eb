// The exact sweep with NEON, but for the acceptance.
//
// A file includes this one, defines `factors` (from those at `table`, of a parity, into v24..v31, `least` and `turn`; v0..v5 and w11,
// w12 are free) and `verdicts` (from k - least of two columns to verdicts: negative where a flip is accepted, positive where it is
// not, 0 in doubt; v4..v7, v14, v15, v22, v23 are free), and writes `sweep` as the body of its function. A lane in doubt is decided
// with the threshold itself.

#define spins       x0
#define bytes       x1
#define sites       x2              // while the rows are filled
#define least       w2              // what is subtracted from k, afterwards
#define index       x3
#define last        x4
#define below       x5
#define above       x6
#define links       x7
#define flips       x8
#define random      x9
#define row         x10
#define table       x10             // while the factors are made
#define spin        x11
#define any         x12
#define both        x13
#define left        w14
#define header      w15
#define parity      w17

// Where one lane is decided.
#define lanes       x10
#define lane        x11
#define k           w12
#define at          x13
#define link        w14

// Lanes 16 c to 16 c + 15.
#define sum         v\c
#define spread      v1\c            // the byte of a word in which the bit of each lane is

#define bits        v16.16b         // and that bit
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

// The word of four vectors of masks.
        .macro gather word
        each    and sum, sum, bits
        addp    v0.16b, v0.16b, v1.16b
        addp    v2.16b, v2.16b, v3.16b
        addp    v0.16b, v0.16b, v2.16b
        addp    v0.16b, v0.16b, v0.16b
        fmov    \word, d0
        .endm

        .macro sweep
        cbz     x4, .Lnone
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

        // Where a group begins, the rows of all its sites are filled.
        cbnz    index, .Lfilled
        mov     row, bytes
        mov     x16, spins
.Lfill:
        ldr     d4, [x16], #8
        each    tbl sum, {v4.16b}, spread
        each    cmtst sum, sum, bits
        stp     q0, q1, [row], #32
        stp     q2, q3, [row], #32
        subs    sites, sites, #1
        b.ne    .Lfill

        // `index` counts the sites of the group, for all arrays but the random numbers.
.Lfilled:
        ldr     random, [sp, #152]
        mov     flips, #0
        sub     below, below, index, lsl #3
        sub     above, above, index, lsl #3
        add     last, last, index
        mov     parity, #2
        .balign 32
.Lsite:
        ldr     header, [links], #4
        ubfx    w16, header, #16, #1
        cmp     w16, parity
        b.ne    .Ltables
.Lready:
        ubfx    left, header, #8, #8
        sub     w16, header, least
        each    dup sum, w16
        cbz     left, .Lsum
.Llink:
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
        b.ne    .Llink

        // v - least becomes k - least: the sign turns where the own bit is 1.
.Lsum:
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

        verdicts 0, 1
        verdicts 2, 3
        umin    v4.16b, v0.16b, v1.16b
        umin    v5.16b, v2.16b, v3.16b
        umin    v4.16b, v4.16b, v5.16b
        uminv   b4, v4.16b
        fmov    w16, s4
        cbz     w16, .Ldoubt

.Lsure:
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
        b.ne    .Lsite
        b       .Ldone

        // The factors of the other parity.
.Ltables:
        mov     parity, w16
        ldr     table, [sp, #144]               // thresholds
        mov     w16, #864
        umaddl  table, parity, w16, table
        factors
        b       .Lready

        // Lanes in doubt are decided one by one, in memory.
.Ldoubt:
        stp     q0, q1, [sp, #80]
        stp     q2, q3, [sp, #112]
        each    cmeq sum, sum, #0
        gather  lanes
.Llane:
        rbit    lane, lanes
        clz     lane, lane
        ubfx    w16, header, #8, #8
        sub     at, links, x16, lsl #2
        sxtb    k, header
        b       .Lterms
.Lterm:
        ldr     link, [at], #4
        lsr     w16, link, #8
        ldr     x16, [spins, x16, lsl #3]
        lsr     x16, x16, lane
        sbfx    w16, w16, #0, #1
        and     w16, w16, link
        sub     k, k, w16
.Lterms:
        cmp     at, links
        b.ne    .Lterm
        ldr     x16, [spins, index, lsl #3]
        lsr     x16, x16, lane
        tbz     w16, #0, .Lup
        neg     k, k
        sub     k, k, parity
.Lup:
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
        b.ne    .Ldecided
        ldr     x16, [sp, #160]                 // live
        lsr     x16, x16, lane
        tbnz    w16, #0, .Ldone
.Ldecided:
        csetm   w16, lo
        add     at, sp, lane
        strb    w16, [at, #80]
        sub     x16, lanes, #1
        ands    lanes, lanes, x16
        b.ne    .Llane
        ldp     q0, q1, [sp, #80]
        ldp     q2, q3, [sp, #112]
        b       .Lsure

.Ldone:
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
#if defined(__ELF__) // on Mach-O unwinding data cannot reach behind a label
        .cfi_adjust_cfa_offset -144
        .irp    register, d8, d9, d10, d11, d12, d13, d14, d15
        .cfi_restore \register
        .endr
#endif
.Lnone:
        mov     x0, x4
        ret
        .endm
