// Visits `count` sites of one group in order, acceptance by the heat bath of the polynomial exponential; neighbours are read.
//
//   void hl_ising_sweep_heat_poly_f32_avx2(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
//       uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links, xmm0 = beta_space, xmm1 = beta_tau,
//         [rsp+8] = random, [rsp+16] = flips     Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, ymm0..ymm15     Stack  8 bytes
// Loop    1 site of 16 spins; 58 vector operations and 2 a link;
//         bound by the registers of what is in flight
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"

#define a           ymm12
#define b           ymm13
#define c           ymm14
#define d           ymm15

#include "sweep_f32_avx2.h"

        .macro load_constants
        vbroadcastss a, dword ptr [rip + .La]
        vbroadcastss b, dword ptr [rip + .Lb]
        vbroadcastss c, dword ptr [rip + .Lc]
        vbroadcastss d, dword ptr [rip + .Ld]
        .endm

        .macro weigh
        each    vminps  waiting, waiting, [rip + .Lmost]
        each    vmaxps  waiting, waiting, [rip + .Lleast_exponent]
        each    exp2    \h
        .endm

        // x < (2^24 - x) 2^v, x an odd number below 2^24
        .macro accept h
        vmovdqu u, [random + index + 32 * \h]
        vpsrld  u, u, 8
        vpor    u, u, [rip + .Llowest_bit]
        vcvtdq2ps u, u
        vmovaps J, [rip + .Lrange]
        vsubps  J, J, u
        vmulps  t, waiting, J
        vcmpltps t, u, t
        .endm

FUNC(hl_ising_sweep_heat_poly_f32_avx2)
        sweep
END(hl_ising_sweep_heat_poly_f32_avx2)

RODATA
        .balign 32
        eight   .Lmost, 0x42000000      // 32, and its negative: odds of 2^32
        eight   .Lleast_exponent, 0xc2000000
        eight   .Ls, 0x34c38e74         // of the polynomial
        eight   .Lrange, 0x4b800000     // 2^24
        eight   .Llowest_bit, 1
.La:            // the coefficients of the polynomial
        .long   0x411fa717
.Lb:
        .long   0x41fb8bd9
.Lc:
        .long   0x3fc5280f
.Ld:
        .long   0x4252c7df
.Lfactor:       // -2 log2 e
        .long   0xc038aa3b
.Llargest:      // 2^126, and its negative
        .long   0x7e800000
.Lleast:
        .long   0xfe800000
