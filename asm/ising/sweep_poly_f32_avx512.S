// Visits `count` sites of one group in order, acceptance by the polynomial exponential; neighbours are read.
//
//   void hl_ising_sweep_poly_f32_avx512(float *spins, size_t first, size_t count, const float *below, const float *above,
//       const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links, xmm0 = beta_space, xmm1 = beta_tau,
//         [rsp+8] = random, [rsp+16] = flips     Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm17, k1     Stack  8 bytes
// Loop    1 site of 16 spins; 23 vector operations and 1 a link;
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

#include "sweep_f32_avx512.h"

        .macro load_constants
        vbroadcastss most, dword ptr [rip + .Lmost]
        vbroadcastss least, dword ptr [rip + .Lleast_exponent]
        vbroadcastss a, dword ptr [rip + .La]
        vbroadcastss b, dword ptr [rip + .Lb]
        vbroadcastss c, dword ptr [rip + .Lc]
        vbroadcastss d, dword ptr [rip + .Ld]
        vbroadcastss s, dword ptr [rip + .Ls]
        .endm

        .macro accept
        vminps  waiting, waiting, most
        vmaxps  waiting, waiting, least
        exp2
        metropolis
        .endm

FUNC(hl_ising_sweep_poly_f32_avx512)
        sweep
END(hl_ising_sweep_poly_f32_avx512)

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
.Lmost:
        .float  0
.Lleast_exponent:
        .float  -126
.La:            // the coefficients of the polynomial; s times 15/16 2^24
        .long   0x411fa717
.Lb:
        .long   0x41fb8bd9
.Lc:
        .long   0x3fc5280f
.Ld:
        .long   0x4252c7df
.Ls:
        .long   0x40b7558d
