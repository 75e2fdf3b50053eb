// Visits `count` sites of one group in order, acceptance by the fast exponential; neighbours are read.
//
//   void hl_ising_sweep_fast_f32_sse2(float *spins, size_t first, size_t count, const float *below, const float *above,
//       const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links, xmm0 = beta_space, xmm1 = beta_tau,
//         [rsp+8] = random, [rsp+16] = flips     Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, xmm0..xmm8, xmm10..xmm13     Stack  none
// Loop    1 site of 16 spins; 60 vector operations and 9 a link;
//         bound by loads, 35 and 6 a link at two a cycle
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"
#include "sweep_f32_sse2.h"

        .macro weigh
        each    minps   sum, [rip + .Lmost]
        each    cvtps2dq sum, sum
        each    paddd   sum, [rip + .Lunit]
        each    mulps   sum, [rip + .Lscale]
        .endm

        .macro accept c
        metropolis \c
        .endm

FUNC(hl_ising_sweep_fast_f32_sse2)
        sweep
END(hl_ising_sweep_fast_f32_sse2)

RODATA
        .balign 16
        four    .Lmost, 0
        four    .Lunit, 0x3fe98000      // the bits of 1.82421875
        four    .Lscale, 0x4b03902c     // 15/16 2^24, divided by it
.Lfactor:       // -2^24 log2 e
        .float  -24204406
.Llargest:      // 2^126, and its negative
        .long   0x7e800000
.Lleast:
        .long   0xfe800000
