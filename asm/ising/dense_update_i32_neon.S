// Adds rows of 64 couplings to the local fields of a block, and subtracts others.
//
//   void hl_ising_dense_update_i32_neon(int32_t *fields, const int32_t *couplings,
//       const uint32_t *up, size_t ups, const uint32_t *down, size_t downs);
//
// In      x0 = fields, x1 = couplings, x2 = up, x3 = ups, x4 = down, x5 = downs
//                                           Out  fields[0..64]
// Uses    x2..x6, v0..v7, v16..v25     Stack  none
// Loop    1 row: 16 vectors; bound by the loads
// Tail    none; reads exactly the rows listed

#include "hl.h"

#define fields      x0
#define couplings   x1
#define up          x2
#define ups         x3
#define down        x4
#define downs       x5
#define row         x6

        // Adds or subtracts 8 columns of a row.
        .macro columns op, a, b, at
        ldp     q24, q25, [row, #(\at)]
        \op     v\a\().4s, v\a\().4s, v24.4s
        \op     v\b\().4s, v\b\().4s, v25.4s
        .endm

        // Adds or subtracts the rows of a list, 256 bytes each.
        .macro rows name, op, list, count
        cbz     \count, .Lend_\name
.Lloop_\name:
        ldr     w6, [\list], #4
        add     row, couplings, row, lsl #8
        columns \op, 0, 1, 0
        columns \op, 2, 3, 32
        columns \op, 4, 5, 64
        columns \op, 6, 7, 96
        columns \op, 16, 17, 128
        columns \op, 18, 19, 160
        columns \op, 20, 21, 192
        columns \op, 22, 23, 224
        subs    \count, \count, #1
        b.ne    .Lloop_\name
.Lend_\name:
        .endm

FUNC(hl_ising_dense_update_i32_neon)
        ldp     q0, q1, [fields]
        ldp     q2, q3, [fields, #32]
        ldp     q4, q5, [fields, #64]
        ldp     q6, q7, [fields, #96]
        ldp     q16, q17, [fields, #128]
        ldp     q18, q19, [fields, #160]
        ldp     q20, q21, [fields, #192]
        ldp     q22, q23, [fields, #224]
        rows    up, add, up, ups
        rows    down, sub, down, downs
        stp     q0, q1, [fields]
        stp     q2, q3, [fields, #32]
        stp     q4, q5, [fields, #64]
        stp     q6, q7, [fields, #96]
        stp     q16, q17, [fields, #128]
        stp     q18, q19, [fields, #160]
        stp     q20, q21, [fields, #192]
        stp     q22, q23, [fields, #224]
        ret
END(hl_ising_dense_update_i32_neon)
