// The rows of pieces of arcs that may hold a case: bit i of `hits[32 b + j]` for row j of piece i of
// bundle b.
//
//   void hl_hardround_dual_avx512(const hl_hardround_bundle *bundles, size_t count, uint32_t *hits);
//
// In      rdi = bundles, rsi = count, rdx = hits
//                                           Out  hits[32 * b + j]
// Uses    rax, rcx, rdx, rsi, rdi, r8, zmm0..zmm5, zmm16..zmm26, k1, k2      Stack  none
// Loop    32 rows: 2 vectors of pieces, one with a square root and one with an approximate inverse
//         root; bound by the 2 vector ports (31 operations, 16 cycles on Granite Rapids). Two square
//         roots would take 25 cycles
// Bound   16 cycles for 32 elements on Granite Rapids
// Tail    none
//
// From y = 1 / sqrt(x) within 2^-14, g = x y and h = y / 2, each of
//
//   r = 1/2 - g h, g' = g + g r, h' = h + h r        g' within an ulp of sqrt(x)
//   s = g' + (x - g' g') h'                          rounded
//
// is a fused operation. s is the rounded root of every normal x, whichever such y the CPU gives;
// `correct_roots` of tests/contract/exhaustive.rs tries all. Rows from 1 on have an x of at least 1.

#include "hl.h"

#define bundles     rdi
#define count       rsi
#define hits        rdx
#define rows        ecx
#define all_rows    rcx
#define row         rax
#define numbers     r8

#define half        zmm26

// The rows of 16 pieces: a bit of the mask where a position is at most the limit.
        .macro test_rows root, scale, from, limit, mask
        vmulps  \root, \root, \scale
        vcvtps2dq \root, \root
        vpslld  \root, \root, 18
        vpaddd  zmm5, \from, \root
        vpsubd  \root, \from, \root
        vpminsd \root, \root, zmm5
        vpcmpd  \mask, \root, \limit, 2
        .endm

FUNC(hl_hardround_dual_avx512)
        test    count, count
        jz      .Ldone
        lea     numbers, [rip + .Lnumbers]
        vbroadcastss half, [rip + .Lhalf]

.Lbundle:
        mov     rows, [bundles + 896]
        mov     eax, 32
        cmp     rows, eax
        cmova   rows, eax
        test    rows, rows
        jz      .Lnext
        vmovups zmm16, [bundles]                // scale
        vmovups zmm17, [bundles + 64]
        vmovups zmm18, [bundles + 128]          // height
        vmovups zmm19, [bundles + 192]
        vsqrtps zmm0, zmm18
        vsqrtps zmm1, zmm19
        vmovdqu32 zmm20, [bundles + 256]        // base
        vmovdqu32 zmm21, [bundles + 320]
        vmovdqu32 zmm22, [bundles + 384]        // step
        vmovdqu32 zmm23, [bundles + 448]
        vmovdqu32 zmm24, [bundles + 512]        // limit
        vmovdqu32 zmm25, [bundles + 576]
        vpaddd  zmm2, zmm20, [bundles + 640]    // extra
        vpaddd  zmm3, zmm21, [bundles + 704]
        test_rows zmm0, zmm16, zmm2, [bundles + 768], k1
        test_rows zmm1, zmm17, zmm3, [bundles + 832], k2
        kmovw   [hits], k1
        kmovw   [hits + 2], k2
        mov     eax, 1
        cmp     row, all_rows
        jae     .Lnext

.Lrow:
        vaddps  zmm0, zmm18, [numbers + 4 * row]{1to16}
        vaddps  zmm1, zmm19, [numbers + 4 * row]{1to16}
        vpsubd  zmm20, zmm20, zmm22
        vpsubd  zmm21, zmm21, zmm23
        vsqrtps zmm0, zmm0
        vrsqrt14ps zmm2, zmm1
        vmulps  zmm3, zmm1, zmm2
        vmulps  zmm2, zmm2, half
        vmovaps zmm4, zmm3
        vfnmadd213ps zmm4, zmm2, half
        vfmadd231ps zmm3, zmm3, zmm4
        vfmadd231ps zmm2, zmm2, zmm4
        vfnmadd231ps zmm1, zmm3, zmm3
        vfmadd132ps zmm1, zmm3, zmm2
        test_rows zmm0, zmm16, zmm20, zmm24, k1
        test_rows zmm1, zmm17, zmm21, zmm25, k2
        kmovw   [hits + 4 * row], k1
        kmovw   [hits + 4 * row + 2], k2
        add     row, 1
        cmp     row, all_rows
        jb      .Lrow

.Lnext:
        add     bundles, 900
        add     hits, 128
        sub     count, 1
        jnz     .Lbundle
        vzeroupper
.Ldone:
        ret
END(hl_hardround_dual_avx512)

        RODATA
        .balign 64
.Lnumbers:                              // of rows
        .float  0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0
        .float  16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0
.Lhalf:
        .float  0.5
