#include "hl.h"

#define ROW         64
#define p           v30
#define twice       v31

        // Subtracts 2 p where x is not less; changes v16.
        .macro less x
        sub     v16.4s, \x\().4s, twice.4s
        umin    \x\().4s, \x\().4s, v16.4s
        .endm

        // x times a root modulo p: the low half of w x minus p times the quotient. Changes v16, v17.
        .macro times x, w, ratio
        umull   v16.2d, \x\().2s, \ratio\().2s
        umull2  v17.2d, \x\().4s, \ratio\().4s
        mul     \x\().4s, \x\().4s, \w\().4s
        uzp2    v16.4s, v16.4s, v17.4s
        mls     \x\().4s, v16.4s, p.4s
        .endm

        // a - b + 2 p to b, a + b to a; changes v16.
        .macro cross a, b
        add     v16.4s, \a\().4s, twice.4s
        add     \a\().4s, \a\().4s, \b\().4s
        sub     \b\().4s, v16.4s, \b\().4s
        .endm

// The nodes of a transform. `level` replaces v0..v3, from four parts of a node; the roots are v4, v6 and
// v20, their ratios v5, v7 and v21. x9..x12 are the addresses of the parts.
        .macro nodes name
        cbz     x1, .Ldone_\name
        cbz     x2, .Ldone_\name
        lsl     x2, x2, #6
        dup     p.4s, w4
        shl     twice.4s, p.4s, #1
        mov     x8, x3
.Lnode_\name:
        ld1r    {v4.4s}, [x8], #4
        ld1r    {v5.4s}, [x8], #4
        ld1r    {v6.4s}, [x3], #4
        ld1r    {v7.4s}, [x3], #4
        ld1r    {v20.4s}, [x3], #4
        ld1r    {v21.4s}, [x3], #4
        mov     x9, x0
        add     x10, x9, x2
        add     x11, x10, x2
        add     x12, x11, x2
        add     x0, x12, x2
        mov     x13, x2
.Lloop_\name:
        ldr     q0, [x9]
        ldr     q1, [x10]
        ldr     q2, [x11]
        ldr     q3, [x12]
        .ifc    \name, forward
        less    v0
        times   v2, v4, v5
        less    v1
        times   v3, v4, v5
        cross   v0, v2
        cross   v1, v3
        less    v0
        times   v1, v6, v7
        less    v2
        times   v3, v20, v21
        cross   v0, v1
        cross   v2, v3
        .else
        cross   v0, v1
        cross   v2, v3
        less    v0
        times   v1, v6, v7
        less    v2
        times   v3, v20, v21
        cross   v0, v2
        cross   v1, v3
        less    v0
        times   v2, v4, v5
        less    v1
        times   v3, v4, v5
        .endif
        str     q0, [x9], #16
        str     q1, [x10], #16
        str     q2, [x11], #16
        str     q3, [x12], #16
        subs    x13, x13, #16
        b.ne    .Lloop_\name
        subs    x1, x1, #1
        b.ne    .Lnode_\name
.Ldone_\name:
        ret
        .endm

// Two levels of 16 number-theoretic transforms.
//
//   void hl_correlation_ntt_forward_neon(uint32_t *x, size_t nodes, size_t quarter, const uint32_t *roots,
//                                         uint32_t p);
//
// In      x0 = x, x1 = nodes, x2 = quarter, x3 = roots, w4 = p     Out  x
// Uses    x0..x3, x8..x13, v0..v7, v16, v17, v20, v21, v30, v31     Stack  none
// Loop    4 x 4 numbers: 4 products of 5 operations, and 20 others; bound by the vector
//         pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_forward_neon)
        nodes   forward
END(hl_correlation_ntt_forward_neon)

// Two levels of 16 inverse number-theoretic transforms.
//
//   void hl_correlation_ntt_inverse_neon(uint32_t *x, size_t nodes, size_t quarter, const uint32_t *roots,
//                                         uint32_t p);
//
// In      x0 = x, x1 = nodes, x2 = quarter, x3 = roots, w4 = p     Out  x
// Uses    x0..x3, x8..x13, v0..v7, v16, v17, v20, v21, v30, v31     Stack  none
// Loop    4 x 4 numbers: 4 products of 5 operations, and 20 others; bound by the vector
//         pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_inverse_neon)
        nodes   inverse
END(hl_correlation_ntt_inverse_neon)

// Sums of rows times factors modulo a prime.
//
//   void hl_correlation_ntt_combine_neon(const uint32_t *from, uint32_t *to, size_t n, size_t inputs,
//                                         size_t outputs, const uint32_t *factors, uint32_t p,
//                                         uint32_t inverse);
//
// In      x0 = from, x1 = to, x2 = n, x3 = inputs, x4 = outputs, x5 = factors, w6 = p,
//         w7 = inverse     Out  to
// Uses    x0..x2, x5, x8..x14, v0..v3, v16, v18, v30, v31     Stack  none
// Loop    4 elements of an input: 2 operations and 2 loads; bound by the loads
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_combine_neon)
        cbz     x2, .Ldone_combine
        cbz     x4, .Ldone_combine
        dup     p.4s, w6
        shl     twice.4s, p.4s, #1
        dup     v18.4s, w7
        // Bytes between the inputs of a sum, and between its outputs.
        lsl     x8, x2, #6

        // x9 counts outputs, x10 is the output, x11 the place in a row, x12 the input.
.Lrow_combine:
        mov     x9, x4
        mov     x10, x1
.Loutput_combine:
        mov     x11, #0
.Lvector_combine:
        movi    v0.16b, #0
        movi    v1.16b, #0
        mov     x13, x3
        mov     x14, x5
        add     x12, x0, x11
        cbz     x13, .Lsum_combine
.Lloop_combine:
        ld1r    {v3.4s}, [x14], #4
        ldr     q2, [x12]
        add     x12, x12, x8
        umlal   v0.2d, v2.2s, v3.2s
        umlal2  v1.2d, v2.4s, v3.4s
        subs    x13, x13, #1
        b.ne    .Lloop_combine
.Lsum_combine:
        // v0 and v1 hold sums of products of the lower and the upper lanes; v18 is the inverse.
        uzp1    v2.4s, v0.4s, v1.4s
        mul     v2.4s, v2.4s, v18.4s
        umlal   v0.2d, v2.2s, p.2s
        umlal2  v1.2d, v2.4s, p.4s
        uzp2    v0.4s, v0.4s, v1.4s
        less    v0
        str     q0, [x10, x11]
        add     x11, x11, #16
        cmp     x11, #ROW
        b.ne    .Lvector_combine
        add     x5, x5, x3, lsl #2
        add     x10, x10, x8
        subs    x9, x9, #1
        b.ne    .Loutput_combine
        add     x0, x0, #ROW
        add     x1, x1, #ROW
        subs    x2, x2, #1
        b.ne    .Lrow_combine
.Ldone_combine:
        ret
END(hl_correlation_ntt_combine_neon)

// Products of rows with rows in descending order modulo a prime.
//
//   void hl_correlation_ntt_multiply_neon(uint32_t *a, const uint32_t *b, size_t n, size_t fields,
//                                          size_t stride, uint32_t p, uint32_t inverse);
//
// In      x0 = a, x1 = b, x2 = n, x3 = fields, x4 = stride, w5 = p, w6 = inverse     Out  a
// Uses    x0..x2, x7..x9, v0..v3, v16, v18, v30, v31     Stack  none
// Loop    4 elements of a field: 2 operations and 2 loads; bound by the loads
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_multiply_neon)
        cbz     x2, .Ldone_multiply
        dup     p.4s, w5
        shl     twice.4s, p.4s, #1
        dup     v18.4s, w6
.Lrow_multiply:
        mov     x7, #0
.Lvector_multiply:
        movi    v0.16b, #0
        movi    v1.16b, #0
        mov     x8, x3
        mov     x9, x7
        cbz     x8, .Lsum_multiply
.Lloop_multiply:
        ldr     q2, [x0, x9]
        ldr     q3, [x1, x9]
        add     x9, x9, x4, lsl #2
        umlal   v0.2d, v2.2s, v3.2s
        umlal2  v1.2d, v2.4s, v3.4s
        subs    x8, x8, #1
        b.ne    .Lloop_multiply
.Lsum_multiply:
        // v0 and v1 hold sums of products of the lower and the upper lanes; v18 is the inverse.
        uzp1    v2.4s, v0.4s, v1.4s
        mul     v2.4s, v2.4s, v18.4s
        umlal   v0.2d, v2.2s, p.2s
        umlal2  v1.2d, v2.4s, p.4s
        uzp2    v0.4s, v0.4s, v1.4s
        less    v0
        str     q0, [x0, x7]
        add     x7, x7, #16
        cmp     x7, #ROW
        b.ne    .Lvector_multiply
        add     x0, x0, #ROW
        sub     x1, x1, #ROW
        subs    x2, x2, #1
        b.ne    .Lrow_multiply
.Ldone_multiply:
        ret
END(hl_correlation_ntt_multiply_neon)
