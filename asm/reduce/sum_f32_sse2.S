// Sum of x[0..n] in 64 lanes and a tree.
//
//   float hl_reduce_sum_f32_sse2(const float *x, size_t n);
//
// In      rdi = x, rsi = n                  Out  xmm0 = sum
// Uses    rax, rsi, rdi, xmm0..xmm15      Stack  56 bytes
// Loop    256 bytes, one addition to each of 16 vectors, all in registers; bound by the 16 loads (8 cycles)
// Bound   8 cycles for 64 elements on Zen 3
// Tail    whole vectors, then what is left in one or two pieces; reads exactly x[0..n]

#include "hl.h"

#define BYTES       4
#include "lanes_sse2.h"

FUNC(hl_reduce_sum_f32_sse2)
        lanes
END(hl_reduce_sum_f32_sse2)

        RODATA
        lanes_constants
