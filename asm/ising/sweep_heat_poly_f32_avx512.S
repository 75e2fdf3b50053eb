// Visits `count` sites of one group in order, acceptance by the heat bath of the polynomial exponential; neighbours are read.
//
//   void hl_ising_sweep_heat_poly_f32_avx512(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
//       uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links, xmm0 = beta_space, xmm1 = beta_tau,
//         [rsp+8] = random, [rsp+16] = flips     Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm17, zmm20, zmm21, k1     Stack  8 bytes
// Loop    1 site of 16 spins; 26 vector operations and 1 a link;
//         bound by loads, 6 and 3 a link, of which 1 has 64 bytes
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"

#define most        zmm9
#define least       zmm10
#define a           zmm11
#define b           zmm12
#define c           zmm13
#define d           zmm14
#define s           zmm15
#define range       zmm20
#define one         zmm21

#include "sweep_f32_avx512.h"

        .macro load_constants
        vbroadcastss most, dword ptr [rip + .Lmost]
        vbroadcastss least, dword ptr [rip + .Lleast_exponent]
        vbroadcastss a, dword ptr [rip + .La]
        vbroadcastss b, dword ptr [rip + .Lb]
        vbroadcastss c, dword ptr [rip + .Lc]
        vbroadcastss d, dword ptr [rip + .Ld]
        vbroadcastss s, dword ptr [rip + .Ls]
        vbroadcastss range, dword ptr [rip + .Lrange]
        vpbroadcastd one, dword ptr [rip + .Llowest_bit]
        .endm

        // x < (2^24 - x) 2^v
        .macro accept
        vminps  waiting, waiting, most
        vmaxps  waiting, waiting, least
        exp2
        odds
        vmulps  waiting, waiting, u
        vcmpltps accepted, t, waiting
        .endm

FUNC(hl_ising_sweep_heat_poly_f32_avx512)
        sweep
END(hl_ising_sweep_heat_poly_f32_avx512)

RODATA
        .balign 4
.Lsign:
        .long   0x80000000
.Lfactor:       // -2 log2 e
        .long   0xc038aa3b
.Llargest:      // 2^126, and its negative
        .long   0x7e800000
.Lleast:
        .long   0xfe800000
.Lmost:         // 32, and its negative: odds of 2^32
        .float  32
.Lleast_exponent:
        .float  -32
.La:            // the coefficients of the polynomial
        .long   0x411fa717
.Lb:
        .long   0x41fb8bd9
.Lc:
        .long   0x3fc5280f
.Ld:
        .long   0x4252c7df
.Ls:
        .long   0x34c38e74
.Lrange:        // 2^24
        .float  16777216
.Llowest_bit:
        .long   1
