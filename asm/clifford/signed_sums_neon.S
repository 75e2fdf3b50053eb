// Signed sums of vectors of numbers: rows, in each its sums, in each parts of 4, 2 and single vectors
// and single numbers.

#include "hl.h"

#define rows    x0
#define n       x1
#define x_at    x2
#define x_row   x3
#define y_at    x4
#define y_row   x5
#define terms   x6
#define ends    x7
#define sums    x8
#define begins_at_y w9
#define next_end x10
#define to      x11
#define at      x12
#define begin   x13
#define end     x14
#define next    x15
#define from    x16

// As many parts of `count` vectors of `bytes` bytes as there are; then falls through. Registers \q; single
// numbers are vectors with zeros behind them.
        .macro part name, t, q, bytes, count
        sub     from, n, at
        cmp     from, #\count*\bytes
        b.lo    .Lend_\name\()_\q\()\count
.Lpart_\name\()_\q\()\count:
        .irp    i, 0, 1, 2, 3
        .if     \i < \count
        zero    \i
        .endif
        .endr
        cbz     begins_at_y, .Lbegin_\name\()_\q\()\count
        add     from, to, at
        .irp    i, 0, 1, 2, 3
        .if     \i < \count
        ldr     \q\i, [from, #\bytes*\i]
        .endif
        .endr
.Lbegin_\name\()_\q\()\count:
        mov     next, begin
        cmp     next, end
        b.eq    .Lput_\name\()_\q\()\count
.Lterm_\name\()_\q\()\count:
        ldr     w16, [terms, next, lsl #2]
        dup_\t
        lsr     from, from, #1
        madd    from, from, n, x_at
        add     from, from, at
        .irp    i, 0, 1, 2, 3
        .if     \i < \count
        ldr     \q\()4, [from, #\bytes*\i]
        term    \t, \i
        .endif
        .endr
        add     next, next, #1
        cmp     next, end
        b.ne    .Lterm_\name\()_\q\()\count
.Lput_\name\()_\q\()\count:
        add     from, to, at
        .irp    i, 0, 1, 2, 3
        .if     \i < \count
        str     \q\i, [from, #\bytes*\i]
        .endif
        .endr
        add     at, at, #\count*\bytes
        sub     from, n, at
        cmp     from, #\count*\bytes
        b.hs    .Lpart_\name\()_\q\()\count
.Lend_\name\()_\q\()\count:
        .endm

        .macro zero i
        movi    v\i\().16b, #0
        .endm

// Adds v4 to vector i, or subtracts it.
        .macro term t, i
        eor     v4.16b, v4.16b, v5.16b
        fadd    v\i\().\t, v\i\().\t, v4.\t
        .endm

// The lowest bit of a term at the place of the sign of each lane.
        .macro dup_4s
        dup     v5.4s, w16
        shl     v5.4s, v5.4s, #31
        .endm

        .macro dup_2d
        dup     v5.2d, from
        shl     v5.2d, v5.2d, #63
        .endm

// Sums of numbers of 2^`log` bytes, which are registers \q.
        .macro signed_sums name, t, log, q
        ldr     begins_at_y, [sp, #8]
        lsl     n, n, #\log
        lsl     x_row, x_row, #\log
        lsl     y_row, y_row, #\log
        cbz     rows, .Ldone_\name
.Lrow_\name:
        ldr     sums, [sp]
        mov     next_end, ends
        mov     to, y_at
        mov     begin, #0
        cbz     sums, .Lnext_\name
.Lsum_\name:
        ldr     w14, [next_end], #4
        mov     at, #0
        part    \name, \t, q, 16, 4
        part    \name, \t, q, 16, 2
        part    \name, \t, q, 16, 1
        part    \name, \t, \q, 1 << \log, 1
        add     to, to, n
        mov     begin, end
        sub     sums, sums, #1
        cbnz    sums, .Lsum_\name
.Lnext_\name:
        add     x_at, x_at, x_row
        add     y_at, y_at, y_row
        sub     rows, rows, #1
        cbnz    rows, .Lrow_\name
.Ldone_\name:
        ret
        .endm

// Signed sums of vectors of `n` numbers: sum f of row r goes to `y + r * y_row + f * n`.
//
//   void hl_clifford_signed_sums_f32_neon(size_t rows, size_t n, const float *x, size_t x_row, float *y,
//       size_t y_row, const uint32_t *terms, const uint32_t *ends, size_t sums, uint32_t accumulate);
//
// In      x0 = rows, x1 = n, x2 = x, x3 = x_row, x4 = y, x5 = y_row, x6 = terms, x7 = ends; on the
//         stack: sums, accumulate                                              Out  y
// Uses    x0..x5, x8, x9, x10..x16, v0..v5     Stack  none
// Loop    16 numbers of a term: 4 loads, 4 changes of sign, 4 additions
// Tail    vectors of 16 bytes, and single numbers
FUNC(hl_clifford_signed_sums_f32_neon)
        signed_sums f32, 4s, 2, s
END(hl_clifford_signed_sums_f32_neon)

// Signed sums of vectors of `n` doubles, like signed_sums_f32.
//
//   void hl_clifford_signed_sums_f64_neon(size_t rows, size_t n, const double *x, size_t x_row, double *y,
//       size_t y_row, const uint32_t *terms, const uint32_t *ends, size_t sums, uint32_t accumulate);
//
// In      x0 = rows, x1 = n, x2 = x, x3 = x_row, x4 = y, x5 = y_row, x6 = terms, x7 = ends; on the
//         stack: sums, accumulate                                              Out  y
// Uses    x0..x5, x8, x9, x10..x16, v0..v5     Stack  none
// Loop    8 numbers of a term: 4 loads, 4 changes of sign, 4 additions
// Tail    vectors of 16 bytes, and single numbers
FUNC(hl_clifford_signed_sums_f64_neon)
        signed_sums f64, 2d, 3, d
END(hl_clifford_signed_sums_f64_neon)
