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

        .macro broadcast to, from
        movss   \to, \from
        shufps  \to, \to, 0
        .endm

        .macro constants
        movaps  limit, xmm0
        shufps  limit, limit, 0
        movaps  inverse, xmm1
        shufps  inverse, inverse, 0
        movaps  start, xmm2
        shufps  start, start, 0
        cvtsi2ss last, rbx
        shufps  last, last, 0
        broadcast shift_x, [rax]
        broadcast shift_y, [rax+4]
        .endm

        // The buffer holds a square and a product for each pair. A pair is stored, and overwritten by
        // the next one unless it is below the limit.
        .macro pack to_x, to_y, to_psi, frame
        movups  xmm0, [\to_x]
        movups  xmm1, [\to_y]
        movdqu  xmm2, [\to_psi]
        subps   xmm0, x
        subps   xmm1, y
        pmaddwd xmm2, psi
        addps   xmm0, shift_x
        addps   xmm1, shift_y
        mulps   xmm0, xmm0
        mulps   xmm1, xmm1
        addps   xmm0, xmm1
        movaps  xmm1, xmm0
        movaps  xmm3, xmm0
        cmpltps xmm1, limit
        unpcklps xmm0, xmm2
        unpckhps xmm3, xmm2
        movmskps ebx, xmm1
        movlps  [\frame + 8 * count], xmm0
        shr     ebx
        adc     count, 0
        movhps  [\frame + 8 * count], xmm0
        shr     ebx
        adc     count, 0
        movlps  [\frame + 8 * count], xmm3
        shr     ebx
        adc     count, 0
        movhps  [\frame + 8 * count], xmm3
        add     count, rbx
        .endm

        .macro find_bins frame
        movaps  xmm0, [\frame + 8 * index]
        movaps  xmm2, [\frame + 8 * index + 16]
        movaps  xmm1, xmm0
        shufps  xmm0, xmm2, 0x88
        shufps  xmm1, xmm2, 0xdd
        sqrtps  xmm0, xmm0
        mulps   xmm0, inverse
        maxps   xmm0, start
        subps   xmm0, start
        minps   xmm0, last
        cvttps2dq xmm0, xmm0
        movdqa  [\frame + bins + 4 * index], xmm0
        movaps  [\frame + ready + 4 * index], xmm1
        .endm

        .macro carry frame
        movaps  xmm0, [\frame + 8 * BATCH]
        movaps  xmm1, [\frame + 8 * BATCH + 16]
        movaps  [\frame], xmm0
        movaps  [\frame + 16], xmm1
        .endm

FUNC(hl_correlation_scatter_below_sse2)
        frame
        ret
        .cfi_restore_state
        pairs
END(hl_correlation_scatter_below_sse2)
