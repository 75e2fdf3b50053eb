// Straight code for the forms of some algebras: see transform_x86_64.h. For AVX2 and AVX-512.
//
// A tile is a line of the caches along the inner dimension, then comes the outer dimension, so that
// stores to planes stay in lines. The file that includes this defines the vectors b0..b7, c0..c15,
// p0..p7 and q0..q15. No register but that of c0 is number 0. For vectors v, of WIDTH bytes, it defines
//
//   read_blades v, blades    b0.. or c0.. = the blades, 4, 8 or 16, at `part` of one multivector per lane

#include "transform_sums_vex.h"

// Registers of the straight forms. The next planes begin at `y_next`, and are `plane` bytes apart;
// `planes` is three times as many.
#define y_next  rdi
#define planes  r13
#define tile    rsi
#define end     r15
#define last    rdx
#define left    rbx

// A result for plane f, the next one.
        .macro  form f, sign, number, more:vararg
        .ifnb   \more
        .if     WIDTH == 16
        sum     xmm0, , \sign, \number, \more
        form    \f, +, xmm0
        .else
        sum     V(0), , \sign, \number, \more
        form    \f, +, V(0)
        .endif
        .elseif (\f & 3) == 0
        vmovups [y_next], \number
        .elseif (\f & 3) == 1
        vmovups [y_next + plane], \number
        .elseif (\f & 3) == 2
        vmovups [y_next + 2*plane], \number
        .else
        vmovups [y_next + planes], \number
        lea     y_next, [y_next + 4*plane]
        .endif
        .endm

// The forms of an algebra, of multivectors of some blades, or of pairs of two blades each.
        .macro  forms_of name, v, a, blades
.Lstraight_\name\()_\v\a:
        .if     \a == 7
        shr     qword ptr M, 1
        shl     qword ptr X_OUTER, 1
        .endif
        mov     stride, F_STRIDE
        lea     three, [stride + 2*stride]
        mov     plane, F_PLANE
        lea     planes, [plane + 2*plane]
        mov     last, N
        sub     last, WIDTH/BYTES
        xor     end, end
.Lline_\name\()_\v\()_\a:
        mov     tile, end
        add     end, 64/BYTES
        cmp     end, N
        cmova   end, N
        mov     x_at, X
        mov     y_at, F_Y
        mov     left, M
.Lover_\name\()_\v\()_\a:
        mov     place, tile
.Lalong_\name\()_\v\()_\a:
        mov     part, place
        cmp     part, last
        cmova   part, last
        index   y_next, y_at, part
        imul    part, stride
        add     part, x_at
        read_blades \v, \blades

        // The parts p0.. (q0..), then the forms.
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

        add     place, WIDTH/BYTES
        cmp     place, end
        jb      .Lalong_\name\()_\v\()_\a
        add     x_at, X_OUTER
        add     y_at, F_Y_OUTER
        .if     \a == 7
        add     y_at, F_Y_OUTER
        .endif
        sub     left, 1
        jnz     .Lover_\name\()_\v\()_\a
        cmp     end, N
        jb      .Lline_\name\()_\v\()_\a
        jmp     .Ldone_\name
        .endm
