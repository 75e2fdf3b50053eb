// Tiny products with NEON, for both types of elements.
//
// Each of the 64 sizes of C has its own code, found in a table of branches: its sums stay in
// registers while a loop passes over k.
//
// A row of C is up to four vectors. If the last 12 bytes do not fill one, the last vector overlaps
// the one before; a row of 12 bytes is 8 and 4.

#include "hl.h"

#define layout      x0
#define a_from      x1
#define b_from      x2
#define c_at        x3
#define accumulate  w4
#define count       x5
#define a_row       x6
#define a_column    x7
#define offset      x8      // of a column of A
#define b_row       x9
#define c_row       x10
#define t           x11
#define entry       x12

// Row i of A, from the second on, is at x10 + i.

// Vectors: a row of B in 0..3, elements of A pass through 4, sums row by row from 16 on.

// Loads or stores vector v of a row at `base`.
        .macro vector operation, to, v, base
        .if     16 * \v + 16 <= BYTES
        \operation q\to, [\base, #(16 * \v)]
        .elseif 16 * \v + 12 == BYTES && \v > 0
        \operation q\to, [\base, #(BYTES - 16)]
        .elseif 16 * \v + 8 <= BYTES
        \operation d\to, [\base, #(16 * \v)]
        .elseif 16 * \v + 4 == BYTES
        \operation s\to, [\base, #(16 * \v)]
        .else
        \operation s\to, [\base, #8]
        .endif
        .endm

// Repeats a macro for each sum of C, row by row: its register, at sum_row and sum_vector.
        .macro sums statement:vararg
        .irp    sum, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        .if     \sum - 16 < ROWS * VECTORS
        .set    sum_row, (\sum - 16) / VECTORS
        .set    sum_vector, (\sum - 16) % VECTORS
        \statement \sum
        .endif
        .endr
        .endm

        .macro clear sum
        movi    v\sum\().16b, #0
        .endm

// Loads or stores a sum at c_at, which moves on with the last vector of a row.
        .macro move operation, sum
        vector  \operation, \sum, sum_vector, c_at
        .if     sum_vector + 1 == VECTORS
        add     c_at, c_at, c_row
        .endif
        .endm

        .macro multiply sum
        .if     sum_vector == 0
        .irp    i, 1, 2, 3, 4, 5, 6, 7
        .if     \i == sum_row
        .if     SHIFT == 2
        ldr     s4, [x1\i, offset]
        .else
        ldr     d4, [x1\i, offset]
        .endif
        .endif
        .endr
        .if     sum_row == 0
        .if     SHIFT == 2
        ldr     s4, [a_from, offset]
        .else
        ldr     d4, [a_from, offset]
        .endif
        .endif
        .endif
        .irp    v, 0, 1, 2, 3
        .if     \v == sum_vector
        fused   \sum, \v
        .endif
        .endr
        .endm

        .macro fused sum, v
        .if     SHIFT == 2
        fmla    v\sum\().4s, v\v\().4s, v4.s[0]
        .else
        fmla    v\sum\().2d, v\v\().2d, v4.d[0]
        .endif
        .endm

        .macro pointer i, previous
        .if     ROWS > \i
        add     x1\i, \previous, a_row
        .endif
        .endm

// One size of C. If its sums do not fit the registers, the last four rows are left to the code of four
// rows.
        .macro block type, m, n
        .set    BYTES, \n << SHIFT
        .set    VECTORS, (BYTES + 15) / 16
        .if     BYTES == 12
        .set    VECTORS, 2
        .endif
        .set    ROWS, \m
        .if     \m * VECTORS > 16
        .set    ROWS, \m - 4
        .endif

.L\type\()_\m\n:
        cbnz    accumulate, .L\type\()_\m\n\()_add
        sums    clear
.L\type\()_\m\n\()_begin:
        pointer 1, a_from
        pointer 2, x11
        pointer 3, x12
        pointer 4, x13
        pointer 5, x14
        pointer 6, x15
        pointer 7, x16
        mov     offset, #0
.L\type\()_\m\n\()_loop:
        .irp    v, 0, 1, 2, 3
        .if     \v < VECTORS
        vector  ldr, \v, \v, b_from
        .endif
        .endr
        add     b_from, b_from, b_row
        sums    multiply
        add     offset, offset, a_column
        subs    count, count, #1
        b.ne    .L\type\()_\m\n\()_loop
        sums    move str,
        .if     ROWS < \m
        // Back to the first row of B, on to the other rows of A.
        ldr     count, [layout, #16]
        msub    b_from, b_row, count, b_from
        .rept   ROWS
        add     a_from, a_from, a_row
        .endr
        b       .L\type\()_4\n
        .else
        ret
        .endif

.L\type\()_\m\n\()_add:
        mov     t, c_at
        sums    move ldr,
        mov     c_at, t
        b       .L\type\()_\m\n\()_begin
        .endm

        .macro tiny type, shift
        .set    SHIFT, \shift

        // Go to the code of m rows and n columns.
        ldp     t, entry, [layout]
        ldr     count, [layout, #16]
        ldp     a_row, a_column, [layout, #24]
        ldp     b_row, c_row, [layout, #40]
        add     t, entry, t, lsl #3
        adr     entry, .L\type\()_table - 72
        add     entry, entry, t, lsl #3
        br      entry
.L\type\()_table:
        .irp    m, 1, 2, 3, 4, 5, 6, 7, 8
        .irp    n, 1, 2, 3, 4, 5, 6, 7, 8
        hint    #36     // bti j
        b       .L\type\()_\m\n
        .endr
        .endr
        .irp    m, 1, 2, 3, 4, 5, 6, 7, 8
        .irp    n, 1, 2, 3, 4, 5, 6, 7, 8
        block   \type, \m, \n
        .endr
        .endr
        .endm

// Tiny product: C becomes A B, or C + A B if `accumulate` is not 0; each element is one chain of
// fused multiply-adds over ascending k, which begins at +0 or at its element of C.
//
//   void hl_matmul_tiny_f32_neon(const hl_matmul_layout *layout, const float *a, const float *b,
//       float *c, uint32_t accumulate);
//
// In      x0 = layout, x1 = a, x2 = b, x3 = c, w4 = accumulate      Out  c
// Uses    x2, x3, x5..x17, v0, v1, v4, v16..v31      Stack  none
// Loop    one step of k for all of C; for 8 rows of 8, bound by the 16 multiply-adds
// Tail    none: each size of C has its code
FUNC(hl_matmul_tiny_f32_neon)
        tiny    f32, 2
END(hl_matmul_tiny_f32_neon)

// Tiny product of doubles, like tiny_f32.
//
//   void hl_matmul_tiny_f64_neon(const hl_matmul_layout *layout, const double *a, const double *b,
//       double *c, uint32_t accumulate);
//
// In      x0 = layout, x1 = a, x2 = b, x3 = c, w4 = accumulate      Out  c
// Uses    x1..x3, x5..x17, v0..v4, v16..v31      Stack  none
// Loop    one step of k; for 8 rows of 8, 4 rows at a time; bound by the 16 multiply-adds
// Tail    none: each size of C has its code
FUNC(hl_matmul_tiny_f64_neon)
        tiny    f64, 3
END(hl_matmul_tiny_f64_neon)
