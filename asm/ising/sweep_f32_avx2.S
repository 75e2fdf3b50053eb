// The gather sweep with AVX2.

#include "hl.h"

#define LANES       8
#include "constants_x86_64.h"

// Registers of the rules.
#define most        ymm12
#define fast_unit   ymm13
#define scale       ymm14
#define a           ymm12
#define b           ymm13
#define c           ymm14
#define d           ymm15
#define e           ymm5
#define least       ymm13
#define unit        ymm14
#define range       ymm15

#include "sweep_walk_x86_64.h"

// Half h of a row.
#define sum         ymm\h
#define waiting     ymm1\h

#define J           ymm2
#define t           ymm3
#define u           ymm4
#define power       ymm5
#define space       ymm6
#define tau         ymm7
#define flips0      ymm8
#define flips1      ymm9

        .macro each statement:vararg
        .irp    h, 0, 1
        \statement
        .endr
        .endm

        .macro constants rule, heat, poly
        vbroadcastss space, xmm0
        vbroadcastss tau, xmm1
        vmovdqu flips0, [rax]
        vmovdqu flips1, [rax + 32]
        .if     \poly
        vbroadcastss a, dword ptr [rip + .La]
        vbroadcastss b, dword ptr [rip + .Lb]
        vbroadcastss c, dword ptr [rip + .Lc]
        vbroadcastss d, dword ptr [rip + .Ld]
        .elseif \heat
        vbroadcastss most, dword ptr [rip + .Lmost_heat_fast]
        vbroadcastss least, dword ptr [rip + .Lleast_exponent_heat_fast]
        vbroadcastss unit, dword ptr [rip + .Lunit_heat_fast]
        vbroadcastss range, dword ptr [rip + .Lrange_heat_fast]
        .else
        vbroadcastss most, dword ptr [rip + .Lmost_fast]
        vbroadcastss fast_unit, dword ptr [rip + .Lunit_fast]
        vbroadcastss scale, dword ptr [rip + .Lscale_fast]
        .endif
        .endm

        .macro start
        vbroadcastss ymm0, dword ptr [links + 4]
        vmovaps ymm1, ymm0
        .endm

        // Adds a coupling times a spin. The product is exact, so fusing changes no bit.
        .macro couple at
        mov     eax, [links + \at]
        vbroadcastss J, dword ptr [links + \at + 4]
        each    vfmadd231ps sum, J, [spins + rax + 32 * \h]
        .endm

        .macro wait
        each    vmovaps waiting, sum
        .endm

        .macro visit rule, heat, poly
        // The products with tau are exact, so fusing changes no bit.
        .irp    h, 0, 1
        vmovups t, [below + index + 32 * \h]
        vaddps  t, t, [above + index + 32 * \h]
        vmulps  waiting, waiting, space
        vfmadd231ps waiting, t, tau
        vmulps  waiting, waiting, [spins + index + 32 * \h]
        .endr
        .if     \poly
        // `waiting` becomes 2^waiting = 2^n s ((f + a) f + b)^2 ((f + c) f + d)^2, where n is the
        // nearest integer and f the remainder.
        each    vminps  waiting, waiting, [rip + .Lmost_\rule]
        each    vmaxps  waiting, waiting, [rip + .Lleast_exponent_\rule]
        .irp    h, 0, 1
        vcvtps2dq power, waiting
        vcvtdq2ps u, power
        vsubps  u, waiting, u
        vaddps  t, u, a
        vaddps  J, u, c
        vmulps  t, t, u
        vmulps  J, J, u
        vaddps  t, t, b
        vaddps  J, J, d
        vmulps  t, t, J
        vmulps  t, t, t
        vmulps  t, t, [rip + .Ls_\rule]
        vpslld  power, power, 23
        vpaddd  waiting, t, power
        .endr
        .else
        each    vminps  waiting, waiting, most
        .if     \heat
        each    vmaxps  waiting, waiting, least
        each    vcvtps2dq waiting, waiting
        .else
        each    vcvtps2dq waiting, waiting
        each    vpaddd  waiting, waiting, fast_unit
        each    vmulps  waiting, waiting, scale
        .endif
        .endif
        decide  \heat, \poly, 0, flips0
        decide  \heat, \poly, 1, flips1
        .endm

        // Flips the spins of half h; t becomes the mask of accepted flips.
        .macro decide heat, poly, h, flips
        .if     \heat == 0
        // Accepts where the random number is less than `waiting`, the probability times 2^24.
        vmovdqu t, [random + index + 32 * \h]
        vpsrld  t, t, 8
        vcvtdq2ps t, t
        vcmpltps t, t, waiting
        .elseif \poly
        // x < (2^24 - x) 2^v, x an odd number below 2^24
        vmovdqu u, [random + index + 32 * \h]
        vpsrld  u, u, 8
        vpor    u, u, [rip + .Llowest_bit]
        vcvtdq2ps u, u
        vmovaps J, [rip + .Lrange_heat_poly]
        vsubps  J, J, u
        vmulps  t, waiting, J
        vcmpltps t, u, t
        .else
        // x e(-n) < (2^24 - x) e(n), x an odd number below 2^24
        vmovdqu t, [random + index + 32 * \h]
        vpsrld  t, t, 8
        vpor    t, t, [rip + .Llowest_bit]
        vcvtdq2ps t, t
        vsubps  J, range, t
        vpsubd  e, unit, waiting
        vpaddd  u, unit, waiting
        vmulps  t, t, e
        vmulps  J, J, u
        vcmpltps t, t, J
        .endif
        vpsubd  \flips, \flips, t
        vpslld  t, t, 31
        vxorps  t, t, [spins + index + 32 * \h]
        vmovups [spins + index + 32 * \h], t
        .endm

        .macro finish
        vmovdqu [rax], flips0
        vmovdqu [rax + 32], flips1
        .endm

// Visits `count` sites of one group in order, acceptance by the fast exponential; neighbours are
// read.
//
//   void hl_ising_sweep_fast_f32_avx2(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau,
//       const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         xmm0 = beta_space, xmm1 = beta_tau, [rsp+8] = random, [rsp+16] = flips
//         Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, ymm0..ymm3, ymm6..ymm14     Stack  8 bytes
// Loop    1 site of 16 spins; 28 vector operations and 2 a link; bound by the register file, which
//         limits the instructions in flight: 19 cycles on Zen 3 at 6 links, where the loads need 15
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_fast_f32_avx2)
        sweep   fast, 0, 0
END(hl_ising_sweep_fast_f32_avx2)

// sweep_fast_f32 with acceptance by the polynomial exponential.
//
//   void hl_ising_sweep_poly_f32_avx2(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau,
//       const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         xmm0 = beta_space, xmm1 = beta_tau, [rsp+8] = random, [rsp+16] = flips
//         Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, ymm0..ymm15     Stack  8 bytes
// Loop    1 site of 16 spins; 52 vector operations and 2 a link; bound by the register file, which
//         limits the instructions in flight: 33 cycles on Zen 3 at 6 links, where the loads need 18
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_poly_f32_avx2)
        sweep   poly, 0, 1
END(hl_ising_sweep_poly_f32_avx2)

// sweep_fast_f32 with acceptance by the heat bath of the fast exponential.
//
//   void hl_ising_sweep_heat_fast_f32_avx2(float *spins, size_t first, size_t count,
//       const float *below, const float *above, const hl_ising_link *links, float beta_space,
//       float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         xmm0 = beta_space, xmm1 = beta_tau, [rsp+8] = random, [rsp+16] = flips
//         Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, ymm0..ymm15     Stack  8 bytes
// Loop    1 site of 16 spins; 40 vector operations and 2 a link; bound by the register file, which
//         limits the instructions in flight
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_heat_fast_f32_avx2)
        sweep   heat_fast, 1, 0
END(hl_ising_sweep_heat_fast_f32_avx2)

// sweep_fast_f32 with acceptance by the heat bath of the polynomial exponential.
//
//   void hl_ising_sweep_heat_poly_f32_avx2(float *spins, size_t first, size_t count,
//       const float *below, const float *above, const hl_ising_link *links, float beta_space,
//       float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         xmm0 = beta_space, xmm1 = beta_tau, [rsp+8] = random, [rsp+16] = flips
//         Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, ymm0..ymm15     Stack  8 bytes
// Loop    1 site of 16 spins; 58 vector operations and 2 a link; bound by the register file, which
//         limits the instructions in flight
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_heat_poly_f32_avx2)
        sweep   heat_poly, 1, 1
END(hl_ising_sweep_heat_poly_f32_avx2)

        RODATA
        .balign 32
        constant .Lmost_poly, 0
        constant .Lleast_exponent_poly, 0xc2fc0000              // -126
        constant .Ls_poly, 0x40b7558d                           // of the polynomial, times 15/16 2^24
        constant .Lmost_heat_poly, 0x42000000                   // 32, and its negative: odds of 2^32
        constant .Lleast_exponent_heat_poly, 0xc2000000
        constant .Ls_heat_poly, 0x34c38e74                      // of the polynomial
        constant .Lrange_heat_poly, 0x4b800000                  // 2^24
        constant .Llowest_bit, 1
        constant .La, 0x411fa717, 1                             // the coefficients of the polynomial
        constant .Lb, 0x41fb8bd9, 1
        constant .Lc, 0x3fc5280f, 1
        constant .Ld, 0x4252c7df, 1
        constant .Lfactor_fast, 0xcbb8aa3b, 1                   // -2^24 log2 e
        constant .Lfactor_heat_fast, 0xcb38aa3b, 1              // -2^23 log2 e
.Lfactor_poly:                          // -2 log2 e
        constant .Lfactor_heat_poly, 0xc038aa3b, 1
        constant .Llargest, 0x7e800000, 1                       // 2^126, and its negative
        constant .Lleast, 0xfe800000, 1
        constant .Lmost_fast, 0, 1
        constant .Lunit_fast, 0x3fe98000, 1                     // the bits of 1.82421875
        constant .Lscale_fast, 0x4b03902c, 1                    // 15/16 2^24 / 1.82421875
        constant .Lmost_heat_fast, 0x4d000000, 1                // 2^27, and its negative: odds of 2^32
        constant .Lleast_exponent_heat_fast, 0xcd000000, 1
        constant .Lunit_heat_fast, 0x3f800000, 1                // the bits of 1.0
        constant .Lrange_heat_fast, 0x4b800000, 1               // 2^24
