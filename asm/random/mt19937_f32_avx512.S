// Draws `n` floats in [0, 1) from the interlaced MT19937 streams: the upper 24 bits of each number times 2^-24.
//
//   void hl_random_mt19937_f32_avx512(uint32_t *state, size_t lanes, size_t *position, float *dst, size_t n);
//
// In      rdi = state, rsi = lanes, rdx = position, rcx = dst, r8 = n     Out  state, *position, dst[0..n]
// Uses    rax, rcx, rsi, r8..r11, zmm0..zmm5, zmm10..zmm20, k1     Stack  40 bytes
// Loop    96 numbers: 3 vectors twisted while 3 are tempered; bound by 15 operations a vector on 2 ports, 7 of them on 1
// Bound   7.5 cycles for 16 elements on Granite Rapids
// Tail    single vectors, the last one masked; touches exactly the words and numbers named

#include "hl.h"

#define UNIFORM
#define NAME hl_random_mt19937_f32_avx512
#include "mt19937_avx512.h"
