// Sum of floats in 64 lanes, and a tree of them.
//
//   float hl_reduce_sum_f32_avx512(const float *x, size_t n);
//
// In      rdi = x, rsi = n                  Out  xmm0 = sum
// Uses    rax, rcx, rsi, rdi, r8, r9, zmm0..zmm5, k1      Stack  none
// Loop    256 bytes, one addition to each of 4 vectors; bound by the latency of an addition (3 or 4 cycles), on Zen 4 as much by the 4 loads
// Tail    whole vectors, then one under a mask; reads exactly x[0..n]

#include "hl.h"

#define BYTES       4
#include "lanes_avx512.h"

FUNC(hl_reduce_sum_f32_avx512)
        lanes
END(hl_reduce_sum_f32_avx512)

        RODATA
        lanes_constants
