// Block of a product, C = A B or C + A B, each element one chain of fused multiply-adds.
//
//   void hl_matmul_block_f32_avx2(size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_row, ptrdiff_t a_column,
//       const float *b, ptrdiff_t b_row, float *packed, float *c, ptrdiff_t c_row, uint32_t accumulate);
//
// In      rdi = m, rsi = n, rdx = k, rcx = a, r8 = a_row, r9 = a_column, the others on the stack      Out  c, packed
// Uses    rax, rcx, rdx, rsi, rdi, r8..r11, ymm0..ymm15      Stack  48 bytes; its arguments are changed
// Loop    6 rows of 16 columns, 2 steps of k; bound by the 12 multiply-adds of a step (6 cycles)
// Bound   6 cycles for 96 elements on Zen 3
// Tail    4 rows of 24 columns, or 12 of up to 8 under a mask; few rows take more columns

#define NAME        hl_matmul_block_f32_avx2
#define SHIFT       2
#define FMA         vfmadd231ps
#define MASKED      vmaskmovps
#define WIDE        vbroadcastss
#define HALF        vbroadcastss

#include "hl.h"
#include "block_avx2.h"
