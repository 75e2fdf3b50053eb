// Sum of rounded products of floats in 64 lanes, and a tree of them.
//
//   float hl_reduce_dot_f32_sse2(const float *x, const float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  xmm0 = sum of products
// Uses    rax, rdx, rsi, rdi, xmm0..xmm15      Stack  
// Loop    
// Tail    ; reads exactly x[0..n] and y[0..n]

#include "hl.h"

#define BYTES       4
#define DOT
#include "lanes_sse2.h"

FUNC(hl_reduce_dot_f32_sse2)
        lanes
END(hl_reduce_dot_f32_sse2)

        RODATA
        lanes_constants
