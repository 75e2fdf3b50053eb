// Decides 64 sites one after the other, and returns which of them flip, a bit for each.
//
//   uint64_t hl_ising_dense_flips_neon(uint64_t spins, const int16_t *fields,
//       const int16_t *bounds, const int8_t *couplings, size_t stride);
//
// In      x0 = spins, x1 = fields, x2 = bounds, x3 = couplings, x4 = stride     Out  x0
// Uses    x0, x3, x5..x12, v0..v6, v16..v31     Stack  none
// Loop    8 sites: their spins times fields are one vector. A row is subtracted from it where its
//         site flips, without a branch; bound by the latency of 4 operations a site. Then 2
//         operations for each flip and 8 later sites
// Tail    none; does not read rows of sites that cannot flip

#include "hl.h"

#define spins       x0
#define fields      x1
#define bounds      x2
#define couplings   x3
#define stride      x4
#define next_row    x5
#define flips       x6
#define diagonal    x7
#define own_spins   w8
#define accepted    w9

#define products    v0
#define s           v1
#define bound       v2
#define row         v3
#define own         v4
#define stays       v5
#define factor      v6
#define places      v31

        // Decides site `i` of a group, and changes the products of the sites after it, which `later`
        // masks.
        .macro decide i, later
        ldr     d3, [next_row]
        add     next_row, next_row, stride
        sshll   row.8h, row.8b, #1
        mul     row.8h, row.8h, s.8h
        mul     row.8h, row.8h, s.h[\i]
        and     row.16b, row.16b, \later\().16b
        dup     own.8h, bound.h[\i]
        dup     stays.8h, products.h[\i]
        cmgt    stays.8h, stays.8h, own.8h
        bic     row.16b, row.16b, stays.16b
        sub     products.8h, products.8h, row.8h
        .endm

        // Changes the fields of group v - 16, in v<v>, by a row at x12.
        .macro apply v, group
        ldr     d3, [x12, #(8 * \v - 128 - 8 * \group)]
        smlal   v\v\().8h, row.8b, factor.8b
        .endm

        // The sites of group `group`, whose fields are `sums`.
        .macro decide_group group, sums
        ubfx    w8, w11, #0, #8
        lsr     x11, x11, #8
        dup     s.8h, own_spins
        cmtst   s.8h, s.8h, places.8h
        orr     s.8h, #1
        ldr     q2, [bounds, #(16 * \group)]
        mul     products.8h, \sums\().8h, s.8h
        cmgt    stays.8h, products.8h, bound.8h
        uminv   h5, stays.8h
        umov    accepted, stays.h[0]
        cbnz    accepted, .Lnone_\group
        mov     next_row, couplings
        decide  0, v24
        decide  1, v25
        decide  2, v26
        decide  3, v27
        decide  4, v28
        decide  5, v29
        decide  6, v30
        cmgt    stays.8h, products.8h, bound.8h
        bic     stays.16b, places.16b, stays.16b
        addv    h5, stays.8h
        umov    accepted, stays.h[0]
        orr     flips, flips, x9, lsl #(8 * \group)

        // Each flip changes the fields of the later groups.
        .if     \group < 7
        cbz     accepted, .Lnone_\group
.Lflip_\group:
        rbit    w10, accepted
        clz     w10, w10
        madd    x12, x10, stride, couplings
        lsr     w10, own_spins, w10
        ubfiz   w10, w10, #2, #1
        sub     w10, w10, #2
        dup     factor.8b, w10
        .irp    v, 17, 18, 19, 20, 21, 22, 23
        .if     \group < \v - 16
        apply   \v, \group
        .endif
        .endr
        sub     w10, accepted, #1
        ands    accepted, accepted, w10
        b.ne    .Lflip_\group
        .endif
.Lnone_\group:
        add     couplings, couplings, diagonal
        .endm

FUNC(hl_ising_dense_flips_neon)
        mov     x11, spins
        mov     flips, #0
        lsl     diagonal, stride, #3
        add     diagonal, diagonal, #8
        ldp     q16, q17, [fields]
        ldp     q18, q19, [fields, #32]
        ldp     q20, q21, [fields, #64]
        ldp     q22, q23, [fields, #96]

        // Bit i in word i; then masks of the words after word i.
        mov     x5, #0x0001
        movk    x5, #0x0002, lsl #16
        movk    x5, #0x0004, lsl #32
        movk    x5, #0x0008, lsl #48
        fmov    d31, x5
        lsl     x5, x5, #4
        mov     v31.d[1], x5
        movi    v0.8h, #1
        cmhi    v24.8h, places.8h, v0.8h
        movi    v0.8h, #2
        cmhi    v25.8h, places.8h, v0.8h
        movi    v0.8h, #4
        cmhi    v26.8h, places.8h, v0.8h
        movi    v0.8h, #8
        cmhi    v27.8h, places.8h, v0.8h
        movi    v0.8h, #16
        cmhi    v28.8h, places.8h, v0.8h
        movi    v0.8h, #32
        cmhi    v29.8h, places.8h, v0.8h
        movi    v0.8h, #64
        cmhi    v30.8h, places.8h, v0.8h

        // Group by group; a group is at the diagonal of the couplings.
        decide_group 0, v16
        decide_group 1, v17
        decide_group 2, v18
        decide_group 3, v19
        decide_group 4, v20
        decide_group 5, v21
        decide_group 6, v22
        decide_group 7, v23
        mov     x0, flips
        ret
END(hl_ising_dense_flips_neon)
