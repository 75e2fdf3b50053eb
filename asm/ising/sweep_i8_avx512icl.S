// Visits up to `count` sites of one group of 64 layers in order, with exact acceptance, and returns how many.
//
//   size_t hl_ising_sweep_i8_avx512icl(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
//       const uint64_t *below, const uint64_t *above, const uint32_t *links, const uint16_t *thresholds,
//       const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      rdi = spins, rsi = bytes, rdx = sites, rcx = first, r8 = count, r9 = below, [rsp+8] = above, [rsp+16] = links,
//         [rsp+24] = thresholds, [rsp+32] = random, [rsp+40] = live, [rsp+48] = flips     Out  rax, spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm7, zmm16..zmm27, k1..k7; rbx, rbp, r12, r13 are kept
//         Stack  40 bytes
// Loop    1 site of 64 spins: 6 permutations, 4 comparisons and 2 operations a link on whole vectors, 4 moves to and from masks
//         and 1 a link; bound by what can be issued, 75 operations for 5 links (12.5 cycles). Modelled by llvm-mca, not
//         measured: 12.3, 13.3 and 14.0 cycles for 4, 5 and 6 links on Zen 4 (0.21 a spin); 31 for 5 on Sapphire Rapids, where
//         port 5 alone permutes and moves to masks
// Tail    none, a row is 64 spins; reads the words of the sites and of their neighbours, the links, random[0..32 count];
//         leaves `bytes` alone

#include "hl.h"
#include "sweep_i8_avx512icl.h"

FUNC(hl_ising_sweep_i8_avx512icl)
        sweep
END(hl_ising_sweep_i8_avx512icl)

RODATA
        constants
