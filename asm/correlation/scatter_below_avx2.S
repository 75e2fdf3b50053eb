// Pairs of near points by their distance in uniform bins: of the pairs with r2 less than `limit`, in
// the order of i < n and then j < m, each adds to table k mod 4 what it adds to a table of scatter;
// k is the number of such pairs before it.
//
//   void hl_correlation_scatter_below_avx2(const float *x, const float *y, const int16_t *psi,
//       size_t n, const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, float limit, float inverse_width, float start, size_t bins,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y, [rsp+8] = other_psi,
//         [rsp+16] = m, [rsp+24] = shift, xmm0 = limit, xmm1 = inverse_width, xmm2 = start,
//         [rsp+32] = bins, [rsp+40] = words     Out  4 tables of words
// Uses    rax, rcx, rdx, rbx, rsi, rdi, rbp, r8..r15, ymm0..ymm3, ymm5..ymm13     Stack  1528 bytes
// Loop    8 pairs; 20 operations without the additions to words of those below the limit; bound by the
//         vector ports of Intel (4.3 cycles)
// Tail    a padded copy, whose padding is infinitely far; reads exactly the points

#define BYTES       32
#define limit       ymm5
#define start       ymm6
#define inverse     ymm7
#define last        ymm8
#define shift_x     ymm9
#define shift_y     ymm10
#define psi         ymm11
#define x           ymm12
#define y           ymm13

#include "scatter_below_x86_64.h"

FUNC(hl_correlation_scatter_below_avx2)
        scatter_below
END(hl_correlation_scatter_below_avx2)

        RODATA
        .balign 8
.Lorders:                               // for each mask, its lanes in ascending order
        .set    mask, 0
        .rept   256
        .set    lanes, 0
        .irp    lane, 0, 1, 2, 3, 4, 5, 6, 7
        .if     (mask >> \lane) & 1
        .byte   \lane
        .set    lanes, lanes + 1
        .endif
        .endr
        .if     lanes < 8
        .skip   8 - lanes
        .endif
        .set    mask, mask + 1
        .endr
