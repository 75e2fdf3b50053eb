// Bounds and levels of acceptance from random numbers, with AVX2.

#include "hl.h"

#define random      rdi
#define bounds      rsi
#define scales      rsi
#define levels      rdx
#define doubt       rax
#define left        ecx

#define scale       ymm0
#define margin      ymm1

        // The logarithm of ymm3 in parts: the exponent ymm4 and the rest ymm5.
        .macro logarithm
        vpaddd  ymm4, ymm3, [rip + .Lshift]
        vpand   ymm6, ymm4, [rip + .Lmantissa]
        vpsrld  ymm4, ymm4, 23
        vpaddd  ymm6, ymm6, [rip + .Lhalf]
        vcvtdq2ps ymm4, ymm4
        vsubps  ymm6, ymm6, [rip + .Lunit]
        vmulps  ymm5, ymm6, [rip + .Lc6]
        .irp    term, c5, c4, c3, c2, c1
        vaddps  ymm5, ymm5, [rip + .L\term]
        vmulps  ymm5, ymm5, ymm6
        .endr
        vaddps  ymm5, ymm5, [rip + .Lc0]
        vmulps  ymm5, ymm5, ymm6
        .endm

        // From the number x, an integer in ymm2 and a float in ymm3: the logarithm ymm4, and the
        // distance ymm2 to the next end of the interval.
        .macro odds_metropolis
        vmovaps ymm2, ymm3
        logarithm
        vmovaps ymm6, [rip + .Lexponent_metropolis]
        vsubps  ymm4, ymm6, ymm4
        vmulps  ymm4, ymm4, [rip + .Lln2]
        vsubps  ymm4, ymm4, ymm5
        .endm
        .macro odds_heat
        vmovdqa ymm4, [rip + .Ltop]
        vpsubd  ymm4, ymm4, ymm2
        vcvtdq2ps ymm4, ymm4
        vminps  ymm2, ymm3, ymm4
        vdivps  ymm3, ymm4, ymm3
        logarithm
        vsubps  ymm4, ymm4, [rip + .Lexponent_heat]
        vmulps  ymm4, ymm4, [rip + .Lln2]
        vaddps  ymm4, ymm4, ymm5
        .endm

        // The logarithm ymm4 of 8 numbers, and their distance ymm2 to the next end.
        .macro draw rule, at
        vmovdqu ymm2, [random + \at]
        vpsrld  ymm2, ymm2, 1
        vpor    ymm2, ymm2, [rip + .Lone]
        vcvtdq2ps ymm3, ymm2
        odds_\rule
        .endm

        // Rounds ymm4 down: the nearest integer, which is also in ymm5, less 1 where that is above.
        .macro round_down result
        vcvtps2dq \result, ymm4
        vcvtdq2ps ymm5, \result
        vcmpltps ymm6, ymm4, ymm5
        vpaddd  \result, \result, ymm6
        .endm

        // The bounds of 8 numbers, and their doubts in the upper byte of `doubt`.
        .macro eight rule, at, result
        draw    \rule, \at
        vmulps  ymm4, ymm4, scale
        vminps  ymm4, ymm4, [rip + .Llargest]
        vmaxps  ymm4, ymm4, [rip + .Lsmallest_\rule]
        round_down \result

        // In doubt are numbers near the ends, and values near an integer.
        vsubps  ymm5, ymm4, ymm5
        vandps  ymm4, ymm4, [rip + .Lmagnitude]
        vandps  ymm5, ymm5, [rip + .Lmagnitude]
        vmulps  ymm4, ymm4, [rip + .Lrelative]
        vaddps  ymm4, ymm4, margin
        vcmpltps ymm2, ymm2, [rip + .Ledge]
        vcmpleps ymm5, ymm5, ymm4
        vorps   ymm2, ymm2, ymm5
        vmovmskps edx, ymm2
        shl     rdx, 56
        shr     doubt, 8
        or      doubt, rdx
        .endm

        .macro bounds rule
        vbroadcastss scale, xmm0
        vbroadcastss margin, xmm1
        xor     eax, eax
        mov     left, 4
.Lloop_\rule:
        eight   \rule, 0, ymm7
        eight   \rule, 32, ymm8
        vpackssdw ymm7, ymm7, ymm8
        vpermq  ymm7, ymm7, 0xd8
        vmovdqu [bounds], ymm7
        add     random, 64
        add     bounds, 32
        dec     left
        jnz     .Lloop_\rule
        vzeroupper
        ret
        .endm

        .macro levels_of rule
        mov     left, 8
.Lnext_\rule:
        draw    \rule, 0
        vmulps  ymm4, ymm4, [scales]
        vminps  ymm4, ymm4, [rip + .Llargest_level]
        vmaxps  ymm4, ymm4, [rip + .Lsmallest_level_\rule]
        round_down ymm7
        vmovdqu [levels], ymm7
        add     random, 32
        add     scales, 32
        add     levels, 32
        dec     left
        jnz     .Lnext_\rule
        vzeroupper
        ret
        .endm

// Computes the bounds of 64 random numbers for Metropolis flips, and returns which of them are in
// doubt, a bit for each.
//
//   uint64_t hl_ising_dense_bounds_avx2(const uint32_t *random, float scale, float margin,
//       int16_t *bounds);
//
// In      rdi = random, xmm0 = scale, xmm1 = margin, rsi = bounds     Out  rax
// Uses    rax, rcx, rdx, rsi, rdi, ymm0..ymm8     Stack  none
// Loop    16 numbers: 2 vectors of 42 operations (heat bath: 45); bound by issue
// Tail    none; reads random[0..64], writes bounds[0..64]
FUNC(hl_ising_dense_bounds_avx2)
        bounds  metropolis
END(hl_ising_dense_bounds_avx2)

// dense_bounds for the heat bath.
//
//   uint64_t hl_ising_dense_heat_bounds_avx2(const uint32_t *random, float scale, float margin,
//       int16_t *bounds);
//
// In      rdi = random, xmm0 = scale, xmm1 = margin, rsi = bounds     Out  rax
// Uses    rax, rcx, rdx, rsi, rdi, ymm0..ymm8     Stack  none
// Loop    16 numbers: 2 vectors of 42 operations (heat bath: 45); bound by issue
// Tail    none; reads random[0..64], writes bounds[0..64]
FUNC(hl_ising_dense_heat_bounds_avx2)
        bounds  heat
END(hl_ising_dense_heat_bounds_avx2)

// Computes the levels of 64 random numbers for Metropolis flips, in 32 bits.
//
//   void hl_ising_dense_levels_avx2(const uint32_t *random, const float *scales, int32_t *levels);
//
// In      rdi = random, rsi = scales, rdx = levels     Out  levels[0..64]
// Uses    rcx, rdx, rsi, rdi, ymm2..ymm7     Stack  none
// Loop    8 numbers: 34 operations; bound by issue
// Tail    none; reads random[0..64] and scales[0..64], writes levels[0..64]
FUNC(hl_ising_dense_levels_avx2)
        levels_of metropolis
END(hl_ising_dense_levels_avx2)

// dense_levels for the heat bath.
//
//   void hl_ising_dense_heat_levels_avx2(const uint32_t *random, const float *scales, int32_t *levels);
//
// In      rdi = random, rsi = scales, rdx = levels     Out  levels[0..64]
// Uses    rcx, rdx, rsi, rdi, ymm2..ymm7     Stack  none
// Loop    8 numbers: 37 operations; bound by issue
// Tail    none; reads random[0..64] and scales[0..64], writes levels[0..64]
FUNC(hl_ising_dense_heat_levels_avx2)
        levels_of heat
END(hl_ising_dense_heat_levels_avx2)

        RODATA
        .balign 32
.Lone:                                  // the lowest bit
        .rept   8
        .long   1
        .endr
.Ltop:                                  // 2^31
        .rept   8
        .long   0x80000000
        .endr
.Lshift:                                // 64 in the exponent, minus the bits of sqrt(1/2)
        .rept   8
        .long   0xe0cafb0d
        .endr
.Lmantissa:
        .rept   8
        .long   0x7fffff
        .endr
.Lhalf:                                 // the bits of sqrt(1/2)
        .rept   8
        .long   0x3f3504f3
        .endr
.Lunit:                                 // 1.0
        .rept   8
        .long   0x3f800000
        .endr
.Lc6:                                   // coefficients of ln(1 + t) / t
        .rept   8
        .long   0x3df239cb
        .endr
.Lc5:
        .rept   8
        .long   0xbe418e68
        .endr
.Lc4:
        .rept   8
        .long   0x3e52fdf3
        .endr
.Lc3:
        .rept   8
        .long   0xbe7ec8f0
        .endr
.Lc2:
        .rept   8
        .long   0x3eaa834c
        .endr
.Lc1:
        .rept   8
        .long   0xbf00014a
        .endr
.Lc0:
        .rept   8
        .long   0x3f80001b
        .endr
.Lexponent_metropolis:                  // 95.0
        .rept   8
        .long   0x42be0000
        .endr
.Lexponent_heat:                        // 64.0
        .rept   8
        .long   0x42800000
        .endr
.Lln2:
        .rept   8
        .long   0x3f317218
        .endr
.Llargest:                              // 32767.25
        .rept   8
        .long   0x46fffe80
        .endr
.Lsmallest_metropolis:                  // 0.25
.Lsmallest_level_metropolis:
        .rept   8
        .long   0x3e800000
        .endr
.Lsmallest_heat:                        // -32767.75
        .rept   8
        .long   0xc6ffff80
        .endr
.Llargest_level:                        // 2147483520.0
        .rept   8
        .long   0x4effffff
        .endr
.Lsmallest_level_heat:                  // -2147483648.0
        .rept   8
        .long   0xcf000000
        .endr
.Lmagnitude:
        .rept   8
        .long   0x7fffffff
        .endr
.Lrelative:                             // 4e-7
        .rept   8
        .long   0x34d6bf95
        .endr
.Ledge:                                 // 2^19
        .rept   8
        .long   0x49000000
        .endr
