// The rows of pieces of arcs that may hold a case: bit i of `hits[32 b + j]` for row j of piece i of
// bundle b.
//
//   void hl_hardround_dual_neon(const hl_hardround_bundle *bundles, size_t count, uint32_t *hits);
//
// In      x0 = bundles, x1 = count, x2 = hits
//                                           Out  hits[32 * b + j]
// Uses    x0..x6, x8, v0..v7, v16..v31          Stack  none
// Loop    16 rows: 4 vectors of pieces, 12 operations each; bound by the 4 square roots (136 cycles in
//         llvm-mca's model of Cortex-A76)
// Tail    none

#include "hl.h"

#define bundles     x0
#define count       x1
#define hits        x2
#define rows        w3
#define left        w4          // rows
#define fields      x5          // 16 pieces of a bundle
#define out         x6          // the halves of words that belong to them
#define most        w8

#define weights     v4.16b      // of bits
#define number      v5.4s       // of a row
#define one         v6.4s

// The rows of 4 pieces: all ones in `to` where a position is at most the limit.
        .macro test_rows to, u, scale, height, from, limit
        fsqrt   \to\().4s, \height\().4s
        fmul    \to\().4s, \to\().4s, \scale\().4s
        fcvtns  \to\().4s, \to\().4s
        shl     \to\().4s, \to\().4s, #18
        add     \u\().4s, \from\().4s, \to\().4s
        sub     \to\().4s, \from\().4s, \to\().4s
        smin    \to\().4s, \to\().4s, \u\().4s
        ldr     q7, [fields, \limit]
        cmge    \to\().4s, v7.4s, \to\().4s
        .endm

FUNC(hl_hardround_dual_neon)
        cbz     count, .Ldone
        mov     x8, #0x0201
        movk    x8, #0x0804, lsl #16
        movk    x8, #0x2010, lsl #32
        movk    x8, #0x8040, lsl #48
        dup     v4.2d, x8
        fmov    one, #1.0

.Lbundle:
        ldr     rows, [bundles, #896]
        mov     most, #32
        cmp     rows, most
        csel    rows, rows, most, lo
        cbz     rows, .Lnext
        mov     fields, bundles
        mov     out, hits

.Lpieces:
        ldp     q16, q17, [fields]              // scale
        ldp     q18, q19, [fields, #32]
        ldp     q20, q21, [fields, #128]        // height
        ldp     q22, q23, [fields, #160]
        ldp     q24, q25, [fields, #256]        // base
        ldp     q26, q27, [fields, #288]
        ldp     q28, q29, [fields, #384]        // step
        ldp     q30, q31, [fields, #416]
        ldr     q0, [fields, #640]              // extra
        ldr     q1, [fields, #656]
        ldr     q2, [fields, #672]
        ldr     q3, [fields, #688]
        add     v24.4s, v24.4s, v0.4s
        add     v25.4s, v25.4s, v1.4s
        add     v26.4s, v26.4s, v2.4s
        add     v27.4s, v27.4s, v3.4s
        test_rows v0, v7, v16, v20, v24, #768
        test_rows v1, v7, v17, v21, v25, #784
        test_rows v2, v7, v18, v22, v26, #800
        test_rows v3, v7, v19, v23, v27, #816
        ldp     q24, q25, [fields, #256]
        ldp     q26, q27, [fields, #288]
        fmov    number, #1.0
        // The bits of 16 pieces.
        uzp1    v0.8h, v0.8h, v1.8h
        uzp1    v2.8h, v2.8h, v3.8h
        uzp1    v0.16b, v0.16b, v2.16b
        and     v0.16b, v0.16b, weights
        addp    v0.16b, v0.16b, v0.16b
        addp    v0.16b, v0.16b, v0.16b
        addp    v0.16b, v0.16b, v0.16b
        str     h0, [out], #4
        subs    left, rows, #1
        b.eq    .Lfilled

.Lrow:
        fadd    v0.4s, v20.4s, number
        fadd    v1.4s, v21.4s, number
        fadd    v2.4s, v22.4s, number
        fadd    v3.4s, v23.4s, number
        sub     v24.4s, v24.4s, v28.4s
        sub     v25.4s, v25.4s, v29.4s
        sub     v26.4s, v26.4s, v30.4s
        sub     v27.4s, v27.4s, v31.4s
        fadd    number, number, one
        test_rows v0, v7, v16, v0, v24, #512
        test_rows v1, v7, v17, v1, v25, #528
        test_rows v2, v7, v18, v2, v26, #544
        test_rows v3, v7, v19, v3, v27, #560
        // The bits of 16 pieces.
        uzp1    v0.8h, v0.8h, v1.8h
        uzp1    v2.8h, v2.8h, v3.8h
        uzp1    v0.16b, v0.16b, v2.16b
        and     v0.16b, v0.16b, weights
        addp    v0.16b, v0.16b, v0.16b
        addp    v0.16b, v0.16b, v0.16b
        addp    v0.16b, v0.16b, v0.16b
        str     h0, [out], #4
        subs    left, left, #1
        b.ne    .Lrow

.Lfilled:
        add     fields, fields, #64
        add     out, hits, #2
        sub     x8, fields, bundles
        cmp     x8, #128
        b.ne    .Lpieces

.Lnext:
        add     bundles, bundles, #900
        add     hits, hits, #128
        subs    count, count, #1
        b.ne    .Lbundle
.Ldone:
        ret
END(hl_hardround_dual_neon)
