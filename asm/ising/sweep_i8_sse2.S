// Visits up to `count` sites of one group of 64 layers in order, with exact acceptance, and returns how many.
//
//   size_t hl_ising_sweep_i8_sse2(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
//       const uint64_t *below, const uint64_t *above, const uint32_t *links, const uint16_t *thresholds,
//       const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      rdi = spins, rsi = bytes, rdx = sites, rcx = first, r8 = count, r9 = below, [rsp+8] = above, [rsp+16] = links,
//         [rsp+24] = thresholds, [rsp+32] = random, [rsp+40] = live, [rsp+48] = flips     Out  rax, spins, bytes, flips
// Uses    all but rsp, xmm0..xmm15; rbx, rbp, r12..r15 are saved     Stack  416 bytes
// Loop    1 site of 64 spins; 395 instructions and 20 a link, of these 107 loads and 5 a link;
//         bound by the 6 instructions that a Zen 3 begins a cycle: 83 cycles with 5 links, where 93 were measured
// Bound   83 cycles for 64 elements on Zen 3
// Tail    none, a row is 64 spins; reads the words and rows of the sites and rows of their neighbours, the links,
//         random[0..32 count], two thresholds at a time, never beyond the 864

#include "hl.h"
#include "sweep_i8_sse2.h"

FUNC(hl_ising_sweep_i8_sse2)
        sweep
END(hl_ising_sweep_i8_sse2)

RODATA
        constants
