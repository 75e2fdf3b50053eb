// Visits `count` sites of one group in order, acceptance by the fast exponential; neighbours are read.
//
//   void hl_ising_sweep_fast_f32_neon(float *spins, size_t first, size_t count, const float *below, const float *above,
//       const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = below, x4 = above, x5 = links, s0 = beta_space, s1 = beta_tau,
//         x6 = random, x7 = flips     Out  spins, flips
// Uses    x1..x6, x8..x11, v0..v31     Stack  64 bytes, for d8..d15
// Loop    1 site of 16 spins; 72 vector operations and 4 a link, which bound it
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"
#define FACTOR      0xcbb8aa3b      // -2^24 log2 e

#define most        v26.4s
#define unit        v27.4s
#define scale       v28.4s
#define small       v29.4s
#define slope       v30.4s
#define half        v31.4s

#include "sweep_f32_neon.h"

        .macro constants
        constant most, 0x4b000000       // 2^23: twice the probability 0.96
        constant unit, 0x3f800000       // the bits of 1.0
        constant scale, 0x4b75fdf0      // 2 ln(2)^2 * 2^24
        constant small, 0x48800000      // 2^18: 2^-5 ln 2, from where on the exponential is taken
        constant slope, 0x3eb17218      // ln(2) / 2
        constant half, 0x4b000000       // 2^23: the probability 1/2
        .endm

        .macro probability column
        fminnm  v18.4s, v1\column\().4s, most
        fcvtns  v18.4s, v18.4s
        add     v18.4s, v18.4s, unit
        fmul    v18.4s, v18.4s, scale
        .endm

        .macro accept column
        metropolis \column
        .endm

FUNC(hl_ising_sweep_fast_f32_neon)
        sweep
END(hl_ising_sweep_fast_f32_neon)
