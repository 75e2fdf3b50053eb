// The signed sums of the algebras that the transforms have straight code for, by their numbers a; for AVX2
// and AVX-512.
//
//   forms_of_blades a, v     from the blades b0.. (c0.. if there are 16): the parts p0.. (q0..), then the
//                            forms, each for the next plane
//   units_of_planes a, v     from the numbers u0.. of the planes: the parts, or copies of the numbers
//   blades_of_units a, v     from these: the blades b0.. (d0..), each begun at its start
//
// The names may depend on v. The file that includes this defines them, and for a sum of signed terms in
// their order:
//
//   keep to, terms           a number of later sums; b0..b3 hold numbers for some sums
//   form f, terms            a result for plane f
//   blade to, terms          a result, begun at the start of the next blade
//
// These are the sums of the kernels' lists; two sums may share their first terms. A sum -a + b of parts
// or forms is written b - a, which has the same bits.

        .macro  forms_of_blades a, v
        .if     \a == 1                 // squares (1, 1)
        form    0, +, b0, +, b1
        form    1, +, b2, +, b3
        form    2, +, b2, -, b3
        form    3, +, b0, -, b1
        .elseif \a == 2                 // squares (1, -1)
        form    0, +, b0, +, b1
        form    1, +, b2, +, b3
        form    2, +, b3, -, b2
        form    3, +, b0, -, b1
        .elseif \a == 3                 // squares (1, 1, 1)
        keep    p0, +, b0, +, b1
        keep    p1, +, b6, +, b7
        keep    p2, +, b2, +, b4
        keep    p3, -, b3, -, b5
        keep    p4, +, b2, -, b4
        keep    p5, +, b3, -, b5
        keep    p6, +, b0, -, b1
        keep    p7, +, b7, -, b6
        form    0, +, p0
        form    1, +, p2
        form    2, +, p4
        form    3, +, p6
        form    4, +, p1
        form    5, +, p3
        form    6, +, p5
        form    7, +, p7
        form    8, +, p0, +, p1
        form    9, +, p2, +, p3
        form    10, +, p4, +, p5
        form    11, +, p6, +, p7
        .elseif \a == 4                 // squares (1, 1, -1)
        keep    p0, +, b0, +, b1
        keep    p1, +, b0, -, b1
        keep    p2, +, b2, +, b3
        keep    p3, +, b2, -, b3
        form    0, +, p0, +, b6, +, b7
        form    1, +, p3, +, b4, -, b5
        form    2, +, p2, -, b4, -, b5
        form    3, +, p1, -, b6, +, b7
        form    4, +, p0, -, b6, -, b7
        form    5, +, p2, +, b4, +, b5
        form    6, +, p3, -, b4, +, b5
        form    7, +, p1, +, b6, -, b7
        .elseif \a == 5                 // squares (0, 1, 1, 1)
        keep    q0, +, c0, +, c2
        keep    q1, +, c10, +, c14
        keep    q2, +, c3, +, c8
        keep    q3, -, c4, -, c9
        keep    q4, +, c3, -, c8
        keep    q5, +, c4, -, c9
        keep    q6, +, c0, -, c2
        keep    q7, +, c14, -, c10
        keep    q8, +, c1, -, c5
        keep    q9, +, c13, -, c15
        keep    q10, +, c11, -, c6
        keep    q11, +, c7, -, c12
        keep    q12, -, c6, -, c11
        keep    q13, -, c7, -, c12
        keep    q14, +, c1, +, c5
        keep    q15, -, c13, -, c15
        form    0, +, q0
        form    1, +, q2
        form    2, +, q8
        form    3, +, q10
        form    4, +, q4
        form    5, +, q6
        form    6, +, q12
        form    7, +, q14
        form    8, +, q1
        form    9, +, q3
        form    10, +, q9
        form    11, +, q11
        form    12, +, q5
        form    13, +, q7
        form    14, +, q13
        form    15, +, q15
        form    16, +, q0, +, q1
        form    17, +, q2, +, q3
        form    18, +, q8, +, q9
        form    19, +, q10, +, q11
        form    20, +, q4, +, q5
        form    21, +, q6, +, q7
        form    22, +, q12, +, q13
        form    23, +, q14, +, q15
        .elseif \a == 6                 // squares (1, -1, -1, -1)
        keep    q0, +, c0, +, c1
        keep    q1, +, c10, +, c13
        keep    q2, -, c9, -, c12
        keep    q3, +, c8, +, c11
        keep    q4, -, c14, -, c15
        keep    q5, +, c2, +, c5
        keep    q6, +, c3, +, c6
        keep    q7, +, c4, +, c7
        keep    q8, +, c15, -, c14
        keep    q9, +, c2, -, c5
        keep    q10, +, c3, -, c6
        keep    q11, +, c4, -, c7
        keep    q12, +, c0, -, c1
        keep    q13, +, c10, -, c13
        keep    q14, +, c12, -, c9
        keep    q15, +, c8, -, c11
        form    0, +, q0, +, q1
        form    1, +, q4, +, q5
        form    2, +, q8, +, q9
        form    3, +, q12, +, q13
        form    4, +, q3, -, q2
        form    5, +, q7, -, q6
        form    6, +, q11, -, q10
        form    7, +, q15, -, q14
        form    8, +, q0, -, q1
        form    9, +, q4, -, q5
        form    10, +, q8, -, q9
        form    11, +, q12, -, q13
        form    12, +, q2, +, q3
        form    13, +, q6, +, q7
        form    14, +, q10, +, q11
        form    15, +, q14, +, q15
        form    16, +, q1, +, q3
        form    17, +, q5, +, q7
        form    18, +, q9, +, q11
        form    19, +, q13, +, q15
        form    20, +, q1, -, q3
        form    21, +, q5, -, q7
        form    22, +, q9, -, q11
        form    23, +, q13, -, q15
        form    24, +, q0, +, q2
        form    25, +, q4, +, q6
        form    26, +, q8, +, q10
        form    27, +, q12, +, q14
        form    28, +, q0, -, q2
        form    29, +, q4, -, q6
        form    30, +, q8, -, q10
        form    31, +, q12, -, q14
        .elseif \a == 7                 // squares (-1): two multivectors side by side
        form    0, +, b0
        form    1, +, b1
        form    2, +, b0, +, b1
        add     y_next, F_Y_OUTER       // the next multivector of the outer dimension
        form    0, +, b2
        form    1, +, b3
        form    2, +, b2, +, b3
        .endif
        .endm

        .macro  units_of_planes a, v
        .if     \a <= 2                 // squares (1, 1) and (1, -1)
        keep    p0, +, u0
        keep    p1, +, u1
        keep    p2, +, u2
        keep    p3, +, u3
        .elseif \a == 3                 // squares (1, 1, 1)
        keep    b0, +, u0
        keep    b1, +, u4
        keep    p0, +, b0, -, b1
        keep    p1, -, b0, -, b1, +, u8
        keep    b0, +, u1
        keep    b1, +, u5
        keep    p2, +, b0, -, b1
        keep    p3, -, b0, -, b1, +, u9
        keep    b0, +, u2
        keep    b1, +, u6
        keep    p4, +, b0, -, b1
        keep    p5, -, b0, -, b1, +, u10
        keep    b0, +, u3
        keep    b1, +, u7
        keep    p6, +, b0, -, b1
        keep    p7, -, b0, -, b1, +, u11
        .elseif \a == 4                 // squares (1, 1, -1)
        keep    p0, +, u0
        keep    p1, +, u1
        keep    p2, +, u2
        keep    p3, +, u3
        keep    p4, +, u4
        keep    p5, +, u5
        keep    p6, +, u6
        keep    p7, +, u7
        .elseif \a == 5                 // squares (0, 1, 1, 1)
        keep    b0, +, u0
        keep    b1, +, u4
        keep    q0, +, b0, -, b1
        keep    q1, -, b0, -, b1, +, u8
        keep    b0, +, u1
        keep    b1, +, u5
        keep    q2, +, b0, -, b1
        keep    q3, -, b0, -, b1, +, u9
        keep    b0, +, u2
        keep    b1, +, u6
        keep    q4, +, b0, -, b1
        keep    q5, -, b0, -, b1, +, u10
        keep    b0, +, u3
        keep    b1, +, u7
        keep    q6, +, b0, -, b1
        keep    q7, -, b0, -, b1, +, u11
        keep    b0, +, u12
        keep    b1, +, u16
        keep    q8, +, b0, -, b1
        keep    q9, -, b0, -, b1, +, u20
        keep    b0, +, u13
        keep    b1, +, u17
        keep    q10, +, b0, -, b1
        keep    q11, -, b0, -, b1, +, u21
        keep    b0, +, u14
        keep    b1, +, u18
        keep    q12, +, b0, -, b1
        keep    q13, -, b0, -, b1, +, u22
        keep    b0, +, u15
        keep    b1, +, u19
        keep    q14, +, b0, -, b1
        keep    q15, -, b0, -, b1, +, u23
        .elseif \a == 6                 // squares (1, -1, -1, -1)
        keep    b0, +, u16
        keep    b1, +, u20
        keep    b2, +, u24
        keep    b3, +, u28
        keep    q0, +, u4, -, b0, -, b1, +, b2, +, b3
        keep    q1, +, u0, -, b0, -, b1, -, b2, -, b3
        keep    q2, +, u8, +, b0, -, b1, +, b2, -, b3
        keep    q3, +, u12, +, b0, -, b1, -, b2, +, b3
        keep    b0, +, u17
        keep    b1, +, u21
        keep    b2, +, u25
        keep    b3, +, u29
        keep    q4, +, u5, -, b0, -, b1, +, b2, +, b3
        keep    q5, +, u1, -, b0, -, b1, -, b2, -, b3
        keep    q6, +, u9, +, b0, -, b1, +, b2, -, b3
        keep    q7, +, u13, +, b0, -, b1, -, b2, +, b3
        keep    b0, +, u18
        keep    b1, +, u22
        keep    b2, +, u26
        keep    b3, +, u30
        keep    q8, +, u6, -, b0, -, b1, +, b2, +, b3
        keep    q9, +, u2, -, b0, -, b1, -, b2, -, b3
        keep    q10, +, u10, +, b0, -, b1, +, b2, -, b3
        keep    q11, +, u14, +, b0, -, b1, -, b2, +, b3
        keep    b0, +, u19
        keep    b1, +, u23
        keep    b2, +, u27
        keep    b3, +, u31
        keep    q12, +, u7, -, b0, -, b1, +, b2, +, b3
        keep    q13, +, u3, -, b0, -, b1, -, b2, -, b3
        keep    q14, +, u11, +, b0, -, b1, +, b2, -, b3
        keep    q15, +, u15, +, b0, -, b1, -, b2, +, b3
        .elseif \a == 7                 // squares (-1)
        keep    p0, +, u0
        keep    p1, +, u1
        .endif
        .endm

        .macro  blades_of_units a, v
        .if     \a == 1                 // squares (1, 1)
        blade   b0, +, p0, +, p3
        blade   b1, +, p0, -, p3
        blade   b2, +, p1, +, p2
        blade   b3, +, p1, -, p2
        .elseif \a == 2                 // squares (1, -1)
        blade   b0, +, p0, +, p3
        blade   b1, +, p0, -, p3
        blade   b2, +, p1, -, p2
        blade   b3, +, p1, +, p2
        .elseif \a == 3                 // squares (1, 1, 1)
        blade   b0, +, p0, +, p6
        blade   b1, +, p0, -, p6
        blade   b2, +, p2, +, p4
        blade   b3, -, p3, +, p5
        blade   b4, +, p2, -, p4
        blade   b5, -, p3, -, p5
        blade   b6, +, p1, -, p7
        blade   b7, +, p1, +, p7
        .elseif \a == 4                 // squares (1, 1, -1)
        blade   b0, +, p0, +, p3, +, p4, +, p7
        blade   b1, +, p0, -, p3, +, p4, -, p7
        blade   b2, +, p1, +, p2, +, p5, +, p6
        blade   b3, -, p1, +, p2, +, p5, -, p6
        blade   b4, +, p1, -, p2, +, p5, -, p6
        blade   b5, -, p1, -, p2, +, p5, +, p6
        blade   b6, +, p0, -, p3, -, p4, +, p7
        blade   b7, +, p0, +, p3, -, p4, -, p7
        .elseif \a == 5                 // squares (0, 1, 1, 1)
        blade   d0, +, q0, +, q6
        blade   d1, +, q8, +, q14
        blade   d2, +, q0, -, q6
        blade   d3, +, q2, +, q4
        blade   d4, -, q3, +, q5
        blade   d5, -, q8, +, q14
        blade   d6, -, q10, -, q12
        blade   d7, +, q11, -, q13
        .if     ROW == 32
        write_blades \v, 8              // d0..d7, whose registers are those of d8..d15
        .endif
        blade   d8, +, q2, -, q4
        blade   d9, -, q3, -, q5
        blade   d10, +, q1, -, q7
        blade   d11, +, q10, -, q12
        blade   d12, -, q11, -, q13
        blade   d13, +, q9, -, q15
        blade   d14, +, q1, +, q7
        blade   d15, -, q9, -, q15
        .elseif \a == 6                 // squares (1, -1, -1, -1)
        blade   d0, +, q0, +, q12
        blade   d1, +, q0, -, q12
        blade   d2, +, q5, +, q9
        blade   d3, +, q6, +, q10
        blade   d4, +, q7, +, q11
        blade   d5, +, q5, -, q9
        blade   d6, +, q6, -, q10
        blade   d7, +, q7, -, q11
        .if     ROW == 32
        write_blades \v, 8              // d0..d7, whose registers are those of d8..d15
        .endif
        blade   d8, +, q3, +, q15
        blade   d9, -, q2, -, q14
        blade   d10, +, q1, +, q13
        blade   d11, +, q3, -, q15
        blade   d12, -, q2, +, q14
        blade   d13, +, q1, -, q13
        blade   d14, -, q4, -, q8
        blade   d15, -, q4, +, q8
        .elseif \a == 7                 // squares (-1)
        blade   b0, +, p0, -, p1
        blade   b1, -, p0, -, p1, +, u2

        // The next multivector of the outer dimension.
        mov     start, r14              // blades_of passes it for the starts of algebra 7
        add     start, ADVANCE
        .if     BEGINS == 2
        index   start, start, lane
        .endif
        add     x0, X_OUTER
        keep    p0, +, u0
        keep    p1, +, u1
        blade   b2, +, p0, -, p1
        blade   b3, -, p0, -, p1, +, u2
        .endif
        .endm
