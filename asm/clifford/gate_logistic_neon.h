// S(a) = 1 / (1 + exp(-a)) by the formula of src/clifford/logistic.rs, for two rows, because each
// operation waits for the one before.

// Vectors of two rows: the argument of S, -x; n = x / ln 2, rounded; -r, for r = x - n ln 2;
// exp(r); the polynomial; r^2, or n.
#define minus_x v0.4s, v1.4s
#define whole   v2.4s, v3.4s
#define minus_r v4.4s, v5.4s
#define power   v4.4s, v5.4s
#define series  v6.4s, v7.4s
#define exponent v16.4s, v17.4s
#define all_of(constant) constant, constant

#define one     v18.4s
#define largest v19.4s
#define smallest v20.4s
#define minus_infinity v21.4s
#define minus_log2e v22.4s
#define ln2_high v23.4s
#define ln2_low v24.4s
#define c7      v25.4s
#define minus_c6 v26.4s
#define c5      v27.4s
#define minus_c4 v28.4s
#define c3      v29.4s
#define minus_c2 v30.4s

// A float in all lanes.
        .macro  constant register, bits
        mov     w12, #(\bits & 0xffff)
        movk    w12, #(\bits >> 16), lsl #16
        dup     \register, w12
        .endm

// One instruction for both rows.
        .macro  both instruction, i0, i1, j0, j1, k0, k1
        \instruction \i0, \j0, \k0
        \instruction \i1, \j1, \k1
        .endm

// Rows from `gates` to `to` become S of them. Coefficients of even powers change their signs, because the
// argument of the polynomial is -r.
        .macro  logistic
        fmov    one, #1.0
        constant largest, 0x42aea8f6    // 87.33, from which on S is 1
        constant smallest, 0xc2b170a5   // the number below -88.72, to which S is 0
        constant minus_infinity, 0xff800000
        constant minus_log2e, 0xbfb8aa3b
        constant ln2_high, 0x3f318000
        constant ln2_low, 0xb95e8083
        constant c7, 0x39506967         // exp(r) = 1 + r + c2 r^2 + .. + c7 r^7
        constant minus_c6, 0xbab743ce
        constant c5, 0x3c088908
        constant minus_c4, 0xbd2aa9c1
        constant c3, 0x3e2aaaaa
        fmov    minus_c2, #-0.5
.Lgate:
        ldp     q0, q1, [gates]
        both    fmin, minus_x, minus_x, all_of(largest)
        both    fmul, whole, minus_x, all_of(minus_log2e)
        frintn  v2.4s, v2.4s
        frintn  v3.4s, v3.4s
        both    fmul, minus_r, whole, all_of(ln2_high)
        both    fadd, minus_r, minus_r, minus_x
        both    fmul, series, whole, all_of(ln2_low)
        both    fadd, minus_r, minus_r, series
        both    fmul, series, minus_r, all_of(c7)
        both    fadd, series, series, all_of(minus_c6)
        .irp    c, c5, minus_c4, c3, minus_c2
        both    fmul, series, series, minus_r
        both    fadd, series, series, all_of(\c)
        .endr
        both    fmul, exponent, minus_r, minus_r
        both    fmul, series, series, exponent
        both    fadd, series, series, minus_r
        both    fsub, power, all_of(one), series

        // The exponent is added to the bits of exp(r), which is near 1: no result is denormal.
        // Outside of its range exp is infinite or NaN.
        fcvtzs  v16.4s, v2.4s
        fcvtzs  v17.4s, v3.4s
        shl     v16.4s, v16.4s, #23
        shl     v17.4s, v17.4s, #23
        both    add, power, power, exponent
        both    fcmgt, exponent, minus_x, all_of(smallest)
        both    fmul, minus_x, minus_x, all_of(minus_infinity)
        bif     v4.16b, v0.16b, v16.16b
        bif     v5.16b, v1.16b, v17.16b
        both    fadd, power, power, all_of(one)
        both    fdiv, whole, all_of(one), power
        stp     q2, q3, [gates], #32
        cmp     gates, to
        b.lo    .Lgate
        .endm
