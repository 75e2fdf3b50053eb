// Bounds and levels of acceptance from random numbers, with SSE2.

#include "hl.h"

#define LANES       4
#include "constants_x86_64.h"

#define random      rdi
#define bounds      rsi
#define scales      rsi
#define levels      rdx
#define doubt       rax
#define left        ecx

#define scale       xmm0
#define margin      xmm1

        // The logarithm xmm4 of 4 numbers, and their distance xmm2 to the next end.
        .macro draw heat, at
        movdqu  xmm2, [random + \at]
        psrld   xmm2, 1
        por     xmm2, [rip + .Lone]
        cvtdq2ps xmm3, xmm2
        .if     \heat
        movdqa  xmm4, [rip + .Ltop]
        psubd   xmm4, xmm2
        cvtdq2ps xmm4, xmm4
        movaps  xmm2, xmm3
        minps   xmm2, xmm4
        divps   xmm4, xmm3
        movaps  xmm3, xmm4
        .else
        movaps  xmm2, xmm3
        .endif

        // The logarithm in parts: the exponent in xmm4 and the rest in xmm5.
        movdqa  xmm4, xmm3
        paddd   xmm4, [rip + .Lshift]
        movdqa  xmm6, xmm4
        psrld   xmm4, 23
        pand    xmm6, [rip + .Lmantissa]
        cvtdq2ps xmm4, xmm4
        paddd   xmm6, [rip + .Lhalf]
        subps   xmm6, [rip + .Lunit]
        movaps  xmm5, [rip + .Lc6]
        mulps   xmm5, xmm6
        .irp    term, c5, c4, c3, c2, c1, c0
        addps   xmm5, [rip + .L\term]
        mulps   xmm5, xmm6
        .endr
        .if     \heat
        subps   xmm4, [rip + .Lexponent_heat]
        mulps   xmm4, [rip + .Lln2]
        addps   xmm4, xmm5
        .else
        movaps  xmm6, [rip + .Lexponent_metropolis]
        subps   xmm6, xmm4
        mulps   xmm6, [rip + .Lln2]
        subps   xmm6, xmm5
        movaps  xmm4, xmm6
        .endif
        .endm

        // The bounds of 4 numbers, and their doubts in the upper 4 bits of `doubt`.
        .macro four rule, heat, at, result
        draw    \heat, \at
        mulps   xmm4, scale
        minps   xmm4, [rip + .Llargest]
        maxps   xmm4, [rip + .Lsmallest_\rule]
        // Round down: the nearest integer, less 1 where that is above.
        cvtps2dq \result, xmm4
        cvtdq2ps xmm5, \result
        movaps  xmm6, xmm4
        cmpltps xmm6, xmm5
        paddd   \result, xmm6

        // In doubt are numbers near the ends, and values near an integer.
        movaps  xmm6, xmm4
        subps   xmm6, xmm5
        andps   xmm4, [rip + .Lmagnitude]
        andps   xmm6, [rip + .Lmagnitude]
        mulps   xmm4, [rip + .Lrelative]
        addps   xmm4, margin
        cmpltps xmm2, [rip + .Ledge]
        cmpleps xmm6, xmm4
        orps    xmm2, xmm6
        movmskps edx, xmm2
        shl     rdx, 60
        shr     doubt, 4
        or      doubt, rdx
        .endm

        .macro bounds rule, heat
        shufps  scale, scale, 0
        shufps  margin, margin, 0
        xor     eax, eax
        mov     left, 8
.Lloop_\rule:
        four    \rule, \heat, 0, xmm7
        four    \rule, \heat, 16, xmm8
        packssdw xmm7, xmm8
        movdqu  [bounds], xmm7
        add     random, 32
        add     bounds, 16
        dec     left
        jnz     .Lloop_\rule
        ret
        .endm

        .macro levels_of rule, heat
        mov     left, 16
.Lnext_\rule:
        draw    \heat, 0
        movups  xmm6, [scales]
        mulps   xmm4, xmm6
        minps   xmm4, [rip + .Llargest_level]
        maxps   xmm4, [rip + .Lsmallest_level_\rule]
        // Round down: the nearest integer, less 1 where that is above.
        cvtps2dq xmm7, xmm4
        cvtdq2ps xmm5, xmm7
        movaps  xmm6, xmm4
        cmpltps xmm6, xmm5
        paddd   xmm7, xmm6
        movdqu  [levels], xmm7
        add     random, 16
        add     scales, 16
        add     levels, 16
        dec     left
        jnz     .Lnext_\rule
        ret
        .endm

// Computes the bounds of 64 random numbers for Metropolis flips, and returns which of them are in
// doubt, a bit for each.
//
//   uint64_t hl_ising_dense_bounds_sse2(const uint32_t *random, float scale, float margin,
//       int16_t *bounds);
//
// In      rdi = random, xmm0 = scale, xmm1 = margin, rsi = bounds     Out  rax
// Uses    rax, rcx, rdx, rsi, rdi, xmm0..xmm8     Stack  none
// Loop    8 numbers: 2 vectors of 48 operations (heat bath: 51); bound by issue
// Tail    none; reads random[0..64], writes bounds[0..64]
FUNC(hl_ising_dense_bounds_sse2)
        bounds  metropolis, 0
END(hl_ising_dense_bounds_sse2)

// dense_bounds for the heat bath.
//
//   uint64_t hl_ising_dense_heat_bounds_sse2(const uint32_t *random, float scale, float margin,
//       int16_t *bounds);
//
// In      rdi = random, xmm0 = scale, xmm1 = margin, rsi = bounds     Out  rax
// Uses    rax, rcx, rdx, rsi, rdi, xmm0..xmm8     Stack  none
// Loop    8 numbers: 2 vectors of 48 operations (heat bath: 51); bound by issue
// Tail    none; reads random[0..64], writes bounds[0..64]
FUNC(hl_ising_dense_heat_bounds_sse2)
        bounds  heat, 1
END(hl_ising_dense_heat_bounds_sse2)

// Computes the levels of 64 random numbers for Metropolis flips, in 32 bits.
//
//   void hl_ising_dense_levels_sse2(const uint32_t *random, const float *scales, int32_t *levels);
//
// In      rdi = random, rsi = scales, rdx = levels     Out  levels[0..64]
// Uses    rcx, rdx, rsi, rdi, xmm2..xmm7     Stack  none
// Loop    4 numbers: 40 operations; bound by issue
// Tail    none; reads random[0..64] and scales[0..64], writes levels[0..64]
FUNC(hl_ising_dense_levels_sse2)
        levels_of metropolis, 0
END(hl_ising_dense_levels_sse2)

// dense_levels for the heat bath.
//
//   void hl_ising_dense_heat_levels_sse2(const uint32_t *random, const float *scales, int32_t *levels);
//
// In      rdi = random, rsi = scales, rdx = levels     Out  levels[0..64]
// Uses    rcx, rdx, rsi, rdi, xmm2..xmm7     Stack  none
// Loop    4 numbers: 43 operations; bound by issue
// Tail    none; reads random[0..64] and scales[0..64], writes levels[0..64]
FUNC(hl_ising_dense_heat_levels_sse2)
        levels_of heat, 1
END(hl_ising_dense_heat_levels_sse2)

        RODATA
        .balign 16
#include "dense_bounds_x86_64.h"
