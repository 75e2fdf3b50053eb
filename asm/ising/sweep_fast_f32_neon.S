// Visits `count` sites of one group in order, acceptance by the fast exponential; neighbours are read.
//
//   void hl_ising_sweep_fast_f32_neon(float *spins, size_t first, size_t count, const float *below, const float *above,
//       const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = below, x4 = above, x5 = links, s0 = beta_space, s1 = beta_tau,
//         x6 = random, x7 = flips     Out  spins, flips
// Uses    x1..x6, x8..x11, v0..v31     Stack  64 bytes, for d8..d15
// Loop    1 site of 16 spins; 56 vector operations and 4 a link, which bound it
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"
#define FACTOR      0xcbb8aa3b      // -2^24 log2 e

#define most        v26.4s
#define unit        v27.4s
#define scale       v28.4s

#include "sweep_f32_neon.h"

        .macro constants
        constant most, 0
        constant unit, 0x3fe98000       // the bits of 1.82421875
        constant scale, 0x4b03902c      // 15/16 2^24, divided by it
        .endm

        .macro weigh
        each    fminnm waiting, waiting, most
        each    fcvtns waiting, waiting
        each    add waiting, waiting, unit
        each    fmul waiting, waiting, scale
        .endm

        .macro accept
        metropolis
        .endm

FUNC(hl_ising_sweep_fast_f32_neon)
        sweep
END(hl_ising_sweep_fast_f32_neon)
