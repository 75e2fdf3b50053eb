// Sum of the rounded products x[i] * y[i] for i < n, in 64 lanes and a tree.
//
//   float hl_reduce_dot_f32_sse2(const float *x, const float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  xmm0 = sum of products
// Uses    rax, rdx, rsi, rdi, xmm0..xmm15      Stack  56 bytes
// Loop    256 bytes of each, one product added to each of 16 vectors, one in memory; bound by the 33 loads (17 cycles)
// Bound   17 cycles for 64 elements on Zen 3
// Tail    whole vectors, then what is left in one or two pieces; reads exactly x[0..n] and y[0..n]

#include "hl.h"

#define BYTES       4
#define DOT
#include "lanes_sse2.h"

FUNC(hl_reduce_dot_f32_sse2)
        lanes
END(hl_reduce_dot_f32_sse2)

        RODATA
        lanes_constants
