// Visits `count` sites of one group in order, acceptance by the fast exponential; neighbours are read.
//
//   void hl_ising_sweep_fast_f32_avx2(float *spins, size_t first, size_t count, const float *below, const float *above,
//       const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links, xmm0 = beta_space, xmm1 = beta_tau,
//         [rsp+8] = random, [rsp+16] = flips     Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, ymm0..ymm15     Stack  8 bytes
// Loop    1 site of 16 spins; 28 vector operations and 2 a link;
//         bound by the registers of what is in flight: on Zen 3, at 6 links, 19 cycles, of loads 15
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"

#define most        ymm12
#define unit        ymm13
#define scale       ymm14

#include "sweep_f32_avx2.h"

        .macro load_constants
        vbroadcastss most, dword ptr [rip + .Lmost]
        vbroadcastss unit, dword ptr [rip + .Lunit]
        vbroadcastss scale, dword ptr [rip + .Lscale]
        .endm

        .macro weigh
        each    vminps  waiting, waiting, most
        each    vcvtps2dq waiting, waiting
        each    vpaddd  waiting, waiting, unit
        each    vmulps  waiting, waiting, scale
        .endm

        .macro accept h
        metropolis \h
        .endm

FUNC(hl_ising_sweep_fast_f32_avx2)
        sweep
END(hl_ising_sweep_fast_f32_avx2)

RODATA
        .balign 4
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
