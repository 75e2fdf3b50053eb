#include "hl.h"

#define BYTES       32
#define v0          ymm0
#define v1          ymm1
#define v2          ymm2
#define v3          ymm3
#define v4          ymm4
#define v5          ymm5
#define v6          ymm6
#define v7          ymm7
#define v8          ymm8
#define v9          ymm9
#define v10         ymm10
#define v11         ymm11
#define v12         ymm12
#define v13         ymm13
#define v14         ymm14
#define v15         ymm15

#include "ntt_x86_64.h"

        .macro load to, from
        vmovdqu \to, \from
        .endm

        .macro store to, from
        vmovdqu \to, \from
        .endm

        .macro upper to, odd
        vpblendd \to, \to, \odd, 0xaa
        .endm

        .macro clear register
        vpxor   xmm\register, xmm\register, xmm\register
        .endm

// Two levels of 16 number-theoretic transforms.
//
//   void hl_correlation_ntt_forward_avx2(uint32_t *x, size_t nodes, size_t quarter, const uint32_t *roots,
//                                         uint32_t p);
//
// In      rdi = x, rsi = nodes, rdx = quarter, rcx = roots, r8d = p     Out  x
// Uses    rax, rcx, rdx, rdi, rsi, r8..r10, ymm0..ymm9, ymm12..ymm15     Stack  none
// Loop    4 x 8 numbers: 4 products of 8 operations, and 20 others; bound by the
//         three vector pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_forward_avx2)
        nodes   forward, forward_level
END(hl_correlation_ntt_forward_avx2)

// Two levels of 16 inverse number-theoretic transforms.
//
//   void hl_correlation_ntt_inverse_avx2(uint32_t *x, size_t nodes, size_t quarter, const uint32_t *roots,
//                                         uint32_t p);
//
// In      rdi = x, rsi = nodes, rdx = quarter, rcx = roots, r8d = p     Out  x
// Uses    rax, rcx, rdx, rdi, rsi, r8..r10, ymm0..ymm9, ymm12..ymm15     Stack  none
// Loop    4 x 8 numbers: 4 products of 8 operations, and 20 others; bound by the
//         three vector pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_inverse_avx2)
        nodes   inverse, inverse_level
END(hl_correlation_ntt_inverse_avx2)

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

// Products of rows with rows in descending order modulo a prime.
//
//   void hl_correlation_ntt_multiply_avx2(uint32_t *a, const uint32_t *b, size_t n, size_t fields,
//                                          size_t stride, uint32_t p, uint32_t inverse);
//
// In      rdi = a, rsi = b, rdx = n, rcx = fields, r8 = stride, r9d = p, [rsp+8] = inverse
//                                           Out  a
// Uses    rax, rdx, rdi, rsi, r9..r11, ymm0..ymm5, ymm12, ymm14, ymm15     Stack  none
// Loop    8 elements of a field: 6 operations; bound by the three vector pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_multiply_avx2)
        multiply
END(hl_correlation_ntt_multiply_avx2)
