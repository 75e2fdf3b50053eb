// Bounds and levels of acceptance from random numbers, with AVX-512.

#include "hl.h"

#define LANES       1
#include "constants_x86_64.h"

#define random      rdi
#define bounds      rsi
#define scales      rsi
#define levels      rdx
#define doubt       rax
#define left        ecx

#define scale       zmm0
#define margin      zmm1

        // A constant in all lanes.
#define all(name)   dword ptr [rip + .L##name]{1to16}

        // The logarithm zmm4 of 16 numbers, and their distance zmm2 to the next end.
        .macro draw heat
        vmovdqu64 zmm2, [random]
        vpsrld  zmm2, zmm2, 1
        vpord   zmm2, zmm2, all(one)
        vcvtdq2ps zmm3, zmm2
        .if     \heat
        vpbroadcastd zmm4, dword ptr [rip + .Ltop]
        vpsubd  zmm4, zmm4, zmm2
        vcvtdq2ps zmm4, zmm4
        vminps  zmm2, zmm3, zmm4
        vdivps  zmm3, zmm4, zmm3
        .else
        vmovaps zmm2, zmm3
        .endif

        // The logarithm in parts: the exponent in zmm4 and the rest in zmm5.
        vpaddd  zmm4, zmm3, all(shift)
        vpandd  zmm6, zmm4, all(mantissa)
        vpsrld  zmm4, zmm4, 23
        vpaddd  zmm6, zmm6, all(half)
        vcvtdq2ps zmm4, zmm4
        vsubps  zmm6, zmm6, all(unit)
        vmulps  zmm5, zmm6, all(c6)
        .irp    term, c5, c4, c3, c2, c1, c0
        vaddps  zmm5, zmm5, dword ptr [rip + .L\term]{1to16}
        vmulps  zmm5, zmm5, zmm6
        .endr
        .if     \heat
        vsubps  zmm4, zmm4, all(exponent_heat)
        vmulps  zmm4, zmm4, all(ln2)
        vaddps  zmm4, zmm4, zmm5
        .else
        vbroadcastss zmm6, dword ptr [rip + .Lexponent_metropolis]
        vsubps  zmm4, zmm6, zmm4
        vmulps  zmm4, zmm4, all(ln2)
        vsubps  zmm4, zmm4, zmm5
        .endif
        .endm

        .macro bounds rule, heat
        vbroadcastss scale, xmm0
        vbroadcastss margin, xmm1
        vpternlogd zmm7, zmm7, zmm7, 0xff
        xor     eax, eax
        mov     left, 4
.Lloop_\rule:
        draw    \heat
        vmulps  zmm4, zmm4, scale
        vminps  zmm4, zmm4, all(largest)
        vmaxps  zmm4, zmm4, dword ptr [rip + .Lsmallest_\rule]{1to16}
        // Round down: the nearest integer, less 1 where that is above.
        vcvtps2dq zmm3, zmm4
        vcvtdq2ps zmm5, zmm3
        vcmpltps k1, zmm4, zmm5
        vpaddd  zmm3{k1}, zmm3, zmm7
        vpmovsdw [bounds], zmm3

        // In doubt are numbers near the ends, and values near an integer.
        vsubps  zmm5, zmm4, zmm5
        vpandd  zmm4, zmm4, all(magnitude)
        vpandd  zmm5, zmm5, all(magnitude)
        vmulps  zmm4, zmm4, all(relative)
        vaddps  zmm4, zmm4, margin
        vcmpltps k1, zmm2, all(edge)
        vcmpleps k2, zmm5, zmm4
        korw    k1, k1, k2
        kmovw   edx, k1
        shl     rdx, 48
        shr     doubt, 16
        or      doubt, rdx
        add     random, 64
        add     bounds, 32
        dec     left
        jnz     .Lloop_\rule
        vzeroupper
        ret
        .endm

        .macro levels_of rule, heat
        vpternlogd zmm7, zmm7, zmm7, 0xff
        mov     left, 4
.Lnext_\rule:
        draw    \heat
        vmulps  zmm4, zmm4, [scales]
        vminps  zmm4, zmm4, all(largest_level)
        vmaxps  zmm4, zmm4, dword ptr [rip + .Lsmallest_level_\rule]{1to16}
        // Round down: the nearest integer, less 1 where that is above.
        vcvtps2dq zmm3, zmm4
        vcvtdq2ps zmm5, zmm3
        vcmpltps k1, zmm4, zmm5
        vpaddd  zmm3{k1}, zmm3, zmm7
        vmovdqu64 [levels], zmm3
        add     random, 64
        add     scales, 64
        add     levels, 64
        dec     left
        jnz     .Lnext_\rule
        vzeroupper
        ret
        .endm

// Computes the bounds of 64 random numbers for Metropolis flips, and returns which of them are in
// doubt, a bit for each.
//
//   uint64_t hl_ising_dense_bounds_avx512(const uint32_t *random, float scale, float margin,
//       int16_t *bounds);
//
// In      rdi = random, xmm0 = scale, xmm1 = margin, rsi = bounds     Out  rax
// Uses    rax, rcx, rdx, rsi, rdi, zmm0..zmm7, k1, k2     Stack  none
// Loop    16 numbers: 42 operations (heat bath: 45); bound by issue
// Tail    none; reads random[0..64], writes bounds[0..64]
FUNC(hl_ising_dense_bounds_avx512)
        bounds  metropolis, 0
END(hl_ising_dense_bounds_avx512)

// dense_bounds for the heat bath.
//
//   uint64_t hl_ising_dense_heat_bounds_avx512(const uint32_t *random, float scale, float margin,
//       int16_t *bounds);
//
// In      rdi = random, xmm0 = scale, xmm1 = margin, rsi = bounds     Out  rax
// Uses    rax, rcx, rdx, rsi, rdi, zmm0..zmm7, k1, k2     Stack  none
// Loop    16 numbers: 42 operations (heat bath: 45); bound by issue
// Tail    none; reads random[0..64], writes bounds[0..64]
FUNC(hl_ising_dense_heat_bounds_avx512)
        bounds  heat, 1
END(hl_ising_dense_heat_bounds_avx512)

// Computes the levels of 64 random numbers for Metropolis flips, in 32 bits.
//
//   void hl_ising_dense_levels_avx512(const uint32_t *random, const float *scales, int32_t *levels);
//
// In      rdi = random, rsi = scales, rdx = levels     Out  levels[0..64]
// Uses    rcx, rdx, rsi, rdi, zmm2..zmm7, k1     Stack  none
// Loop    16 numbers: 34 operations; bound by issue
// Tail    none; reads random[0..64] and scales[0..64], writes levels[0..64]
FUNC(hl_ising_dense_levels_avx512)
        levels_of metropolis, 0
END(hl_ising_dense_levels_avx512)

// dense_levels for the heat bath.
//
//   void hl_ising_dense_heat_levels_avx512(const uint32_t *random, const float *scales, int32_t *levels);
//
// In      rdi = random, rsi = scales, rdx = levels     Out  levels[0..64]
// Uses    rcx, rdx, rsi, rdi, zmm2..zmm7, k1     Stack  none
// Loop    16 numbers: 37 operations; bound by issue
// Tail    none; reads random[0..64] and scales[0..64], writes levels[0..64]
FUNC(hl_ising_dense_heat_levels_avx512)
        levels_of heat, 1
END(hl_ising_dense_heat_levels_avx512)

        RODATA
        .balign 4
#include "dense_bounds_x86_64.h"
