// Block of a product: C becomes A B, or C + A B if `accumulate` is not 0; each element is one chain of fused multiply-adds over
// ascending k. If `packed` is not null it receives B.
//
//   void hl_matmul_block_f32_neon(size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_row, ptrdiff_t a_column,
//       const float *b, ptrdiff_t b_row, float *packed, float *c, ptrdiff_t c_row, uint32_t accumulate);
//
// In      x0 = m, x1 = n, x2 = k, x3 = a, x4 = a_row, x5 = a_column, x6 = b, x7 = b_row,
//         [sp] = packed, [sp, 8] = c, [sp, 16] = c_row, w[sp, 24] = accumulate     Out  C, packed
// Uses    x0..x17, x19..x28, v0..v31     Stack  176 bytes
// Loop    1 k of 8 rows of 3 vectors, 24 sums; bound by the multiply-adds (6 cycles with four pipes, 12 with two)
// Tail    rows in even panels, columns in overlapping vectors; touches exactly the elements named

#include "hl.h"

#define NAME hl_matmul_block_f32_neon
#define SIZE 4
#define SHIFT 2

        .macro fused sum, factor, by
        fmla    v\sum\().4s, v\factor\().4s, v\by\().s[0]
        .endm

        .macro element operation, e, at:vararg
        \operation s\e, \at
        .endm

#include "block_neon.h"
