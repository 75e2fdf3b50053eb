// Which domains of cells may hold a case: bit i mod 64 of `hits[2 c + i / 64]` for domain i of cell
// c; the other bits are 0.
//
//   void hl_hardround_rows_neon(const hl_hardround_cell *cells, size_t count, uint64_t *hits);
//
// In      x0 = cells, x1 = count, x2 = hits
//                                           Out  hits[2 * c], hits[2 * c + 1]
// Uses    x0..x9, v0..v7, v16..v31          Stack  none
// Loop    4 domains: 34 vector operations and a division; bound by the vector pipes: 11 cycles with
//         Neoverse V1, 21 with N1, which has 2 pipes (modelled)
// Tail    a whole vector, whose excess bits are cut off

#include "hl.h"

#define cell        x0
#define count       x1
#define hits        x2
#define at          x3          // address of the word of 32 domains
#define left        w4          // domains
#define some        w5          // of them, at most 32
#define i           w6
#define shift       w7
#define bits        w8
#define beyond      x9
#define beyond_low  w9

#define z           v0.4s
#define z_step      v1.4s
#define z_change    v2.4s
#define h           v3.4s
#define h_step      v4.4s
#define h_change    v5.4s
#define y           v6.4s
#define y_step      v7.4s
#define per         v16.4s
#define ratio       v17.4s
#define min_y       v18.4s
#define row_slope       v22.s[1]
#define row_offset        v19.4s
#define width       v22.s[3]
#define slack       v20.4s
#define one         v21.4s
#define found       v23.4s
#define indices     v30.4s
#define pairs       v31.4s      // i (i - 1) / 2

FUNC(hl_hardround_rows_neon)
        cbz     count, .Ldone
        mov     at, #0x100000000                // 0, 1, 2, 3
        fmov    d30, at
        orr     at, at, #0x200000000
        orr     at, at, #2
        mov     v30.d[1], at
        movi    d31, #0                         // 0, 0, 1, 3
        sub     at, at, #1
        mov     v31.d[1], at
        fmov    one, #1.0

        // z and h for the first 4 domains: value, step and change of the step. In domain i the value has
        // grown by i d + i (i - 1) / 2 dd; up to domain i + 4 it grows by 4 d + (4 i + 6) dd.
.Lcell:
        ldr     q24, [cell]
        shl     v25.4s, indices, #2
        movi    v26.4s, #6
        add     v25.4s, v25.4s, v26.4s
        dup     z, v24.s[0]
        dup     z_step, v24.s[1]
        dup     z_change, v24.s[2]
        mla     z, indices, v24.s[1]
        shl     z_step, z_step, #2
        mla     z, pairs, v24.s[2]
        mla     z_step, v25.4s, v24.s[2]
        shl     z_change, z_change, #4
        ldr     q24, [cell, #12]
        dup     h, v24.s[0]
        dup     h_step, v24.s[1]
        dup     h_change, v24.s[2]
        mla     h, indices, v24.s[1]
        shl     h_step, h_step, #2
        mla     h, pairs, v24.s[2]
        mla     h_step, v25.4s, v24.s[2]
        shl     h_change, h_change, #4
        ldr     q24, [cell, #24]
        dup     y, v24.s[0]
        dup     y_step, v24.s[1]
        mla     y, indices, v24.s[1]
        shl     y_step, y_step, #2
        dup     per, v24.s[2]
        dup     ratio, v24.s[3]
        ldr     q22, [cell, #40]
        dup     min_y, v22.s[0]
        dup     row_offset, v22.s[2]
        ldp     bits, left, [cell, #56]
        dup     slack, bits
        stp     xzr, xzr, [hits]
        mov     at, hits
        mov     some, #128
        cmp     left, some
        csel    left, left, some, lo
        cbz     left, .Lnext

.Lword:
        mov     some, #32
        cmp     left, some
        csel    some, left, some, lo
        add     i, some, #3
        lsr     i, i, #2
        neg     shift, i, lsl #2                // the bits missing in the word, modulo 32

        // v24: the limit of z; v25 and v27: z and h; v28: the slope.
        .balign 16
.Lvector:
        scvtf   v24.4s, y
        fmax    v24.4s, v24.4s, min_y
        add     y, y, y_step
        fdiv    v28.4s, per, v24.4s
        fmul    v24.4s, v24.4s, row_slope
        fadd    v24.4s, v24.4s, row_offset
        ushr    v25.4s, z, #9
        orr     v25.16b, v25.16b, v21.16b
        add     z, z, z_step
        add     z_step, z_step, z_change
        fcmge   v26.4s, v24.4s, v25.4s
        fsub    v25.4s, v25.4s, one
        fcmge   v24.4s, v24.4s, v25.4s
        ushr    v27.4s, h, #9
        orr     v27.16b, v27.16b, v21.16b
        add     h, h, h_step
        add     h_step, h_step, h_change
        fmul    v29.4s, v28.4s, width
        fadd    v29.4s, v29.4s, slack
        fsub    v28.4s, v28.4s, ratio
        fmul    v25.4s, v25.4s, v28.4s
        fadd    v25.4s, v25.4s, v27.4s
        fadd    v28.4s, v25.4s, v28.4s
        frintz  v27.4s, v25.4s
        fsub    v25.4s, v25.4s, v27.4s
        frintz  v27.4s, v28.4s
        fsub    v28.4s, v28.4s, v27.4s

        // The smaller fraction of the two rows; row 1 counts only where it is within the limit.
        // Below the bits of this vector are those of the 7 before.
        bif     v28.16b, v25.16b, v26.16b
        fmin    v25.4s, v25.4s, v28.4s
        fcmge   v25.4s, v29.4s, v25.4s
        and     v25.16b, v25.16b, v24.16b
        sri     v25.4s, found, #4
        mov     v23.16b, v25.16b
        subs    i, i, #1
        b.ne    .Lvector

        movi    v24.16b, #0x11
        ushl    v24.4s, v24.4s, indices
        and     v25.16b, v25.16b, v24.16b
        addv    s25, v25.4s
        fmov    bits, s25
        lsr     bits, bits, shift
        mov     beyond, #-1
        lsl     beyond, beyond, x5
        bic     bits, bits, beyond_low
        str     bits, [at], #4
        subs    left, left, #32
        b.gt    .Lword

.Lnext:
        add     cell, cell, #64
        add     hits, hits, #16
        subs    count, count, #1
        b.ne    .Lcell
.Ldone:
        ret
END(hl_hardround_rows_neon)
