// Pairs of near points by their distance in uniform bins: of the pairs with r2 less than `limit`, in
// the order of i < n and then j < m, each adds to table k mod 4 what it adds to a table of scatter;
// k is the number of such pairs before it.
//
//   void hl_correlation_scatter_below_sse2(const float *x, const float *y, const int16_t *psi,
//       size_t n, const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, float limit, float inverse_width, float start, size_t bins,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y, [rsp+8] = other_psi,
//         [rsp+16] = m, [rsp+24] = shift, xmm0 = limit, xmm1 = inverse_width, xmm2 = start,
//         [rsp+32] = bins, [rsp+40] = words     Out  4 tables of words
// Uses    rax, rcx, rdx, rbx, rsi, rdi, rbp, r8..r15, xmm0..xmm3, xmm5..xmm13     Stack  1528 bytes
// Loop    4 pairs; 32 operations without the additions to words of those below the limit; bound by
//         issue, six a cycle on Zen 3 (5.3 cycles)
// Tail    a padded copy, whose padding is infinitely far; reads exactly the points

#define BYTES       16
#define limit       xmm5
#define start       xmm6
#define inverse     xmm7
#define last        xmm8
#define shift_x     xmm9
#define shift_y     xmm10
#define psi         xmm11
#define x           xmm12
#define y           xmm13

#include "scatter_below_x86_64.h"

FUNC(hl_correlation_scatter_below_sse2)
        scatter_below
END(hl_correlation_scatter_below_sse2)
