// Sums of terms of products of multivectors, for the vectors of SSE2, AVX2 and AVX-512.
//
// A vector holds one coefficient of several multivectors, one per lane. Its place is a number: a
// register below ROWS, and from there on a row of the frame. A multivector is named by the place of
// its coefficient 0; the others follow. The file that includes this sets REGISTERS, 16 or 32, and
// defines, for register numbers i and a and for floats and doubles (t)
//
//   get i, row; put i, row      i = row, and the inverse
//   multiply t, i, a, b         i = a times register b
//   multiply_row t, i, a, row   i = a times row
//   plus t, i, a                i = i + a
//   minus t, i, a               i = i - a
//   minus_from t, i, a          i = a - i; a may change
//   negate t, i                 i = -i
//
// Names of registers need literal numbers: in `.altmacro`, %(..) is the value of an expression.

#define ROWS    32
#define TO_15   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

// The registers of 8 sums, of 6 factors, of a sum of weighted products and of a product; or if the
// sums are those of one parity, of 4 sums and a factor, and 8 registers before them are free.
        .set    SIDE, -1
        .macro name_registers
        .if     SIDE >= 0
        .set    SUMS, 8
        .set    FACTORS, 12
        .set    PRODUCT, 15
        .elseif REGISTERS == 16
        .set    SUMS, 0
        .set    FACTORS, 8
        .set    SUM, 14
        .set    PRODUCT, 15
        .else
        .set    SUMS, 16
        .set    FACTORS, 24
        .set    SUM, 30
        .set    PRODUCT, 31
        .endif
        .endm
        name_registers
        .set    FIRST_BY_RANK, 0
        .set    SECOND_BY_RANK, 0

// Tables of the algebra with 4, 8 or 16 blades. A blade is a bitmap of generators: e1 is 1, e2 is 2, e3 is 4 and
// e4 is 8. Hexadecimal digit i of BLADES_IN_ORDER is the blade of coefficient i, and digit b of
// COEFFICIENTS the coefficient of blade b. Digit i of RANKS is the number of coefficients before i
// with the parity of i. The generators in ZERO have square 0, the others 1.
        .macro algebra blades
        .set    BLADES, \blades
        .set    ZERO, 0
        .set    RANKS, 0x33212100
        .if     \blades == 4
        .set    BLADES_IN_ORDER, 0x3210
        .set    COEFFICIENTS, 0x3210
        .elseif \blades == 8
        .set    BLADES_IN_ORDER, 0x76534210
        .set    COEFFICIENTS, 0x76534210
        .else
        .set    BLADES_IN_ORDER, 0xfedb7ca695384210
        .set    COEFFICIENTS, 0xfedac974b8635210
        .set    ZERO, 1
        .set    RANKS, 0x7765465432132100
        .endif
        .endm

// IS_ODD = whether a blade has an odd number of generators.
        .macro parity blade
        .set    IS_ODD, (0x6996 >> (\blade)) & 1
        .endm

// IS_NEGATIVE = the sign of the product of two blades: the parity of the number of pairs of a
// generator of the first one and an earlier generator of the second one.
        .macro sign first, second
        .set    IS_NEGATIVE, (0x6996 >> (\second & ((\first >> 1) ^ (\first >> 2) ^ (\first >> 3)))) & 1
        .endm

// Register i = register a times place b.
        .macro times t, i, a, b
        .altmacro
        .if     \b < ROWS
        multiply \t, %(\i), %(\a), %(\b)
        .else
        multiply_row \t, %(\i), %(\a), %(\b - ROWS)
        .endif
        .noaltmacro
        .endm

// Begins or continues the sum in register `to` with plus or minus register `factor` times place
// `second`. Register `product` holds this product. If the first term is negative, the sum is
// negated with the second one, because -a + b = b - a; until then IS_PENDING is 1.
        .macro accumulate t, to, factor, second, begins, product
        .if     \begins
        times   \t, \to, \factor, \second
        .set    IS_PENDING, IS_NEGATIVE
        .else
        times   \t, \product, \factor, \second
        .altmacro
        .if     IS_PENDING && IS_NEGATIVE
        negate  \t, %(\to)
        minus   \t, %(\to), %(\product)
        .elseif IS_PENDING
        minus_from \t, %(\to), %(\product)
        .elseif IS_NEGATIVE
        minus   \t, %(\to), %(\product)
        .else
        plus    \t, %(\to), %(\product)
        .endif
        .noaltmacro
        .set    IS_PENDING, 0
        .endif
        .endm

// J = the blade of coefficient j, and IS_SELECTED = whether it is summed: if BEGIN <= j < END, the
// blade has the generators HALF of square 0 and, if SIDE is not -1, the parity SIDE.
        .macro select j
        .set    J, (BLADES_IN_ORDER >> (4*\j)) & 15
        .set    IS_SELECTED, 0
        parity  J
        .if     (\j >= BEGIN) && (\j < END) && ((J & ZERO) == HALF) && ((SIDE < 0) || (SIDE == IS_ODD))
        .set    IS_SELECTED, 1
        .endif
        .endm

// The selected coefficients of the product of the multivectors at places `first` and `second`.
// Their sums are in registers `to` + j, or in SUMS and the following registers if `to` is in rows.
//
// If REVERSE is 1, the second factor is reversed. The reverse of blade q has the sign of q q, and
// the signs of p q and q q are together that of blades p ^ q and q. If EVEN is 1, terms with odd
// blades of r are left out; r is the first factor or, reversed, the second one.
        .macro product t, first, second, to
        .set    BEGUN, 0
        .set    PENDING, 0
        .irp    p, TO_15
        .if     \p < BLADES
        .set    P, (BLADES_IN_ORDER >> (4*\p)) & 15
        .set    FACTOR, -1
        .set    K, 0
        .irp    j, TO_15
        select  \j
        .if     IS_SELECTED
        .set    SUM_AT, SUMS + K
        .if     \to < ROWS
        .set    SUM_AT, \to + \j
        .endif
        term    \t, \p, \first, \second
        .set    K, K + 1
        .endif
        .endr
        .endif
        .endr
        check_sums
        .endm

// Each negative first term was followed by another one.
        .macro check_sums
        .if     PENDING != 0
        .error  "a sum is still to be negated"
        .endif
        .endm

// The term of blade J with coefficient p of the first factor, if there is one.
        .macro term t, p, first, second
        .set    Q, P ^ J
        .if     REVERSE
        parity  Q
        sign    J, Q
        .else
        parity  P
        sign    P, Q
        .endif
        .if     (P & Q & ZERO) == 0
        .if     (EVEN & IS_ODD) == 0
        fetch   \p, \first
        .set    IS_PENDING, (PENDING >> K) & 1
        .set    SECOND_AT, (COEFFICIENTS >> (4*Q)) & 15
        .if     SECOND_BY_RANK
        .set    SECOND_AT, (RANKS >> (4*SECOND_AT)) & 15
        .endif
        .set    SECOND_AT, \second + SECOND_AT
        accumulate \t, SUM_AT, FACTOR, SECOND_AT, (((BEGUN >> K) & 1) == 0), PRODUCT
        .set    BEGUN, BEGUN | (1 << K)
        .set    PENDING, (PENDING & ~(1 << K)) | (IS_PENDING << K)
        .endif
        .endif
        .endm

// FACTOR = a register with coefficient p of the multivector at place `first`. If FIRST_BY_RANK is
// 1, only coefficients of one parity are there, in order; SECOND_BY_RANK says so of the second
// factor.
        .macro fetch p, first
        .if     FACTOR < 0
        .set    FACTOR, FACTORS
        .if     FIRST_BY_RANK
        .set    FACTOR, \first + ((RANKS >> (4*\p)) & 15)
        .elseif \first < ROWS
        .set    FACTOR, \first + \p
        .else
        .altmacro
        get     %(FACTORS), %(\first - ROWS + \p)
        .noaltmacro
        .endif
        .endif
        .endm

// All coefficients of a product, half by half; `sums` is product or weighted_product. If 16 sums
// are in registers and y is in the other 16, factors and products are in those of sums that have
// not begun, and then in those of coefficients of y that have no more terms.
        .macro all_sums t, sums, first, second, to
        .set    BEGIN, 0
        .set    END, BLADES
        .irp    half, 1, 0
        .if     \half <= ZERO
        .set    HALF, \half
        .if     (\to < ROWS) & (BLADES == 16)
        .set    FACTORS, \to
        .set    PRODUCT, \to + 2
        .if     \half == 0
        .set    FACTORS, \second + 1
        .set    PRODUCT, \second + 5
        .endif
        .endif
        \sums   \t, \first, \second, \to
        put_sums \to
        .endif
        .endr
        name_registers
        .endm

// Puts the sums of a half to rows, if `to` is in rows.
        .macro put_sums to
        .if     \to >= ROWS
        .set    K, 0
        .irp    j, TO_15
        select  \j
        .if     IS_SELECTED
        .altmacro
        put     %(SUMS + K), %(\to - ROWS + \j)
        .noaltmacro
        .set    K, K + 1
        .endif
        .endr
        .endif
        .endm

// GRADE = the number of generators of a blade.
        .macro grade blade
        .set    GRADE, (0x4332322132212110 >> (4 * (\blade))) & 15
        .endm

// Numbers the paths of weighted products: PATH_abc for the grades of x, z and y. Such blades share
// (a + c - b) / 2 generators, whose squares are not 0. PATHS is their number.
        .macro number_paths
        grade   (BLADES-1)
        .set    GENERATORS, GRADE
        .set    PATHS, 0
        .irp    a, 0, 1, 2, 3, 4
        .irp    b, 0, 1, 2, 3, 4
        .irp    c, 0, 1, 2, 3, 4
        .set    PATH_\a\b\c, -1
        .set    SHARED, \a + \c - \b
        .if     (SHARED >= 0) && ((SHARED & 1) == 0) && (SHARED <= 2*\a) && (SHARED <= 2*\c)
        .if     (SHARED <= 2 * (GENERATORS - ZERO)) && (2*\a + 2*\c - SHARED <= 2*GENERATORS)
        .set    PATH_\a\b\c, PATHS
        .set    PATHS, PATHS + 1
        .endif
        .endif
        .endr
        .endr
        .endr
        .endm

// The weighted product, as `product` sums it. For each grade of the first factor, whose
// coefficients are fetched together, and each coefficient j, the terms are summed by the grade of
// the second factor; each of these sums has a path.
        .macro weighted_product t, first, second, to
        .set    BEGUN, 0
        .set    PENDING, 0
        .irp    a, 0, 1, 2, 3, 4
        fetch_grade \a, \first
        .set    K, 0
        .irp    b, 0, 1, 2, 3, 4
        .irp    j, TO_15
        select  \j
        grade   J
        .if     (GRADE == \b) && IS_SELECTED
        .set    TOTAL, SUMS + K
        .if     \to < ROWS
        .set    TOTAL, \to + \j
        .endif
        .irp    c, 0, 1, 2, 3, 4
        .if     PATH_\a\b\c >= 0
        path_sum \t, \a, \c, \first, \second
        .if     IS_BEGUN
        .set    IS_NEGATIVE, IS_PENDING
        .set    IS_PENDING, (PENDING >> K) & 1
        accumulate \t, TOTAL, SUM, WEIGHTS + PATH_\a\b\c, (((BEGUN >> K) & 1) == 0), SUM
        .set    BEGUN, BEGUN | (1 << K)
        .set    PENDING, (PENDING & ~(1 << K)) | (IS_PENDING << K)
        .endif
        .endif
        .endr
        .set    K, K + 1
        .endif
        .endr
        .endr
        .endr
        check_sums
        .endm

// Gets the coefficients of a grade that have terms in the half, if they are in rows.
        .macro fetch_grade a, first
        .set    N, 0
        .irp    p, TO_15
        .if     (\p < BLADES) && (\first >= ROWS)
        .set    P, (BLADES_IN_ORDER >> (4*\p)) & 15
        grade   P
        .if     (GRADE == \a) && ((P & ZERO) <= HALF)
        .altmacro
        get     %(FACTORS + N), %(\first - ROWS + \p)
        .noaltmacro
        .set    N, N + 1
        .endif
        .endif
        .endr
        .endm

// Register SUM = the sum of the terms of blade J with factors of grades a and c, if IS_BEGUN.
        .macro path_sum t, a, c, first, second
        .set    IS_BEGUN, 0
        .set    N, 0
        .irp    p, TO_15
        .if     \p < BLADES
        .set    P, (BLADES_IN_ORDER >> (4*\p)) & 15
        grade   P
        .if     (GRADE == \a) && ((P & ZERO) <= HALF)
        .set    FACTOR, FACTORS + N
        .if     \first < ROWS
        .set    FACTOR, \first + \p
        .endif
        .set    N, N + 1
        .set    Q, P ^ J
        grade   Q
        .if     (GRADE == \c) && ((P & Q & ZERO) == 0)
        sign    P, Q
        .set    SECOND_AT, \second + ((COEFFICIENTS >> (4*Q)) & 15)
        accumulate \t, SUM, FACTOR, SECOND_AT, (IS_BEGUN == 0), PRODUCT
        .set    IS_BEGUN, 1
        .endif
        .endif
        .endif
        .endr
        .endm
