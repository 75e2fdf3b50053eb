// Fast exp: the bits of a float are a linear function of x; relative error -3.91 % to +2.00 %.
//
//   void hl_exp_fast_f32_avx2(const float *x, float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  y[0..n]
// Uses    rdx, rsi, rdi, ymm0..ymm8, ymm10..ymm13      Stack  none
// Loop    32 values; 4 vectors of 8 operations; bound by the four vector pipes (8 cycles)
// Bound   8 cycles for 32 elements on Zen 3
// Tail    8 values at a time, then one; reads exactly x[0..n]

#include "hl.h"

#define x       rdi
#define y       rsi
#define n       rdx
#define high    ymm4
#define low     ymm5
#define factor  ymm6
#define bias    ymm7
#define scale   ymm8
#define value   ymm\i
#define nan     ymm1\i

// One instruction for each of the four vectors.
        .macro each instruction:vararg
        .irp i, 0, 1, 2, 3
        \instruction
        .endr
        .endm

// One vector of the registers r, ymm or xmm.
        .macro step move, r, bytes
        \move  \r\()0, [x]
        vcmpunordps \r\()1, \r\()0, \r\()0
        vpminsd \r\()0, \r\()0, \r\()4
        vpminud \r\()0, \r\()0, \r\()5
        vmulps  \r\()0, \r\()0, \r\()6
        vcvtps2dq \r\()0, \r\()0
        vpaddd  \r\()0, \r\()0, \r\()7
        vmulps  \r\()0, \r\()0, \r\()8
        vorps   \r\()0, \r\()0, \r\()1
        \move  [y], \r\()0
        add     x, \bytes
        add     y, \bytes
        .endm

FUNC(hl_exp_fast_f32_avx2)
        vbroadcastss high, [rip + .Lhigh]
        vbroadcastss low, [rip + .Llow]
        vbroadcastss factor, [rip + .Lfactor]
        vbroadcastss bias, [rip + .Lbias]
        vbroadcastss scale, [rip + .Lscale]
        sub     n, 32
        jb      .Lrest

        // Clamp. As integers, the largest floats are the largest signed numbers, and the most
        // negative floats the largest unsigned ones.
        .balign 32
.Lloop:
        each vmovups value, [x + 32*\i]
        each vcmpunordps nan, value, value
        each vpminsd value, value, high
        each vpminud value, value, low

        // The bits of the result, then its scale; all ones for a NaN.
        each vmulps value, value, factor
        each vcvtps2dq value, value
        each vpaddd value, value, bias
        each vmulps value, value, scale
        each vorps value, value, nan
        each vmovups [y + 32*\i], value
        add     x, 128
        add     y, 128
        sub     n, 32
        jae     .Lloop

        // The rest: whole vectors, then one by one.
.Lrest:
        add     n, 24
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
END(hl_exp_fast_f32_avx2)

        RODATA
        .balign 4
.Lhigh:                                 // the last float below 128 ln 2
        .long   0x42b17217
.Llow:                                  // -87.3
        .long   0xc2ae999a
.Lfactor:                               // 2^23 log2 e
        .long   0x4b38aa3b
.Lbias:                                 // the bits of 1.0
        .long   0x3f800000
.Lscale:                                // 2 ln(2)^2
        .long   0x3f75fdf0
