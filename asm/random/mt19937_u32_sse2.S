// Draws `n` numbers from the interlaced MT19937 streams.
//
//   void hl_random_mt19937_u32_sse2(uint32_t *state, size_t lanes, size_t *position, uint32_t *dst, size_t n);
//
// In      rdi = state, rsi = lanes, rdx = position, rcx = dst, r8 = n     Out  state, *position, dst[0..n]
// Uses    rax, rcx, rsi, r8..r11, xmm0..xmm15     Stack  40 bytes
// Loop    24 numbers: 3 vectors twisted while 3 are tempered; bound by 19 operations a vector on 4 ports, 5 of them on 2
// Bound   28.5 cycles for 24 elements on Zen 3
// Tail    single vectors, then single numbers; touches exactly the words and numbers named

#include "hl.h"

#define NAME hl_random_mt19937_u32_sse2
#include "mt19937_sse2.h"
