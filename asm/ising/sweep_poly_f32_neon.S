// Visits `count` sites of one group in order, acceptance by the polynomial exponential; neighbours are read.
//
//   void hl_ising_sweep_poly_f32_neon(float *spins, size_t first, size_t count, const float *below, const float *above,
//       const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = below, x4 = above, x5 = links, s0 = beta_space, s1 = beta_tau,
//         x6 = random, x7 = flips     Out  spins, flips
// Uses    x1..x6, x8..x11, v0..v31     Stack  64 bytes, for d8..d15
// Loop    1 site of 16 spins; 120 vector operations and 4 a link, which bound it
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
#define small       v9.4s
#define slope       v14.4s
#define half        v15.4s

#include "sweep_f32_neon.h"

        .macro constants
        constant most, 0x3f800000       // 1: twice the probability 1
        constant least, 0xc2fc0000      // -126
        constant A, 0x411fa717          // the polynomial: see src/exp/scalar.rs; S times 2^24
        constant B, 0x41fb8bd9
        constant C, 0x3fc5280f
        constant D, 0x4252c7df
        constant S, 0x40c38e74
        constant small, 0x3d000000      // 2^-5, from where on the exponential is taken
        constant slope, 0x4a317218      // ln(2) 2^22
        constant half, 0x4b000000       // 2^23: the probability 1/2
        .endm

        .macro probability column
        fminnm  v1\column\().4s, v1\column\().4s, most
        fmax    v1\column\().4s, v1\column\().4s, least
        exp2    \column
        .endm

        .macro accept column
        metropolis \column
        .endm

FUNC(hl_ising_sweep_poly_f32_neon)
        sweep
END(hl_ising_sweep_poly_f32_neon)
