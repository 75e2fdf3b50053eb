// S(a) = 1 / (1 + exp(-a)) by the formula of src/clifford/logistic.rs, for two rows, because each
// operation waits for the one before; for SSE2, AVX2 and AVX-512.

// Vectors of two rows: the argument of S, -x; n = x / ln 2, rounded; -r, for r = x - n ln 2;
// exp(r); the polynomial; n plus the constant that rounds it; r^2.
#define minus_x 0, 1
#define whole   2, 3
#define minus_r 4, 5
#define power   4, 5
#define series  6, 7
#define rounded 8, 9
#define square_r 10, 11

// One operation for both rows.
        .macro both op, i0, i1, j0, j1, k0, k1
        \op     \i0, \j0, \k0
        \op     \i1, \j1, \k1
        .endm

        .macro both_at op, i0, i1, j0, j1, place:vararg
        \op\()_at \i0, \j0, \place
        \op\()_at \i1, \j1, \place
        .endm

// Leaves S in `whole`. Coefficients of even powers change their signs, because the argument of the
// polynomial is -r.
        .macro logistic
        constant 0, .Llargest
        constant 1, .Llargest
        least   0, [gates]
        least   1, [gates + ROW]
        both_at times, whole, minus_x, ALL(.Lminus_log2e)
        round
        both_at times, minus_r, whole, ALL(.Lln2_high)
        both    plus, minus_r, minus_r, minus_x
        both_at times, series, whole, ALL(.Lln2_low)
        both    plus, minus_r, minus_r, series
        both_at times, series, minus_r, ALL(.Lc7)
        both_at plus, series, series, ALL(.Lminus_c6)
        .irp    c, .Lc5, .Lminus_c4, .Lc3, .Lminus_c2
        both    times, series, series, minus_r
        both_at plus, series, series, ALL(\c)
        .endr
        both    times, square_r, minus_r, minus_r
        both    times, series, series, square_r
        both    plus, series, series, minus_r
        constant 4, .Lone
        constant 5, .Lone
        both    less, power, power, series
        finish
        .endm

// Constants, each written by `number_of`.
        .macro gate_constants
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
        .endm
