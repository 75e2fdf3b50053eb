#include "hl.h"

#define BYTES       64
#define v0          zmm0
#define v1          zmm1
#define v2          zmm2
#define v3          zmm3
#define v4          zmm4
#define v5          zmm5
#define v6          zmm6
#define v7          zmm7
#define v8          zmm8
#define v9          zmm9
#define v10         zmm10
#define v11         zmm11
#define v12         zmm12
#define v13         zmm13
#define v14         zmm14
#define v15         zmm15

#include "ntt_x86_64.h"

        .macro load to, from
        vmovdqu32 \to, \from
        .endm

        .macro store to, from
        vmovdqu32 \to, \from
        .endm

        // k1 marks the odd lanes.
        .macro upper to, odd
        vmovdqa32 \to {k1}, \odd
        .endm

        .macro clear register
        vpxor   xmm\register, xmm\register, xmm\register
        .endm

        .macro odd_lanes
        mov     eax, 0xaaaa
        kmovd   k1, eax
        .endm

// Two levels of 16 number-theoretic transforms.
//
//   void hl_correlation_ntt_forward_avx512(uint32_t *x, size_t nodes, size_t quarter, const uint32_t *roots,
//                                         uint32_t p);
//
// In      rdi = x, rsi = nodes, rdx = quarter, rcx = roots, r8d = p     Out  x
// Uses    rax, rcx, rdx, rdi, rsi, r8..r10, zmm0..zmm9, zmm12..zmm15, k1     Stack  none
// Loop    4 x 16 numbers: 4 products of 8 operations, and 20 others; bound by the
//         two vector pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_forward_avx512)
        odd_lanes
        nodes   forward, forward_level
END(hl_correlation_ntt_forward_avx512)

// Two levels of 16 inverse number-theoretic transforms.
//
//   void hl_correlation_ntt_inverse_avx512(uint32_t *x, size_t nodes, size_t quarter, const uint32_t *roots,
//                                         uint32_t p);
//
// In      rdi = x, rsi = nodes, rdx = quarter, rcx = roots, r8d = p     Out  x
// Uses    rax, rcx, rdx, rdi, rsi, r8..r10, zmm0..zmm9, zmm12..zmm15, k1     Stack  none
// Loop    4 x 16 numbers: 4 products of 8 operations, and 20 others; bound by the
//         two vector pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_inverse_avx512)
        odd_lanes
        nodes   inverse, inverse_level
END(hl_correlation_ntt_inverse_avx512)

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
        odd_lanes
        combine
END(hl_correlation_ntt_combine_avx512)

// Products of rows with rows in descending order modulo a prime.
//
//   void hl_correlation_ntt_multiply_avx512(uint32_t *a, const uint32_t *b, size_t n, size_t fields,
//                                          size_t stride, uint32_t p, uint32_t inverse);
//
// In      rdi = a, rsi = b, rdx = n, rcx = fields, r8 = stride, r9d = p, [rsp+8] = inverse
//                                           Out  a
// Uses    rax, rdx, rdi, rsi, r9..r11, zmm0..zmm5, zmm12, zmm14, zmm15, k1     Stack  none
// Loop    16 elements of a field: 6 operations; bound by the two vector pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_multiply_avx512)
        odd_lanes
        multiply
END(hl_correlation_ntt_multiply_avx512)
