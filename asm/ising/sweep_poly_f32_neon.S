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
#include "sweep_f32_neon.h"

#define most        v26.4s
#define least       v27.4s
#define A           v28.4s
#define B           v29.4s
#define C           v30.4s
#define D           v31.4s
#define S           v8.4s

#define power       v16.4s
#define f           v17.4s
#define p           v18.4s
#define q           v19.4s

        .macro constants
        constant most, 0x3f800000       // 1: twice the probability 1
        constant least, 0xc2fc0000      // -126
        constant A, 0x411fa717          // the polynomial: see src/exp/scalar.rs; S times 2^24
        constant B, 0x41fb8bd9
        constant C, 0x3fc5280f
        constant D, 0x4252c7df
        constant S, 0x40c38e74
        .endm

        // 2^v as s ((f + a) f + b)^2 ((f + c) f + d)^2 times the power of two at the nearest integer; f is the rest.
        .macro probability
        each    fminnm waiting, waiting, most
        each    fmax waiting, waiting, least
        each    exp2 \c
        .endm

        .macro exp2 c
        fcvtns  power, waiting
        scvtf   f, power
        fsub    f, waiting, f
        fadd    p, f, A
        fadd    q, f, C
        fmul    p, p, f
        fmul    q, q, f
        fadd    p, p, B
        fadd    q, q, D
        fmul    p, p, q
        fmul    p, p, p
        fmul    p, p, S
        shl     power, power, #23
        add     waiting, p, power
        .endm

FUNC(hl_ising_sweep_poly_f32_neon)
        sweep
END(hl_ising_sweep_poly_f32_neon)
