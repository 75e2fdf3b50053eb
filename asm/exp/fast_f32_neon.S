// Fast exp: the bits of a float are a linear function of x; relative error -3.91 % to +2.00 %.
//
//   void hl_exp_fast_f32_neon(const float *x, float *y, size_t n);
//
// In      x0 = x, x1 = y, x2 = n            Out  y[0..n]
// Uses    x0..x3, v0..v7, v16..v20          Stack  none
// Loop    16 values; 4 vectors of 8 operations; bound by the vector pipes (16 cycles with two of
//         them)
// Tail    one value at a time; reads exactly x[0..n]

#include "hl.h"

#define x       x0
#define y       x1
#define n       x2
#define high    v16.4s
#define low     v17.4s
#define factor  v18.4s
#define bias    v19.4s
#define scale   v20.4s
#define value   v\i\().4s

        .macro constant register, bits
        mov     w3, #(\bits & 0xffff)
        movk    w3, #(\bits >> 16), lsl #16
        dup     \register, w3
        .endm

// One instruction for each of the four vectors.
        .macro each instruction:vararg
        .irp i, 0, 1, 2, 3
        \instruction
        .endr
        .endm

FUNC(hl_exp_fast_f32_neon)
        constant high, 0x42b17217               // the last float below 128 ln 2
        constant low, 0xc2ae999a                // -87.3
        constant factor, 0x4b38aa3b             // 2^23 log2 e
        constant bias, 0x3f800000               // the bits of 1.0
        constant scale, 0x3f75fdf0              // 2 ln(2)^2
        subs    n, n, #16
        b.lo    .Lrest

        .balign 32
.Lloop:
        ld1     {v0.4s, v1.4s, v2.4s, v3.4s}, [x], #64

        // Clamp; v4..v7 keep a mask of the lanes that are not NaN.
        fcmeq   v4.4s, v0.4s, v0.4s
        fcmeq   v5.4s, v1.4s, v1.4s
        fcmeq   v6.4s, v2.4s, v2.4s
        fcmeq   v7.4s, v3.4s, v3.4s
        each fmin value, value, high
        each fmax value, value, low

        // The bits of the result, then its scale; all ones for a NaN.
        each fmul value, value, factor
        each fcvtns value, value
        each add value, value, bias
        each fmul value, value, scale
        orn     v0.16b, v0.16b, v4.16b
        orn     v1.16b, v1.16b, v5.16b
        orn     v2.16b, v2.16b, v6.16b
        orn     v3.16b, v3.16b, v7.16b
        st1     {v0.4s, v1.4s, v2.4s, v3.4s}, [y], #64
        subs    n, n, #16
        b.hs    .Lloop

        // The rest, one by one.
.Lrest:
        adds    n, n, #16
        b.eq    .Ldone
.Ltail:
        ldr     s0, [x], #4
        fcmeq   v4.4s, v0.4s, v0.4s
        fmin    v0.4s, v0.4s, high
        fmax    v0.4s, v0.4s, low
        fmul    v0.4s, v0.4s, factor
        fcvtns  v0.4s, v0.4s
        add     v0.4s, v0.4s, bias
        fmul    v0.4s, v0.4s, scale
        orn     v0.16b, v0.16b, v4.16b
        str     s0, [y], #4
        subs    n, n, #1
        b.ne    .Ltail

.Ldone:
        ret
END(hl_exp_fast_f32_neon)
