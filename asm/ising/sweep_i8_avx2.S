// Visits up to `count` sites of one group of 64 layers in order, with exact acceptance, and returns how many.
//
//   size_t hl_ising_sweep_i8_avx2(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
//       const uint64_t *below, const uint64_t *above, const uint32_t *links, const uint16_t *thresholds,
//       const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      rdi = spins, rsi = bytes, rdx = sites, rcx = first, r8 = count, r9 = below, [rsp+8..48] = above, links,
//         thresholds, random, live, flips     Out  rax = sites visited; spins, bytes, *flips
// Uses    rax, rcx, rdx, rdi, r8..r11, ymm0..ymm15; rbx, rbp, r12..r15 are kept     Stack  232 bytes
// Loop    1 site of 64 spins: 90 vector operations and 5 a link; bound by these (4 a cycle), their loads (2) and all
//         instructions (6) alike, each some 30 cycles at 5 links: on Zen 3 it takes 42
// Bound   30 cycles for 64 elements on Zen 3
// Tail    none, a row is 64 spins; reads and writes the rows of the group and the arguments to the byte

#include "hl.h"
#include "sweep_i8_avx2.h"

// The product of three factors bounds half the threshold: it is 0 to 4 too low.

        // The surplus of the bound over the random number: above 0 it is accepted, below -4 it is not.
        .macro surplus h
        // What k exceeds the certain ones by, and the two factors that this selects.
        vmovdqu ymm4, [rsp + FIRST]
        vpxor   xmm5, xmm5, xmm5
        vpshufb ymm4, ymm4, c
        vpsubb  ymm4, sum, ymm4
        vpblendvb c, c, [rip + .Lfours], ymm4
        vpmaxsb ymm4, ymm4, ymm5
        vpsrlw  ymm8, ymm4, 4
        vpand   ymm8, ymm8, fifteen
        look_up ymm5, ymm6, low_low, low_high, ymm4
        look_up ymm4, ymm7, high_low, high_high, ymm8
        vpmulhuw ymm5, ymm5, ymm4
        vpmulhuw ymm6, ymm6, ymm7

        // The third factor, and half the random number.
        look_up ymm4, ymm7, tau_low, tau_high, c
        vpmulhuw ymm5, ymm5, ymm4
        vpmulhuw ymm6, ymm6, ymm7
        vmovdqu ymm4, [random + 64 + 32 * \h]
        vmovdqu ymm7, [random + 32 * \h]
        vpunpcklbw ymm8, ymm4, ymm7
        vpunpckhbw ymm4, ymm4, ymm7
        vpsrlw  ymm8, ymm8, 1
        vpsrlw  ymm4, ymm4, 1
        vpsubw  ymm5, ymm5, ymm8
        vpsubw  ymm6, ymm6, ymm4
        vpacksswb c, ymm5, ymm6
        .endm

FUNC(hl_ising_sweep_i8_avx2)
        sweep
END(hl_ising_sweep_i8_avx2)

RODATA
        constants
.Lfours:        // the place of the factor of what is certain
        .fill   32, 1, 4
.Lsure:
        .fill   32, 1, 0
.Lleast:        // below a surplus of -4
        .fill   32, 1, -5
