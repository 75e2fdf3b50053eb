// Straight code for the transforms of some algebras: see algebras.h and transform_x86_64.h. For AVX2
// and AVX-512.
//
// A tile is a line of the caches along the inner dimension, then comes the outer dimension, so that
// stores to planes stay in lines. The file that includes this defines the vectors b0..b7, c0..c15,
// d0..d15, p0..p7 and q0..q15, each a register of the width `v`, or `row` and an address. No register
// but that of c0 and d0 is number 0. For vectors v, of WIDTH bytes, it defines
//
//   read_blades v, blades        b0.. or c0.. = the blades, 4, 8 or 16, at `part` of one multivector per lane
//   write_blades v, blades       the inverse, of b0.. or, of 16, d8..d15 after d0..d7

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

// to = a signed sum. A row is two arguments, `row` and its address.
        .macro  sum to, sign, number, more:vararg
        .ifc    \sign, -

        // -0 - number is -number.
        .if     BYTES == 8
        vmovaps \to, [rip + .Lminus_f64]
        .else
        vmovaps \to, [rip + .Lminus_f32]
        .endif
        terms   \to, \to, -, \number, \more
        .else
        .ifc    \number, row
        sum_of_row \to, \more
        .else
        .ifb    \more
        vmovaps \to, \number
        .else
        terms   \to, \number, \more
        .endif
        .endif
        .endif
        .endm

        .macro  sum_of_row to, address, more:vararg
        vmovups \to, \address
        terms   \to, \to, \more
        .endm

// to = from and further terms.
        .macro  terms to, from, sign, number, more:vararg
        .ifnb   \sign
        .ifc    \number, row
        terms   \to, \from, \sign, \more
        .else
        .ifc    \sign, +
        .if     BYTES == 8
        vaddpd  \to, \from, \number
        .else
        vaddps  \to, \from, \number
        .endif
        .else
        .if     BYTES == 8
        vsubpd  \to, \from, \number
        .else
        vsubps  \to, \from, \number
        .endif
        .endif
        terms   \to, \to, \more
        .endif
        .endif
        .endm

        .macro  keep to, more:vararg
        .ifc    \to, row
        keep_row \more
        .else
        sum     \to, \more
        .endif
        .endm

        .macro  keep_row address, more:vararg
        .if     WIDTH == 16
        sum     xmm0, \more
        vmovaps \address, xmm0
        .else
        sum     V(0), \more
        vmovaps \address, V(0)
        .endif
        .endm

// Registers of the straight forms. The next planes begin at `y_next`, and are `plane` bytes apart;
// `planes` is three times as many.
#define y_next  rdi
#define planes  r13
#define tile    rsi
#define end     r15
#define last    rdx
#define left    rbx

        .macro  form f, sign, number, more:vararg
        .ifb    \more
        put_form \f, \number
        .elseif WIDTH == 16
        sum     xmm0, \sign, \number, \more
        put_form \f, xmm0
        .else
        sum     V(0), \sign, \number, \more
        put_form \f, V(0)
        .endif
        .endm

        .macro  put_form f, number
        .if     (\f & 3) == 0
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

#include "algebras.h"

// The forms of an algebra, of multivectors of some blades, or of pairs of two blades each.
        .macro  forms_of name, v, a, blades
.Lstraight_\name\()_\v\()_\a:
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
        forms_of_blades \a, \v
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

// to = a signed sum, begun at the start of the next blade: without one if BEGINS is 0, with the same
// number in all lanes if it is 1, or with a number for each if it is 2.
        .macro  blade to, more:vararg
        .if     BEGINS == 0
        sum     \to, \more
        .else
        .if     BEGINS == 2
        vmovups \to, [start]
        .elseif WIDTH == 16
        vmovddup \to, [start]
        .else
        vbroadcastsd \to, [start]
        .endif
        add     start, step
        terms   \to, \to, \more
        .endif
        .endm

// The blades of an algebra that has as many planes as `units`. The planes, the multivectors, the starts
// and what is left of the outer dimension are in registers where there are free ones.
        .macro  blades_of name, v, a, blades, units, x=r12, y=r13, first=r14, rest=r15
.Lstraight_\name\()_\v\()_\a:
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
        units_of_planes \a, \v
        mov     stride, B_STRIDE
        lea     three, [stride + 2*stride]
        mov     part, lane
        imul    part, stride
        add     part, \y
        mov     start, \first
        test    start, start
        jz      .Lbare_\name\()_\v\()_\a
        cmp     dword ptr B_INNER, 0
        jne     .Linner_\name\()_\v\()_\a
        .set    BEGINS, 1
        blades_of_units \a, \v
        jmp     .Lwrite_\name\()_\v\()_\a
.Lbare_\name\()_\v\()_\a:
        .set    BEGINS, 0
        blades_of_units \a, \v
        jmp     .Lwrite_\name\()_\v\()_\a
.Linner_\name\()_\v\()_\a:
        index   start, start, lane
        .set    BEGINS, 2
        blades_of_units \a, \v
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
