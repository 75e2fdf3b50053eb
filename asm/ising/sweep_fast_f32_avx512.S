// Visits `count` sites of one group in order, acceptance by the fast exponential; neighbours are read.
//
//   void hl_ising_sweep_fast_f32_avx512(float *spins, size_t first, size_t count, const float *below, const float *above,
//       const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links, xmm0 = beta_space, xmm1 = beta_tau,
//         [rsp+8] = random, [rsp+16] = flips     Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm14, zmm18, zmm19, k1, k2     Stack  8 bytes
// Loop    1 site of 16 spins; 18 vector operations and 1 a link;
//         bound by loads, 6 and 3 a link, of which 1 has 64 bytes
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"

#define most        zmm9
#define unit        zmm10
#define scale       zmm11
#define small       zmm12
#define slope       zmm13
#define half        zmm14

#include "sweep_f32_avx512.h"

        .macro load_constants
        vbroadcastss most, dword ptr [rip + .Lmost]
        vpbroadcastd unit, dword ptr [rip + .Lunit]
        vbroadcastss scale, dword ptr [rip + .Lscale]
        vbroadcastss small, dword ptr [rip + .Lsmall]
        vbroadcastss slope, dword ptr [rip + .Lslope]
        vbroadcastss half, dword ptr [rip + .Lhalf]
        .endm

        .macro probability
        vminps  waiting, waiting, most
        vcvtps2dq waiting, waiting
        vpaddd  waiting, waiting, unit
        vmulps  waiting, waiting, scale
        .endm

        .macro accept
        metropolis
        .endm

FUNC(hl_ising_sweep_fast_f32_avx512)
        sweep
END(hl_ising_sweep_fast_f32_avx512)

RODATA
        .balign 4
.Lsign:
        .long   0x80000000
.Lfactor:       // -2^24 log2 e
        .float  -24204406
.Llargest:      // 2^126, and its negative
        .long   0x7e800000
.Lleast:
        .long   0xfe800000
.Lmost:         // 2^23: twice the probability 0.96
        .float  8388608
.Lunit:         // the bits of 1.0
        .long   0x3f800000
.Lscale:        // 2 ln(2)^2 * 2^24
        .float  16121328
.Lsmall:        // 2^18: 2^-5 ln 2, from where on the exponential is taken
        .float  262144
.Lslope:        // ln(2) / 2
        .long   0x3eb17218
.Lhalf:         // 2^23: the probability 1/2
        .float  8388608
