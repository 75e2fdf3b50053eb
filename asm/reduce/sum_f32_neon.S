// Sum of `x[0..n]` in 64 lanes and a tree.
//
//   float hl_reduce_sum_f32_neon(const float *x, size_t n);
//
// In      x0 = x, x1 = n                    Out  s0 = sum
// Uses    x0, x3..x6, x8, x9, v0..v3, v16..v31  Stack  none
// Loop    16 vectors, each with a sum of its own; bound by the 16 loads (8 cycles, two a cycle)
// Tail    whole vectors, then one with -0 where it has no number; reads exactly x[0..n]

#include "hl.h"

#define NAME hl_reduce_sum_f32_neon
#define SHIFT 2
#include "lanes_neon.h"
