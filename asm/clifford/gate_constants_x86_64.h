// Constants of the gates of SSE2, AVX2 and AVX-512: floats in all lanes, or single ones for AVX-512.
        .macro  number_of name, bits
.L\name:
        .if     ROW == 64
        .long   \bits
        .else
        .rept   LANES
        .long   \bits
        .endr
        .endif
        .endm

        number_of one, 0x3f800000
        number_of mean_4, 0x3e800000    // 1 / n
        number_of mean_8, 0x3e000000
        number_of mean_16, 0x3d800000
        number_of cubic, 0x3d372713     // the coefficient of x^3 in the argument of GELU
        number_of factor, 0x3fcc422a    // 2 sqrt(2 / pi)
        number_of largest, 0x42aea8f6   // 87.33, from which on S is 1
        number_of smallest, 0xc2b170a5  // the number below -88.72, to which S is 0
        number_of minus_log2e, 0xbfb8aa3b
        number_of ln2_high, 0x3f318000  // ln 2 in two parts
        number_of ln2_low, 0xb95e8083
        number_of c7, 0x39506967        // exp(r) = 1 + r + c2 r^2 + .. + c7 r^7
        number_of minus_c6, 0xbab743ce
        number_of c5, 0x3c088908
        number_of minus_c4, 0xbd2aa9c1
        number_of c3, 0x3e2aaaaa
        number_of minus_c2, 0xbf000000
        .if     ROW < 64
        number_of round, 0x4b400000
        number_of minus_round, 0xcb400000
        number_of minus_infinity, 0xff800000
        .endif
