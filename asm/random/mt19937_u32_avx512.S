// Draws `n` numbers from the interlaced MT19937 streams.
//
//   void hl_random_mt19937_u32_avx512(uint32_t *state, size_t lanes, size_t *position, uint32_t *dst, size_t n);
//
// In      rdi = state, rsi = lanes, rdx = position, rcx = dst, r8 = n     Out  state, *position, dst[0..n]
// Uses    rax, rcx, rsi, r8..r11, zmm0..zmm5, zmm10..zmm19, k1     Stack  40 bytes
// Loop    96 numbers: 3 vectors twisted while 3 are tempered; bound by 12 operations a vector on 2 ports, 6 of them on 1
// Bound   6 cycles for 16 elements on Granite Rapids
// Tail    single vectors, the last one masked; touches exactly the words and numbers named

#include "hl.h"

#define NAME hl_random_mt19937_u32_avx512
#include "mt19937_avx512.h"
