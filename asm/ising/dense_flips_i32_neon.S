// Decides 64 sites one after the other in 32 bits, and returns which of them flip, a bit for each.
//
//   uint64_t hl_ising_dense_flips_i32_neon(uint64_t spins, const int32_t *fields,
//       const int32_t *levels, const int32_t *couplings);
//
// In      x0 = spins, x1 = fields, x2 = levels, x3 = couplings     Out  x0
// Uses    x0..x9, v0..v7, v16..v22     Stack  256 bytes
// Loop    4 sites: their fields are one vector. T is the level, or its complement for a spin of -1; the new
//         spin is +1 if the field exceeds T. The rows of spins of +1 are subtracted first; then the row
//         of each new spin of +1 is added, without a branch; bound by the latency of
//         4 operations a site. Then an operation for each flip and 4 later sites
// Tail    none; does not read rows of sites that cannot flip

#include "hl.h"

#define spins       x0
#define levels      x2
#define couplings   x3
#define flips       x4
#define left        x5
#define accepted    w6
#define row         x7
#define sums        x8

#define own         v0
#define down        v1
#define limit       v2
#define above       v6
#define up_rows     v7
#define factor      v16
#define bits        v17
#define later0      v18
#define later1      v19
#define later2      v20

        // The row of site `i` at the later places in `to`; adds it to `up_rows` if the spin is +1.
        .macro subtract_up i, to, later
        ldr     q\to, [couplings, #(256 * \i)]
        and     v\to\().16b, v\to\().16b, \later\().16b
        dup     above.4s, down.s[\i]
        bic     above.16b, v\to\().16b, above.16b
        add     up_rows.4s, up_rows.4s, above.4s
        .endm

        .macro decide i, later
        cmgt    above.4s, own.4s, limit.4s
        dup     above.4s, above.s[\i]
        and     above.16b, above.16b, v\later\().16b
        add     own.4s, own.4s, above.4s
        .endm

FUNC(hl_ising_dense_flips_i32_neon)
        sub     sp, sp, #256
        .cfi_adjust_cfa_offset 256
        .irp    n, 0, 64, 128, 192
        ldp     q0, q1, [x1, #(\n)]
        ldp     q2, q3, [x1, #(\n + 32)]
        stp     q0, q1, [sp, #(\n)]
        stp     q2, q3, [sp, #(\n + 32)]
        .endr

        // Bit i in place i; then masks of the places after place i.
        mov     x9, #1
        movk    x9, #2, lsl #32
        fmov    d17, x9
        lsl     x9, x9, #2
        mov     bits.d[1], x9
        movi    v0.4s, #1
        cmhi    later0.4s, bits.4s, v0.4s
        movi    v0.4s, #2
        cmhi    later1.4s, bits.4s, v0.4s
        movi    v0.4s, #4
        cmhi    later2.4s, bits.4s, v0.4s
        mov     flips, #0
        mov     left, #16
        mov     sums, sp

        // A group of four sites, at the diagonal of the couplings.
.Lgroup:
        ldr     q0, [sums], #16
        ldr     q2, [levels], #16
        dup     down.4s, w0
        cmtst   down.4s, down.4s, bits.4s
        eor     limit.16b, limit.16b, down.16b

        // The sites that flip, of four.
        cmgt    above.4s, own.4s, limit.4s
        eor     above.16b, above.16b, down.16b
        bic     above.16b, bits.16b, above.16b
        addv    s6, above.4s
        fmov    accepted, s6
        ror     flips, flips, #4
        cbz     accepted, .Lnone
        movi    up_rows.16b, #0
        subtract_up 0, 3, later0
        subtract_up 1, 4, later1
        subtract_up 2, 5, later2
        sub     own.4s, own.4s, up_rows.4s
        decide  0, 3
        decide  1, 4
        decide  2, 5
        cmgt    above.4s, own.4s, limit.4s
        eor     above.16b, above.16b, down.16b
        bic     above.16b, bits.16b, above.16b
        addv    s6, above.4s
        fmov    accepted, s6
        orr     flips, flips, x6

        // Each flip changes the fields of the later groups.
        cbz     accepted, .Lnone
.Lflip:
        rbit    w9, accepted
        clz     w9, w9
        add     row, couplings, x9, lsl #8
        lsr     w9, w0, w9
        ubfiz   w9, w9, #1, #1
        sub     w9, w9, #1
        dup     factor.4s, w9
        sub     w9, accepted, #1
        and     accepted, accepted, w9
        subs    x9, left, #1
        b.eq    .Lapplied
        mov     x1, sums
.Lapply:
        ldr     q21, [row, #16]!
        ldr     q22, [x1]
        mla     v22.4s, v21.4s, factor.4s
        str     q22, [x1], #16
        subs    x9, x9, #1
        b.ne    .Lapply
.Lapplied:
        cbnz    accepted, .Lflip
.Lnone:
        lsr     spins, spins, #4
        add     couplings, couplings, #1040
        subs    left, left, #1
        b.ne    .Lgroup

        ror     x0, flips, #4
        add     sp, sp, #256
        .cfi_adjust_cfa_offset -256
        ret
END(hl_ising_dense_flips_i32_neon)
