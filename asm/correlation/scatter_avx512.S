// Pairs of points by their distance in uniform bins: for each i < n and j < m, bin b of table j mod
// 4, which is `words[(bins + 1) (j mod 4) + b]`, gets 2^47 and the product of `psi[2 i..]` and
// `other_psi[2 j..]`, as in offsets.
//
//   void hl_correlation_scatter_avx512(const float *x, const float *y, const int16_t *psi,
//       size_t n, const float *other_x, const float *other_y, const int16_t *other_psi, size_t m,
//       const float *shift, float inverse_width, float start, size_t bins,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = psi, rcx = n, r8 = other_x, r9 = other_y, [rsp+8] = other_psi,
//         [rsp+16] = m, [rsp+24] = shift, xmm0 = inverse_width, xmm1 = start,
//         [rsp+32] = bins, [rsp+40] = words     Out  4 tables of words
// Uses    rax, rcx, rdx, rbx, rsi, rdi, rbp, r8..r15, zmm0..zmm7, zmm9..zmm15     Stack  1360 bytes
// Loop    16 pairs; 43 loads and 19 stores; bound by these, three a cycle on most CPUs (21 cycles)
// Tail    a padded copy, whose padding adds 0; reads exactly the points

#define BYTES       64
#define MOVE        vmovdqa32
#define bin         zmm0
#define low         zmm4
#define high        zmm5
#define start       zmm6
#define one         zmm7
#define last        zmm9
#define inverse     zmm10
#define shift_x     zmm11
#define shift_y     zmm12
#define psi         zmm13
#define x           zmm14
#define y           zmm15

#include "scatter_x86_64.h"

        .macro zero to
        vpxord  \to, \to, \to
        .endm

        .macro broadcast to, from
        vbroadcastss \to, \from
        .endm

        .macro constants
        vbroadcastss inverse, xmm0
        vbroadcastss start, xmm1
        vcvtsi2ss xmm1, xmm1, rbx
        vbroadcastss last, xmm1
        broadcast shift_x, [rax]
        broadcast shift_y, [rax+4]
        broadcast one, [rip+.Lone]
        .endm

        // Differences have the opposite sign, which squaring removes.
        .macro compute to_x, to_y, to_psi, count
        vsubps  zmm0, x, [\to_x]
        vsubps  zmm1, y, [\to_y]
        vsubps  zmm0, zmm0, shift_x
        vsubps  zmm1, zmm1, shift_y
        vmulps  zmm0, zmm0, zmm0
        vmulps  zmm1, zmm1, zmm1
        vaddps  zmm0, zmm0, zmm1
        vsqrtps zmm0, zmm0
        vmulps  zmm0, zmm0, inverse
        vmaxps  zmm0, zmm0, start
        vsubps  zmm0, zmm0, start
        vminps  zmm0, zmm0, last
        vcvttps2dq bin, zmm0
        vpmaddwd zmm2, psi, [\to_psi]
        vpsrad  zmm3, zmm2, 31
        vpaddd  zmm3, zmm3, \count
        vpunpckldq low, zmm2, zmm3
        vpunpckhdq high, zmm2, zmm3
        .endm

FUNC(hl_correlation_scatter_avx512)
        frame
        vzeroupper
        ret
        .cfi_restore_state
        pairs
END(hl_correlation_scatter_avx512)

        RODATA
        tables
