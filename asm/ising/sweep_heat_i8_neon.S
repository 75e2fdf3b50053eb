// Visits up to `count` sites of one group of 64 layers in order, with exact acceptance by the heat bath, and returns how many.
//
//   size_t hl_ising_sweep_heat_i8_neon(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
//       const uint64_t *below, const uint64_t *above, const uint32_t *links, const uint16_t *thresholds,
//       const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      x0 = spins, x1 = bytes, x2 = sites, x3 = first, x4 = count, x5 = below, x6 = above, x7 = links,
//         [sp] = thresholds, [sp + 8] = random, [sp + 16] = live, [sp + 24] = flips     Out  x0 = visited; spins, bytes, flips
// Uses    x0..x17, v0..v31     Stack  144 bytes: d8..d15, first, 64 verdicts
// Loop    1 site of 64 spins; 236 vector operations and 5 a link, which bound it: at 4 links 64 cycles with four vector pipes
// Tail    none, a row is 64 spins; reads the words and rows of the sites and of their neighbours, the links, random[0..32 count]

#include "hl.h"
#include "sweep_i8_neon.h"

// With r for the random number, r is compared with (2^16 - r) exp(v), halves of both; the weight exp(v), the product of three
// factors in units of 2^-15, is 0 to 7 too low. Where v is positive, the opposite field and the opposite random number are
// compared, and the verdict is turned. The surplus is in doubt from -12 to 3.

#define low_lower   v24.16b
#define low_upper   v25.16b
#define high_lower  v26.16b
#define high_upper  v27.16b
#define tau_lower   v28.16b         // and from value 8 on the first k of each c
#define tau_upper   v29.16b
#define own_parity  v18.16b
#define two         v19.16b
#define fifteen     v20.16b
#define eight       v31.16b

        .macro verdicts m, n
        verdict \m
        verdict \n
        .endm

        .macro verdict n
        // c, and whether k is less than its first.
        tbl     v4.16b, {v8.16b}, v1\n\().16b
        tbl     v5.16b, {v9.16b}, v1\n\().16b
        cmtst   v4.16b, v4.16b, bits
        cmtst   v5.16b, v5.16b, bits
        add     v4.16b, v4.16b, v5.16b
        neg     v4.16b, v4.16b
        orr     v5.16b, v4.16b, eight
        tbl     v5.16b, {tau_lower}, v5.16b
        cmgt    v6.16b, v5.16b, v\n\().16b

        // There -k - parity and 2 - c; then d, of the first k of that c.
        eor     v7.16b, v\n\().16b, v6.16b
        and     v5.16b, v6.16b, own_parity
        sub     v7.16b, v7.16b, v6.16b
        sub     v7.16b, v7.16b, v5.16b
        eor     v4.16b, v4.16b, v6.16b
        and     v5.16b, v6.16b, two
        sub     v4.16b, v4.16b, v6.16b
        add     v4.16b, v4.16b, v5.16b
        orr     v5.16b, v4.16b, eight
        tbl     v5.16b, {tau_lower}, v5.16b
        sub     v7.16b, v7.16b, v5.16b

        // The weight.
        ushr    v5.16b, v7.16b, #4
        and     v7.16b, v7.16b, fifteen
        tbl     v14.16b, {low_lower}, v7.16b
        tbl     v15.16b, {low_upper}, v7.16b
        zip1    v22.16b, v14.16b, v15.16b
        zip2    v14.16b, v14.16b, v15.16b
        tbl     v15.16b, {high_lower}, v5.16b
        tbl     v5.16b, {high_upper}, v5.16b
        zip1    v23.16b, v15.16b, v5.16b
        zip2    v15.16b, v15.16b, v5.16b
        sqdmulh v22.8h, v22.8h, v23.8h
        sqdmulh v14.8h, v14.8h, v15.8h
        tbl     v15.16b, {tau_lower}, v4.16b
        tbl     v5.16b, {tau_upper}, v4.16b
        zip1    v23.16b, v15.16b, v5.16b
        zip2    v15.16b, v15.16b, v5.16b
        sqdmulh v22.8h, v22.8h, v23.8h
        sqdmulh v14.8h, v14.8h, v15.8h

        // The surplus: (2^15 - 1 - half of the random number) times the weight, less that half.
        ldr     q5, [random, #16 * \n]
        ldr     q15, [random, #16 * \n + 64]
        eor     v5.16b, v5.16b, v6.16b
        eor     v15.16b, v15.16b, v6.16b
        zip1    v23.16b, v15.16b, v5.16b
        zip2    v15.16b, v15.16b, v5.16b
        mvni    v5.8h, #0x80, lsl #8
        ushr    v23.8h, v23.8h, #1
        ushr    v15.8h, v15.8h, #1
        sub     v7.8h, v5.8h, v23.8h
        sub     v5.8h, v5.8h, v15.8h
        sqdmulh v22.8h, v22.8h, v7.8h
        sqdmulh v14.8h, v14.8h, v5.8h
        movi    v5.8h, #4
        sub     v22.8h, v22.8h, v23.8h
        sub     v14.8h, v14.8h, v15.8h
        sqadd   v22.8h, v22.8h, v5.8h
        sqadd   v14.8h, v14.8h, v5.8h
        sqrshrn v22.8b, v22.8h, #4
        sqrshrn2 v22.16b, v14.8h, #4
        sqneg   v\n\().16b, v22.16b
        bit     v\n\().16b, v22.16b, v6.16b
        .endm

        // The factors halved, of 16 bits, as planes of bytes.
        .macro factors
        ldp     q0, q1, [table, #768]           // LOW
        ldp     q2, q3, [table, #800]           // HIGH, 8 values
        ldp     q4, q5, [table, #832]           // TAU, FIRST
        ushr    v0.8h, v0.8h, #1
        ushr    v1.8h, v1.8h, #1
        ushr    v2.8h, v2.8h, #1
        ushr    v4.8h, v4.8h, #1
        uzp1    low_lower, v0.16b, v1.16b
        uzp2    low_upper, v0.16b, v1.16b
        uzp1    high_lower, v2.16b, v3.16b
        uzp2    high_upper, v2.16b, v3.16b
        uzp1    tau_lower, v4.16b, v5.16b
        uzp2    tau_upper, v4.16b, v5.16b
        mov     least, #0
        sub     w16, parity, #1
        dup     turn, w16
        dup     own_parity, parity
        movi    two, #2
        movi    fifteen, #15
        movi    eight, #8
        .endm

FUNC(hl_ising_sweep_heat_i8_neon)
        sweep
END(hl_ising_sweep_heat_i8_neon)
