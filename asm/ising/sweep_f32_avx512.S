// The gather sweep with AVX-512.

#include "hl.h"

#define LANES       1
#include "constants_x86_64.h"

// Registers of the rules.
#define most        zmm9
#define fast_unit   zmm10
#define scale       zmm11
#define least       zmm10
#define a           zmm11
#define b           zmm12
#define c           zmm13
#define d           zmm14
#define s           zmm15
#define unit        zmm11
#define range       zmm12
#define one         zmm13
#define e           zmm16
#define poly_range  zmm20
#define poly_one    zmm21

#include "sweep_walk_x86_64.h"

#define sum         zmm0
#define waiting     zmm1
#define t           zmm2
#define spin        zmm3
#define space       zmm4
#define tau         zmm5
#define flips       zmm6
#define sign        zmm7
#define minus_one   zmm8
#define accepted    k1

// Registers of exp2, whose coefficients are a, b, c, d and s.
#define power       zmm16
#define u           zmm17

        .macro constants rule, heat, poly
        vbroadcastss space, xmm0
        vbroadcastss tau, xmm1
        vpbroadcastd sign, dword ptr [rip + .Lsign]
        vpternlogd minus_one, minus_one, minus_one, 0xff
        vmovdqu32 flips, [rax]
        vbroadcastss most, dword ptr [rip + .Lmost_\rule]
        .if     \heat | \poly
        vbroadcastss least, dword ptr [rip + .Lleast_exponent_\rule]
        .endif
        .if     \poly
        vbroadcastss a, dword ptr [rip + .La]
        vbroadcastss b, dword ptr [rip + .Lb]
        vbroadcastss c, dword ptr [rip + .Lc]
        vbroadcastss d, dword ptr [rip + .Ld]
        vbroadcastss s, dword ptr [rip + .Ls_\rule]
        .if     \heat
        vbroadcastss poly_range, dword ptr [rip + .Lrange]
        vpbroadcastd poly_one, dword ptr [rip + .Llowest_bit]
        .endif
        .elseif \heat
        vpbroadcastd unit, dword ptr [rip + .Lunit_heat_fast]
        vbroadcastss range, dword ptr [rip + .Lrange]
        vpbroadcastd one, dword ptr [rip + .Llowest_bit]
        .else
        vpbroadcastd fast_unit, dword ptr [rip + .Lunit_fast]
        vbroadcastss scale, dword ptr [rip + .Lscale_fast]
        .endif
        .endm

        .macro start
        vbroadcastss sum, dword ptr [links + 4]
        .endm

        // Adds a coupling times a spin. The product is exact, so fusing changes no bit.
        .macro couple at
        mov     eax, [links + \at]
        vmovups t, [spins + rax]
        vfmadd231ps sum, t, dword ptr [links + \at + 4]{1to16}
        .endm

        .macro wait
        vmovaps waiting, sum
        .endm

        // The products with tau are exact, so fusing changes no bit.
        .macro visit rule, heat, poly
        vmovups t, [below + index]
        vaddps  t, t, [above + index]
        vmovups spin, [spins + index]
        vmulps  waiting, waiting, space
        vfmadd231ps waiting, t, tau
        vpternlogd waiting, spin, sign, 0x78
        vminps  waiting, waiting, most
        .if     \heat | \poly
        vmaxps  waiting, waiting, least
        .endif
        .if     \poly
        // `waiting` becomes 2^waiting = 2^n s ((f + a) f + b)^2 ((f + c) f + d)^2, where n is the
        // nearest integer and f the remainder.
        vrndscaleps power, waiting, 8
        vsubps  waiting, waiting, power
        vaddps  t, waiting, a
        vaddps  u, waiting, c
        vmulps  t, t, waiting
        vmulps  u, u, waiting
        vaddps  t, t, b
        vaddps  u, u, d
        vmulps  t, t, u
        vmulps  t, t, t
        vmulps  t, t, s
        vscalefps waiting, t, power
        .else
        vcvtps2dq waiting, waiting
        .endif
        .if     \heat
        .if     \poly
        // x < (2^24 - x) 2^v, x an odd number below 2^24
        vpsrld  t, [random + index], 8
        vpord   t, t, poly_one
        vcvtdq2ps t, t
        vsubps  u, poly_range, t
        vmulps  waiting, waiting, u
        vcmpltps accepted, t, waiting
        .else
        // x e(-n) < (2^24 - x) e(n), x an odd number below 2^24
        vpsrld  t, [random + index], 8
        vpord   t, t, one
        vcvtdq2ps t, t
        vsubps  u, range, t
        vpsubd  e, unit, waiting
        vpaddd  waiting, unit, waiting
        vmulps  t, t, e
        vmulps  u, u, waiting
        vcmpltps accepted, t, u
        .endif
        .else
        .if     \poly == 0
        vpaddd  waiting, waiting, fast_unit
        vmulps  waiting, waiting, scale
        .endif
        // Accepts where the random number is less than `waiting`, the probability times 2^24.
        vpsrld  t, [random + index], 8
        vcvtdq2ps t, t
        vcmpltps accepted, t, waiting
        .endif
        vpsubd  flips{accepted}, flips, minus_one
        vpxord  spin{accepted}, spin, sign
        vmovups [spins + index], spin
        .endm

        .macro finish
        vmovdqu32 [rax], flips
        .endm

// Visits `count` sites of one group in order, acceptance by the fast exponential; neighbours are
// read.
//
//   void hl_ising_sweep_fast_f32_avx512(float *spins, size_t first, size_t count,
//       const float *below, const float *above, const hl_ising_link *links, float beta_space,
//       float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         xmm0 = beta_space, xmm1 = beta_tau, [rsp+8] = random, [rsp+16] = flips
//         Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm11, k1     Stack  8 bytes
// Loop    1 site of 16 spins; 13 vector operations and 1 a link; bound by loads: 6, and 3 a link,
//         one of them of 64 bytes
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_fast_f32_avx512)
        sweep   fast, 0, 0
END(hl_ising_sweep_fast_f32_avx512)

// sweep_fast_f32 with acceptance by the polynomial exponential.
//
//   void hl_ising_sweep_poly_f32_avx512(float *spins, size_t first, size_t count,
//       const float *below, const float *above, const hl_ising_link *links, float beta_space,
//       float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         xmm0 = beta_space, xmm1 = beta_tau, [rsp+8] = random, [rsp+16] = flips
//         Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm17, k1     Stack  8 bytes
// Loop    1 site of 16 spins; 23 vector operations and 1 a link; bound by loads: 6, and 3 a link,
//         one of them of 64 bytes
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_poly_f32_avx512)
        sweep   poly, 0, 1
END(hl_ising_sweep_poly_f32_avx512)

// sweep_fast_f32 with acceptance by the heat bath of the fast exponential.
//
//   void hl_ising_sweep_heat_fast_f32_avx512(float *spins, size_t first, size_t count,
//       const float *below, const float *above, const hl_ising_link *links, float beta_space,
//       float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         xmm0 = beta_space, xmm1 = beta_tau, [rsp+8] = random, [rsp+16] = flips
//         Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm13, zmm16, zmm17, k1     Stack  8 bytes
// Loop    1 site of 16 spins; 19 vector operations and 1 a link; bound by loads: 6, and 3 a link,
//         one of them of 64 bytes
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_heat_fast_f32_avx512)
        sweep   heat_fast, 1, 0
END(hl_ising_sweep_heat_fast_f32_avx512)

// sweep_fast_f32 with acceptance by the heat bath of the polynomial exponential.
//
//   void hl_ising_sweep_heat_poly_f32_avx512(float *spins, size_t first, size_t count,
//       const float *below, const float *above, const hl_ising_link *links, float beta_space,
//       float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         xmm0 = beta_space, xmm1 = beta_tau, [rsp+8] = random, [rsp+16] = flips
//         Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm17, zmm20, zmm21, k1     Stack  8 bytes
// Loop    1 site of 16 spins; 26 vector operations and 1 a link; bound by loads: 6, and 3 a link,
//         one of them of 64 bytes
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_heat_poly_f32_avx512)
        sweep   heat_poly, 1, 1
END(hl_ising_sweep_heat_poly_f32_avx512)

        RODATA
        .balign 4
        constant .Lsign, 0x80000000
        constant .Lfactor_fast, 0xcbb8aa3b              // -2^24 log2 e
        constant .Lfactor_heat_fast, 0xcb38aa3b         // -2^23 log2 e
.Lfactor_poly:                          // -2 log2 e
        constant .Lfactor_heat_poly, 0xc038aa3b
        constant .Llargest, 0x7e800000                  // 2^126, and its negative
        constant .Lleast, 0xfe800000
        constant .Lmost_fast, 0
        constant .Lunit_fast, 0x3fe98000                // the bits of 1.82421875
        constant .Lscale_fast, 0x4b03902c               // 15/16 2^24 / 1.82421875
        constant .Lmost_heat_fast, 0x4d000000           // 2^27, and its negative: odds of 2^32
        constant .Lleast_exponent_heat_fast, 0xcd000000
        constant .Lunit_heat_fast, 0x3f800000           // the bits of 1.0
        constant .Lmost_poly, 0
        constant .Lleast_exponent_poly, 0xc2fc0000      // -126
        constant .Lmost_heat_poly, 0x42000000           // 32, and its negative: odds of 2^32
        constant .Lleast_exponent_heat_poly, 0xc2000000
        constant .La, 0x411fa717                        // the coefficients of the polynomial
        constant .Lb, 0x41fb8bd9
        constant .Lc, 0x3fc5280f
        constant .Ld, 0x4252c7df
        constant .Ls_poly, 0x40b7558d                   // times 15/16 2^24
        constant .Ls_heat_poly, 0x34c38e74
        constant .Lrange, 0x4b800000                    // 2^24
        constant .Llowest_bit, 1
