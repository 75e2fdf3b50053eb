// Bounds and levels of acceptance from random numbers, with AVX2.

#include "hl.h"

#define LANES       8
#include "constants_x86_64.h"

#define random      rdi
#define bounds      rsi
#define scales      rsi
#define levels      rdx
#define doubt       rax
#define left        ecx

#define scale       ymm0
#define margin      ymm1

        // The logarithm ymm4 of 8 numbers, and their distance ymm2 to the next end.
        .macro draw heat, at
        vmovdqu ymm2, [random + \at]
        vpsrld  ymm2, ymm2, 1
        vpor    ymm2, ymm2, [rip + .Lone]
        vcvtdq2ps ymm3, ymm2
        .if     \heat
        vmovdqa ymm4, [rip + .Ltop]
        vpsubd  ymm4, ymm4, ymm2
        vcvtdq2ps ymm4, ymm4
        vminps  ymm2, ymm3, ymm4
        vdivps  ymm3, ymm4, ymm3
        .else
        vmovaps ymm2, ymm3
        .endif

        // The logarithm in parts: the exponent in ymm4 and the rest in ymm5.
        vpaddd  ymm4, ymm3, [rip + .Lshift]
        vpand   ymm6, ymm4, [rip + .Lmantissa]
        vpsrld  ymm4, ymm4, 23
        vpaddd  ymm6, ymm6, [rip + .Lhalf]
        vcvtdq2ps ymm4, ymm4
        vsubps  ymm6, ymm6, [rip + .Lunit]
        vmulps  ymm5, ymm6, [rip + .Lc6]
        .irp    term, c5, c4, c3, c2, c1, c0
        vaddps  ymm5, ymm5, [rip + .L\term]
        vmulps  ymm5, ymm5, ymm6
        .endr
        .if     \heat
        vsubps  ymm4, ymm4, [rip + .Lexponent_heat]
        vmulps  ymm4, ymm4, [rip + .Lln2]
        vaddps  ymm4, ymm4, ymm5
        .else
        vmovaps ymm6, [rip + .Lexponent_metropolis]
        vsubps  ymm4, ymm6, ymm4
        vmulps  ymm4, ymm4, [rip + .Lln2]
        vsubps  ymm4, ymm4, ymm5
        .endif
        .endm

        // The bounds of 8 numbers, and their doubts in the upper byte of `doubt`.
        .macro eight rule, heat, at, result
        draw    \heat, \at
        vmulps  ymm4, ymm4, scale
        vminps  ymm4, ymm4, [rip + .Llargest]
        vmaxps  ymm4, ymm4, [rip + .Lsmallest_\rule]
        // Round down: the nearest integer, less 1 where that is above.
        vcvtps2dq \result, ymm4
        vcvtdq2ps ymm5, \result
        vcmpltps ymm6, ymm4, ymm5
        vpaddd  \result, \result, ymm6

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

        .macro bounds rule, heat
        vbroadcastss scale, xmm0
        vbroadcastss margin, xmm1
        xor     eax, eax
        mov     left, 4
.Lloop_\rule:
        eight   \rule, \heat, 0, ymm7
        eight   \rule, \heat, 32, ymm8
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

        .macro levels_of rule, heat
        mov     left, 8
.Lnext_\rule:
        draw    \heat, 0
        vmulps  ymm4, ymm4, [scales]
        vminps  ymm4, ymm4, [rip + .Llargest_level]
        vmaxps  ymm4, ymm4, [rip + .Lsmallest_level_\rule]
        // Round down: the nearest integer, less 1 where that is above.
        vcvtps2dq ymm7, ymm4
        vcvtdq2ps ymm5, ymm7
        vcmpltps ymm6, ymm4, ymm5
        vpaddd  ymm7, ymm7, ymm6
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
        bounds  metropolis, 0
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
        bounds  heat, 1
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
        levels_of metropolis, 0
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
        levels_of heat, 1
END(hl_ising_dense_heat_levels_avx2)

        RODATA
        .balign 32
#include "dense_bounds_x86_64.h"
