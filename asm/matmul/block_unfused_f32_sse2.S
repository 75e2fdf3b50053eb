// Block of a product without fused multiply-add; each element of A stands four times.
//
//   void hl_matmul_block_unfused_f32_sse2(size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_row, ptrdiff_t a_column,
//       const float *b, ptrdiff_t b_row, float *packed, float *c, ptrdiff_t c_row, uint32_t accumulate);
//
// In      rdi = m, rsi = n, rdx = k, rcx = a, r8 = a_row, r9 = a_column, [rsp+8] = b, [rsp+16] = b_row, [rsp+24] = packed,
//         [rsp+32] = c, [rsp+40] = c_row, [rsp+48] = accumulate             Out  m rows of n at c, k rows of n at packed
// Uses    all but rsp, xmm0..xmm15; rbx, rbp, r12..r15 are saved     Stack  136 bytes
// Loop    4 steps of k, 6 x 8; 37 instructions a step and 4 for all, of which a Zen 3 begins six a cycle: 6.3 cycles a step, where
//         6.4 were measured and the multiplications and additions take 6
// Bound   6.3 cycles for 48 elements on Zen 3
// Tail    fewer rows, a pair of vectors that overlap, pieces of 8 and 4 bytes; reads and writes exactly the elements

#include "hl.h"

#define SHIFT       2
#define times       mulps
#define plus        addps
#include "block_sse2.h"

FUNC(hl_matmul_block_unfused_f32_sse2)
        block
END(hl_matmul_block_unfused_f32_sse2)
