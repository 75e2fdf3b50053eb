// Counting bits with AVX2: full adders, then nibbles looked up.

#define by_1        ymm12
#define by_2        ymm13
#define by_4        ymm14
#define nibble      ymm15

        // sum + a + b: the bit that stays, and the carry.
        .macro full_adder carry, sum, a, b
        vpxor   \a, \sum, \a
        vpor    \carry, \sum, \a
        vpxor   \sum, \a, \b
        vpand   \a, \a, \sum
        vpxor   \carry, \carry, \a
        .endm

        // The ones of each byte of v, times a weight.
        .macro ones v, t, by
        vpsrlw  \t, \v, 4
        vpand   \v, \v, nibble
        vpand   \t, \t, nibble
        vpshufb \v, \by, \v
        vpshufb \t, \by, \t
        vpaddb  \v, \v, \t
        .endm

        .macro load_tables
        vmovdqa by_1, [rip + .Lby_1]
        vpaddb  by_2, by_1, by_1
        vpaddb  by_4, by_2, by_2
        vpbroadcastb nibble, [rip + .Lnibble]
        .endm

        .macro tables
        .balign 32
.Lby_1:         // the ones of a nibble, and 8 and 16 times as many
        .irp    by, 1, 8, 16
        .rept   2
        .byte   0, \by, \by, 2*\by, \by, 2*\by, 2*\by, 3*\by, \by, 2*\by, 2*\by, 3*\by, 2*\by, 3*\by, 3*\by, 4*\by
        .endr
        .endr
.Lnibble:
        .byte   15
        .endm
