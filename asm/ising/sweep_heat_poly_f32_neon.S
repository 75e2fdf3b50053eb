// Visits `count` sites of one group in order, acceptance by the heat bath of the polynomial exponential; neighbours are read.
//
//   void hl_ising_sweep_heat_poly_f32_neon(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
//       uint32_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = below, x4 = above, x5 = links, s0 = beta_space, s1 = beta_tau,
//         x6 = random, x7 = flips     Out  spins, flips
// Uses    x1..x6, x8..x11, v0..v31     Stack  64 bytes, for d8..d15
// Loop    1 site of 16 spins; 124 vector operations and 4 a link, which bound it
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
#define range       v9.4s

#include "sweep_f32_neon.h"

        .macro constants
        constant most, 0x42000000       // 32, and its negative: odds of 2^32
        constant least, 0xc2000000
        constant A, 0x411fa717          // the polynomial
        constant B, 0x41fb8bd9
        constant C, 0x3fc5280f
        constant D, 0x4252c7df
        constant S, 0x34c38e74
        constant range, 0x4b800000      // 2^24
        .endm

        .macro weigh
        each    fminnm waiting, waiting, most
        each    fmax waiting, waiting, least
        each    exp2 \c
        .endm

        .macro accept
        odd_numbers
        each    compare \c
        .endm

        // x < (2^24 - x) 2^v
        .macro compare c
        fsub    v17.4s, range, t
        fmul    v17.4s, v17.4s, waiting
        fcmgt   t, v17.4s, t
        .endm

FUNC(hl_ising_sweep_heat_poly_f32_neon)
        sweep
END(hl_ising_sweep_heat_poly_f32_neon)
