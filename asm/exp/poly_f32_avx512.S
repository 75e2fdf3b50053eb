// Polynomial exp: 2^n times a squared quartic; relative error at most 4.3e-6.
//
//   void hl_exp_poly_f32_avx512(const float *x, float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  y[0..n]
// Uses    rax, rdx, rsi, rdi, k1..k4, zmm0..zmm15      Stack  none
// Loop    32 values; 30 vector operations; bound by the pipe of additions and comparisons, which
//         takes 16 to 18 of them
// Bound   15 cycles for 32 elements on Granite Rapids
// Tail    1 to 31 values under masks; reads exactly x[0..n]

#include "hl.h"

#define x       rdi
#define y       rsi
#define n       rdx

// Two vectors: the fraction of log2(e) x, its nearest integer, the quadratic factors.
#define f       zmm0, zmm1
#define whole   zmm2, zmm3
#define p       zmm4, zmm5
#define q       zmm6, zmm7
#define inside  k1, k2
#define result  zmm4{k1}{z}, zmm5{k2}{z}
#define all(r)  r, r

#define high    zmm8
#define low     zmm9
#define log2e   zmm10
#define A       zmm11
#define B       zmm12
#define C       zmm13
#define D       zmm14
#define S       zmm15

// One instruction for both vectors.
        .macro both instruction, out0, out1, x0, x1, y0, y1
        \instruction \out0, \x0, \y0
        \instruction \out1, \x1, \y1
        .endm

FUNC(hl_exp_poly_f32_avx512)
        vbroadcastss high, [rip + .Lhigh]
        vbroadcastss low, [rip + .Llow]
        vbroadcastss log2e, [rip + .Llog2e]
        vbroadcastss A, [rip + .La]
        vbroadcastss B, [rip + .Lb]
        vbroadcastss C, [rip + .Lc]
        vbroadcastss D, [rip + .Ld]
        vbroadcastss S, [rip + .Ls]
        sub     n, 32
        jb      .Ltail

        .balign 32
.Lloop:
        vmovups zmm0, [x]
        vmovups zmm1, [x + 64]

        // log2(e) x = whole + f. The minimum passes a NaN in its second operand.
.Levaluate:
        both vcmpnltps, inside, f, all(low)
        both vminps, f, all(high), f
        both vmulps, f, f, all(log2e)
        both vrndscaleps, whole, f, all(8)
        both vsubps, f, f, whole

        // 2^f = s ((f + a) f + b)^2 ((f + c) f + d)^2
        both vaddps, p, f, all(A)
        both vaddps, q, f, all(C)
        both vmulps, p, p, f
        both vmulps, q, q, f
        both vaddps, p, p, all(B)
        both vaddps, q, q, all(D)
        both vmulps, p, p, q
        both vmulps, p, p, p
        both vmulps, p, p, all(S)

        // Times 2^whole, which overflows to infinity; 0 below the range.
        both vscalefps, result, p, whole
        test    n, n
        js      .Lstore_tail
        vmovups [y], zmm4
        vmovups [y + 64], zmm5
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
        vmovups [y]{k3}, zmm4
        vmovups [y + 64]{k4}, zmm5

.Ldone:
        vzeroupper
        ret
END(hl_exp_poly_f32_avx512)

        RODATA
        .balign 4
.Lhigh:                                 // the first float above 128 ln 2
        .long   0x42b17218
.Llow:                                  // the float next to -126 ln 2
        .long   0xc2aeac50
.Llog2e:
        .long   0x3fb8aa3b
.La:                                    // the polynomial: see src/exp/scalar.rs
        .long   0x411fa717
.Lb:
        .long   0x41fb8bd9
.Lc:
        .long   0x3fc5280f
.Ld:
        .long   0x4252c7df
.Ls:
        .long   0x34c38e74
