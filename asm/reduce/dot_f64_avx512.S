// Sum of the rounded products x[i] * y[i] for i < n, in 32 lanes and a tree.
//
//   double hl_reduce_dot_f64_avx512(const double *x, const double *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  xmm0 = sum of products
// Uses    rax, rcx, rdx, rsi, rdi, r8, r9, k1, zmm0..zmm5      Stack  none
// Loop    256 bytes of each, one product added to each of 4 vectors; bound by the 8 loads (4 cycles, on Zen 4 8)
// Tail    whole vectors, then one under a mask; reads exactly x[0..n] and y[0..n]

#include "hl.h"

#define BYTES       8
#define DOT
#include "lanes_avx512.h"

FUNC(hl_reduce_dot_f64_avx512)
        lanes
END(hl_reduce_dot_f64_avx512)

        RODATA
        lanes_constants
