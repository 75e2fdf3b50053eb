// Fast exp: the bits of a float are a linear function of x; relative error -3.91 % to +2.00 %.
//
//   void hl_exp_fast_f32_avx2(const float *x, float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  y[0..n]
// Uses    rdx, rsi, rdi, ymm0..ymm8, ymm10..ymm13      Stack  none
// Loop    32 values; 4 vectors of 8 operations; bound by the four vector pipes (8 cycles)
// Tail    8 values or fewer at a time, under a mask; reads exactly x[0..n]

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
#define mask    ymm2

// One instruction for each of the four vectors.
        .macro each instruction:vararg
        .irp i, 0, 1, 2, 3
        \instruction
        .endr
        .endm

FUNC(hl_exp_fast_f32_avx2)
        vbroadcastss high, [rip + .Lhigh]
        vbroadcastss low, [rip + .Llow]
        vbroadcastss factor, [rip + .Lfactor]
        vbroadcastss bias, [rip + .Lbias]
        vbroadcastss scale, [rip + .Lscale]
        sub     n, 32
        jb      .Lrest

        // Clamp. As integers, the largest positive floats are the largest signed, the least negative ones the largest unsigned.
        .balign 32
.Lloop:
        each vmovups value, [x + 32*\i]
        each vcmpunordps nan, value, value
        each vpminsd value, value, high
        each vpminud value, value, low

        // The bits of the result, but for its scale; all ones for a NaN.
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

        // The rest under a mask: the lanes whose number is less than n.
.Lrest:
        add     n, 32
        jz      .Ldone
.Ltail:
        vmovd   xmm2, edx
        vpbroadcastd mask, xmm2
        vpcmpgtd mask, mask, [rip + .Llanes]
        vmaskmovps ymm0, mask, [x]
        vcmpunordps ymm1, ymm0, ymm0
        vpminsd ymm0, ymm0, high
        vpminud ymm0, ymm0, low
        vmulps  ymm0, ymm0, factor
        vcvtps2dq ymm0, ymm0
        vpaddd  ymm0, ymm0, bias
        vmulps  ymm0, ymm0, scale
        vorps   ymm0, ymm0, ymm1
        vmaskmovps [y], mask, ymm0
        add     x, 32
        add     y, 32
        sub     n, 8
        ja      .Ltail

.Ldone:
        vzeroupper
        ret
END(hl_exp_fast_f32_avx2)

        RODATA
        .balign 32
.Llanes:
        .long   0, 1, 2, 3, 4, 5, 6, 7
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
