// Block of a product, 64-bit: C = A B or C + A B, each element one chain of fused multiply-adds over ascending k.
//
//   void hl_matmul_block_f64_avx512(size_t m, size_t n, size_t k, const double *a, ptrdiff_t a_row, ptrdiff_t a_column,
//                                   const double *b, ptrdiff_t b_row, double *packed, double *c, ptrdiff_t c_row, uint32_t accumulate);
//
// In      rdi = m, rsi = n, rdx = k, rcx = a, r8 = a_row, r9 = a_column, the others on the stack
// Out     c, packed if not null
// Uses    all registers but rsp, k1 and zmm0..zmm31 among them      Stack  144 bytes
// Loop    a column of A: 14 rows of 16 columns in 28 sums; bound by the 28 multiply-adds (14 or 28 cycles)
// Bound   14 cycles for 224 elements on Granite Rapids
// Tail    masks; narrower vectors; reads exactly A, B and, to add to it, C

#include "hl.h"

#define SIZE    8
#define SHIFT   3
#define ZMM     8
#define YMM     4
#define XMM     2
#define VECTOR_SHIFT 3
#define ELEMENT qword ptr
#define LOAD    vmovupd
#define MOVE    vmovdqu64
#define BROADCAST vbroadcastsd
#define FMA     vfmadd231pd
#include "block_avx512.h"

FUNC(hl_matmul_block_f64_avx512)
        block
END(hl_matmul_block_f64_avx512)
