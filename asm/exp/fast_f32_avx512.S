// Fast exp: the bits of a float are a linear function of x; relative error -3.91 % to +2.00 %.
//
//   void hl_exp_fast_f32_avx512(const float *x, float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  y[0..n]
// Uses    rax, rdx, rsi, rdi, k1..k4, zmm0..zmm9       Stack  none
// Loop    32 values; 14 vector operations; bound by the two 512-bit pipes (7 cycles)
// Bound   7 cycles for 32 elements on Granite Rapids
// Tail    1 to 31 values under masks; reads exactly x[0..n]

#include "hl.h"

#define x       rdi
#define y       rsi
#define n       rdx
#define high    zmm4
#define low     zmm5
#define factor  zmm6
#define bias    zmm7
#define scale   zmm8
#define ones    zmm9

FUNC(hl_exp_fast_f32_avx512)
        vbroadcastss high, [rip + .Lhigh]
        vbroadcastss low, [rip + .Llow]
        vbroadcastss factor, [rip + .Lfactor]
        vbroadcastss bias, [rip + .Lbias]
        vbroadcastss scale, [rip + .Lscale]
        vpternlogd ones, ones, ones, 255
        sub     n, 32
        jb      .Ltail

        .balign 32
.Lloop:
        vmovups zmm0, [x]
        vmovups zmm1, [x + 64]

        // Clamp. As integers, the largest floats are the largest signed numbers, and the most
        // negative floats the largest unsigned ones.
.Levaluate:
        vcmpordps k1, zmm0, zmm0
        vcmpordps k2, zmm1, zmm1
        vpminsd zmm0, zmm0, high
        vpminsd zmm1, zmm1, high
        vpminud zmm0, zmm0, low
        vpminud zmm1, zmm1, low

        // The bits of the result before scaling.
        vmulps  zmm0, zmm0, factor
        vmulps  zmm1, zmm1, factor
        vcvtps2dq zmm0, zmm0
        vcvtps2dq zmm1, zmm1
        vpaddd  zmm0, zmm0, bias
        vpaddd  zmm1, zmm1, bias

        // Scale the result. Lanes where x is a NaN keep all ones.
        vmovaps zmm2, ones
        vmovaps zmm3, ones
        vmulps  zmm2{k1}, zmm0, scale
        vmulps  zmm3{k2}, zmm1, scale
        test    n, n
        js      .Lstore_tail
        vmovups [y], zmm2
        vmovups [y + 64], zmm3
        add     x, 128
        add     y, 128
        sub     n, 32
        jae     .Lloop

        // The rest goes through the loop once more, masked, with a negative n.
.Ltail:
        add     n, 32
        jz      .Ldone
        mov     rax, -1
        bzhi    rax, rax, n
        kmovq   k3, rax
        kshiftrq k4, k3, 16
        vmovups zmm0{k3}{z}, [x]
        vmovups zmm1{k4}{z}, [x + 64]
        mov     n, -1
        jmp     .Levaluate
.Lstore_tail:
        vmovups [y]{k3}, zmm2
        vmovups [y + 64]{k4}, zmm3

.Ldone:
        vzeroupper
        ret
END(hl_exp_fast_f32_avx512)

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
