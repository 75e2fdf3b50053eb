// Sum of x[0..n] in 64 lanes and a tree.
//
//   float hl_reduce_sum_f32_avx2(const float *x, size_t n);
//
// In      rdi = x, rsi = n                  Out  xmm0 = sum
// Uses    rax, rcx, rsi, rdi, r8, ymm0..ymm10      Stack  none
// Loop    256 bytes, one addition to each of 8 vectors; bound by the 8 loads (4 cycles)
// Bound   4 cycles for 64 elements on Zen 3
// Tail    whole vectors, then one under a mask; reads exactly x[0..n]

#include "hl.h"

#define BYTES       4
#include "lanes_avx2.h"

FUNC(hl_reduce_sum_f32_avx2)
        lanes
END(hl_reduce_sum_f32_avx2)

        RODATA
        lanes_constants
