// Sum of the rounded products x[i] * y[i] for i < n, in 32 lanes and a tree.
//
//   double hl_reduce_dot_f64_sse2(const double *x, const double *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  xmm0 = sum of products
// Uses    rax, rdx, rsi, rdi, xmm0..xmm15      Stack  56 bytes
// Loop    256 bytes of each, one product added to each of 16 vectors, one in memory; bound by the 33 loads (17 cycles)
// Bound   17 cycles for 32 elements on Zen 3
// Tail    whole vectors, then what is left in one or two pieces; reads exactly x[0..n] and y[0..n]

#include "hl.h"

#define BYTES       8
#define DOT
#include "lanes_sse2.h"

FUNC(hl_reduce_dot_f64_sse2)
        lanes
END(hl_reduce_dot_f64_sse2)

        RODATA
        lanes_constants
