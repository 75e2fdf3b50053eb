// Draws `n` numbers from the interlaced MT19937 streams.
//
//   void hl_random_mt19937_u32_neon(uint32_t *state, size_t lanes, size_t *position, uint32_t *dst, size_t n);
//
// In      x0 = state, x1 = lanes, x2 = position, x3 = dst, x4 = n     Out  state, *position, dst[0..n]
// Uses    x1, x3..x17, v0..v7, v16, v20..v23     Stack  none
// Loop    16 numbers: 4 vectors in step; bound by 16 operations a vector on 2 ports
// Tail    single numbers; touches exactly the words and numbers named

#include "hl.h"

#define NAME hl_random_mt19937_u32_neon
#include "mt19937_neon.h"
