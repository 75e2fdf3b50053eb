// Sum of doubles in 32 lanes, and a tree of them.
//
//   double hl_reduce_sum_f64_sse2(const double *x, size_t n);
//
// In      rdi = x, rsi = n                  Out  xmm0 = sum
// Uses    rax, rsi, rdi, xmm0..xmm15      Stack  
// Loop    
// Tail    ; reads exactly x[0..n]

#include "hl.h"

#define BYTES       8
#include "lanes_sse2.h"

FUNC(hl_reduce_sum_f64_sse2)
        lanes
END(hl_reduce_sum_f64_sse2)

        RODATA
        lanes_constants
