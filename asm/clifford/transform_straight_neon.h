// Straight code for the transforms of some algebras: see algebras.h and transform_straight_vex.h. Names
// of vectors are their numbers here; `row`, a register and an offset are a vector in memory.

// Registers of the straight blades. Planes 4 i to 4 i + 3 begin at unit i.
#define unit0   x19
#define unit1   x24
#define unit2   x25
#define unit3   x26
#define unit4   x27
#define unit5   x28
#define unit6   x10
#define unit7   x11
#define plane2  x12
#define plane3  x0
#define lane    x23
#define end     x3

#define u0      row,unit0,xzr
#define u1      row,unit0,plane
#define u2      row,unit0,plane2
#define u3      row,unit0,plane3
#define u4      row,unit1,xzr
#define u5      row,unit1,plane
#define u6      row,unit1,plane2
#define u7      row,unit1,plane3
#define u8      row,unit2,xzr
#define u9      row,unit2,plane
#define u10     row,unit2,plane2
#define u11     row,unit2,plane3
#define u12     row,unit3,xzr
#define u13     row,unit3,plane
#define u14     row,unit3,plane2
#define u15     row,unit3,plane3
#define u16     row,unit4,xzr
#define u17     row,unit4,plane
#define u18     row,unit4,plane2
#define u19     row,unit4,plane3
#define u20     row,unit5,xzr
#define u21     row,unit5,plane
#define u22     row,unit5,plane2
#define u23     row,unit5,plane3
#define u24     row,unit6,xzr
#define u25     row,unit6,plane
#define u26     row,unit6,plane2
#define u27     row,unit6,plane3
#define u28     row,unit7,xzr
#define u29     row,unit7,plane
#define u30     row,unit7,plane2
#define u31     row,unit7,plane3

#define acc     0
#define loaded  7                       // a vector from memory
#define b0      8
#define b1      9
#define b2      10
#define b3      11
#define b4      12
#define b5      13
#define b6      14
#define b7      15
#define p0      16
#define p1      17
#define p2      18
#define p3      19
#define p4      20
#define p5      21
#define p6      22
#define p7      23
#define q0      16
#define q1      17
#define q2      18
#define q3      19
#define q4      20
#define q5      21
#define q6      22
#define q7      23
#define q8      24
#define q9      25
#define q10     26
#define q11     27
#define q12     28
#define q13     29
#define q14     30
#define q15     31
#define c0      0
#define c1      1
#define c2      2
#define c3      3
#define c4      4
#define c5      5
#define c6      6
#define c7      7
#define c8      8
#define c9      9
#define c10     10
#define c11     11
#define c12     12
#define c13     13
#define c14     14
#define c15     15
#define d0      0
#define d1      1
#define d2      2
#define d3      3
#define d4      4
#define d5      5
#define d6      6
#define d7      7
#define d8      8
#define d9      9
#define d10     10
#define d11     11
#define d12     12
#define d13     13
#define d14     14
#define d15     15

#include "algebras.h"

// to = a signed sum.
        .macro  sum to, sign, number, more:vararg
        .ifc    \number, row
        sum_of_row \to, \sign, \more
        .else
        .ifc    \sign, -
        on      fneg, \to, \number
        terms   \to, \to, \more
        .else
        .ifb    \more
        mov     v\to\().16b, v\number\().16b
        .else
        terms   \to, \number, \more
        .endif
        .endif
        .endif
        .endm

        .macro  sum_of_row to, sign, base, offset, more:vararg
        ldr     q\to, [\base, \offset]
        .ifc    \sign, -
        on      fneg, \to, \to
        .endif
        terms   \to, \to, \more
        .endm

// to = from and further terms.
        .macro  terms to, from, sign, number, more:vararg
        .ifnb   \sign
        .ifc    \number, row
        term_of_row \to, \from, \sign, \more
        .else
        add_or_subtract \sign, \to, \from, \number
        terms   \to, \to, \more
        .endif
        .endif
        .endm

        .macro  term_of_row to, from, sign, base, offset, more:vararg
        load_row loaded, \base, \offset
        add_or_subtract \sign, \to, \from, loaded
        terms   \to, \to, \more
        .endm

        .macro  load_row i, base, offset
        ldr     q\i, [\base, \offset]
        .endm

        .macro  add_or_subtract sign, to, a, b
        .ifc    \sign, +
        on      fadd, \to, \a, \b
        .else
        on      fsub, \to, \a, \b
        .endif
        .endm

        .macro  keep to, more:vararg
        sum     \to, \more
        .endm

        .macro  form f, sign, number, more:vararg
        .ifb    \more
        put     wide, \number, upper
        .else
        sum     acc, \sign, \number, \more
        put     wide, acc, upper
        .endif
        add     upper, upper, plane
        .endm

        .macro  next_planes
        add     upper, part, y_outer
        .endm

        .macro  read_4
        load    8, 9, 10, 11, 28, 29, 30, 31
        .endm

        .macro  read_8
        read_4
        load    12, 13, 14, 15, 28, 29, 30, 31, 4*BYTES
        .endm

        .macro  read_16
        load    0, 1, 2, 3, 28, 29, 30, 31
        load    4, 5, 6, 7, 28, 29, 30, 31, 4*BYTES
        load    8, 9, 10, 11, 28, 29, 30, 31, 8*BYTES
        load    12, 13, 14, 15, 28, 29, 30, 31, 12*BYTES
        .endm

// The forms of an algebra, of multivectors of some blades, or of pairs of two blades each.
        .macro  forms_of name, a, blades
.Lstraight_\name\()_\a:
        .if     \a == 7
        lsr     m, m, #1
        lsl     x_outer, x_outer, #1
        .endif
        mov     end, #0
.Ltile_\name\()_\a:
        mov     place, end
        str     place, TILE
        add     end, end, #64/BYTES
        cmp     end, n
        csel    end, end, n, lo
        ldr     x_at, X
        ldr     y_at, Y
        mov     left, m
.Louter_\name\()_\a:
        ldr     place, TILE
.Lvector_\name\()_\a:
        sub     lane, n, #16/BYTES
        cmp     place, lane
        csel    lane, place, lane, lo
        madd    part, lane, stride, x_at
        read_\blades
        add     upper, y_at, lane, lsl #LOG
        mov     part, upper
        forms_\a
        add     place, place, #16/BYTES
        cmp     place, end
        b.lo    .Lvector_\name\()_\a
        add     x_at, x_at, x_outer
        add     y_at, y_at, y_outer
        .if     \a == 7
        add     y_at, y_at, y_outer
        .endif
        subs    left, left, #1
        b.ne    .Louter_\name\()_\a
        cmp     end, n
        b.lo    .Ltile_\name\()_\a
        b       .Ldone_\name
        .endm

// to = a signed sum, begun at the start of the next blade: without one if BEGINS is 0, with the same
// number in all lanes if it is 1, or with a number for each if it is 2.
        .macro  blade to, more:vararg
        .if     BEGINS == 0
        sum     \to, \more
        .else
        .if     BEGINS == 2
        get     wide, \to, upper
        .else
        spread  \to, upper
        .endif
        add     upper, upper, step
        terms   \to, \to, \more
        .endif
        .endm

        .macro  next_units
        add     upper, start, advance
        .if     BEGINS == 2
        add     upper, upper, lane, lsl #LOG
        .endif
        add     unit0, unit0, x_outer
        .endm

        .macro  write_4
        store   8, 9, 10, 11, 28, 29, 30, 31
        .endm

        .macro  write_8
        write_4
        store   12, 13, 14, 15, 28, 29, 30, 31, 4*BYTES
        .endm

        .macro  write_half v
        .endm

        .macro  write_16
        store   0, 1, 2, 3, 28, 29, 30, 31
        store   4, 5, 6, 7, 28, 29, 30, 31, 4*BYTES
        store   8, 9, 10, 11, 28, 29, 30, 31, 8*BYTES
        store   12, 13, 14, 15, 28, 29, 30, 31, 12*BYTES
        .endm

// The blades of an algebra that has as many planes as `units`.
        .macro  blades_of name, a, blades, units
.Lstraight_\name\()_\a:
        .if     \a == 7
        lsr     m, m, #1
        .endif
        lsl     plane2, plane, #1
        add     plane3, plane2, plane
        mov     end, #0
.Ltile_\name\()_\a:
        str     end, TILE
        add     end, end, #64/BYTES
        cmp     end, n
        csel    end, end, n, lo
        ldr     x_at, X
        ldr     y_at, Y
        ldr     start, START
        mov     left, m
.Louter_\name\()_\a:
        ldr     lane, TILE
.Lvector_\name\()_\a:
        str     lane, PLACE
        sub     part, n, #16/BYTES
        cmp     lane, part
        csel    lane, lane, part, lo
        add     unit0, x_at, lane, lsl #LOG
        .if     \units > 4
        add     unit1, unit0, plane, lsl #2
        .endif
        .if     \units > 8
        add     unit2, unit0, plane, lsl #3
        .endif
        .if     \units > 12
        add     unit3, unit1, plane, lsl #3
        add     unit4, unit2, plane, lsl #3
        add     unit5, unit3, plane, lsl #3
        .endif
        .if     \units > 24
        add     unit6, unit4, plane, lsl #3
        add     unit7, unit5, plane, lsl #3
        .endif
        units_\a
        madd    part, lane, stride, y_at
        mov     upper, start
        cbz     start, .Lbare_\name\()_\a
        cbnz    inner, .Linner_\name\()_\a
        .set    BEGINS, 1
        blades_\a
        b       .Lwrite_\name\()_\a
.Lbare_\name\()_\a:
        .set    BEGINS, 0
        blades_\a
        b       .Lwrite_\name\()_\a
.Linner_\name\()_\a:
        add     upper, upper, lane, lsl #LOG
        .set    BEGINS, 2
        blades_\a
.Lwrite_\name\()_\a:
        write_\blades
        ldr     lane, PLACE
        add     lane, lane, #16/BYTES
        cmp     lane, end
        b.lo    .Lvector_\name\()_\a
        .irp    multivector, 1, 2
        .if     \multivector == 1 || \a == 7
        add     start, start, advance
        add     x_at, x_at, x_outer
        add     y_at, y_at, y_outer
        .endif
        .endr
        subs    left, left, #1
        b.ne    .Louter_\name\()_\a
        cmp     end, n
        b.lo    .Ltile_\name\()_\a
        b       .Ldone_\name
        .endm

        .macro  straight_forms name
        forms_of \name, 1, 4
        forms_of \name, 2, 4
        forms_of \name, 3, 8
        forms_of \name, 4, 8
        forms_of \name, 5, 16
        forms_of \name, 6, 16
        forms_of \name, 7, 4
        .endm

        .macro  straight_blades name
        blades_of \name, 1, 4, 4
        blades_of \name, 2, 4, 4
        blades_of \name, 3, 8, 12
        blades_of \name, 4, 8, 8
        blades_of \name, 5, 16, 24
        blades_of \name, 6, 16, 32
        blades_of \name, 7, 4, 3
        .endm

// The straight code of an algebra, or the tiles of any.
        .macro  choose kernel, name, outer
        mov     value, algebra
        together \name, \outer
        cmp     n, #16/BYTES
        b.lo    .Lones_\name
        .irp    a, 1, 2, 3, 4, 5, 6
        cmp     value, #\a
        b.eq    .Lstraight_\name\()_\a
        .endr
        cmp     value, #7
        b.ne    .Lany_\name
        cmp     rows, #4
        b.eq    .Lstraight_\name\()_7
.Lany_\name:
        tiles   \kernel\()_tile, \name, wide, 4-LOG, 4
.Lones_\name:
        tiles   \kernel\()_tile, \name, one, 0, 1
        straight_\kernel \name
        .endm
