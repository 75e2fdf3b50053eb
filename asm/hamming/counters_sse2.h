// Counting bits with SSE2: full adders, then sums of bytes.

#define mask_1      xmm13
#define mask_2      xmm14
#define mask_4      xmm15

        // sum + a + b: the carry replaces `sum`, the bit that stays replaces b.
        .macro full_adder sum, a, b
        pxor    \a, \sum
        pxor    \b, \a
        por     \sum, \a
        pand    \a, \b
        pxor    \sum, \a
        .endm

        // The ones of each pair of bits; the sums of two pairs; of two nibbles.
        .macro sum_bits v, t
        movdqa  \t, \v
        psrlw   \t, 1
        pand    \t, mask_1
        psubb   \v, \t
        .endm

        .macro sum_pairs v, t
        movdqa  \t, \v
        psrlw   \t, 2
        pand    \v, mask_2
        pand    \t, mask_2
        paddb   \v, \t
        .endm

        .macro sum_nibbles v, t
        movdqa  \t, \v
        psrlw   \t, 4
        pand    \v, mask_4
        pand    \t, mask_4
        paddb   \v, \t
        .endm

        // The ones in each half of six vectors, which count 1, 1, 2, 4, 8 and 16, to the first; xmm9..xmm12 are used.
        .macro sum_ones one, other, two, four, eight, sixteen
        sum_bits \one, xmm9
        sum_bits \two, xmm10
        sum_bits \other, xmm11
        sum_bits \four, xmm12
        sum_bits \eight, xmm9
        sum_bits \sixteen, xmm10
        sum_pairs \one, xmm11
        sum_pairs \two, xmm12
        sum_pairs \other, xmm9
        sum_pairs \four, xmm10
        sum_pairs \eight, xmm11
        sum_pairs \sixteen, xmm12

        // Nibbles of up to 12, 4, 12 and 4; then bytes, in all up to 128, and 128.
        paddb   \two, \two
        paddb   \eight, \eight
        paddb   \one, \two
        paddb   \four, \eight
        movdqa  xmm9, \sixteen
        movdqa  xmm10, \other
        psllw   \sixteen, 4
        psrlw   \other, 4
        paddb   \sixteen, xmm9
        paddb   \other, xmm10
        pand    \sixteen, [rip + .Lmask_8]
        pand    \other, mask_4
        sum_nibbles \one, xmm11
        sum_nibbles \four, xmm12
        pxor    xmm9, xmm9
        paddb   \four, \four
        paddb   \one, \other
        paddb   \four, \four
        paddb   \one, \four
        psadbw  \sixteen, xmm9
        psadbw  \one, xmm9
        paddd   \one, \sixteen
        .endm

        .macro load_masks
        movdqa  mask_1, [rip + .Lmask_1]
        movdqa  mask_2, [rip + .Lmask_2]
        movdqa  mask_4, [rip + .Lmask_4]
        .endm

        .macro masks
        .balign 16
.Lmask_1:       // the lower bit of each two, the lower two of each four, the lower and the upper four of each eight
        .quad   0x5555555555555555, 0x5555555555555555
.Lmask_2:
        .quad   0x3333333333333333, 0x3333333333333333
.Lmask_4:
        .quad   0x0f0f0f0f0f0f0f0f, 0x0f0f0f0f0f0f0f0f
.Lmask_8:
        .quad   0xf0f0f0f0f0f0f0f0, 0xf0f0f0f0f0f0f0f0
        .endm
