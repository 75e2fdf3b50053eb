// Popcounts with SSE2: full adders, then byte sums.

#define mask_1      xmm13
#define mask_2      xmm14
#define mask_4      xmm15

        // Full adder for sum + a + b: the carry replaces `sum`, the sum bit replaces b; overwrites a.
        .macro full_adder sum, a, b
        pxor    \a, \sum
        pxor    \b, \a
        por     \sum, \a
        pand    \a, \b
        pxor    \sum, \a
        .endm

        // Popcounts of pairs of bits, then of fields twice as wide: 4 bits, then 8.
        .macro sum_bits v, t
        movdqa  \t, \v
        psrlw   \t, 1
        pand    \t, mask_1
        psubb   \v, \t
        .endm

        .macro sum_fields bits, mask, v, t
        movdqa  \t, \v
        psrlw   \t, \bits
        pand    \v, \mask
        pand    \t, \mask
        paddb   \v, \t
        .endm

        // Adds up the popcounts of six vectors of weight 1, 1, 2, 4, 8 and 16, in each half, into
        // `one`. Overwrites xmm9..xmm12.
        .macro sum_ones one, other, two, four, eight, sixteen
        sum_bits \one, xmm9
        sum_bits \two, xmm10
        sum_bits \other, xmm11
        sum_bits \four, xmm12
        sum_bits \eight, xmm9
        sum_bits \sixteen, xmm10
        sum_fields 2, mask_2, \one, xmm11
        sum_fields 2, mask_2, \two, xmm12
        sum_fields 2, mask_2, \other, xmm9
        sum_fields 2, mask_2, \four, xmm10
        sum_fields 2, mask_2, \eight, xmm11
        sum_fields 2, mask_2, \sixteen, xmm12

        // Nibbles of up to 12, 4, 12 and 4; then bytes of up to 128 in `one` and in `sixteen`.
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
        sum_fields 4, mask_4, \one, xmm11
        sum_fields 4, mask_4, \four, xmm12
        pxor    xmm9, xmm9
        paddb   \four, \four
        paddb   \one, \other
        paddb   \four, \four
        paddb   \one, \four
        psadbw  \sixteen, xmm9
        psadbw  \one, xmm9
        paddd   \one, \sixteen
        .endm

        .macro masks
        .balign 16
.Lmask_1:       // lower bit of each pair, lower pair of each nibble, lower and upper nibble of each byte
        .quad   0x5555555555555555, 0x5555555555555555
.Lmask_2:
        .quad   0x3333333333333333, 0x3333333333333333
.Lmask_4:
        .quad   0x0f0f0f0f0f0f0f0f, 0x0f0f0f0f0f0f0f0f
.Lmask_8:
        .quad   0xf0f0f0f0f0f0f0f0, 0xf0f0f0f0f0f0f0f0
        .endm
