#include "hl.h"

#define BYTES       64
#define v0          zmm0
#define v1          zmm1
#define v2          zmm2
#define v3          zmm3
#define v4          zmm4
#define v12         zmm12
#define p           zmm14
#define twice       zmm15

#include "ntt_x86_64.h"

// Sums of rows times factors modulo a prime.
//
//   void hl_correlation_ntt_combine_avx512(const uint32_t *from, uint32_t *to, size_t n, size_t inputs,
//                                         size_t outputs, const uint32_t *factors, uint32_t p,
//                                         uint32_t inverse);
//
// In      rdi = from, rsi = to, rdx = n, rcx = inputs, r8 = outputs, r9 = factors,
//         [rsp+8..16] = p, inverse     Out  to
// Uses    rax, rbx, rdx, rdi, rsi, r9..r14, zmm0..zmm4, zmm12, zmm14, zmm15, k1     Stack  32 bytes
// Loop    16 elements of an input: 5 operations; bound by the two vector pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_combine_avx512)
        combine
END(hl_correlation_ntt_combine_avx512)
