// Block of a product with NEON, for both types.
//
// C is split into slivers of up to three vectors, and at least one if it has that many columns. The
// last vector of a sliver ends with it and may overlap the one before, whose sums it computes
// again, so no vector is partial. The rows of a sliver are split evenly into panels of at most
// eight. Elements of A are loaded one by one, at any strides: a load to all lanes would take a
// vector pipe away from the multiply-adds.

#include "hl.h"

#define rows        x0      // left in the sliver
#define n           x1
#define k           x2
#define a_from      x3      // the next row
#define a_row       x4
#define a_column    x5
#define b_from      x6
#define b_row       x7
#define packed      x8      // of the sliver, or 0
#define c_from      x9      // of the sliver
#define c_row       x10
#define columns     x11     // left
#define last        x12     // offset of the last vector of the sliver; below 0 for a single column
#define panels      x13     // left in the sliver
#define spare       x14
#define flag        w14
#define panel       x15     // of C
#define offset      x16     // of a column of A
#define count       x17
#define b_at        x19
#define row0        x20     // of A; the others follow
#define row1        x21
#define row2        x22
#define row3        x23
#define row4        x24
#define row5        x25
#define row6        x26
#define row7        x27
#define packed_at   x28     // 0 if there is nothing to pack

// On the stack: saved registers, then the start values of each sliver, then the arguments.
#define M_A         [sp, #144]
#define B           [sp, #160]
#define PACKED_C    [sp, #176]
#define C_ROW       [sp, #192]
#define ACCUMULATE  [sp, #200]

// One row of a sliver; `one` and `two` are ldr and ldp, or str and stp.
        .macro move one, two, at, v0, v1, v2
        .if     vectors == 3
        \two    q\v0, q\v1, [\at]
        \one    q\v2, [\at, last]
        .elseif vectors == 2
        \one    q\v0, [\at]
        \one    q\v1, [\at, last]
        .elseif vectors == 1
        \one    q\v0, [\at]
        .elseif SHIFT == 2
        \one    s\v0, [\at]
        .else
        \one    d\v0, [\at]
        .endif
        .endm

// Repeats a macro for each row of the tile, with its sum vectors.
        .macro each_row statement:vararg
        .if     height > 0
        \statement 0, 1, 2
        .endif
        .if     height > 1
        \statement 3, 4, 5
        .endif
        .if     height > 2
        \statement 6, 7, 8
        .endif
        .if     height > 3
        \statement 9, 10, 11
        .endif
        .if     height > 4
        \statement 12, 13, 14
        .endif
        .if     height > 5
        \statement 15, 16, 17
        .endif
        .if     height > 6
        \statement 18, 19, 20
        .endif
        .if     height > 7
        \statement 21, 22, 23
        .endif
        .endm

// Loads or stores a row of C, and goes to the next.
        .macro transfer one, two, at, v0, v1, v2
        move    \one, \two, \at, \v0, \v1, \v2
        add     \at, \at, c_row
        .endm

        .macro clear v0, v1, v2
        movi    v\v0\().16b, #0
        .if     vectors > 1
        movi    v\v1\().16b, #0
        .endif
        .if     vectors > 2
        movi    v\v2\().16b, #0
        .endif
        .endm

// Loads the element of A in row i into the vector `to`.
        .macro fetch i, to
        .if     height > \i && SHIFT == 2
        ldr     s\to, [x2\i, offset]
        .elseif height > \i
        ldr     d\to, [x2\i, offset]
        .endif
        .endm

// Adds B times the first element of the vector `by` to the sums of row i.
        .macro multiply i, by, v0, v1, v2
        .if     height > \i && SHIFT == 2
        fmla    v\v0\().4s, v24.4s, v\by\().s[0]
        .if     vectors > 1
        fmla    v\v1\().4s, v25.4s, v\by\().s[0]
        .endif
        .if     vectors > 2
        fmla    v\v2\().4s, v26.4s, v\by\().s[0]
        .endif
        .elseif height > \i
        fmla    v\v0\().2d, v24.2d, v\by\().d[0]
        .if     vectors > 1
        fmla    v\v1\().2d, v25.2d, v\by\().d[0]
        .endif
        .if     vectors > 2
        fmla    v\v2\().2d, v26.2d, v\by\().d[0]
        .endif
        .endif
        .endm

// One step of k: a row of B and a column of A.
        .macro step
        move    ldr, ldp, b_at, 24, 25, 26
        fetch   0, 27
        fetch   1, 28
        fetch   2, 29
        fetch   3, 30
        fetch   4, 31
        multiply 0, 27, 0, 1, 2
        fetch   5, 27
        multiply 1, 28, 3, 4, 5
        fetch   6, 28
        multiply 2, 29, 6, 7, 8
        fetch   7, 29
        multiply 3, 30, 9, 10, 11
        multiply 4, 31, 12, 13, 14
        multiply 5, 27, 15, 16, 17
        multiply 6, 28, 18, 19, 20
        multiply 7, 29, 21, 22, 23
        add     offset, offset, a_column
        add     b_at, b_at, b_row
        subs    count, count, #1
        .endm

// A panel of h rows (0 only packs B) and v vectors (0 is a single column).
        .macro tile type, h, v
        .set    height, \h
        .set    vectors, \v
.L\type\()_tile_\v\h:
        ldr     flag, ACCUMULATE
        cbz     flag, .L\type\()_clear_\v\h
        mov     spare, panel
        each_row transfer ldr, ldp, spare,
        b       .L\type\()_sums_\v\h
.L\type\()_clear_\v\h:
        each_row clear
.L\type\()_sums_\v\h:
        cbz     k, .L\type\()_store_\v\h
        cbnz    packed_at, .L\type\()_pack_\v\h

        .balign 32
.L\type\()_loop_\v\h:
        step
        b.ne    .L\type\()_loop_\v\h
        b       .L\type\()_store_\v\h

.L\type\()_pack_\v\h:
        step
        move    str, stp, packed_at, 24, 25, 26
        add     packed_at, packed_at, n
        b.ne    .L\type\()_pack_\v\h

.L\type\()_store_\v\h:
        each_row transfer str, stp, panel,
        b       .L\type\()_next
        .endm

        .macro block type, shift
        .set    SHIFT, \shift
        .set    SIZE, 1 << SHIFT
        stp     d8, d9, [sp, #-176]!
        .cfi_adjust_cfa_offset 176
        stp     d10, d11, [sp, #16]
        stp     d12, d13, [sp, #32]
        stp     d14, d15, [sp, #48]
        stp     x19, x20, [sp, #64]
        stp     x21, x22, [sp, #80]
        stp     x23, x24, [sp, #96]
        stp     x25, x26, [sp, #112]
        stp     x27, x28, [sp, #128]
        .set    place, 0
        .irp    register, d8, d9, d10, d11, d12, d13, d14, d15, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28
        .cfi_rel_offset \register, place
        .set    place, place + 8
        .endr
        cbz     n, .L\type\()_done
        stp     rows, a_from, M_A

        // Count everything in bytes.
        ldp     packed, c_from, PACKED_C
        ldr     c_row, C_ROW
        lsl     n, n, #SHIFT
        lsl     a_row, a_row, #SHIFT
        lsl     a_column, a_column, #SHIFT
        lsl     b_row, b_row, #SHIFT
        lsl     c_row, c_row, #SHIFT
        stp     b_from, b_row, B
        mov     columns, n

        // Without rows, there may only be B to pack.
        orr     spare, rows, packed
        cbz     spare, .L\type\()_done

        // The next sliver: three vectors; two if up to four are left; all if up to three are left.
.L\type\()_sliver:
        mov     last, #32
        mov     spare, #16
        cmp     columns, #64
        csel    last, last, spare, hi
        sub     spare, columns, #16
        cmp     columns, #48
        csel    last, last, spare, hi
        mov     spare, #(SIZE - 16)
        cmp     columns, #16
        csel    last, last, spare, hs
        ldp     rows, a_from, M_A
        ldp     b_from, b_row, B
        mov     panel, c_from
        mov     packed_at, packed
        add     panels, rows, #7
        lsr     panels, panels, #3

        // The next panel; without rows, the division by 0 gives 0.
.L\type\()_panel:
        add     spare, rows, panels
        sub     spare, spare, #1
        udiv    spare, spare, panels
        sub     rows, rows, spare
        sub     panels, panels, #1
        mov     row0, a_from
        add     row1, row0, a_row
        add     row2, row1, a_row
        add     row3, row2, a_row
        add     row4, row3, a_row
        add     row5, row4, a_row
        add     row6, row5, a_row
        add     row7, row6, a_row
        madd    a_from, spare, a_row, a_from
        mov     offset, #0
        mov     b_at, b_from
        mov     count, k
        cmp     last, #16
        b.gt    .L\type\()_tiles_3
        cmp     last, #0
        b.gt    .L\type\()_tiles_2
        b.eq    .L\type\()_tiles_1

        // All panels of v vectors.
        .irp    v, 0, 1, 2, 3
.L\type\()_tiles_\v:
        .irp    h, 8, 7, 6, 5, 4, 3, 2, 1
        cmp     spare, #\h
        b.eq    .L\type\()_tile_\v\h
        .endr
        .irp    h, 0, 1, 2, 3, 4, 5, 6, 7, 8
        tile    \type, \h, \v
        .endr
        .endr

        // After packing, B is read from `packed`.
.L\type\()_next:
        cbz     packed_at, .L\type\()_same
        mov     packed_at, #0
        mov     b_from, packed
        mov     b_row, n
.L\type\()_same:
        cbnz    rows, .L\type\()_panel

        add     last, last, #16
        ldr     b_from, B
        add     b_from, b_from, last
        str     b_from, B
        add     c_from, c_from, last
        cbz     packed, .L\type\()_in_place
        add     packed, packed, last
.L\type\()_in_place:
        subs    columns, columns, last
        b.ne    .L\type\()_sliver

.L\type\()_done:
        ldp     d10, d11, [sp, #16]
        ldp     d12, d13, [sp, #32]
        ldp     d14, d15, [sp, #48]
        ldp     x19, x20, [sp, #64]
        ldp     x21, x22, [sp, #80]
        ldp     x23, x24, [sp, #96]
        ldp     x25, x26, [sp, #112]
        ldp     x27, x28, [sp, #128]
        ldp     d8, d9, [sp], #176
#if defined(__ELF__) // Mach-O unwind data cannot extend past a label
        .cfi_adjust_cfa_offset -176
        .irp    register, d8, d9, d10, d11, d12, d13, d14, d15, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28
        .cfi_restore \register
        .endr
#endif
        ret
        .endm

// Block of a product: `m` rows and `n` columns of C become A B, or C + A B if `accumulate` is not
// 0; each element is one chain of fused multiply-adds over ascending k, which begins at +0 or at
// its element of C.
//
//   void hl_matmul_block_f32_neon(size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_row,
//       ptrdiff_t a_column, const float *b, ptrdiff_t b_row, float *packed, float *c,
//       ptrdiff_t c_row, uint32_t accumulate);
//
// In      x0 = m, x1 = n, x2 = k, x3 = a, x4 = a_row, x5 = a_column, x6 = b, x7 = b_row,
//         [sp] = packed, [sp, 8] = c, [sp, 16] = c_row, w[sp, 24] = accumulate     Out  C, packed
// Uses    x0, x1, x3..x17, x19..x28, v0..v31     Stack  176 bytes
// Loop    1 k of 8 rows of 3 vectors, 24 sums; bound by the multiply-adds (6 cycles with four
//         pipes, 12 with two)
// Tail    rows in even panels, columns in overlapping vectors; touches exactly the elements named
FUNC(hl_matmul_block_f32_neon)
        block   f32, 2
END(hl_matmul_block_f32_neon)

// Block of a product of doubles, like block_f32.
//
//   void hl_matmul_block_f64_neon(size_t m, size_t n, size_t k, const double *a, ptrdiff_t a_row,
//       ptrdiff_t a_column, const double *b, ptrdiff_t b_row, double *packed, double *c,
//       ptrdiff_t c_row, uint32_t accumulate);
//
// In      x0 = m, x1 = n, x2 = k, x3 = a, x4 = a_row, x5 = a_column, x6 = b, x7 = b_row,
//         [sp] = packed, [sp, 8] = c, [sp, 16] = c_row, w[sp, 24] = accumulate     Out  C, packed
// Uses    x0, x1, x3..x17, x19..x28, v0..v31     Stack  176 bytes
// Loop    1 k of 8 rows of 3 vectors, 24 sums; bound by the multiply-adds (6 cycles with four
//         pipes, 12 with two)
// Tail    rows in even panels, columns in overlapping vectors; touches exactly the elements named
FUNC(hl_matmul_block_f64_neon)
        block   f64, 3
END(hl_matmul_block_f64_neon)
