// Straight code for the blades of some algebras, like transform_forms_vex.h. For AVX2 and AVX-512.
//
// The file that includes this also defines d0..d15. No register but that of d0 is number 0. For vectors v, of WIDTH
// bytes, it defines
//
//   write_blades v, blades   stores b0.. or, of 16 blades, d8..d15 after d0..d7 at `part`

// Registers of the straight blades. Planes 4 i to 4 i + 3 begin at xi, and are `u_plane` bytes apart;
// `u_planes` is three times as many. The writes overwrite x0 to x3 and `u_plane`.
#define x0      r8
#define x1      r9
#define x2      r10
#define x3      r11
#define x4      r12
#define x5      r13
#define x6      r14
#define x7      r15
#define u_plane rcx
#define u_planes rdx
#define start   rsi
#define step    rdi
#define lane    rbx

#define u0      row,[x0]
#define u1      row,[x0+u_plane]
#define u2      row,[x0+2*u_plane]
#define u3      row,[x0+u_planes]
#define u4      row,[x1]
#define u5      row,[x1+u_plane]
#define u6      row,[x1+2*u_plane]
#define u7      row,[x1+u_planes]
#define u8      row,[x2]
#define u9      row,[x2+u_plane]
#define u10     row,[x2+2*u_plane]
#define u11     row,[x2+u_planes]
#define u12     row,[x3]
#define u13     row,[x3+u_plane]
#define u14     row,[x3+2*u_plane]
#define u15     row,[x3+u_planes]
#define u16     row,[x4]
#define u17     row,[x4+u_plane]
#define u18     row,[x4+2*u_plane]
#define u19     row,[x4+u_planes]
#define u20     row,[x5]
#define u21     row,[x5+u_plane]
#define u22     row,[x5+2*u_plane]
#define u23     row,[x5+u_planes]
#define u24     row,[x6]
#define u25     row,[x6+u_plane]
#define u26     row,[x6+2*u_plane]
#define u27     row,[x6+u_planes]
#define u28     row,[x7]
#define u29     row,[x7+u_plane]
#define u30     row,[x7+2*u_plane]
#define u31     row,[x7+u_planes]

// A result, begun at the start of the next blade: without one if BEGINS is 0, with the same
// number in all lanes if it is 1, or with a number for each if it is 2.
        .macro  blade to, more:vararg
        .if     BEGINS == 0
        sum     \to, , \more
        .else
        .if     BEGINS == 2
        vmovups \to, [start]
        .elseif WIDTH == 16
        vmovddup \to, [start]
        .else
        vbroadcastsd \to, [start]
        .endif
        add     start, step
        sum     \to, \to, \more
        .endif
        .endm

// The blades of an algebra that has as many planes as `units`. The planes, the multivectors, the starts
// and what is left of the outer dimension are in registers where there are free ones.
        .macro  blades_of name, v, a, blades, units, x=r12, y=r13, first=r14, rest=r15
.Lstraight_\name\()_\v\a:
        .if     \a == 7
        shr     qword ptr M, 1
        .endif
        mov     rax, N
        sub     rax, WIDTH/BYTES
        mov     LAST, rax
        mov     step, STEP
        mov     qword ptr END_AT, 0
.Lline_\name\()_\v\()_\a:
        mov     rax, END_AT
        mov     TILE, rax
        add     rax, 64/BYTES
        cmp     rax, N
        cmova   rax, N
        mov     END_AT, rax
        mov     rax, X
        mov     \x, rax
        mov     rax, B_Y
        mov     \y, rax
        mov     rax, B_START
        mov     \first, rax
        mov     rax, M
        mov     \rest, rax
.Lover_\name\()_\v\()_\a:
        mov     lane, TILE
.Lalong_\name\()_\v\()_\a:
        mov     PLACE, lane
        cmp     lane, LAST
        cmova   lane, LAST
        mov     u_plane, B_PLANE
        lea     u_planes, [u_plane + 2*u_plane]
        mov     x0, \x
        index   x0, x0, lane
        .if     \units > 4
        lea     x1, [x0 + 4*u_plane]
        .endif
        .if     \units > 8
        lea     x2, [x0 + 8*u_plane]
        .endif
        .if     \units > 12
        lea     x3, [x1 + 8*u_plane]
        lea     x4, [x2 + 8*u_plane]
        lea     x5, [x3 + 8*u_plane]
        .endif
        .if     \units > 24
        lea     x6, [x4 + 8*u_plane]
        lea     x7, [x5 + 8*u_plane]
        .endif

        // The parts p0.. (q0..) from the numbers u0.. of the planes; b0..b3 hold numbers for some sums.
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

        mov     stride, B_STRIDE
        lea     three, [stride + 2*stride]
        mov     part, lane
        imul    part, stride
        add     part, \y
        mov     start, \first
        test    start, start
        jz      .Lbegins_\name\()_\v\()_\a\()_0
        cmp     dword ptr B_INNER, 0
        jne     .Lbegins_\name\()_\v\()_\a\()_2

        // The blades b0.. (d0..), each begun at its start.
        .irp    begins, 1, 0, 2
        .set    BEGINS, \begins
.Lbegins_\name\()_\v\()_\a\()_\begins:
        .if     BEGINS == 2
        index   start, start, lane
        .endif
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
        mov     start, r14              // the argument `first` for the starts of algebra 7
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
        .if     BEGINS != 2
        jmp     .Lwrite_\name\()_\v\()_\a
        .endif
        .endr
.Lwrite_\name\()_\v\()_\a:
        write_blades \v, \blades
        mov     lane, PLACE
        add     lane, WIDTH/BYTES
        cmp     lane, END_AT
        jb      .Lalong_\name\()_\v\()_\a
        .irp    multivector, 1, 2
        .if     \multivector == 1 || \a == 7
        mov     rax, ADVANCE
        add     \first, rax
        mov     rax, X_OUTER
        add     \x, rax
        mov     rax, B_Y_OUTER
        add     \y, rax
        .endif
        .endr
        mov     eax, 1
        sub     \rest, rax
        jnz     .Lover_\name\()_\v\()_\a
        mov     rax, END_AT
        cmp     rax, N
        jb      .Lline_\name\()_\v\()_\a
        jmp     .Ldone_\name
        .endm
