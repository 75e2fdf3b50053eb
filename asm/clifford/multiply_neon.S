// Products of multivectors, one per lane. Each coefficient becomes a row, a vector on the stack;
// further rows hold the negatives of y.

#include "hl.h"

#define terms   x0
#define stride  x1
#define x_at    x2
#define y_at    x3
#define count   x4
#define z_at    x5
#define next    x6
#define left    x7
#define number  x8
#define part    x9
#define row     x10
#define upper   x11
#define whole   x12
#define z_saved x13
#define rows_y  x14
#define index   x15
#define other   x16
#define frame   x17

// Rows of x, of y and its negatives, and of z, and a copy of y. Copies of x and z take the rows of z
// and x.
#define X       0
#define Y       256
#define Z       768
#define COPY    1024
#define FRAME   1280

// v0..v3 = four coefficients at `part`.
        .macro  load
        .if     LOG == 2
        mov     upper, part
        ldr     q0, [upper]
        add     upper, upper, stride
        ldr     q1, [upper]
        add     upper, upper, stride
        ldr     q2, [upper]
        add     upper, upper, stride
        ldr     q3, [upper]
        transpose
        .else
        add     upper, part, stride
        ldp     q4, q5, [part]
        ldp     q6, q7, [upper]
        trn1    v0.2d, v4.2d, v6.2d
        trn2    v1.2d, v4.2d, v6.2d
        trn1    v2.2d, v5.2d, v7.2d
        trn2    v3.2d, v5.2d, v7.2d
        .endif
        .endm

// Transposes 4 x 4 floats.
        .macro  transpose
        trn1    v4.4s, v0.4s, v1.4s
        trn2    v5.4s, v0.4s, v1.4s
        trn1    v6.4s, v2.4s, v3.4s
        trn2    v7.4s, v2.4s, v3.4s
        trn1    v0.2d, v4.2d, v6.2d
        trn1    v1.2d, v5.2d, v7.2d
        trn2    v2.2d, v4.2d, v6.2d
        trn2    v3.2d, v5.2d, v7.2d
        .endm

// Begins a sum: -0, to which any number can be added.
        .macro  begin i
        mov     v\i\().16b, v31.16b
        .endm

        .macro  term i, t
        ldrh    w15, [next], #2
        add     index, rows_y, index, lsl #1
        ldr     q17, [index]
        fmul    v17.\t, v16.\t, v17.\t
        fadd    v\i\().\t, v\i\().\t, v17.\t
        .endm

// The coefficients of a group.
        .macro  group name, t, width
        .set    WIDTH, \width
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < WIDTH
        begin   \i
        .endif
        .endr
        ldrh    w8, [next], #2
.Lterms_\name\()_\width:
        ldrh    w15, [next], #2
        add     index, sp, index, lsl #1
        ldr     q16, [index, #X]
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < WIDTH
        term    \i, \t
        .endif
        .endr
        subs    number, number, #1
        b.ne    .Lterms_\name\()_\width
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < WIDTH
        ldrh    w15, [next], #2
        add     index, sp, index, lsl #1
        str     q\i, [index, #Z]
        .endif
        .endr
        subs    left, left, #WIDTH
        .endm

// Copies the multivectors of an array that are fewer than the lanes, with zeros after them.
        .macro  copy to, from, name
        movi    v0.16b, #0
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        stp     q0, q0, [\to, #32*\i]
        .endr
        move    \to, \from, \name
        .endm

// Copies multivectors that are fewer than the lanes.
        .macro  move to, from, name
        mov     left, whole
.Lmove_\name:
        sub     left, left, #16
        ldr     q0, [\from, left]
        str     q0, [\to, left]
        cbnz    left, .Lmove_\name
        .endm

// Products of multivectors, LANES at a time, for elements of 1 << `log` bytes.
        .macro  multiply name, t, log
        .set    LOG, \log
        .set    LANES, 16 >> LOG
        // Mach-O accepts CFI only before the first label, so `frame` keeps the old sp to the end.
        mov     frame, sp
        sub     sp, sp, #FRAME
        .cfi_def_cfa frame, 0
        cbz     count, .Ldone_\name
        lsl     stride, stride, #LOG
        movi    v31.16b, #0
        fneg    v31.\t, v31.\t
        add     rows_y, sp, #Y
        mov     whole, #0
        subs    count, count, #LANES
        b.hs    .Lblock_\name

        // Fewer multivectors are copied.
        add     whole, count, #LANES
        mul     whole, whole, stride
        mov     count, #0
        add     part, sp, #Z
        copy    part, x_at, x_\name
        add     row, sp, #COPY
        copy    row, y_at, y_\name
        mov     x_at, part
        mov     y_at, row
        mov     z_saved, z_at
        mov     z_at, sp

        // Rows of x, y and its negatives.
.Lblock_\name:
        mov     part, x_at
        mov     row, sp
        mov     left, stride
.Lx_\name:
        load
        stp     q0, q1, [row], #32
        stp     q2, q3, [row], #32
        add     part, part, #4 << LOG
        subs    left, left, #4 << LOG
        b.ne    .Lx_\name
        mov     part, y_at
        mov     row, rows_y
        add     other, rows_y, stride, lsl #4 - LOG
        mov     left, stride
.Ly_\name:
        load
        fneg    v4.\t, v0.\t
        fneg    v5.\t, v1.\t
        fneg    v6.\t, v2.\t
        fneg    v7.\t, v3.\t
        stp     q0, q1, [row], #32
        stp     q2, q3, [row], #32
        stp     q4, q5, [other], #32
        stp     q6, q7, [other], #32
        add     part, part, #4 << LOG
        subs    left, left, #4 << LOG
        b.ne    .Ly_\name

        // Groups of 8, 4 or 1 coefficients.
        lsr     left, stride, #LOG
        add     next, terms, #2
        ldrh    w15, [terms]
        cmp     index, #4
        b.eq    .Lfour_\name
        b.lo    .Lone_\name
.Leight_\name:
        group   \name, \t, 8
        b.ne    .Leight_\name
        b       .Lz_\name
.Lfour_\name:
        group   \name, \t, 4
        b.ne    .Lfour_\name
        b       .Lz_\name
.Lone_\name:
        group   \name, \t, 1
        b.ne    .Lone_\name

        // Rows of z.
.Lz_\name:
        mov     part, z_at
        add     row, sp, #Z
        mov     left, stride
.Lstore_\name:
        ldp     q0, q1, [row], #32
        ldp     q2, q3, [row], #32
        .if     LOG == 2
        transpose
        mov     upper, part
        str     q0, [upper]
        add     upper, upper, stride
        str     q1, [upper]
        add     upper, upper, stride
        str     q2, [upper]
        add     upper, upper, stride
        str     q3, [upper]
        .else
        trn1    v4.2d, v0.2d, v1.2d
        trn2    v6.2d, v0.2d, v1.2d
        trn1    v5.2d, v2.2d, v3.2d
        trn2    v7.2d, v2.2d, v3.2d
        add     upper, part, stride
        stp     q4, q5, [part]
        stp     q6, q7, [upper]
        .endif
        add     part, part, #4 << LOG
        subs    left, left, #4 << LOG
        b.ne    .Lstore_\name

        // The next block, or the last one, which begins early enough to be whole.
        cbz     count, .Llast_\name
        mov     left, #LANES
        cmp     count, left
        csel    left, count, left, lo
        sub     count, count, left
        mul     left, left, stride
        add     x_at, x_at, left
        add     y_at, y_at, left
        add     z_at, z_at, left
        b       .Lblock_\name

.Llast_\name:
        cbz     whole, .Ldone_\name
        mov     row, sp
        move    z_saved, row, z_\name
.Ldone_\name:
        mov     sp, frame
        ret
        .endm

// Products of multivectors: each coefficient of z is a sum of terms, each the product of a
// coefficient of x and one of y.
//
//   void hl_clifford_multiply_f32_neon(const uint16_t *terms, size_t blades, const float *x,
//       const float *y, size_t count, float *z);
//
// In      x0 = terms, x1 = blades, x2 = x, x3 = y, x4 = count, x5 = z      Out  z
// Uses    x1..x17, v0..v7, v16, v17, v31     Stack  1280 bytes
// Loop    x[p] times 8 coefficients of y, for 4 multivectors: 8 multiplications, 8 additions, 17
//         loads; bound by the two vector pipes of Neoverse N1 (8 cycles)
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_multiply_f32_neon)
        multiply f32, 4s, 2
END(hl_clifford_multiply_f32_neon)

// Products of multivectors of doubles: multiply_f32 for f64.
//
//   void hl_clifford_multiply_f64_neon(const uint16_t *terms, size_t blades, const double *x,
//       const double *y, size_t count, double *z);
//
// In      x0 = terms, x1 = blades, x2 = x, x3 = y, x4 = count, x5 = z      Out  z
// Uses    x1..x17, v0..v7, v16, v17, v31     Stack  1280 bytes
// Loop    as for f32, for 2 multivectors
// Tail    as for f32
FUNC(hl_clifford_multiply_f64_neon)
        multiply f64, 2d, 3
END(hl_clifford_multiply_f64_neon)
