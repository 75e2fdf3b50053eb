// Visits `count` sites of one group in order, acceptance by the heat bath of the fast exponential; neighbours are read.
//
//   void hl_ising_sweep_heat_fast_f32_neon(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau, const uint32_t *random,
//       uint32_t *flips);
//
// In      x0 = spins, x1 = first, x2 = count, x3 = below, x4 = above, x5 = links, s0 = beta_space, s1 = beta_tau,
//         x6 = random, x7 = flips     Out  spins, flips
// Uses    x1..x6, x8..x11, v0..v31     Stack  64 bytes, for d8..d15
// Loop    1 site of 16 spins; 84 vector operations and 4 a link, which bound it
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links, random[0..16 count]

#include "hl.h"
#define FACTOR      0xcb38aa3b      // -2^23 log2 e

#define most        v26.4s
#define least       v27.4s
#define unit        v28.4s
#define range       v29.4s

#include "sweep_f32_neon.h"

        .macro constants
        constant most, 0x4d000000       // 2^27, and its negative: odds of 2^32
        constant least, 0xcd000000
        constant unit, 0x3f800000       // the bits of 1.0
        constant range, 0x4b800000      // 2^24
        .endm

        .macro weigh
        each    fminnm waiting, waiting, most
        each    fmax waiting, waiting, least
        each    fcvtns waiting, waiting
        .endm

        .macro accept
        odd_numbers
        each    compare \c
        .endm

        // x e(-n) < (2^24 - x) e(n)
        .macro compare c
        fsub    v17.4s, range, t
        sub     v18.4s, unit, waiting
        add     v16.4s, unit, waiting
        fmul    t, t, v18.4s
        fmul    v17.4s, v17.4s, v16.4s
        fcmgt   t, v17.4s, t
        .endm

FUNC(hl_ising_sweep_heat_fast_f32_neon)
        sweep
END(hl_ising_sweep_heat_fast_f32_neon)
