// Sum of the rounded products x[i] * y[i] for i < n, in 64 lanes and a tree.
//
//   float hl_reduce_dot_f32_avx2(const float *x, const float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  xmm0 = sum of products
// Uses    rax, rcx, rdx, rsi, rdi, r8, ymm0..ymm10      Stack  none
// Loop    256 bytes of each, one product added to each of 8 vectors; bound by the 16 loads (8 cycles)
// Bound   8 cycles for 64 elements on Zen 3
// Tail    whole vectors, then one under a mask; reads exactly x[0..n] and y[0..n]

#include "hl.h"

#define BYTES       4
#define DOT
#include "lanes_avx2.h"

FUNC(hl_reduce_dot_f32_avx2)
        lanes
END(hl_reduce_dot_f32_avx2)

        RODATA
        lanes_constants
