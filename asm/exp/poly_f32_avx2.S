// Polynomial exp: 2^n times a squared quartic; relative error at most 4.3e-6.
//
//   void hl_exp_poly_f32_avx2(const float *x, float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  y[0..n]
// Uses    rdx, rsi, rdi, ymm0..ymm15        Stack  none
// Loop    24 values; 3 vectors of 18 operations; bound by the two pipes of additions and
//         comparisons (14 cycles)
// Bound   14 cycles for 24 elements on Zen 3
// Tail    8 values at a time, then one; reads exactly x[0..n]

#include "hl.h"

#define x       rdi
#define y       rsi
#define n       rdx

// Three vectors: the fraction of log2(e) x, the quadratic factors, the exponent in place.
#define f       ymm0, ymm1, ymm2
#define p       ymm3, ymm4, ymm5
#define q       ymm6, ymm7, ymm8
#define power   ymm9, ymm10, ymm11
#define all(r)  r, r, r

#define high    ymm12
#define log2e   ymm13
#define A       ymm14
#define C       ymm15
#define B       [rip+.Lb]
#define D       [rip+.Ld]
#define S       [rip+.Ls]
#define low     [rip+.Llow]

// One instruction for all three vectors.
        .macro each instruction, out0, out1, out2, x0, x1, x2, y0, y1, y2
        \instruction \out0, \x0, \y0
        \instruction \out1, \x1, \y1
        \instruction \out2, \x2, \y2
        .endm

// One vector of the registers r, ymm or xmm.
        .macro step move, r, bytes
        \move  \r\()5, [x]
        vminps  \r\()0, \r\()12, \r\()5
        vmulps  \r\()0, \r\()0, \r\()13
        vroundps \r\()1, \r\()0, 8
        vcvtps2dq \r\()2, \r\()0
        vsubps  \r\()0, \r\()0, \r\()1
        vpslld  \r\()2, \r\()2, 23
        vaddps  \r\()3, \r\()0, \r\()14
        vaddps  \r\()4, \r\()0, \r\()15
        vmulps  \r\()3, \r\()3, \r\()0
        vmulps  \r\()4, \r\()4, \r\()0
        vaddps  \r\()3, \r\()3, B
        vaddps  \r\()4, \r\()4, D
        vcmpnltps \r\()5, \r\()5, low
        vmulps  \r\()3, \r\()3, \r\()4
        vmulps  \r\()3, \r\()3, \r\()3
        vmulps  \r\()3, \r\()3, S
        vpaddd  \r\()3, \r\()3, \r\()2
        vandps  \r\()3, \r\()3, \r\()5
        \move  [y], \r\()3
        add     x, \bytes
        add     y, \bytes
        .endm

FUNC(hl_exp_poly_f32_avx2)
        vmovaps high, [rip + .Lhigh]
        vmovaps log2e, [rip + .Llog2e]
        vmovaps A, [rip + .La]
        vmovaps C, [rip + .Lc]
        sub     n, 24
        jb      .Lrest

        // log2(e) x = whole + f. The minimum passes a NaN in its second operand.
        .balign 32
.Lloop:
        vminps  ymm0, high, [x]
        vminps  ymm1, high, [x + 32]
        vminps  ymm2, high, [x + 64]
        each vmulps, f, f, all(log2e)
        each vroundps, p, f, all(8)
        vcvtps2dq ymm9, ymm0
        vcvtps2dq ymm10, ymm1
        vcvtps2dq ymm11, ymm2
        each vsubps, f, f, p
        each vpslld, power, power, all(23)

        // 2^f = s ((f + a) f + b)^2 ((f + c) f + d)^2
        each vaddps, p, f, all(A)
        each vaddps, q, f, all(C)
        each vmulps, p, p, f
        each vmulps, q, q, f
        vmovups ymm0, [x]
        vmovups ymm1, [x + 32]
        vmovups ymm2, [x + 64]
        each vaddps, p, p, all(B)
        each vaddps, q, q, all(D)
        each vcmpnltps, f, f, all(low)
        each vmulps, p, p, q
        each vmulps, p, p, p
        each vmulps, p, p, all(S)

        // Times 2^whole; 0 below the range.
        each vpaddd, p, p, power
        each vandps, p, p, f
        vmovups [y], ymm3
        vmovups [y + 32], ymm4
        vmovups [y + 64], ymm5
        add     x, 96
        add     y, 96
        sub     n, 24
        jae     .Lloop

        // The rest: whole vectors, then one by one.
.Lrest:
        add     n, 16
        jl      .Lfew
.Lvector:
        step vmovups, ymm, 32
        sub     n, 8
        jae     .Lvector
.Lfew:
        add     n, 8
        jz      .Ldone
.Ltail:
        step vmovss, xmm, 4
        sub     n, 1
        jnz     .Ltail

.Ldone:
        vzeroupper
        ret
END(hl_exp_poly_f32_avx2)

        RODATA
        .balign 32
.Lhigh:                                 // the first float above 128 ln 2
        .fill   8, 4, 0x42b17218
.Llow:                                  // the float next to -126 ln 2
        .fill   8, 4, 0xc2aeac50
.Llog2e:
        .fill   8, 4, 0x3fb8aa3b
.La:                                    // the polynomial: see src/exp/scalar.rs
        .fill   8, 4, 0x411fa717
.Lb:
        .fill   8, 4, 0x41fb8bd9
.Lc:
        .fill   8, 4, 0x3fc5280f
.Ld:
        .fill   8, 4, 0x4252c7df
.Ls:
        .fill   8, 4, 0x34c38e74
