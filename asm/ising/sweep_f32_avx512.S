// The gather sweep with AVX-512.
//
// The acceptance `rule` is fast, poly, heat_fast or heat_poly. Each has its constants and
//
//   load_constants_<rule>   loads zmm9..zmm15, zmm20 and zmm21
//   accept_<rule>     computes the mask `accepted` from the exponent v in `waiting`; may overwrite
//                     t, zmm16 and zmm17

#include "hl.h"

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

        .macro constants rule
        vbroadcastss space, xmm0
        vbroadcastss tau, xmm1
        vpbroadcastd sign, dword ptr [rip + .Lsign_\rule]
        vpternlogd minus_one, minus_one, minus_one, 0xff
        vmovdqu32 flips, [rax]
        load_constants_\rule
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
        .macro visit rule
        vmovups t, [below + index]
        vaddps  t, t, [above + index]
        vmovups spin, [spins + index]
        vmulps  waiting, waiting, space
        vfmadd231ps waiting, t, tau
        vpternlogd waiting, spin, sign, 0x78
        accept_\rule
        vpsubd  flips{accepted}, flips, minus_one
        vpxord  spin{accepted}, spin, sign
        vmovups [spins + index], spin
        .endm

        // Accepts where the random number is less than `waiting`, the probability times 2^24.
        .macro metropolis
        vpsrld  t, [random + index], 8
        vcvtdq2ps t, t
        vcmpltps accepted, t, waiting
        .endm

        // x, an odd number below 2^24, in t; 2^24 - x in u.
        .macro odds odd, whole
        vpsrld  t, [random + index], 8
        vpord   t, t, \odd
        vcvtdq2ps t, t
        vsubps  u, \whole, t
        .endm

        // `waiting` becomes 2^waiting = 2^n s ((f + a) f + b)^2 ((f + c) f + d)^2, where n is the
        // nearest integer and f the remainder.
        .macro exp2
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
        .endm

        .macro finish
        vmovdqu32 [rax], flips
        .endm

        .macro load_constants_fast
        vbroadcastss most, dword ptr [rip + .Lmost_fast]
        vpbroadcastd fast_unit, dword ptr [rip + .Lunit_fast]
        vbroadcastss scale, dword ptr [rip + .Lscale_fast]
        .endm

        .macro accept_fast
        vminps  waiting, waiting, most
        vcvtps2dq waiting, waiting
        vpaddd  waiting, waiting, fast_unit
        vmulps  waiting, waiting, scale
        metropolis
        .endm

        .macro load_constants_poly
        vbroadcastss most, dword ptr [rip + .Lmost_poly]
        vbroadcastss least, dword ptr [rip + .Lleast_exponent_poly]
        vbroadcastss a, dword ptr [rip + .La_poly]
        vbroadcastss b, dword ptr [rip + .Lb_poly]
        vbroadcastss c, dword ptr [rip + .Lc_poly]
        vbroadcastss d, dword ptr [rip + .Ld_poly]
        vbroadcastss s, dword ptr [rip + .Ls_poly]
        .endm

        .macro accept_poly
        vminps  waiting, waiting, most
        vmaxps  waiting, waiting, least
        exp2
        metropolis
        .endm

        .macro load_constants_heat_fast
        vbroadcastss most, dword ptr [rip + .Lmost_heat_fast]
        vbroadcastss least, dword ptr [rip + .Lleast_exponent_heat_fast]
        vpbroadcastd unit, dword ptr [rip + .Lunit_heat_fast]
        vbroadcastss range, dword ptr [rip + .Lrange_heat_fast]
        vpbroadcastd one, dword ptr [rip + .Llowest_bit_heat_fast]
        .endm

        // x e(-n) < (2^24 - x) e(n)
        .macro accept_heat_fast
        vminps  waiting, waiting, most
        vmaxps  waiting, waiting, least
        vcvtps2dq waiting, waiting
        odds    one, range
        vpsubd  e, unit, waiting
        vpaddd  waiting, unit, waiting
        vmulps  t, t, e
        vmulps  u, u, waiting
        vcmpltps accepted, t, u
        .endm

        .macro load_constants_heat_poly
        vbroadcastss most, dword ptr [rip + .Lmost_heat_poly]
        vbroadcastss least, dword ptr [rip + .Lleast_exponent_heat_poly]
        vbroadcastss a, dword ptr [rip + .La_heat_poly]
        vbroadcastss b, dword ptr [rip + .Lb_heat_poly]
        vbroadcastss c, dword ptr [rip + .Lc_heat_poly]
        vbroadcastss d, dword ptr [rip + .Ld_heat_poly]
        vbroadcastss s, dword ptr [rip + .Ls_heat_poly]
        vbroadcastss poly_range, dword ptr [rip + .Lrange_heat_poly]
        vpbroadcastd poly_one, dword ptr [rip + .Llowest_bit_heat_poly]
        .endm

        // x < (2^24 - x) 2^v
        .macro accept_heat_poly
        vminps  waiting, waiting, most
        vmaxps  waiting, waiting, least
        exp2
        odds    poly_one, poly_range
        vmulps  waiting, waiting, u
        vcmpltps accepted, t, waiting
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
        sweep   fast
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
        sweep   poly
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
        sweep   heat_fast
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
        sweep   heat_poly
END(hl_ising_sweep_heat_poly_f32_avx512)

        RODATA
        .balign 4
.Lsign_fast:
        .long   0x80000000
.Lfactor_fast:                          // -2^24 log2 e
        .float  -24204406
.Llargest_fast:                         // 2^126, and its negative
        .long   0x7e800000
.Lleast_fast:
        .long   0xfe800000
.Lmost_fast:
        .float  0
.Lunit_fast:                            // the bits of 1.82421875
        .long   0x3fe98000
.Lscale_fast:                           // 15/16 2^24 / 1.82421875
        .float  8622124
        .balign 4
.Lsign_poly:
        .long   0x80000000
.Lfactor_poly:                          // -2 log2 e
        .long   0xc038aa3b
.Llargest_poly:                         // 2^126, and its negative
        .long   0x7e800000
.Lleast_poly:
        .long   0xfe800000
.Lmost_poly:
        .float  0
.Lleast_exponent_poly:
        .float  -126
.La_poly:                               // the coefficients of the polynomial; s times 15/16 2^24
        .long   0x411fa717
.Lb_poly:
        .long   0x41fb8bd9
.Lc_poly:
        .long   0x3fc5280f
.Ld_poly:
        .long   0x4252c7df
.Ls_poly:
        .long   0x40b7558d
        .balign 4
.Lsign_heat_fast:
        .long   0x80000000
.Lfactor_heat_fast:                     // -2^23 log2 e
        .float  -12102203
.Llargest_heat_fast:                    // 2^126, and its negative
        .long   0x7e800000
.Lleast_heat_fast:
        .long   0xfe800000
.Lmost_heat_fast:                       // 2^27, and its negative: odds of 2^32
        .float  134217728
.Lleast_exponent_heat_fast:
        .float  -134217728
.Lunit_heat_fast:                       // the bits of 1.0
        .long   0x3f800000
.Lrange_heat_fast:                      // 2^24
        .float  16777216
.Llowest_bit_heat_fast:
        .long   1
        .balign 4
.Lsign_heat_poly:
        .long   0x80000000
.Lfactor_heat_poly:                     // -2 log2 e
        .long   0xc038aa3b
.Llargest_heat_poly:                    // 2^126, and its negative
        .long   0x7e800000
.Lleast_heat_poly:
        .long   0xfe800000
.Lmost_heat_poly:                       // 32, and its negative: odds of 2^32
        .float  32
.Lleast_exponent_heat_poly:
        .float  -32
.La_heat_poly:                          // the coefficients of the polynomial
        .long   0x411fa717
.Lb_heat_poly:
        .long   0x41fb8bd9
.Lc_heat_poly:
        .long   0x3fc5280f
.Ld_heat_poly:
        .long   0x4252c7df
.Ls_heat_poly:
        .long   0x34c38e74
.Lrange_heat_poly:                      // 2^24
        .float  16777216
.Llowest_bit_heat_poly:
        .long   1
