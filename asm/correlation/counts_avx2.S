// Counts the pairs of points beyond each of several distances: for each i < n, j < m and e < k, if
// r2 of the pair, as in scatter, is not less than `edges[e]`, adds 1 to `words[e]`.
//
//   void hl_correlation_counts_avx2(const float *x, const float *y, size_t n, const float *other_x,
//       const float *other_y, size_t m, const float *shift, const float *edges, size_t k,
//       int64_t *words);
//
// In      rdi = x, rsi = y, rdx = n, rcx = other_x, r8 = other_y, r9 = m,
//         [rsp+8..32] = shift, edges, k, words     Out  words[0..k]
// Uses    rax, rbx, rdx, rbp, rdi, rsi, r10..r13, ymm0..ymm13     Stack  408 bytes
// Loop    8 pairs and up to 8 edges: 7 operations and 2 an edge, besides 2 broadcasts; bound by the
//         four vector pipes (4.2 cycles with 3 edges on Zen 3, modelled)
// Tail    the last vector overlaps the one before, whose lanes are marked; reads exactly the points

#include "hl.h"

#define BYTES       32

// Sums in ymm0..ymm7.
#define r2          ymm8
#define dy          ymm9
#define xj          ymm10
#define yj          ymm11
#define shift_x     ymm12
#define shift_y     ymm13

#include "counts_x86_64.h"

        .macro constants
        vbroadcastss shift_x, [rax]
        vbroadcastss shift_y, [rax + 4]
        .endm

        .macro near_edge
        vpbroadcastd ymm0, [rax]
        vpxor   xmm1, xmm1, xmm1
        vpcmpeqd ymm2, ymm2, ymm2
        vpmaxsd ymm0, ymm0, ymm1
        vpaddd  ymm0, ymm0, ymm2
        vmovdqa [rbx], ymm0
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
        vorps   xj, xj, \from
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
        vpcmpgtd dy, r2, [near + BYTES*\e]
        vpsubd  ymm\e, ymm\e, dy
        .endm

        .macro total e
        vextracti128 xmm8, ymm\e, 1
        vpaddd  xmm8, xmm8, xmm\e
        vpshufd xmm9, xmm8, 0x4e
        vpaddd  xmm8, xmm8, xmm9
        vpshufd xmm9, xmm8, 0xb1
        vpaddd  xmm8, xmm8, xmm9
        vmovd   eax, xmm8
        .endm

FUNC(hl_correlation_counts_avx2)
        counts  vzeroupper
END(hl_correlation_counts_avx2)

        RODATA
        tables
