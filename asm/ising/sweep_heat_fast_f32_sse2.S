// Visits `count` sites of one group in order, acceptance by the heat bath of the fast exponential; neighbours are read.
//
//   void hl_ising_sweep_heat_fast_f32_sse2(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
//       uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links, xmm0 = beta_space, xmm1 = beta_tau,
//         [rsp+8] = random, [rsp+16] = flips     Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, xmm0..xmm13     Stack  none
// Loop    1 site of 16 spins; 92 vector operations and 9 a link;
//         bound by loads, 51 and 6 a link at two a cycle
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"
#include "sweep_f32_sse2.h"

        .macro weigh
        each    minps   sum, [rip + .Lmost]
        each    maxps   sum, [rip + .Lleast_exponent]
        each    cvtps2dq sum, sum
        .endm

        // x e(-n) < (2^24 - x) e(n)
        .macro accept c
        odds    \c
        movaps  J, [rip + .Lunit]
        psubd   J, sum
        paddd   sum, [rip + .Lunit]
        mulps   t, J
        mulps   u, sum
        cmpltps t, u
        .endm

FUNC(hl_ising_sweep_heat_fast_f32_sse2)
        sweep
END(hl_ising_sweep_heat_fast_f32_sse2)

RODATA
        .balign 16
        four    .Lmost, 0x4d000000      // 2^27, and its negative: odds of 2^32
        four    .Lleast_exponent, 0xcd000000
        four    .Lunit, 0x3f800000      // the bits of 1.0
        four    .Lrange, 0x4b800000     // 2^24
        four    .Llowest_bit, 1
.Lfactor:       // -2^23 log2 e
        .float  -12102203
.Llargest:      // 2^126, and its negative
        .long   0x7e800000
.Lleast:
        .long   0xfe800000
