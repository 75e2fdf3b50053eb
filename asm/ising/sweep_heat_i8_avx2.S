// Visits up to `count` sites of one group of 64 layers in order, with exact acceptance by the heat bath, and returns how many.
//
//   size_t hl_ising_sweep_heat_i8_avx2(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
//       const uint64_t *below, const uint64_t *above, const uint32_t *links, const uint16_t *thresholds,
//       const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      rdi = spins, rsi = bytes, rdx = sites, rcx = first, r8 = count, r9 = below, [rsp+8..48] = above, links,
//         thresholds, random, live, flips     Out  rax = sites visited; spins, bytes, *flips
// Uses    rax, rcx, rdx, rdi, r8..r11, ymm0..ymm15; rbx, rbp, r12..r15 are kept     Stack  240 bytes
// Loop    1 site of 64 spins: 116 vector operations and 5 a link; bound by these (4 a cycle), 35 cycles at 5 links
// Tail    none, a row is 64 spins; reads and writes the rows of the group and the arguments to the byte

#include "hl.h"
#include "sweep_i8_avx2.h"

// With r for the random number, r is compared with (2^16 - r) exp(v), halves of both; the weight exp(v), the product of three
// factors, is 0 to 5 too low. Where v is positive, the opposite field and the opposite random number are compared, and the
// surplus is turned. Then it is in doubt from -5 to 4.

        .macro surplus h
        // Where k is less than the first of c: -k - parity and 2 - c.
        vmovdqu ymm4, [rsp + FIRST]
        vpshufb ymm5, ymm4, c
        vpcmpgtb ymm8, ymm5, sum
        vpxor   ymm6, sum, ymm8
        vpand   ymm7, ymm8, [rsp + EVEN]
        vpsubb  ymm6, ymm6, ymm7
        vpxor   c, c, ymm8
        vpand   ymm7, ymm8, [rip + .Lthrees]
        vpaddb  c, c, ymm7
        vmovdqu [rsp + TURNED], ymm8

        // The weight.
        vpshufb ymm4, ymm4, c
        vpsubb  ymm4, ymm6, ymm4
        vpsrlw  ymm6, ymm4, 4
        vpand   ymm6, ymm6, fifteen
        look_up ymm5, ymm7, low_low, low_high, ymm4
        look_up ymm4, ymm8, high_low, high_high, ymm6
        vpmulhuw ymm5, ymm5, ymm4
        vpmulhuw ymm7, ymm7, ymm8
        look_up ymm4, ymm8, tau_low, tau_high, c
        vpmulhuw ymm5, ymm5, ymm4
        vpmulhuw ymm7, ymm7, ymm8

        // Half the random number, and what it lacks to 2^15 - 1.
        vmovdqu ymm8, [rsp + TURNED]
        vpxor   ymm4, ymm8, [random + 64 + 32 * \h]
        vpxor   ymm6, ymm8, [random + 32 * \h]
        vpunpcklbw c, ymm4, ymm6
        vpunpckhbw ymm4, ymm4, ymm6
        vpsrlw  c, c, 1
        vpsrlw  ymm4, ymm4, 1
        vpxor   ymm6, c, [rip + .Lwhole]
        vpmulhuw ymm5, ymm5, ymm6
        vpxor   ymm6, ymm4, [rip + .Lwhole]
        vpmulhuw ymm7, ymm7, ymm6
        vpsubw  ymm5, ymm5, c
        vpsubw  ymm7, ymm7, ymm4
        vpacksswb c, ymm5, ymm7
        vpaddsb c, c, [rip + .Ltwos]
        vpxor   c, c, ymm8
        .endm

FUNC(hl_ising_sweep_heat_i8_avx2)
        sweep
END(hl_ising_sweep_heat_i8_avx2)

RODATA
        constants
.Lthrees:       // 2, and 1 for the complement
        .fill   32, 1, 3
.Ltwos:         // makes the doubt the same in both directions
        .fill   32, 1, 2
.Lwhole:        // 2^15 - 1
        .fill   16, 2, 0x7fff
.Lsure:
        .fill   32, 1, 4
.Lleast:        // below a surplus of -5
        .fill   32, 1, -6
