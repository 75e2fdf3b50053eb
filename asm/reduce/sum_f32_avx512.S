// Sum of x[0..n] in 64 lanes and a tree.
//
//   float hl_reduce_sum_f32_avx512(const float *x, size_t n);
//
// In      rdi = x, rsi = n                  Out  xmm0 = sum
// Uses    rax, rcx, rsi, rdi, r8, r9, k1, zmm0..zmm5      Stack  none
// Loop    256 bytes, one addition to each of 4 vectors; bound by an addition (4 cycles), on Zen 4 by the loads (4)
// Tail    whole vectors, then one under a mask; reads exactly x[0..n]

#include "hl.h"

#define BYTES       4
#include "lanes_avx512.h"

FUNC(hl_reduce_sum_f32_avx512)
        lanes
END(hl_reduce_sum_f32_avx512)

        RODATA
        lanes_constants
