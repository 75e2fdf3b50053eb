// Pairs of points by their distance in uniform bins: for each i < n and j < m, bin b of table j mod
// 4, which is `words[(bins + 1) (j mod 4) + b]`, gets 2^47 and the product of `psi[2 i..]` and
// `other_psi[2 j..]`, as in offsets.
//
//   void hl_correlation_scatter_sse2(const float *x, const float *y, const int16_t *psi, size_t n,
//       const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, float inverse_width, float start, size_t bins,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y, [rsp+8] = other_psi,
//         [rsp+16] = m, [rsp+24] = shift, xmm0 = inverse_width, xmm1 = start,
//         [rsp+32] = bins, [rsp+40] = words     Out  4 tables of words
// Uses    rax, rcx, rdx, rbx, rsi, rdi, rbp, r8..r15, xmm0..xmm4, xmm6, xmm7, xmm9..xmm15     Stack  1360 bytes
// Loop    4 pairs; 50 operations; bound by issue, six a cycle on Zen 3 (8.3 cycles)
// Bound   8.3 cycles for 4 elements on Zen 3
// Tail    a padded copy, whose padding adds 0; reads exactly the points

#define BYTES       16
#define MOVE        movdqa
#define bin         xmm0
#define low         xmm2
#define high        xmm4
#define start       xmm6
#define one         xmm7
#define last        xmm9
#define inverse     xmm10
#define shift_x     xmm11
#define shift_y     xmm12
#define psi         xmm13
#define x           xmm14
#define y           xmm15

#include "scatter_x86_64.h"

FUNC(hl_correlation_scatter_sse2)
        scatter
END(hl_correlation_scatter_sse2)

        RODATA
        .balign 4
.Lone:                                  // the count of a pair in the upper half of a word
        .long   0x8000
