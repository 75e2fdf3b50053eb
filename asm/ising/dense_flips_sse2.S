// Decides 64 sites one after the other, and returns which of them flip, a bit for each.
//
//   uint64_t hl_ising_dense_flips_sse2(uint64_t spins, const int16_t *fields,
//       const int16_t *bounds, const int8_t *couplings, size_t stride);
//
// In      rdi = spins, rsi = fields, rdx = bounds, rcx = couplings, r8 = stride     Out  rax
// Uses    rax, rcx, rdi, r9..r11, xmm0..xmm15     Stack  16 bytes
// Loop    8 sites: their spins times fields are one vector. A row is subtracted from it where its
//         site flips, without a branch; bound by the latency of 5 operations a site. Then
//         5 operations for each flip and 8 later sites
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
#define factor      xmm6
#define later       xmm7

        // Word `i` of `from` in all places.
        .macro repeat to, from, i
        .if     \i < 4
        pshuflw \to, \from, 85 * \i
        punpcklqdq \to, \to
        .else
        pshufhw \to, \from, 85 * (\i - 4)
        punpckhqdq \to, \to
        .endif
        .endm

        // Decides site `i` of a group, whose row is at `address`, and changes the products of the
        // sites after it.
        .macro decide i, address
        movq    row, qword ptr [\address]
        punpcklbw row, row
        psraw   row, 8
        pmullw  row, [rip + .Ltwice + 16 * \i]
        repeat  own, s, \i
        pmullw  row, s
        pmullw  row, own
        repeat  own, bound, \i
        repeat  stays, products, \i
        pcmpgtw stays, own
        pandn   stays, row
        psubw   products, stays
        .endm

        // The sites of group `group`, whose fields are `fields`. A group is at the diagonal of the couplings.
        .macro decide_group group, fields
        movdqa  products, \fields
        movzx   spins, byte ptr [rsp + \group]
        movd    row, spins
        repeat  s, row, 0
        movdqa  row, [rip + .Lbits]
        pand    s, row
        pcmpeqw s, row
        por     s, [rip + .Lones]
        movdqu  bound, [bounds + 16 * \group]
        pmullw  products, s
        movdqa  stays, products
        pcmpgtw stays, bound
        pmovmskb eax, stays
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
        movdqa  stays, products
        pcmpgtw stays, bound
        packsswb stays, stays
        pmovmskb eax, stays
        not     eax
        movzx   eax, al
        mov     byte ptr [rsp + 8 + \group], al

        // Each flip changes the fields of the later groups: those of group v - 8 are in xmm<v>.
        .if     \group < 7
        test    eax, eax
        jz      .Lnone_\group
.Lflip_\group:
        bsf     r11d, eax
        mov     lower, r11
        imul    lower, stride
        add     lower, couplings
        bt      spins, r11d
        sbb     r11d, r11d
        and     r11d, 4
        sub     r11d, 2
        movd    row, r11d
        repeat  factor, row, 0
        .irp    v, 9, 10, 11, 12, 13, 14, 15
        .if     \group < \v - 8
        movq    later, qword ptr [lower + 8 * \v - 64 - 8 * \group]
        punpcklbw later, later
        psraw   later, 8
        pmullw  later, factor
        paddw   xmm\v, later
        .endif
        .endr
        lea     r11d, [rax - 1]
        and     eax, r11d
        jnz     .Lflip_\group
        .endif
.Lnone_\group:
        .if     \group < 7
        lea     couplings, [couplings + 8 * stride + 8]
        .endif
        .endm

FUNC(hl_ising_dense_flips_sse2)
        push    0
        .cfi_adjust_cfa_offset 8
        push    rdi
        .cfi_adjust_cfa_offset 8
        lea     three, [stride + 2 * stride]
        movdqu  xmm8, [rsi + 0]
        movdqu  xmm9, [rsi + 16]
        movdqu  xmm10, [rsi + 32]
        movdqu  xmm11, [rsi + 48]
        movdqu  xmm12, [rsi + 64]
        movdqu  xmm13, [rsi + 80]
        movdqu  xmm14, [rsi + 96]
        movdqu  xmm15, [rsi + 112]

        decide_group 0, xmm8
        decide_group 1, xmm9
        decide_group 2, xmm10
        decide_group 3, xmm11
        decide_group 4, xmm12
        decide_group 5, xmm13
        decide_group 6, xmm14
        decide_group 7, xmm15

        pop     rdi
        .cfi_adjust_cfa_offset -8
        pop     rax
        .cfi_adjust_cfa_offset -8
        ret
END(hl_ising_dense_flips_sse2)

        RODATA
        .balign 16
.Lbits:                                 // bit i in word i
        .short  1, 2, 4, 8, 16, 32, 64, 128
.Lones:
        .short  1, 1, 1, 1, 1, 1, 1, 1
.Ltwice:                                // 2 after place i
        .short  0, 2, 2, 2, 2, 2, 2, 2
        .short  0, 0, 2, 2, 2, 2, 2, 2
        .short  0, 0, 0, 2, 2, 2, 2, 2
        .short  0, 0, 0, 0, 2, 2, 2, 2
        .short  0, 0, 0, 0, 0, 2, 2, 2
        .short  0, 0, 0, 0, 0, 0, 2, 2
        .short  0, 0, 0, 0, 0, 0, 0, 2
