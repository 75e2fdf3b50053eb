// Visits `count` sites of one group in order, acceptance by the polynomial exponential; neighbours are read.
//
//   void hl_ising_sweep_poly_f32_neon(float *spins, size_t first, size_t count, const float *below, const float *above,
//       const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = below, x4 = above, x5 = links, s0 = beta_space, s1 = beta_tau,
//         x6 = random, x7 = flips     Out  spins, flips
// Uses    x1..x6, x8..x11, v0..v31     Stack  64 bytes, for d8..d15
// Loop    1 site of 16 spins; 104 vector operations and 4 a link, which bound it
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"
#define FACTOR      0xc038aa3b      // -2 log2 e

#define most        v26.4s
#define least       v27.4s
#define A           v28.4s
#define B           v29.4s
#define C           v30.4s
#define D           v31.4s
#define S           v8.4s

#include "sweep_f32_neon.h"

        .macro constants
        constant most, 0
        constant least, 0xc2fc0000      // -126
        constant A, 0x411fa717          // the polynomial: see src/exp/scalar.rs; S times 15/16 2^24
        constant B, 0x41fb8bd9
        constant C, 0x3fc5280f
        constant D, 0x4252c7df
        constant S, 0x40b7558d
        .endm

        .macro weigh
        each    fminnm waiting, waiting, most
        each    fmax waiting, waiting, least
        each    exp2 \c
        .endm

        .macro accept
        metropolis
        .endm

FUNC(hl_ising_sweep_poly_f32_neon)
        sweep
END(hl_ising_sweep_poly_f32_neon)
