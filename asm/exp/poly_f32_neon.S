// Polynomial exp: 2^n times a squared quartic; relative error at most 4.3e-6.
//
//   void hl_exp_poly_f32_neon(const float *x, float *y, size_t n);
//
// In      x0 = x, x1 = y, x2 = n            Out  y[0..n]
// Uses    x0..x3, v0..v7, v16..v22, v24..v31     Stack  none
// Loop    12 values; 3 vectors of 18 operations; bound by the vector pipes (27 cycles with two of
//         them)
// Tail    one value at a time; reads exactly x[0..n]

#include "hl.h"

#define x       x0
#define y       x1
#define n       x2

// Three vectors: the fraction of log2(e) x, the quadratic factors, the exponent in place, the lanes
// below the range.
#define f       v0.4s, v1.4s, v2.4s
#define p       v3.4s, v4.4s, v5.4s
#define q       v6.4s, v7.4s, v16.4s
#define power   v17.4s, v18.4s, v19.4s
#define below   v20.4s, v21.4s, v22.4s
#define all(r)  r, r, r

#define high    v24.4s
#define low     v25.4s
#define log2e   v26.4s
#define A       v27.4s
#define B       v28.4s
#define C       v29.4s
#define D       v30.4s
#define S       v31.4s

        .macro constant register, bits
        mov     w3, #(\bits & 0xffff)
        movk    w3, #(\bits >> 16), lsl #16
        dup     \register, w3
        .endm

// One instruction for all three vectors.
        .macro each instruction, out0, out1, out2, x0, x1, x2, y0, y1, y2
        \instruction \out0, \x0, \y0
        \instruction \out1, \x1, \y1
        \instruction \out2, \x2, \y2
        .endm

FUNC(hl_exp_poly_f32_neon)
        constant high, 0x42b17218               // the first float above 128 ln 2
        constant low, 0xc2aeac50                // the float next to -126 ln 2
        constant log2e, 0x3fb8aa3b
        constant A, 0x411fa717                  // the polynomial: see src/exp/scalar.rs
        constant B, 0x41fb8bd9
        constant C, 0x3fc5280f
        constant D, 0x4252c7df
        constant S, 0x34c38e74
        subs    n, n, #12
        b.lo    .Lrest

        .balign 32
.Lloop:
        ld1     {v0.4s, v1.4s, v2.4s}, [x], #48

        // log2(e) x = whole + f. The minimum passes a NaN.
        each fcmgt, below, all(low), f
        each fmin, f, f, all(high)
        each fmul, f, f, all(log2e)
        fcvtns  v17.4s, v0.4s
        fcvtns  v18.4s, v1.4s
        fcvtns  v19.4s, v2.4s
        scvtf   v3.4s, v17.4s
        scvtf   v4.4s, v18.4s
        scvtf   v5.4s, v19.4s
        each fsub, f, f, p
        each shl, power, power, all(#23)

        // 2^f = s ((f + a) f + b)^2 ((f + c) f + d)^2
        each fadd, p, f, all(A)
        each fadd, q, f, all(C)
        each fmul, p, p, f
        each fmul, q, q, f
        each fadd, p, p, all(B)
        each fadd, q, q, all(D)
        each fmul, p, p, q
        each fmul, p, p, p
        each fmul, p, p, all(S)

        // Times 2^whole; 0 below the range.
        each add, p, p, power
        bic     v3.16b, v3.16b, v20.16b
        bic     v4.16b, v4.16b, v21.16b
        bic     v5.16b, v5.16b, v22.16b
        st1     {v3.4s, v4.4s, v5.4s}, [y], #48
        subs    n, n, #12
        b.hs    .Lloop

        // The rest, one by one.
.Lrest:
        adds    n, n, #12
        b.eq    .Ldone
.Ltail:
        ldr     s0, [x], #4
        fcmgt   v20.4s, low, v0.4s
        fmin    v0.4s, v0.4s, high
        fmul    v0.4s, v0.4s, log2e
        fcvtns  v17.4s, v0.4s
        scvtf   v3.4s, v17.4s
        fsub    v0.4s, v0.4s, v3.4s
        shl     v17.4s, v17.4s, #23
        fadd    v3.4s, v0.4s, A
        fadd    v6.4s, v0.4s, C
        fmul    v3.4s, v3.4s, v0.4s
        fmul    v6.4s, v6.4s, v0.4s
        fadd    v3.4s, v3.4s, B
        fadd    v6.4s, v6.4s, D
        fmul    v3.4s, v3.4s, v6.4s
        fmul    v3.4s, v3.4s, v3.4s
        fmul    v3.4s, v3.4s, S
        add     v3.4s, v3.4s, v17.4s
        bic     v3.16b, v3.16b, v20.16b
        str     s3, [y], #4
        subs    n, n, #1
        b.ne    .Ltail

.Ldone:
        ret
END(hl_exp_poly_f32_neon)
