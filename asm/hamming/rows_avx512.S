// Kernels of single rows, with AVX-512 but without VPOPCNT: the instances of one template. A full
// adder reduces three vectors to two before a nibble table counts.

#include "hl.h"
#include "rows_avx512.h"

        .set    TABLES, 1

// Counts the ones among the first `bits` bits of `n` rows: `counts[i]` for row i at `rows + i * stride`.
//
//   void hl_hamming_counts_avx512(const uint8_t *rows, size_t n, size_t bits, size_t stride,
//       uint32_t *counts);
//
// In      rdi = rows, rsi = n, rdx = bits, rcx = stride, r8 = counts     Out  counts[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r8..r13, zmm0..zmm13, zmm15, zmm24..zmm27, k1, k2     Stack  32 bytes
// Loop    4 vectors of 8 rows; 24 operations a row; bound by the vector pipes, two a cycle (12 cycles)
// Tail    single vectors; the last one under a mask
FUNC(hl_hamming_counts_avx512)
        mov     r9, r8
        mov     r8, rcx
        mov     rcx, rdx
        mov     rdx, rsi
        mov     rsi, rdi
        count_rows counts, none
END(hl_hamming_counts_avx512)

// Counts the ones that `n` rows share with a query: `out[i]` is the number of bits among the first
// `bits` that are 1 in the query and in row i at `rows + i * stride`.
//
//   void hl_hamming_shared_avx512(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits,
//       size_t stride, uint32_t *out);
//
// In      rdi = query, rsi = rows, rdx = n, rcx = bits, r8 = stride, r9 = out     Out  out[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r9..r13, zmm0..zmm16, zmm24..zmm27, k1, k2     Stack  32 bytes
// Loop    4 vectors of 8 rows; 28 operations a row; bound by the vector pipes, two a cycle (14 cycles)
// Tail    single vectors; the last one under a mask
FUNC(hl_hamming_shared_avx512)
        count_rows shared, and
END(hl_hamming_shared_avx512)

// Counts the bits in which `n` rows differ from a query: `out[i]` is the number of bits among the
// first `bits` that are not the same in the query and in row i at `rows + i * stride`.
//
//   void hl_hamming_differing_avx512(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits,
//       size_t stride, uint32_t *out);
//
// In      rdi = query, rsi = rows, rdx = n, rcx = bits, r8 = stride, r9 = out     Out  out[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r9..r13, zmm0..zmm16, zmm24..zmm27, k1, k2     Stack  32 bytes
// Loop    4 vectors of 8 rows; 28 operations a row; bound by the vector pipes, two a cycle (14 cycles)
// Tail    single vectors; the last one under a mask
FUNC(hl_hamming_differing_avx512)
        count_rows differing, xor
END(hl_hamming_differing_avx512)

RODATA
        .balign 16
.Lby_1:                                 // popcount of each nibble
        .byte   0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4
.Lnibble:                               // the lower nibble of each byte
        .long   0x0f0f0f0f
