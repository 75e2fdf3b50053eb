// Which domains of cells may hold a case.
//
//   void hl_hardround_rows_avx2(const struct cell *cells, size_t count, uint64_t *hits);
//
// In      rdi = cells, rsi = count, rdx = hits
//                                           Out  hits[2 * c], hits[2 * c + 1]
// Uses    rax, rcx, r8..r11, ymm0..ymm15    Stack  128 bytes of the red zone
// Loop    8 domains: 27 vector operations, a division and 4 masks; bound by the 4 vector pipes of Zen 3 (7 cycles) and, before, by
//         the operations that wait in its schedulers for the division
// Tail    a whole vector, whose other bits are cut off
//
// Floats that are not negative compare as the integers of their bits, which all pipes do, and so does a float that may be negative
// with one that is not.

#include "hl.h"

#define cell        rdi
#define count       rsi
#define hits        rdx
#define at          rcx         // the byte of 8 domains
#define last        r8
#define domains     r9
#define changes     r10

#define z           ymm0
#define z_step      ymm1
#define h           ymm2
#define h_step      ymm3
#define y           ymm4
#define per         ymm5
#define one         ymm6
#define ratio       ymm7
#define least       ymm8
#define reach       ymm9
#define z_change    [changes]
#define h_change    [changes + 32]
#define y_step      [changes + 64]

// A quantity and its step at [cell + from], for the first 8 domains, and the change of the step. In domain i the quantity has grown
// by i d + i (i - 1) / 2 dd, and grows up to domain i + 8 by 8 d + (8 i + 28) dd.
        .macro start from, value, step, change
        vpbroadcastd ymm10, [cell + \from + 4]
        vpbroadcastd ymm11, [cell + \from + 8]
        vpbroadcastd \value, [cell + \from]
        vpmulld ymm12, ymm10, [rip + .Lindices]
        vpmulld ymm13, ymm11, [rip + .Lpairs]
        vpmulld \step, ymm11, [rip + .Lgained]
        vpslld  ymm10, ymm10, 3
        vpslld  ymm11, ymm11, 6
        vmovdqa \change, ymm11
        vpaddd  \value, \value, ymm12
        vpaddd  \step, \step, ymm10
        vpaddd  \value, \value, ymm13
        .endm

// Their number, 128 at most.
        .macro domains_of
        mov     r9d, 128
        mov     r11d, [cell + 60]
        cmp     r11, domains
        cmovb   domains, r11
        .endm

FUNC(hl_hardround_rows_avx2)
        test    count, count
        jz      .Ldone
        lea     changes, [rsp - 97]     // 96 bytes of the red zone
        and     changes, -32
        vbroadcastss one, [rip + .Lone]

.Lcell:
        start   0, z, z_step, z_change
        start   12, h, h_step, h_change
        vpbroadcastd ymm10, [cell + 28]
        vpbroadcastd y, [cell + 24]
        vpmulld ymm11, ymm10, [rip + .Lindices]
        vpslld  ymm10, ymm10, 3
        vmovdqa y_step, ymm10
        vpaddd  y, y, ymm11
        vbroadcastss per, [cell + 32]
        vbroadcastss ratio, [cell + 36]
        vbroadcastss least, [cell + 40]
        vbroadcastss reach, [cell + 44]
        domains_of
        xor     eax, eax
        mov     [hits], rax
        mov     [hits + 8], rax
        mov     at, rax
        lea     last, [domains + 7]
        shr     last, 3

        // ymm10: the gap; ymm11: the limits of z; ymm12 and ymm14: z and h; ymm13: the slope.
.Lvector:
        vcvtdq2ps ymm10, y
        vpmaxsd ymm10, ymm10, least
        vpaddd  y, y, y_step
        vdivps  ymm13, per, ymm10
        vmulps  ymm11, ymm10, reach
        vbroadcastss ymm12, [cell + 48]
        vaddps  ymm11, ymm11, ymm12
        vpsrld  ymm12, z, 9
        vpor    ymm12, ymm12, one
        vpaddd  z, z, z_step
        vpaddd  z_step, z_step, z_change
        vsubps  ymm10, ymm12, one
        vpcmpgtd ymm12, ymm12, ymm11
        vpcmpgtd ymm11, ymm10, ymm11
        vbroadcastss ymm15, [cell + 52]
        vmulps  ymm15, ymm15, ymm13
        vsubps  ymm13, ymm13, ratio
        vbroadcastss ymm14, [cell + 56]
        vaddps  ymm15, ymm15, ymm14
        vpsrld  ymm14, h, 9
        vpor    ymm14, ymm14, one
        vpaddd  h, h, h_step
        vpaddd  h_step, h_step, h_change
        vmulps  ymm10, ymm10, ymm13
        vaddps  ymm10, ymm10, ymm14
        vaddps  ymm13, ymm10, ymm13
        vroundps ymm14, ymm10, 11
        vsubps  ymm10, ymm10, ymm14
        vroundps ymm14, ymm13, 11
        vsubps  ymm13, ymm13, ymm14
        vpcmpgtd ymm10, ymm10, ymm15
        vpcmpgtd ymm13, ymm13, ymm15
        vmovmskps eax, ymm10
        vmovmskps r9d, ymm11
        or      eax, r9d
        vmovmskps r9d, ymm13
        vmovmskps r11d, ymm12
        or      r9d, r11d
        and     eax, r9d
        not     eax
        mov     [hits + at], al
        add     at, 1
        cmp     at, last
        jb      .Lvector

        // The last byte's bits from domains - 8 (at - 1) on.
        domains_of
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
