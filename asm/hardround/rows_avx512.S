// Which domains of cells may hold a case: bit i mod 64 of `hits[2 c + i / 64]` for domain i of cell
// c; the other bits are 0.
//
//   void hl_hardround_rows_avx512(const hl_hardround_cell *cells, size_t count, uint64_t *hits);
//
// In      rdi = cells, rsi = count, rdx = hits
//                                           Out  hits[2 * c], hits[2 * c + 1]
// Uses    rax, rcx, rdx, rsi, rdi, r8, r9, zmm0..zmm23, k1, k2     Stack  none
// Loop    16 domains: 26 vector operations and a division; bound by the vector pipes: 16 cycles
//         with Zen 4 and with Sapphire Rapids, 15 with Ice Lake (modelled)
// Bound   16 cycles for 16 elements on Granite Rapids
// Tail    a whole vector, whose excess bits are cut off

#include "hl.h"

#define cell        rdi
#define count       rsi
#define hits        rdx
#define at          rcx         // the half word of 16 domains
#define last        r8
#define domains     r9

#define z           zmm0
#define z_step      zmm1
#define h           zmm2
#define h_step      zmm3
#define y           zmm4
#define per         zmm5
#define one         zmm6
#define ratio       zmm7
#define min_y       zmm8
#define row_slope       zmm9
#define row_offset        zmm10
#define width       zmm11
#define slack       zmm12
#define z_change    zmm13
#define h_change    zmm14
#define y_step      zmm15
#define indices     zmm16
#define pairs       zmm17
#define gained      zmm18

FUNC(hl_hardround_rows_avx512)
        test    count, count
        jz      .Ldone
        vbroadcastss one, [rip + .Lone]
        vpmovzxbd indices, [rip + .Lindices]
        vpmovzxbd pairs, [rip + .Lpairs]
        vpslld  gained, indices, 4
        vpaddd  gained, gained, [rip + .Lsum]{1to16}

        // z and h for the first 16 domains: value, step and change of the step. In domain i the value has
        // grown by i d + i (i - 1) / 2 dd; up to domain i + 16 it grows by 16 d + (16 i + 120) dd.
.Lcell:
        vpbroadcastd zmm19, [cell + 4]
        vpbroadcastd zmm20, [cell + 8]
        vpmulld zmm21, indices, zmm19
        vpmulld zmm22, pairs, zmm20
        vpmulld z_step, gained, zmm20
        vpslld  zmm19, zmm19, 4
        vpslld  z_change, zmm20, 8
        vpaddd  zmm21, zmm21, [cell]{1to16}
        vpaddd  z_step, z_step, zmm19
        vpaddd  z, zmm21, zmm22
        vpbroadcastd zmm19, [cell + 16]
        vpbroadcastd zmm20, [cell + 20]
        vpmulld zmm21, indices, zmm19
        vpmulld zmm22, pairs, zmm20
        vpmulld h_step, gained, zmm20
        vpslld  zmm19, zmm19, 4
        vpslld  h_change, zmm20, 8
        vpaddd  zmm21, zmm21, [cell + 12]{1to16}
        vpaddd  h_step, h_step, zmm19
        vpaddd  h, zmm21, zmm22
        vpbroadcastd y_step, [cell + 28]
        vpmulld zmm19, indices, y_step
        vpaddd  y, zmm19, [cell + 24]{1to16}
        vpslld  y_step, y_step, 4
        vbroadcastss per, [cell + 32]
        vbroadcastss ratio, [cell + 36]
        vbroadcastss min_y, [cell + 40]
        vbroadcastss row_slope, [cell + 44]
        vbroadcastss row_offset, [cell + 48]
        vbroadcastss width, [cell + 52]
        vbroadcastss slack, [cell + 56]
        mov     r9d, 128
        mov     eax, [cell + 60]
        cmp     rax, domains
        cmovb   domains, rax
        xor     eax, eax
        mov     [hits], rax
        mov     [hits + 8], rax
        mov     at, rax
        lea     last, [domains + 15]
        shr     last, 4

        // zmm19: the limit of z; zmm20 and zmm21: z and h; zmm22: the slope.
.Lvector:
        vcvtdq2ps zmm19, y
        vmaxps  zmm19, zmm19, min_y
        vpaddd  y, y, y_step
        vdivps  zmm22, per, zmm19
        vmulps  zmm19, zmm19, row_slope
        vaddps  zmm19, zmm19, row_offset
        vpsrld  zmm20, z, 9
        vpord   zmm20, zmm20, one
        vpaddd  z, z, z_step
        vpaddd  z_step, z_step, z_change
        vcmpps  k2, zmm20, zmm19, 2
        vsubps  zmm20, zmm20, one
        vcmpps  k1, zmm20, zmm19, 2
        vpsrld  zmm21, h, 9
        vpord   zmm21, zmm21, one
        vpaddd  h, h, h_step
        vpaddd  h_step, h_step, h_change
        vmulps  zmm23, zmm22, width
        vsubps  zmm22, zmm22, ratio
        vaddps  zmm23, zmm23, slack
        vmulps  zmm20, zmm20, zmm22
        vaddps  zmm20, zmm20, zmm21
        vaddps  zmm22, zmm20, zmm22
        vreduceps zmm20, zmm20, 11
        vreduceps zmm22, zmm22, 11
        vcmpps  k1{k1}, zmm20, zmm23, 2
        vcmpps  k2{k2}, zmm22, zmm23, 2
        korw    k1, k1, k2
        kmovw   [hits + 2*at], k1
        add     at, 1
        cmp     at, last
        jb      .Lvector

        // Clear the bits of the last half word from domains - 16 (at - 1) on.
        lea     last, [hits + 2*at - 2]
        shl     ecx, 4
        sub     r9d, ecx
        add     r9d, 16
        kmovw   eax, k1
        bzhi    eax, eax, r9d
        mov     [last], ax
        add     cell, 64
        add     hits, 16
        sub     count, 1
        jnz     .Lcell

.Ldone:
        vzeroupper
        ret
END(hl_hardround_rows_avx512)

        RODATA
        .balign 16
.Lindices:
        .byte   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.Lpairs:                                // i (i - 1) / 2
        .byte   0, 0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105
.Lsum:                                  // sum of 0 to 15
        .long   120
.Lone:
        .float  1.0
