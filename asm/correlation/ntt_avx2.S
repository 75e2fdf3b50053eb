#include "hl.h"

#define BYTES       32
#define v0          ymm0
#define v1          ymm1
#define v2          ymm2
#define v3          ymm3
#define v4          ymm4
#define v12         ymm12
#define p           ymm14
#define twice       ymm15

#include "ntt_x86_64.h"

// Sums of rows times factors modulo a prime.
//
//   void hl_correlation_ntt_combine_avx2(const uint32_t *from, uint32_t *to, size_t n, size_t inputs,
//                                         size_t outputs, const uint32_t *factors, uint32_t p,
//                                         uint32_t inverse);
//
// In      rdi = from, rsi = to, rdx = n, rcx = inputs, r8 = outputs, r9 = factors,
//         [rsp+8..16] = p, inverse     Out  to
// Uses    rax, rbx, rdx, rdi, rsi, r9..r14, ymm0..ymm4, ymm12, ymm14, ymm15     Stack  32 bytes
// Loop    8 elements of an input: 5 operations; bound by the three vector pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_combine_avx2)
        combine
END(hl_correlation_ntt_combine_avx2)
