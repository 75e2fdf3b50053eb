// S(a) = 1 / (1 + exp(-a)) by the formula of src/clifford/logistic.rs, for two rows, because each
// operation waits for the one before; for SSE2, AVX2 and AVX-512.

// Vectors of two rows: the argument of S, -x; n = x / ln 2, rounded; -r, for r = x - n ln 2;
// exp(r); the polynomial; n plus the constant that rounds it; r^2.
#define minus_x V(0), V(1)
#define whole   V(2), V(3)
#define minus_r V(4), V(5)
#define power   V(4), V(5)
#define series  V(6), V(7)
#define rounded V(8), V(9)
#define square_r V(10), V(11)
#define all_of(constant) ALL(constant), ALL(constant)

// One operation for both rows.
        .macro  both name, i0, i1, j0, j1, k0, k1
        op      \name, \i0, \j0, \k0
        op      \name, \i1, \j1, \k1
        .endm

        .macro  constant i, name
        .if     ROW == 64
        vbroadcastss V(\i), [rip + \name]
        .else
        move    V(\i), [rip + \name]
        .endif
        .endm

// Leaves S in `whole`. Coefficients of even powers change their signs, because the argument of the
// polynomial is -r.
        .macro  logistic
        constant 0, .Llargest
        constant 1, .Llargest
        op      minps, V(0), V(0), [gates]      // NaN where the row has a NaN
        op      minps, V(1), V(1), [gates + ROW]
        both    mulps, whole, minus_x, all_of(.Lminus_log2e)
        .if     ROW == 64
        vrndscaleps zmm2, zmm2, 8
        vrndscaleps zmm3, zmm3, 8
        .else
        both    addps, rounded, whole, all_of(.Lround)
        both    addps, whole, rounded, all_of(.Lminus_round)
        .endif
        both    mulps, minus_r, whole, all_of(.Lln2_high)
        both    addps, minus_r, minus_r, minus_x
        both    mulps, series, whole, all_of(.Lln2_low)
        both    addps, minus_r, minus_r, series
        both    mulps, series, minus_r, all_of(.Lc7)
        both    addps, series, series, all_of(.Lminus_c6)
        .irp    c, .Lc5, .Lminus_c4, .Lc3, .Lminus_c2
        both    mulps, series, series, minus_r
        both    addps, series, series, all_of(\c)
        .endr
        both    mulps, square_r, minus_r, minus_r
        both    mulps, series, series, square_r
        both    addps, series, series, minus_r
        constant 4, .Lone
        constant 5, .Lone
        both    subps, power, power, series

        // `whole` = 1 / (1 + 2^whole power), or the limit of S.
        .if     ROW == 64
        vcmpps  k1, zmm0, ALL(.Lsmallest), 0x16 // greater, or NaN
        vcmpps  k2, zmm1, ALL(.Lsmallest), 0x16
        vscalefps zmm4, zmm4, zmm2
        vscalefps zmm5, zmm5, zmm3
        constant 6, .Lone
        both    addps, power, power, all_of(.Lone)
        vdivps  zmm2{k1}{z}, zmm6, zmm4
        vdivps  zmm3{k2}{z}, zmm6, zmm5
        .else

        // The exponent is added to the bits of exp(r), which is near 1: no result is denormal.
        op      pslld, V(8), V(8), 23
        op      paddd, V(4), V(4), V(8)
        op      pslld, V(9), V(9), 23
        op      paddd, V(5), V(5), V(9)
        .if     ROW == 32
        vcmpps  ymm8, ymm0, ALL(.Lsmallest), 0x1a       // not greater, or NaN
        vcmpps  ymm9, ymm1, ALL(.Lsmallest), 0x1a
        both    mulps, minus_x, minus_x, all_of(.Lminus_infinity)
        vblendvps ymm4, ymm4, ymm0, ymm8
        vblendvps ymm5, ymm5, ymm1, ymm9
        both    addps, power, power, all_of(.Lone)
        constant 6, .Lone
        vdivps  ymm2, ymm6, ymm4
        vdivps  ymm3, ymm6, ymm5
        .else
        constant 8, .Lsmallest
        constant 9, .Lsmallest
        cmpnltps xmm8, xmm0             // not less than the argument, or NaN
        cmpnltps xmm9, xmm1
        both    mulps, minus_x, minus_x, all_of(.Lminus_infinity)
        andps   xmm0, xmm8
        andnps  xmm8, xmm4
        orps    xmm8, xmm0
        movaps  xmm4, xmm8
        andps   xmm1, xmm9
        andnps  xmm9, xmm5
        orps    xmm9, xmm1
        movaps  xmm5, xmm9
        both    addps, power, power, all_of(.Lone)
        constant 2, .Lone
        constant 3, .Lone
        divps   xmm2, xmm4
        divps   xmm3, xmm5
        .endif
        .endif
        .endm
