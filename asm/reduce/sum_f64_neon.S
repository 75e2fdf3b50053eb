// Sum of `x[0..n]` in 32 lanes and a tree.
//
//   double hl_reduce_sum_f64_neon(const double *x, size_t n);
//
// In      x0 = x, x1 = n                    Out  d0 = sum
// Uses    x0, x3..x6, x8, x9, v0..v3, v16..v31  Stack  none
// Loop    16 vectors, each with a sum of its own; bound by the 16 loads (8 cycles, two a cycle)
// Tail    whole vectors, then one with -0 where it has no number; reads exactly x[0..n]

#include "hl.h"

#define NAME hl_reduce_sum_f64_neon
#define SHIFT 3
#include "lanes_neon.h"
