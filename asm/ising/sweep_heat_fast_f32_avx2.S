// Visits `count` sites of one group in order, acceptance by the heat bath of the fast exponential; neighbours are read.
//
//   void hl_ising_sweep_heat_fast_f32_avx2(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
//       uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links, xmm0 = beta_space, xmm1 = beta_tau,
//         [rsp+8] = random, [rsp+16] = flips     Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, ymm0..ymm15     Stack  8 bytes
// Loop    1 site of 16 spins; 40 vector operations and 2 a link;
//         bound by the registers of what is in flight
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"

#define e           ymm5
#define most        ymm12
#define least       ymm13
#define unit        ymm14
#define range       ymm15

#include "sweep_f32_avx2.h"

        .macro load_constants
        vbroadcastss most, dword ptr [rip + .Lmost]
        vbroadcastss least, dword ptr [rip + .Lleast_exponent]
        vbroadcastss unit, dword ptr [rip + .Lunit]
        vbroadcastss range, dword ptr [rip + .Lrange]
        .endm

        .macro weigh
        each    vminps  waiting, waiting, most
        each    vmaxps  waiting, waiting, least
        each    vcvtps2dq waiting, waiting
        .endm

        // x e(-n) < (2^24 - x) e(n), x an odd number below 2^24
        .macro accept h
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
        .endm

FUNC(hl_ising_sweep_heat_fast_f32_avx2)
        sweep
END(hl_ising_sweep_heat_fast_f32_avx2)

RODATA
        .balign 32
        eight   .Llowest_bit, 1
.Lfactor:       // -2^23 log2 e
        .float  -12102203
.Llargest:      // 2^126, and its negative
        .long   0x7e800000
.Lleast:
        .long   0xfe800000
.Lmost:         // 2^27, and its negative: odds of 2^32
        .float  134217728
.Lleast_exponent:
        .float  -134217728
.Lunit:         // the bits of 1.0
        .long   0x3f800000
.Lrange:        // 2^24
        .float  16777216
