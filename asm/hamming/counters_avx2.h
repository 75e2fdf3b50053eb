// Popcounts with AVX2: full adders, then a table lookup by nibbles. The including file defines the
// registers `nibble` and `by_1`.

        // Full adder: `sum` becomes the sum bit of sum + a + b, `carry` the carry; overwrites a.
        .macro full_adder carry, sum, a, b
        vpxor   \a, \sum, \a
        vpor    \carry, \sum, \a
        vpxor   \sum, \a, \b
        vpand   \a, \a, \sum
        vpxor   \carry, \carry, \a
        .endm

        // The popcount of each byte of v, times a weight.
        .macro ones v, t, by
        vpsrlw  \t, \v, 4
        vpand   \v, \v, nibble
        vpand   \t, \t, nibble
        vpshufb \v, \by, \v
        vpshufb \t, \by, \t
        vpaddb  \v, \v, \t
        .endm

        .macro tables
        .balign 32
        // The popcount of a nibble, times a weight.
        .irp    by, 1, 2, 4, 8
.Lby_\by:
        .rept   2
        .byte   0, \by, \by, 2*\by, \by, 2*\by, 2*\by, 3*\by, \by, 2*\by, 2*\by, 3*\by, 2*\by, 3*\by, 3*\by, 4*\by
        .endr
        .endr
.Lnibble:
        .byte   15
        .endm
