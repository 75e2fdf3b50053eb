// Visits up to `count` sites of one group of 64 layers in order, with exact acceptance, and returns how many.
//
//   size_t hl_ising_sweep_i8_neon(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
//       const uint64_t *below, const uint64_t *above, const uint32_t *links, const uint16_t *thresholds,
//       const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      x0 = spins, x1 = bytes, x2 = sites, x3 = first, x4 = count, x5 = below, x6 = above, x7 = links,
//         [sp] = thresholds, [sp + 8] = random, [sp + 16] = live, [sp + 24] = flips     Out  x0 = visited; spins, bytes, flips
// Uses    x0..x17, v0..v31     Stack  144 bytes: d8..d15, first, 64 verdicts
// Loop    1 site of 64 spins; 148 vector operations and 5 a link, which bound it: at 4 links 42 cycles with four vector pipes, 84
//         with two. Not measured: modelled by llvm-mca it takes 55 on Neoverse V1, 47 on V2, 95 on N1
// Tail    none, a row is 64 spins; reads the words and rows of the sites and of their neighbours, the links, random[0..32 count]

#include "hl.h"
#include "sweep_i8_neon.h"

// With d = k - FIRST[c] the probability of a flip is t = -low[d % 32] high[c, d / 32] in units of 2^-15; `high` is negative, and -1
// where d is. The factors are rounded such that t less half the threshold is -3 to 4. Where half the random number less t is -4
// to 3, which narrows to 0, a lane is in doubt, and decided with the threshold itself: so it is in one site of 64.

// Two vectors at once, from k - FIRST[0].
        .macro verdicts m, n
        // d, and an index of `high`: the bits `any`, `both`, and the upper three of d.
        tbl     v4.16b, {v8.16b}, v1\m\().16b
        tbl     v14.16b, {v8.16b}, v1\n\().16b
        tbl     v5.16b, {v9.16b}, v1\m\().16b
        tbl     v15.16b, {v9.16b}, v1\n\().16b
        cmtst   v4.16b, v4.16b, bits
        cmtst   v14.16b, v14.16b, bits
        cmtst   v5.16b, v5.16b, bits
        cmtst   v15.16b, v15.16b, bits
        mla     v\m\().16b, v4.16b, step
        mla     v\n\().16b, v14.16b, step
        sri     v4.16b, v5.16b, #1
        sri     v14.16b, v15.16b, #1
        mla     v\m\().16b, v5.16b, rise
        mla     v\n\().16b, v15.16b, rise
        sri     v4.16b, v\m\().16b, #2
        sri     v14.16b, v\n\().16b, #2
        smax    v\m\().16b, v\m\().16b, zero
        smax    v\n\().16b, v\n\().16b, zero
        ushr    v4.16b, v4.16b, #3
        ushr    v14.16b, v14.16b, #3
        and     v\m\().16b, v\m\().16b, most
        and     v\n\().16b, v\n\().16b, most
        tbl     v5.16b, {v28.16b, v29.16b}, v4.16b
        tbl     v15.16b, {v28.16b, v29.16b}, v14.16b
        tbl     v4.16b, {v30.16b, v31.16b}, v4.16b
        tbl     v14.16b, {v30.16b, v31.16b}, v14.16b
        tbl     v6.16b, {v24.16b, v25.16b}, v\m\().16b
        tbl     v22.16b, {v24.16b, v25.16b}, v\n\().16b
        tbl     v\m\().16b, {v26.16b, v27.16b}, v\m\().16b
        tbl     v\n\().16b, {v26.16b, v27.16b}, v\n\().16b
        zip1    v7.16b, v5.16b, v4.16b
        zip1    v23.16b, v15.16b, v14.16b
        zip2    v4.16b, v5.16b, v4.16b
        zip2    v14.16b, v15.16b, v14.16b
        zip1    v5.16b, v6.16b, v\m\().16b
        zip1    v15.16b, v22.16b, v\n\().16b
        zip2    v\m\().16b, v6.16b, v\m\().16b
        zip2    v\n\().16b, v22.16b, v\n\().16b
        sqdmulh v7.8h, v7.8h, v5.8h
        sqdmulh v23.8h, v23.8h, v15.8h
        sqdmulh v4.8h, v4.8h, v\m\().8h
        sqdmulh v14.8h, v14.8h, v\n\().8h

        // Negative where the random number is less, positive where it is not, 0 in doubt.
        ldr     q5, [random, #16 * \m]
        ldr     q15, [random, #16 * \n]
        ldr     q6, [random, #16 * \m + 64]
        ldr     q22, [random, #16 * \n + 64]
        zip1    v\m\().16b, v6.16b, v5.16b
        zip1    v\n\().16b, v22.16b, v15.16b
        zip2    v5.16b, v6.16b, v5.16b
        zip2    v15.16b, v22.16b, v15.16b
        usra    v7.8h, v\m\().8h, #1
        usra    v23.8h, v\n\().8h, #1
        usra    v4.8h, v5.8h, #1
        usra    v14.8h, v15.8h, #1
        sqrshrn v\m\().8b, v7.8h, #3
        sqrshrn v\n\().8b, v23.8h, #3
        sqrshrn2 v\m\().16b, v4.8h, #3
        sqrshrn2 v\n\().16b, v14.8h, #3
        .endm

        // The factors, of 16 bits, as planes of bytes.
        .macro factors
        ldp     q0, q1, [table, #768]           // LOW
        ldp     q2, q3, [table, #800]           // HIGH
        ldr     q4, [table, #832]               // TAU
        ushr    v0.8h, v0.8h, #1
        ushr    v1.8h, v1.8h, #1
        ushr    v2.8h, v2.8h, #1
        sqrdmulh v5.8h, v0.8h, v2.h[1]
        sqrdmulh v6.8h, v1.8h, v2.h[1]
        uzp1    v24.16b, v0.16b, v1.16b
        uzp1    v25.16b, v5.16b, v6.16b
        uzp2    v26.16b, v0.16b, v1.16b
        uzp2    v27.16b, v5.16b, v6.16b

        // high[c] is four products and, for negative d, four times -1; the lower half of the planes is for c = 0.
        uzp1    v3.8h, v2.8h, v3.8h
        mvni    v5.8h, #1
        sqsub   v4.8h, v5.8h, v4.8h             // -2 - TAU
        movi    v5.8h, #0x80, lsl #8
        zip1    v5.2d, v21.2d, v5.2d
        sqrdmulh v0.8h, v3.8h, v4.h[0]
        sqrdmulh v1.8h, v3.8h, v4.h[1]
        sqrdmulh v2.8h, v3.8h, v4.h[2]
        orr     v0.16b, v0.16b, v5.16b
        orr     v1.16b, v1.16b, v5.16b
        orr     v2.16b, v2.16b, v5.16b
        uzp1    v28.16b, v0.16b, v0.16b
        uzp1    v29.16b, v1.16b, v2.16b
        uzp2    v30.16b, v0.16b, v0.16b
        uzp2    v31.16b, v1.16b, v2.16b

        // k - FIRST[0] = -(v - FIRST[0]) - parity - 2 FIRST[0] where the spin is turned, of which `eor` subtracts 1.
        ldrb    least, [table, #848]            // FIRST
        ldrb    w11, [table, #850]
        ldrb    w12, [table, #852]
        sub     w16, parity, #1
        add     w16, w16, least, lsl #1
        dup     turn, w16
        sub     w16, w11, least
        dup     step, w16
        sub     w16, w12, w11
        dup     rise, w16
        .endm

FUNC(hl_ising_sweep_i8_neon)
        sweep
END(hl_ising_sweep_i8_neon)
