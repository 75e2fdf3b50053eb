// Adds the rows of up to 64 flipped spins to the local fields.
//
//   void hl_ising_dense_update_neon(int16_t *fields, size_t columns, const int8_t *couplings,
//       size_t stride, uint64_t spins, uint64_t flips, size_t depth);
//
// In      x0 = fields, x1 = columns, x2 = couplings, x3 = stride, x4 = spins, x5 = flips,
//         x6 = depth                        Out  fields[0..columns]
// Uses    x0..x3, x6..x10, v0..v7, v16..v19     Stack  512 bytes
// Loop    1 row: 128 columns in 8 vectors of bytes, which are added to the fields after `depth` rows;
//         bound by the loads. With a depth below 4, 64 columns in 8 vectors of words
// Tail    64 columns at a time; reads exactly the rows of `flips`

#include "hl.h"

#define fields      x0
#define columns     x1
#define couplings   x2
#define stride      x3
#define spins       x4
#define flips       x5
#define depth       x6
#define ups_end     x7
#define list_end    x8
#define next        x9
#define row         x10
#define run_end     x3

        // Appends the offsets of the rows in the bits of x9 to the list at x8.
        .macro append name
        cbz     x9, .Lend_\name
.Lbit_\name:
        rbit    x10, x9
        clz     x10, x10
        mul     x10, x10, stride
        str     x10, [x8], #8
        sub     x10, x9, #1
        ands    x9, x9, x10
        b.ne    .Lbit_\name
.Lend_\name:
        .endm

        .macro clear n
        movi    v\n\().16b, #0
        .endm

        // Adds or subtracts vector n of a row: sums in bytes have 16 columns a vector, sums in words 8.
        .macro accumulate words, op, n
        .if     \words
        ldr     d16, [row, #(8 * \n)]
        s\op\()w v\n\().8h, v\n\().8h, v16.8b
        .else
        ldr     q16, [row, #(16 * \n)]
        \op     v\n\().16b, v\n\().16b, v16.16b
        .endif
        .endm

        // Adds twice the sums to the fields.
        .macro flush words, n
        .if     \words
        ldr     q16, [fields, #(16 * \n)]
        shl     v17.8h, v\n\().8h, #1
        add     v16.8h, v16.8h, v17.8h
        str     q16, [fields, #(16 * \n)]
        .else
        ldp     q18, q19, [fields, #(32 * \n)]
        sshll   v16.8h, v\n\().8b, #1
        sshll2  v17.8h, v\n\().16b, #1
        add     v16.8h, v16.8h, v18.8h
        add     v17.8h, v17.8h, v19.8h
        stp     q16, q17, [fields, #(32 * \n)]
        .endif
        .endm

        // All whole pieces of `size` columns.
        .macro pieces name, words, size, vectors:vararg
        subs    columns, columns, #\size
        b.lo    .Lless_\name
.Lpiece_\name:
        mov     next, sp
.Lrun_\name:
        add     run_end, next, depth
        cmp     run_end, list_end
        csel    run_end, list_end, run_end, hi
        .irp    n, \vectors
        clear   \n
        .endr
        cmp     next, ups_end
        b.hs    .Lsubtract_\name
.Ladd_\name:
        ldr     row, [next], #8
        add     row, row, couplings
        .irp    n, \vectors
        accumulate \words, add, \n
        .endr
        cmp     next, run_end
        b.eq    .Lflush_\name
        cmp     next, ups_end
        b.ne    .Ladd_\name
.Lsubtract_\name:
        ldr     row, [next], #8
        add     row, row, couplings
        .irp    n, \vectors
        accumulate \words, sub, \n
        .endr
        cmp     next, run_end
        b.ne    .Lsubtract_\name
.Lflush_\name:
        .irp    n, \vectors
        flush   \words, \n
        .endr
        cmp     next, list_end
        b.ne    .Lrun_\name
        add     couplings, couplings, #\size
        add     fields, fields, #(2 * \size)
        subs    columns, columns, #\size
        b.hs    .Lpiece_\name
.Lless_\name:
        add     columns, columns, #\size
        .endm

FUNC(hl_ising_dense_update_neon)
        sub     sp, sp, #512
        .cfi_adjust_cfa_offset 512
        mov     x8, sp

        // The list has the rows of spins that become +1, then the others.
        and     x9, flips, spins
        append  up
        mov     ups_end, x8
        bic     x9, flips, spins
        append  down
        mov     x9, sp
        cmp     list_end, x9
        b.eq    .Ldone

        cmp     depth, #4
        b.lo    .Lwide
        lsl     depth, depth, #3
        pieces  bytes_128, 0, 128, 0, 1, 2, 3, 4, 5, 6, 7
        pieces  bytes_64, 0, 64, 0, 1, 2, 3
        b       .Ldone

        // All rows in one run of words.
.Lwide:
        mov     depth, #512
        pieces  words_64, 1, 64, 0, 1, 2, 3, 4, 5, 6, 7
.Ldone:
        add     sp, sp, #512
        .cfi_adjust_cfa_offset -512
        ret
END(hl_ising_dense_update_neon)
