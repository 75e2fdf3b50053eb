// Pairs of near points by their distance in uniform bins: of the pairs with r2 less than `limit`, in
// the order of i < n and then j < m, each adds to table k mod 4 what it adds to a table of scatter;
// k is the number of such pairs before it.
//
//   void hl_correlation_scatter_below_avx512(const float *x, const float *y, const int16_t *psi,
//       size_t n, const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, float limit, float inverse_width, float start, size_t bins,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y, [rsp+8] = other_psi,
//         [rsp+16] = m, [rsp+24] = shift, xmm0 = limit, xmm1 = inverse_width, xmm2 = start,
//         [rsp+32] = bins, [rsp+40] = words     Out  4 tables of words
// Uses    rax, rcx, rdx, rbx, rsi, rdi, rbp, r8..r15, k1, zmm0..zmm2, zmm5..zmm13     Stack  1528 bytes
// Loop    16 pairs; 19 operations without the additions to words of those below the limit; bound by
//         the vector ports of Intel (7 cycles)
// Tail    a padded copy, whose padding is infinitely far; reads exactly the points

#define BYTES       64
#define limit       zmm5
#define start       zmm6
#define inverse     zmm7
#define last        zmm8
#define shift_x     zmm9
#define shift_y     zmm10
#define psi         zmm11
#define x           zmm12
#define y           zmm13

#include "scatter_below_x86_64.h"

        .macro broadcast to, from
        vbroadcastss \to, \from
        .endm

        .macro constants
        vbroadcastss limit, xmm0
        vbroadcastss inverse, xmm1
        vbroadcastss start, xmm2
        vcvtsi2ss xmm0, xmm0, rbx
        vbroadcastss last, xmm0
        broadcast shift_x, [rax]
        broadcast shift_y, [rax+4]
        .endm

        // Differences have the opposite sign, which squaring removes.
        .macro pack to_x, to_y, to_psi, frame
        vsubps  zmm0, x, [\to_x]
        vsubps  zmm1, y, [\to_y]
        vsubps  zmm0, zmm0, shift_x
        vsubps  zmm1, zmm1, shift_y
        vmulps  zmm0, zmm0, zmm0
        vmulps  zmm1, zmm1, zmm1
        vpmaddwd zmm2, psi, [\to_psi]
        vaddps  zmm0, zmm0, zmm1
        vcmpltps k1, zmm0, limit
        vcompressps zmm0 {k1}{z}, zmm0
        vpcompressd zmm2 {k1}{z}, zmm2
        kmovw   ebx, k1
        popcnt  ebx, ebx
        vmovups [\frame + squares + 4 * count], zmm0
        vmovdqu32 [\frame + products + 4 * count], zmm2
        add     count, rbx
        .endm

        .macro find_bins frame
        vsqrtps zmm0, [\frame + squares + 4 * index]
        vmovups zmm1, [\frame + products + 4 * index]
        vmulps  zmm0, zmm0, inverse
        vmaxps  zmm0, zmm0, start
        vsubps  zmm0, zmm0, start
        vminps  zmm0, zmm0, last
        vcvttps2dq zmm0, zmm0
        vmovaps [\frame + bins + 4 * index], zmm0
        vmovaps [\frame + ready + 4 * index], zmm1
        .endm

        .macro carry frame
        vmovaps zmm0, [\frame + squares + 4 * BATCH]
        vmovaps zmm1, [\frame + products + 4 * BATCH]
        vmovaps [\frame + squares], zmm0
        vmovaps [\frame + products], zmm1
        .endm

FUNC(hl_correlation_scatter_below_avx512)
        frame
        vzeroupper
        ret
        .cfi_restore_state
        pairs
END(hl_correlation_scatter_below_avx512)
