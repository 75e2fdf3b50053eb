// Decides 64 sites one after the other, and returns which of them flip, a bit for each.
//
//   uint64_t hl_ising_dense_flips_avx2(uint64_t spins, const int16_t *fields,
//       const int16_t *bounds, const int8_t *couplings, size_t stride);
//
// In      rdi = spins, rsi = fields, rdx = bounds, rcx = couplings, r8 = stride     Out  rax
// Uses    rax, rcx, rdi, r9..r11, ymm0..ymm11     Stack  16 bytes
// Loop    8 sites: their spins times fields are one vector. A row is subtracted from it where its
//         site flips, without a branch; bound by the latency of 4 operations a site (4 to 6
//         cycles). Then 3 operations for each flip and 16 later sites
// Tail    none; does not read rows of sites that cannot flip

#include "hl.h"

#define spins       edi
#define bounds      rdx
#define couplings   rcx
#define stride      r8
#define three       r9
#define lower       r10

#define products    xmm0
#define s           xmm1
#define bound       xmm2
#define row         xmm3
#define own         xmm4
#define stays       xmm5
#define factor      ymm6
#define later       ymm7

        // Decides site `i` of a group, whose row is at `address`, and changes the products of the
        // sites after it.
        .macro decide i, address
        vpmovsxbw row, qword ptr [\address]
        vpmullw row, row, [rip + .Ltwice + 16 * \i]
        vpshufb own, s, [rip + .Lrepeat + 16 * \i]
        vpsignw row, row, s
        vpsignw row, row, own
        vpshufb own, bound, [rip + .Lrepeat + 16 * \i]
        vpshufb stays, products, [rip + .Lrepeat + 16 * \i]
        vpcmpgtw stays, stays, own
        vpandn  row, stays, row
        vpsubw  products, products, row
        .endm

        // The sites of group `group`, whose fields are a half of ymm<v>. A group is at the diagonal of the
        // couplings.
        .macro decide_group group, v
        .if     \group & 1
        vextracti128 products, ymm\v, 1
        .else
        vmovdqa products, xmm\v
        .endif
        movzx   spins, byte ptr [rsp + \group]
        vmovd   s, spins
        vpshuflw s, s, 0
        vpunpcklqdq s, s, s
        vpand   s, s, [rip + .Lbits]
        vpcmpeqw s, s, [rip + .Lbits]
        vpor    s, s, [rip + .Lones]
        vmovdqu bound, [bounds + 16 * \group]
        vpsignw products, products, s
        vpcmpgtw stays, products, bound
        vpmovmskb eax, stays
        cmp     eax, 0xffff
        je      .Lnone_\group
        lea     lower, [couplings + 4 * stride]
        decide  0, couplings
        decide  1, couplings+stride
        decide  2, couplings+2*stride
        decide  3, couplings+three
        decide  4, lower
        decide  5, lower+stride
        decide  6, lower+2*stride
        vpcmpgtw stays, products, bound
        vpacksswb stays, stays, stays
        vpmovmskb eax, stays
        not     eax
        movzx   eax, al
        mov     byte ptr [rsp + 8 + \group], al

        // Each flip changes the fields of the later groups: those of ymm<w> begin at group 2 w - 16.
        .if     \group < 7
        test    eax, eax
        jz      .Lnone_\group
.Lflip_\group:
        tzcnt   r11d, eax
        mov     lower, r11
        imul    lower, stride
        add     lower, couplings
        bt      spins, r11d
        sbb     r11d, r11d
        and     r11d, 4
        sub     r11d, 2
        vmovd   xmm6, r11d
        vpbroadcastw factor, xmm6
        .irp    w, 8, 9, 10, 11
        .if     \group < 2 * \w - 15
        vpmovsxbw later, [lower + 16 * \w - 128 - 8 * \group]
        vpmullw later, later, factor
        vpaddw  ymm\w, ymm\w, later
        .endif
        .endr
        blsr    eax, eax
        jnz     .Lflip_\group
        .endif
.Lnone_\group:
        .if     \group < 7
        lea     couplings, [couplings + 8 * stride + 8]
        .endif
        .endm

FUNC(hl_ising_dense_flips_avx2)
        push    0
        .cfi_adjust_cfa_offset 8
        push    rdi
        .cfi_adjust_cfa_offset 8
        lea     three, [stride + 2 * stride]
        vmovdqu ymm8, [rsi]
        vmovdqu ymm9, [rsi + 32]
        vmovdqu ymm10, [rsi + 64]
        vmovdqu ymm11, [rsi + 96]

        decide_group 0, 8
        decide_group 1, 8
        decide_group 2, 9
        decide_group 3, 9
        decide_group 4, 10
        decide_group 5, 10
        decide_group 6, 11
        decide_group 7, 11

        pop     rdi
        .cfi_adjust_cfa_offset -8
        pop     rax
        .cfi_adjust_cfa_offset -8
        vzeroupper
        ret
END(hl_ising_dense_flips_avx2)

        RODATA
        .balign 16
.Lbits:                                 // bit i in word i
        .short  1, 2, 4, 8, 16, 32, 64, 128
.Lones:
        .short  1, 1, 1, 1, 1, 1, 1, 1
.Lrepeat:                               // word i in all places
        .irp    byte, 0x0100, 0x0302, 0x0504, 0x0706, 0x0908, 0x0b0a, 0x0d0c
        .short  \byte, \byte, \byte, \byte, \byte, \byte, \byte, \byte
        .endr
.Ltwice:                                // 2 after place i
        .short  0, 2, 2, 2, 2, 2, 2, 2
        .short  0, 0, 2, 2, 2, 2, 2, 2
        .short  0, 0, 0, 2, 2, 2, 2, 2
        .short  0, 0, 0, 0, 2, 2, 2, 2
        .short  0, 0, 0, 0, 0, 2, 2, 2
        .short  0, 0, 0, 0, 0, 0, 2, 2
        .short  0, 0, 0, 0, 0, 0, 0, 2
