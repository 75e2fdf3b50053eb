// Which domains of cells may hold a case: bit i mod 64 of `hits[2 c + i / 64]` for domain i of cell
// c; the other bits are 0.
//
//   void hl_hardround_rows_avx2(const hl_hardround_cell *cells, size_t count, uint64_t *hits);
//
// In      rdi = cells, rsi = count, rdx = hits
//                                           Out  hits[2 * c], hits[2 * c + 1]
// Uses    rax, rcx, rdx, rsi, rdi, rbp, r8..r11, ymm0..ymm15     Stack  at most 280 bytes
// Loop    8 domains: 28 vector operations, a division and 4 masks; bound by the vector pipes
//         (7 cycles with the 4 of Zen 3, 12 with the 3 of Skylake). On Zen 3 the schedulers limit
//         it to 10 cycles, so the next division comes first
// Bound   7 cycles for 8 elements on Zen 3
// Tail    a whole vector, whose excess bits are cut off
//
// Two floats, at most one of them negative, compare like their bits as integers, which more pipes
// can do.

#include "hl.h"

#define cell        rdi
#define count       rsi
#define hits        rdx
#define at          rcx         // the byte of 8 domains
#define last        r8
#define domains     r9

#define z           ymm0
#define z_step      ymm1
#define h           ymm2
#define h_step      ymm3
#define y           ymm4
#define per         ymm5
#define one         ymm6
#define inverse     ymm7        // per / y
#define limit       ymm8        // of z
#define row_slope       ymm9
#define ratio       [rsp]
#define min_y       [rsp + 32]
#define row_offset        [rsp + 64]
#define width       [rsp + 96]
#define slack       [rsp + 128]
#define z_change    [rsp + 160]
#define h_change    [rsp + 192]
#define y_step      [rsp + 224]
#define FRAME       256

FUNC(hl_hardround_rows_avx2)
        push    rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        and     rsp, -32
        lea     rsp, [rsp - FRAME]
        test    count, count
        jz      .Ldone
        vbroadcastss one, [rip + .Lone]

.Lcell:
        vpbroadcastd ymm10, [cell + 28]
        vpbroadcastd y, [cell + 24]
        vpmulld ymm11, ymm10, [rip + .Lindices]
        vpslld  ymm10, ymm10, 3
        vmovdqa y_step, ymm10
        vpaddd  y, y, ymm11
        vbroadcastss per, [cell + 32]
        vbroadcastss row_slope, [cell + 44]
        vbroadcastss ymm10, [cell + 40]
        vmovaps min_y, ymm10
        vbroadcastss ymm10, [cell + 48]
        vmovaps row_offset, ymm10

        // The floats that depend on y alone, for the first 8 domains.
        vcvtdq2ps ymm14, y
        vmaxps  ymm14, ymm14, min_y
        vpaddd  y, y, y_step
        vdivps  inverse, per, ymm14
        vmulps  limit, ymm14, row_slope
        vaddps  limit, limit, row_offset

        // z and h for the first 8 domains: value, step and change of the step. In domain i the value has
        // grown by i d + i (i - 1) / 2 dd; up to domain i + 8 it grows by 8 d + (8 i + 28) dd.
        vpbroadcastd ymm10, [cell + 4]
        vpbroadcastd ymm11, [cell + 8]
        vpbroadcastd z, [cell]
        vpmulld ymm12, ymm10, [rip + .Lindices]
        vpmulld ymm13, ymm11, [rip + .Lpairs]
        vpmulld z_step, ymm11, [rip + .Lgained]
        vpslld  ymm10, ymm10, 3
        vpslld  ymm11, ymm11, 6
        vmovdqa z_change, ymm11
        vpaddd  z, z, ymm12
        vpaddd  z_step, z_step, ymm10
        vpaddd  z, z, ymm13
        vpbroadcastd ymm10, [cell + 16]
        vpbroadcastd ymm11, [cell + 20]
        vpbroadcastd h, [cell + 12]
        vpmulld ymm12, ymm10, [rip + .Lindices]
        vpmulld ymm13, ymm11, [rip + .Lpairs]
        vpmulld h_step, ymm11, [rip + .Lgained]
        vpslld  ymm10, ymm10, 3
        vpslld  ymm11, ymm11, 6
        vmovdqa h_change, ymm11
        vpaddd  h, h, ymm12
        vpaddd  h_step, h_step, ymm10
        vpaddd  h, h, ymm13
        vbroadcastss ymm10, [cell + 36]
        vmovaps ratio, ymm10
        vbroadcastss ymm10, [cell + 52]
        vmovaps width, ymm10
        vbroadcastss ymm10, [cell + 56]
        vmovaps slack, ymm10
        mov     r9d, 128
        mov     eax, [cell + 60]
        cmp     rax, domains
        cmovb   domains, rax
        xor     eax, eax
        mov     [hits], rax
        mov     [hits + 8], rax
        mov     at, rax
        lea     last, [domains + 7]
        shr     last, 3

        // ymm10 and ymm11: row 0, its position and a mask where it is beyond the limit; ymm13 and
        // ymm12: these for row 1; ymm15: the strip. The floats of y are for the next 8 domains.
.Lvector:
        vmovaps ymm11, limit
        vmulps  ymm15, inverse, width
        vsubps  ymm13, inverse, ratio
        vcvtdq2ps ymm14, y
        vmaxps  ymm14, ymm14, min_y
        vpaddd  y, y, y_step
        vdivps  inverse, per, ymm14
        vmulps  limit, ymm14, row_slope
        vaddps  limit, limit, row_offset
        vpsrld  ymm12, z, 9
        vpor    ymm12, ymm12, one
        vpaddd  z, z, z_step
        vpaddd  z_step, z_step, z_change
        vsubps  ymm10, ymm12, one
        vpcmpgtd ymm12, ymm12, ymm11
        vpcmpgtd ymm11, ymm10, ymm11
        vaddps  ymm15, ymm15, slack
        vmulps  ymm10, ymm10, ymm13
        vpsrld  ymm14, h, 9
        vpor    ymm14, ymm14, one
        vpaddd  h, h, h_step
        vpaddd  h_step, h_step, h_change
        vaddps  ymm10, ymm10, ymm14
        vaddps  ymm13, ymm10, ymm13
        vroundps ymm14, ymm10, 11
        vsubps  ymm10, ymm10, ymm14
        vroundps ymm14, ymm13, 11
        vsubps  ymm13, ymm13, ymm14
        vpcmpgtd ymm10, ymm10, ymm15
        vpcmpgtd ymm13, ymm13, ymm15
        vmovmskps eax, ymm11
        vmovmskps r10d, ymm10
        or      eax, r10d
        vmovmskps r10d, ymm12
        vmovmskps r11d, ymm13
        or      r10d, r11d
        and     eax, r10d
        not     eax
        mov     [hits + at], al
        add     at, 1
        cmp     at, last
        jb      .Lvector

        // Clear the bits of the last byte from domains - 8 (at - 1) on.
        lea     last, [hits + at - 1]
        shl     ecx, 3
        sub     r9d, ecx
        add     r9d, 8
        bzhi    eax, eax, r9d
        mov     [last], al
        add     cell, 64
        add     hits, 16
        sub     count, 1
        jnz     .Lcell

.Ldone:
        mov     rsp, rbp
        .cfi_def_cfa_register rsp
        pop     rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbp
        vzeroupper
        ret
END(hl_hardround_rows_avx2)

        RODATA
        .balign 32
.Lindices:
        .long   0, 1, 2, 3, 4, 5, 6, 7
.Lpairs:                                // i (i - 1) / 2
        .long   0, 0, 1, 3, 6, 10, 15, 21
.Lgained:                               // 8 i + 28
        .long   28, 36, 44, 52, 60, 68, 76, 84
.Lone:
        .float  1.0
