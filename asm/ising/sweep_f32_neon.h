// The gather sweep with NEON, but for the acceptance.
//
// A file names its constants, includes this one, defines FACTOR (the bits of what turns beta * energy into an exponent),
// `constants` (into v8, v9, v26..v31), `weigh` (replaces v in the `waiting` of each column by what the random numbers are
// compared with) and `accept` (from there and the random numbers in t to the mask t, for all columns), in both of which v16..v19 are
// free, and writes `sweep` as the body of its function.
//
// From the neighbours of a spin to its flip it takes 50 cycles, in which more is begun than the registers of a CPU hold.
// So the sum of a site is formed before the site visited just before, whose sum waits, is decided. Where these two
// sites are neighbours, the sum is dropped, and formed again after the decision.

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

        .macro constant register, bits
        mov     w9, #(\bits & 0xffff)
        movk    w9, #(\bits >> 16), lsl #16
        dup     \register, w9
        .endm

        .macro each statement:vararg
        .irp    c, 0.4s, 1.4s, 2.4s, 3.4s
        \statement
        .endr
        .endm

        .macro start
        ldr     left, [links]
        ldr     s0, [links, #4]
        dup     v3.4s, v0.s[0]
        dup     v2.4s, v0.s[0]
        dup     v1.4s, v0.s[0]
        dup     v0.4s, v0.s[0]
        add     links, links, #8
        .endm

        .macro couple at
        ldr     neighbour, [links, #\at]
        ldr     d16, [links, #\at]
        add     row, spins, neighbour, uxtw
        ldp     q20, q21, [row]
        ldp     q22, q23, [row, #32]
        each    fmla sum, t, link.s[1]
        .endm

        .macro couple_unless_waiting at
        couple  \at
        cmp     neighbour, w1
        b.eq    .Lcoupled
        .endm

        .macro visit
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
        weigh

        // Where the flip is accepted, the mask is -1: it counts, and its lowest bit is the sign to change.
        add     row, random, index
        ldp     q20, q21, [row]
        ldp     q22, q23, [row, #32]
        each    ushr t, t, #8
        accept
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

        // Less than `waiting`, the probability times 2^24.
        .macro metropolis
        each    ucvtf t, t
        each    fcmgt t, waiting, t
        .endm

        // x, an odd number below 2^24, in t.
        .macro odd_numbers
        each    orr t, #1
        each    ucvtf t, t
        .endm

        // `waiting` becomes 2^waiting: s ((f + a) f + b)^2 ((f + c) f + d)^2 times the power of two at the nearest integer; f is
        // the rest.
        .macro exp2 c
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
        .endm

        .macro sweep
        cbz     x2, .Lnone
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

        // tau is cut at 2^126: its product with -2, 0 or 2 is exact and may be fused.
        constant v16.4s, FACTOR
        fmul    s0, s0, s16
        fmul    s1, s1, s16
        constant v16.4s, 0x7e800000
        fmin    s1, s1, s16
        fneg    s16, s16
        fmax    s1, s1, s16
        dup     space, v0.s[0]
        dup     tau, v1.s[0]
        constants
        ldp     q4, q5, [counters]
        ldp     q6, q7, [counters, #32]
        b       .Lalone

        // The waiting site is decided before the sum of the next one is formed.
.Lcoupled:
        mov     links, header
        visit
        cmp     index, last
        b.eq    .Ldone
        add     index, index, #64
.Lalone:
        start
        cbz     left, .Lsite
.Llink:
        couple  0
        add     links, links, #8
        subs    left, left, #1
        b.ne    .Llink

        // The sum of the next site is formed before the waiting one is decided.
.Lsite:
        mov     v10.16b, v0.16b
        mov     v11.16b, v1.16b
        mov     v12.16b, v2.16b
        mov     v13.16b, v3.16b
        mov     header, links
        cmp     index, last
        b.eq    .Lcoupled
        start
        subs    left, left, #4
        b.lo    .Lfew
.Lfour:
        .irp    at, 0, 8, 16, 24
        couple_unless_waiting \at
        .endr
        add     links, links, #32
        subs    left, left, #4
        b.hs    .Lfour
.Lfew:
        adds    left, left, #4
        b.eq    .Lvisit
.Lone:
        couple_unless_waiting 0
        add     links, links, #8
        subs    left, left, #1
        b.ne    .Lone
.Lvisit:
        visit
        add     index, index, #64
        b       .Lsite

.Ldone:
        stp     q4, q5, [counters]
        stp     q6, q7, [counters, #32]
        ldp     d14, d15, [sp, #48]
        ldp     d12, d13, [sp, #32]
        ldp     d10, d11, [sp, #16]
        ldp     d8, d9, [sp], #64
#if defined(__ELF__) // on Mach-O unwinding data cannot reach behind a label
        .cfi_adjust_cfa_offset -64
        .irp    register, d8, d9, d10, d11, d12, d13, d14, d15
        .cfi_restore \register
        .endr
#endif
.Lnone:
        ret
        .endm
