// Fast exp: the bits of a float are a linear function of x; relative error -3.91 % to +2.00 %.
//
//   void hl_exp_fast_f32_sse2(const float *x, float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  y[0..n]
// Uses    rdx, rsi, rdi, xmm0..xmm8        Stack  none
// Loop    8 values; 2 vectors of 8 operations; bound by the two pipes of additions and comparisons
//         (4 cycles)
// Bound   4 cycles for 8 elements on Zen 3
// Tail    one value at a time; reads exactly x[0..n]

#include "hl.h"

#define x       rdi
#define y       rsi
#define n       rdx
#define high    xmm4
#define low     xmm5
#define factor  xmm6
#define bias    xmm7
#define scale   xmm8

FUNC(hl_exp_fast_f32_sse2)
        movaps  high, [rip + .Lhigh]
        movaps  low, [rip + .Llow]
        movaps  factor, [rip + .Lfactor]
        movaps  bias, [rip + .Lbias]
        movaps  scale, [rip + .Lscale]
        sub     n, 8
        jb      .Lrest

        // Clamp; xmm2 and xmm3 keep all ones for a NaN.
        .balign 32
.Lloop:
        movups  xmm0, [x]
        movups  xmm1, [x + 16]
        movaps  xmm2, xmm0
        movaps  xmm3, xmm1
        cmpunordps xmm2, xmm2
        cmpunordps xmm3, xmm3
        minps   xmm0, high
        minps   xmm1, high
        maxps   xmm0, low
        maxps   xmm1, low

        // The bits of the result, then its scale.
        mulps   xmm0, factor
        mulps   xmm1, factor
        cvtps2dq xmm0, xmm0
        cvtps2dq xmm1, xmm1
        paddd   xmm0, bias
        paddd   xmm1, bias
        mulps   xmm0, scale
        mulps   xmm1, scale
        orps    xmm0, xmm2
        orps    xmm1, xmm3
        movups  [y], xmm0
        movups  [y + 16], xmm1
        add     x, 32
        add     y, 32
        sub     n, 8
        jae     .Lloop

        // The rest, one by one.
.Lrest:
        add     n, 8
        jz      .Ldone
.Ltail:
        movss   xmm0, [x]
        movaps  xmm2, xmm0
        cmpunordps xmm2, xmm2
        minps   xmm0, high
        maxps   xmm0, low
        mulps   xmm0, factor
        cvtps2dq xmm0, xmm0
        paddd   xmm0, bias
        mulps   xmm0, scale
        orps    xmm0, xmm2
        movss   [y], xmm0
        add     x, 4
        add     y, 4
        sub     n, 1
        jnz     .Ltail

.Ldone:
        ret
END(hl_exp_fast_f32_sse2)

        RODATA
        .balign 16
.Lhigh:                                 // the last float below 128 ln 2
        .fill   4, 4, 0x42b17217
.Llow:                                  // -87.3
        .fill   4, 4, 0xc2ae999a
.Lfactor:                               // 2^23 log2 e
        .fill   4, 4, 0x4b38aa3b
.Lbias:                                 // the bits of 1.0
        .fill   4, 4, 0x3f800000
.Lscale:                                // 2 ln(2)^2
        .fill   4, 4, 0x3f75fdf0
