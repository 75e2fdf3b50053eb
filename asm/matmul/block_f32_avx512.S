// Block of a product, 32-bit: C = A B or C + A B, each element one chain of fused multiply-adds over ascending k.
//
//   void hl_matmul_block_f32_avx512(size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_row, ptrdiff_t a_column,
//                                   const float *b, ptrdiff_t b_row, float *packed, float *c, ptrdiff_t c_row, uint32_t accumulate);
//
// In      rdi = m, rsi = n, rdx = k, rcx = a, r8 = a_row, r9 = a_column, the others on the stack
// Out     c, packed if not null
// Uses    all registers but rsp, k1 and zmm0..zmm31 among them      Stack  144 bytes
// Loop    a column of A: 14 rows of 32 columns in 28 sums; bound by the 28 multiply-adds (14 or 28 cycles)
// Bound   14 cycles for 448 elements on Granite Rapids
// Tail    masks; narrower vectors; reads exactly A, B and, to add to it, C

#include "hl.h"

#define SIZE    4
#define SHIFT   2
#define ZMM     16
#define YMM     8
#define XMM     4
#define VECTOR_SHIFT 4
#define ELEMENT dword ptr
#define LOAD    vmovups
#define MOVE    vmovdqu32
#define BROADCAST vbroadcastss
#define FMA     vfmadd231ps
#include "block_avx512.h"

FUNC(hl_matmul_block_f32_avx512)
        block
END(hl_matmul_block_f32_avx512)
