// Visits `count` sites of one group in order, acceptance by the heat bath of the fast exponential; neighbours are read.
//
//   void hl_ising_sweep_heat_fast_f32_avx512(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
//       uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links, xmm0 = beta_space, xmm1 = beta_tau,
//         [rsp+8] = random, [rsp+16] = flips     Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm13, zmm16, zmm17, k1     Stack  8 bytes
// Loop    1 site of 16 spins; 19 vector operations and 1 a link;
//         bound by loads, 6 and 3 a link, of which 1 has 64 bytes
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"

#define most        zmm9
#define least       zmm10
#define unit        zmm11
#define range       zmm12
#define one         zmm13
#define e           zmm16

#include "sweep_f32_avx512.h"

        .macro load_constants
        vbroadcastss most, dword ptr [rip + .Lmost]
        vbroadcastss least, dword ptr [rip + .Lleast_exponent]
        vpbroadcastd unit, dword ptr [rip + .Lunit]
        vbroadcastss range, dword ptr [rip + .Lrange]
        vpbroadcastd one, dword ptr [rip + .Llowest_bit]
        .endm

        // x e(-n) < (2^24 - x) e(n)
        .macro accept
        vminps  waiting, waiting, most
        vmaxps  waiting, waiting, least
        vcvtps2dq waiting, waiting
        odds
        vpsubd  e, unit, waiting
        vpaddd  waiting, unit, waiting
        vmulps  t, t, e
        vmulps  u, u, waiting
        vcmpltps accepted, t, u
        .endm

FUNC(hl_ising_sweep_heat_fast_f32_avx512)
        sweep
END(hl_ising_sweep_heat_fast_f32_avx512)

RODATA
        .balign 4
.Lsign:
        .long   0x80000000
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
.Llowest_bit:
        .long   1
