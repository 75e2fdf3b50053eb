// Sum of x[0..n] in 32 lanes and a tree.
//
//   double hl_reduce_sum_f64_avx2(const double *x, size_t n);
//
// In      rdi = x, rsi = n                  Out  xmm0 = sum
// Uses    rax, rcx, rsi, rdi, r8, ymm0..ymm10      Stack  none
// Loop    256 bytes, one addition to each of 8 vectors; bound by the 8 loads (4 cycles)
// Bound   4 cycles for 32 elements on Zen 3
// Tail    whole vectors, then one under a mask; reads exactly x[0..n]

#include "hl.h"

#define BYTES       8
#include "lanes_avx2.h"

FUNC(hl_reduce_sum_f64_avx2)
        lanes
END(hl_reduce_sum_f64_avx2)

        RODATA
        lanes_constants
