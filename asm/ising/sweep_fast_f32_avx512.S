// Visits `count` sites of one group in order, acceptance by the fast exponential; neighbours are read.
//
//   void hl_ising_sweep_fast_f32_avx512(float *spins, size_t first, size_t count, const float *below, const float *above,
//       const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links, xmm0 = beta_space, xmm1 = beta_tau,
//         [rsp+8] = random, [rsp+16] = flips     Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm11, k1     Stack  8 bytes
// Loop    1 site of 16 spins; 13 vector operations and 1 a link;
//         bound by loads, 6 and 3 a link, of which 1 has 64 bytes
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"

#define most        zmm9
#define unit        zmm10
#define scale       zmm11

#include "sweep_f32_avx512.h"

        .macro load_constants
        vbroadcastss most, dword ptr [rip + .Lmost]
        vpbroadcastd unit, dword ptr [rip + .Lunit]
        vbroadcastss scale, dword ptr [rip + .Lscale]
        .endm

        .macro accept
        vminps  waiting, waiting, most
        vcvtps2dq waiting, waiting
        vpaddd  waiting, waiting, unit
        vmulps  waiting, waiting, scale
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
.Lmost:
        .float  0
.Lunit:         // the bits of 1.82421875
        .long   0x3fe98000
.Lscale:        // 15/16 2^24, divided by it
        .float  8622124
