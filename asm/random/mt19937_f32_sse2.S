// Draws `n` floats in [0, 1) from the interlaced MT19937 streams: the upper 24 bits of each number times 2^-24.
//
//   void hl_random_mt19937_f32_sse2(uint32_t *state, size_t lanes, size_t *position, float *dst, size_t n);
//
// In      rdi = state, rsi = lanes, rdx = position, rcx = dst, r8 = n     Out  state, *position, dst[0..n]
// Uses    rax, rcx, rsi, r8..r11, xmm0..xmm15     Stack  40 bytes
// Loop    24 numbers: 3 vectors twisted while 3 are tempered; bound by 22 operations a vector on 4 ports, 6 of them on 2
// Bound   33 cycles for 24 elements on Zen 3
// Tail    single vectors, then single numbers; touches exactly the words and numbers named

#include "hl.h"

#define UNIFORM
#define NAME hl_random_mt19937_f32_sse2
#include "mt19937_sse2.h"
