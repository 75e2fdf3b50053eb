// Kernels of single rows, with VPOPCNTQ: the instances of one template.

#include "hl.h"
#include "rows_avx512.h"

        .set    TABLES, 0

// Counts the ones among the first `bits` bits of `n` rows: `counts[i]` for row i at `rows + i * stride`.
//
//   void hl_hamming_counts_avx512icl(const uint8_t *rows, size_t n, size_t bits, size_t stride,
//       uint32_t *counts);
//
// In      rdi = rows, rsi = n, rdx = bits, rcx = stride, r8 = counts     Out  counts[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r8..r13, zmm0..zmm11, zmm15, k1, k2     Stack  32 bytes
// Loop    4 vectors of 8 rows; 8 operations a row; bound by the loads, two a cycle, and by the vector
//         pipes, two a cycle (4 cycles)
// Tail    single vectors; the last one under a mask
FUNC(hl_hamming_counts_avx512icl)
        mov     r9, r8
        mov     r8, rcx
        mov     rcx, rdx
        mov     rdx, rsi
        mov     rsi, rdi
        count_rows counts, none
END(hl_hamming_counts_avx512icl)

// Counts the ones that `n` rows share with a query: `out[i]` is the number of bits among the first
// `bits` that are 1 in the query and in row i at `rows + i * stride`.
//
//   void hl_hamming_shared_avx512icl(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits,
//       size_t stride, uint32_t *out);
//
// In      rdi = query, rsi = rows, rdx = n, rcx = bits, r8 = stride, r9 = out     Out  out[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r9..r13, zmm0..zmm11, zmm14..zmm16, k1, k2     Stack  32 bytes
// Loop    4 vectors of 8 rows; 12 operations a row; bound by the vector pipes, two a cycle (6 cycles)
// Tail    single vectors; the last one under a mask
FUNC(hl_hamming_shared_avx512icl)
        count_rows shared, and
END(hl_hamming_shared_avx512icl)

// Counts the bits in which `n` rows differ from a query: `out[i]` is the number of bits among the
// first `bits` that are not the same in the query and in row i at `rows + i * stride`.
//
//   void hl_hamming_differing_avx512icl(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits,
//       size_t stride, uint32_t *out);
//
// In      rdi = query, rsi = rows, rdx = n, rcx = bits, r8 = stride, r9 = out     Out  out[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r9..r13, zmm0..zmm11, zmm14..zmm16, k1, k2     Stack  32 bytes
// Loop    4 vectors of 8 rows; 12 operations a row; bound by the vector pipes, two a cycle (6 cycles)
// Tail    single vectors; the last one under a mask
FUNC(hl_hamming_differing_avx512icl)
        count_rows differing, xor
END(hl_hamming_differing_avx512icl)
