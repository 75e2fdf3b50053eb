// Counting bits with AVX2: full adders, then nibbles looked up. A file names the registers `nibble` and `by_1`, which
// load_tables fills.

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
        vpbroadcastb nibble, [rip + .Lnibble]
        .endm

        .macro tables
        .balign 32
        // The ones of a nibble, times a weight.
        .irp    by, 1, 2, 4, 8
.Lby_\by:
        .rept   2
        .byte   0, \by, \by, 2*\by, \by, 2*\by, 2*\by, 3*\by, \by, 2*\by, 2*\by, 3*\by, 2*\by, 3*\by, 3*\by, 4*\by
        .endr
        .endr
.Lnibble:
        .byte   15
        .endm
