// Counts the pairs of points beyond each of several distances: for each i < n, j < m and e < k, if
// r2 of the pair, as in scatter, is not less than `edges[e]`, adds 1 to `words[e]`.
//
//   void hl_correlation_counts_avx512(const float *x, const float *y, size_t n, const float *other_x,
//       const float *other_y, size_t m, const float *shift, const float *edges, size_t k,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = n, rcx = other_x, r8 = other_y, r9 = m,
//         [rsp+8..32] = shift, edges, k, words     Out  words[0..k]
// Uses    rax, rbx, rdx, rbp, rdi, rsi, r10..r13, zmm0..zmm14, k1     Stack  728 bytes
// Loop    16 pairs and up to 8 edges: 7 operations and 2 an edge, besides 2 broadcasts; bound by
//         the two 512-bit pipes (with 3 edges, 13 operations)
// Tail    the last vector overlaps the one before, whose lanes are marked; reads exactly the points

#include "hl.h"

#define BYTES       64

// Sums in zmm0..zmm7.
#define r2          zmm8
#define dy          zmm9
#define xj          zmm10
#define yj          zmm11
#define shift_x     zmm12
#define shift_y     zmm13
#define minus_one   zmm14

#include "counts_x86_64.h"

        .macro constants
        vbroadcastss shift_x, [rax]
        vbroadcastss shift_y, [rax + 4]
        vpternlogd minus_one, minus_one, minus_one, 0xff
        .endm

        .macro near_edge
        vpbroadcastd zmm0, [rax]
        vpxor   xmm1, xmm1, xmm1
        vpmaxsd zmm0, zmm0, zmm1
        vpaddd  zmm0, zmm0, minus_one
        vmovdqa32 [rbx], zmm0
        .endm

        .macro clear
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        vpxor   xmm\e, xmm\e, xmm\e
        .endr
        .endm

        .macro load to, from
        vmovups \to, \from
        .endm

        .macro store to, from
        vmovaps \to, \from
        .endm

        .macro mark from
        vpord   xj, xj, \from
        .endm

        // Differences have the opposite sign, which squaring removes.
        .macro meet
        vbroadcastss r2, [x + 4*i]
        vbroadcastss dy, [y + 4*i]
        vsubps  r2, r2, xj
        vsubps  dy, dy, yj
        vsubps  r2, r2, shift_x
        vsubps  dy, dy, shift_y
        vmulps  r2, r2, r2
        vmulps  dy, dy, dy
        vaddps  r2, r2, dy
        .endm

        .macro beyond e
        vpcmpgtd k1, r2, [near + BYTES*\e]
        vpsubd  zmm\e {k1}, zmm\e, minus_one
        .endm

        .macro total e
        vextracti64x4 ymm8, zmm\e, 1
        vpaddd  ymm8, ymm8, ymm\e
        vextracti128 xmm9, ymm8, 1
        vpaddd  xmm8, xmm8, xmm9
        vpshufd xmm9, xmm8, 0x4e
        vpaddd  xmm8, xmm8, xmm9
        vpshufd xmm9, xmm8, 0xb1
        vpaddd  xmm8, xmm8, xmm9
        vmovd   eax, xmm8
        .endm

FUNC(hl_correlation_counts_avx512)
        counts  vzeroupper
END(hl_correlation_counts_avx512)

        RODATA
        tables
