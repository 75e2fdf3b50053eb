// Polynomial exp: 2^n times a squared quartic; relative error at most 4.3e-6.
//
//   void hl_exp_poly_f32_sse2(const float *x, float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  y[0..n]
// Uses    rdx, rsi, rdi, xmm0..xmm15       Stack  none
// Loop    8 values; 2 vectors of 18 operations and 4 moves; bound by the two pipes of additions and
//         comparisons (9 cycles)
// Bound   9 cycles for 8 elements on Zen 3
// Tail    one value at a time; reads exactly x[0..n]

#include "hl.h"

#define x       rdi
#define y       rsi
#define n       rdx

// Two vectors: the fraction of log2(e) x, the quadratic factors, the exponent in place.
#define f       xmm0, xmm1
#define p       xmm2, xmm3
#define q       xmm4, xmm5
#define power   xmm6, xmm7
#define all(r)  r, r

#define high    xmm8
#define low     xmm9
#define log2e   xmm10
#define A       xmm11
#define B       xmm12
#define C       xmm13
#define D       xmm14
#define S       xmm15

// One instruction for both vectors.
        .macro both instruction, out0, out1, in0, in1
        \instruction \out0, \in0
        \instruction \out1, \in1
        .endm

FUNC(hl_exp_poly_f32_sse2)
        movaps  high, [rip + .Lhigh]
        movaps  low, [rip + .Llow]
        movaps  log2e, [rip + .Llog2e]
        movaps  A, [rip + .La]
        movaps  B, [rip + .Lb]
        movaps  C, [rip + .Lc]
        movaps  D, [rip + .Ld]
        movaps  S, [rip + .Ls]
        sub     n, 8
        jb      .Lrest

        // log2(e) x = whole + f. The minimum passes a NaN in its second operand.
        .balign 32
.Lloop:
        movups  xmm2, [x]
        movups  xmm3, [x + 16]
        both movaps, f, all(high)
        both minps, f, p
        both mulps, f, all(log2e)
        both cvtps2dq, power, f
        both cvtdq2ps, p, power
        both subps, f, p
        both pslld, power, all(23)

        // 2^f = s ((f + a) f + b)^2 ((f + c) f + d)^2
        both movaps, p, all(A)
        both movaps, q, all(C)
        both addps, p, f
        both addps, q, f
        both mulps, p, f
        both mulps, q, f
        movups  xmm0, [x]
        movups  xmm1, [x + 16]
        both addps, p, all(B)
        both addps, q, all(D)
        both cmpnltps, f, all(low)
        both mulps, p, q
        both mulps, p, p
        both mulps, p, all(S)

        // Times 2^whole; 0 below the range.
        both paddd, p, power
        both andps, p, f
        movups  [y], xmm2
        movups  [y + 16], xmm3
        add     x, 32
        add     y, 32
        sub     n, 8
        jae     .Lloop

        // The rest, one by one.
.Lrest:
        add     n, 8
        jz      .Ldone
.Ltail:
        movss   xmm3, [x]
        movaps  xmm0, high
        minps   xmm0, xmm3
        mulps   xmm0, log2e
        cvtps2dq xmm6, xmm0
        cvtdq2ps xmm2, xmm6
        subps   xmm0, xmm2
        pslld   xmm6, 23
        movaps  xmm2, A
        movaps  xmm4, C
        addps   xmm2, xmm0
        addps   xmm4, xmm0
        mulps   xmm2, xmm0
        mulps   xmm4, xmm0
        addps   xmm2, B
        addps   xmm4, D
        cmpnltps xmm3, low
        mulps   xmm2, xmm4
        mulps   xmm2, xmm2
        mulps   xmm2, S
        paddd   xmm2, xmm6
        andps   xmm2, xmm3
        movss   [y], xmm2
        add     x, 4
        add     y, 4
        sub     n, 1
        jnz     .Ltail

.Ldone:
        ret
END(hl_exp_poly_f32_sse2)

        RODATA
        .balign 16
.Lhigh:                                 // the first float above 128 ln 2
        .fill   4, 4, 0x42b17218
.Llow:                                  // the float next to -126 ln 2
        .fill   4, 4, 0xc2aeac50
.Llog2e:
        .fill   4, 4, 0x3fb8aa3b
.La:                                    // the polynomial: see src/exp/scalar.rs
        .fill   4, 4, 0x411fa717
.Lb:
        .fill   4, 4, 0x41fb8bd9
.Lc:
        .fill   4, 4, 0x3fc5280f
.Ld:
        .fill   4, 4, 0x4252c7df
.Ls:
        .fill   4, 4, 0x34c38e74
