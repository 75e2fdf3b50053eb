// The rows of pieces of arcs that may hold a case: bit i of `hits[32 b + j]` for row j of piece i of
// bundle b.
//
//   void hl_hardround_dual_avx2(const hl_hardround_bundle *bundles, size_t count, uint32_t *hits);
//
// In      rdi = bundles, rsi = count, rdx = hits
//                                           Out  hits[32 * b + j]
// Uses    rax, rcx, rdx, rsi, rdi, r8..r11, ymm0..ymm13     Stack  none
// Loop    16 rows: 2 vectors of pieces, 12 operations each; bound by the 2 square roots (12 cycles on
//         Granite Rapids)
// Bound   12 cycles for 16 elements on Granite Rapids
// Tail    none

#include "hl.h"

#define bundles     rdi
#define count       rsi
#define hits        rdx
#define last        rcx         // the number of the row after the last one
#define number      rax         // of a row
#define fields      r9          // 16 pieces of a bundle
#define out         r10         // the halves of words that belong to them
#define bits        r8d
#define more        r11d

// The rows of 8 pieces, whose heights are in `t`: all ones where both positions exceed the limit.
        .macro test_rows t, u, scale, from, limit
        vsqrtps \t, \t
        vmulps  \t, \t, \scale
        vcvtps2dq \t, \t
        vpslld  \t, \t, 18
        vpaddd  \u, \from, \t
        vpsubd  \t, \from, \t
        vpminsd \t, \t, \u
        vpcmpgtd \t, \t, \limit
        .endm

// Writes the bits of 16 pieces.
        .macro put
        vmovmskps bits, ymm0
        vmovmskps more, ymm2
        shl     more, 8
        or      bits, more
        not     bits
        mov     [out], r8w
        .endm

FUNC(hl_hardround_dual_avx2)
        test    count, count
        jz      .Ldone

.Lbundle:
        mov     ecx, [bundles + 896]
        mov     eax, 32
        cmp     ecx, eax
        cmova   ecx, eax
        lea     number, [rip + .Lnumbers]
        test    ecx, ecx
        jz      .Lnext
        lea     last, [number + 4 * last]
        mov     fields, bundles
        mov     out, hits

.Lpieces:
        vmovups ymm0, [fields + 128]            // height
        vmovups ymm2, [fields + 160]
        vmovups ymm4, [fields]                  // scale
        vmovups ymm5, [fields + 32]
        vmovdqu ymm6, [fields + 256]            // base
        vmovdqu ymm7, [fields + 288]
        vmovdqu ymm8, [fields + 384]            // step
        vmovdqu ymm9, [fields + 416]
        vmovdqu ymm10, [fields + 512]           // limit
        vmovdqu ymm11, [fields + 544]
        vpaddd  ymm12, ymm6, [fields + 640]     // extra
        vpaddd  ymm13, ymm7, [fields + 672]
        lea     number, [rip + .Lnumbers + 4]
        test_rows ymm0, ymm1, ymm4, ymm12, [fields + 768]
        test_rows ymm2, ymm3, ymm5, ymm13, [fields + 800]
        vmovups ymm12, [fields + 128]
        vmovups ymm13, [fields + 160]
        put
        cmp     number, last
        jae     .Lfilled

.Lrow:
        vbroadcastss ymm1, [number]
        vaddps  ymm0, ymm1, ymm12
        vaddps  ymm2, ymm1, ymm13
        vpsubd  ymm6, ymm6, ymm8
        vpsubd  ymm7, ymm7, ymm9
        add     out, 4
        add     number, 4
        test_rows ymm0, ymm1, ymm4, ymm6, ymm10
        test_rows ymm2, ymm3, ymm5, ymm7, ymm11
        put
        cmp     number, last
        jb      .Lrow

.Lfilled:
        lea     out, [hits + 2]
        add     fields, 64
        lea     r8, [bundles + 64]
        cmp     fields, r8
        je      .Lpieces

.Lnext:
        add     bundles, 900
        add     hits, 128
        sub     count, 1
        jnz     .Lbundle
        vzeroupper
.Ldone:
        ret
END(hl_hardround_dual_avx2)

        RODATA
        .balign 64
.Lnumbers:                              // of rows
        .float  0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0
        .float  16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0
