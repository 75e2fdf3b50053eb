// Draws `n` floats in [0, 1) from the interlaced MT19937 streams: the upper 24 bits of each number times 2^-24.
//
//   void hl_random_mt19937_f32_neon(uint32_t *state, size_t lanes, size_t *position, float *dst, size_t n);
//
// In      x0 = state, x1 = lanes, x2 = position, x3 = dst, x4 = n     Out  state, *position, dst[0..n]
// Uses    x1, x3..x17, v0..v7, v16, v20..v23     Stack  none
// Loop    16 numbers: 4 vectors in step; bound by 18 operations a vector on 2 ports
// Tail    single numbers; touches exactly the words and numbers named

#include "hl.h"

#define UNIFORM
#define NAME hl_random_mt19937_f32_neon
#include "mt19937_neon.h"
