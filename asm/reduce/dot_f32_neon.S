// Sum of the rounded products `x[i] * y[i]` for i < n, in 64 lanes and a tree.
//
//   float hl_reduce_dot_f32_neon(const float *x, const float *y, size_t n);
//
// In      x0 = x, x1 = y, x2 = n            Out  s0 = sum
// Uses    x0, x1, x3..x9, v0..v5, v16..v31  Stack  none
// Loop    16 vectors of products; 16 sums; bound by the 32 loads (16 cycles, two a cycle)
// Tail    whole vectors, then one with -0 where it has no number; reads exactly x[0..n] and y[0..n]

#include "hl.h"

#define NAME hl_reduce_dot_f32_neon
#define SHIFT 2
#define DOT
#include "lanes_neon.h"
