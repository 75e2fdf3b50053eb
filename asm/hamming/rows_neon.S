// Kernels of single rows, with Advanced SIMD: the instances of one template.
//
// Four rows at a time. The last vector ends with the row; a mask omits bits that other vectors hold.
// A short row is its first bytes and its last ones.

#include "hl.h"

#define query       x0
#define rows        x1
#define n           x2
#define bits        x3
#define stride      x4
#define out         x5

// The whole vectors of a row, and the bytes after these; the bytes of a short row.
#define vectors     x6
#define rest        x7
#define bytes       x7
#define at          x8
#define left        x9
#define run         x14
// Row i is at x1<i>.
#define t           x15
#define u           x16

// v0 to v3 are the sums of four rows in bytes, v4 to v7 in words.
#define of_query    v16
#define rest_mask   v18

// Calls a macro for each of 4 rows, or for one, with the indices of the row and of its sum.
        .macro each number, statement, op
        \statement 0, 4, \op
        .if     \number > 1
        \statement 1, 5, \op
        \statement 2, 6, \op
        \statement 3, 7, \op
        .endif
        .endm

// Adds the popcounts of a vector, combined with the query: `op` is and, eor or none.
        .macro single i, sum, op
        ldr     q17, [x1\i], #16
        .ifnc   \op, none
        \op     v17.16b, v17.16b, of_query.16b
        .endif
        cnt     v17.16b, v17.16b
        add     v\i\().16b, v\i\().16b, v17.16b
        .endm

        .macro widen i, sum, op
        uaddlp  v\i\().8h, v\i\().16b
        uadalp  v\sum\().4s, v\i\().8h
        .endm

        .macro last i, sum, op
        ldr     q17, [x1\i]
        .ifnc   \op, none
        \op     v17.16b, v17.16b, of_query.16b
        .endif
        and     v17.16b, v17.16b, rest_mask.16b
        cnt     v\i\().16b, v17.16b
        widen   \i, \sum, \op
        .endm

// Main loop: `number` rows per iteration while they last. On entry n is the row count minus `number`.
        .macro strips number, name, op
.Lstrip_\number\()_\name:
        mov     x10, rows
        .if     \number > 1
        add     x11, rows, stride
        add     x12, x11, stride
        add     x13, x12, stride
        add     rows, x13, stride
        .else
        add     rows, rows, stride
        .endif
        mov     at, query
        mov     left, vectors
        movi    v4.16b, #0
        .if     \number > 1
        movi    v5.16b, #0
        movi    v6.16b, #0
        movi    v7.16b, #0
        .endif

        // A byte holds the ones of 31 vectors.
.Lrun_\number\()_\name:
        mov     run, #31
        cmp     left, run
        csel    run, left, run, lo
        cbz     run, .Lrest_\number\()_\name
        sub     left, left, run
        movi    v0.16b, #0
        .if     \number > 1
        movi    v1.16b, #0
        movi    v2.16b, #0
        movi    v3.16b, #0
        .endif
.Lloop_\number\()_\name:
        .ifnc   \op, none
        ldr     q16, [at], #16
        .endif
        each    \number, single, \op
        subs    run, run, #1
        b.ne    .Lloop_\number\()_\name
        each    \number, widen, \op
        b       .Lrun_\number\()_\name

.Lrest_\number\()_\name:
        cbz     rest, .Lstore_\number\()_\name
        sub     t, rest, #16
        .irp    i, 0, 1, 2, 3
        .if     \i < \number
        add     x1\i, x1\i, t
        .endif
        .endr
        add     at, at, t
        .ifnc   \op, none
        ldr     q16, [at], #16
        .endif
        each    \number, last, \op
.Lstore_\number\()_\name:
        .if     \number > 1
        addp    v4.4s, v4.4s, v5.4s
        addp    v6.4s, v6.4s, v7.4s
        addp    v4.4s, v4.4s, v6.4s
        str     q4, [out], #16
        .else
        addv    s4, v4.4s
        str     s4, [out], #4
        .endif
        subs    n, n, #\number
        b.hs    .Lstrip_\number\()_\name
        .endm

// The first and the last SIZE bytes of a row in the halves of a vector; t = the last ones. `unit` is the
// name of a register of this size.
        .macro piece unit, v, row
        ldr     \unit\v, [\row]
        .if     SIZE > 1
        ldr     \unit\()19, [\row, t]
        mov     v\v\().d[1], v19.d[0]
        .else
        mov     v\v\().d[1], v\v\().d[0]
        .endif
        .endm

        .macro count_rows name, op
        cbz     n, .Ldone_\name
        cbz     bits, .Lempty_\name

        // u = the unused bits of the last byte.
        add     bytes, bits, #7
        lsr     bytes, bytes, #3
        neg     u, bits
        and     u, u, #7
        cmp     bytes, #16
        b.lo    .Lshort_\name

        // The mask of the last vector is zero before its bytes.
        lsr     vectors, bits, #7
        sub     rest, rest, vectors, lsl #4
        mov     t, #-1
        lsr     u, t, u
        neg     run, rest
        lsl     run, run, #3
        lsl     run, t, run
        cmp     rest, #8
        csel    t, run, t, ls
        csel    run, run, xzr, hi
        and     t, t, u
        fmov    d18, run
        mov     rest_mask.d[1], t

        subs    n, n, #4
        b.lo    .Lfew_\name
        strips  4, \name, \op
.Lfew_\name:
        adds    n, n, #3
        b.cc    .Ldone_\name
        strips  1, \name, \op
.Ldone_\name:
        ret

        // Rows without bits.
.Lempty_\name:
        str     wzr, [out], #4
        subs    n, n, #1
        b.ne    .Lempty_\name
        ret

.Lshort_\name:
        cmp     bytes, #8
        b.hs    .Lpieces_\name\()_d
        cmp     bytes, #4
        b.hs    .Lpieces_\name\()_s
        cmp     bytes, #2
        b.hs    .Lpieces_\name\()_h

        // Rows of SIZE to 2 SIZE - 1 bytes. The mask omits first bytes that are among the last.
        .set    SIZE, 1
        .irp    unit, b, h, s, d
.Lpieces_\name\()_\unit:
        add     u, u, #(64 - 8*SIZE)
        mov     t, #-1
        lsr     u, t, u
        sub     t, bytes, #SIZE
        lsl     run, t, #3
        mov     left, #1
        lsl     left, left, run
        sub     left, left, #1
        fmov    d18, left
        mov     rest_mask.d[1], u
        piece   \unit, 16, query
.Lpiece_\name\()_\unit:
        piece   \unit, 17, rows
        .ifnc   \op, none
        \op     v17.16b, v17.16b, of_query.16b
        .endif
        and     v17.16b, v17.16b, rest_mask.16b
        cnt     v17.16b, v17.16b
        uaddlv  h17, v17.16b
        str     s17, [out], #4
        add     rows, rows, stride
        subs    n, n, #1
        b.ne    .Lpiece_\name\()_\unit
        ret
        .set    SIZE, 2*SIZE
        .endr
        .endm

// Counts the ones among the first `bits` bits of `n` rows: `counts[i]` for row i at `rows + i * stride`.
//
//   void hl_hamming_counts_neon(const uint8_t *rows, size_t n, size_t bits, size_t stride,
//       uint32_t *counts);
//
// In      x0 = rows, x1 = n, x2 = bits, x3 = stride, x4 = counts     Out  counts[0..n]
// Uses    x1..x16, v0..v7, v16..v19     Stack  none
// Loop    a vector of 4 rows; 2 operations a row; bound by the 4 loads, or by the vector pipes if
//         there are two (4 cycles)
// Tail    the last vector ends with the row
FUNC(hl_hamming_counts_neon)
        mov     x5, x4
        mov     x4, x3
        mov     x3, x2
        mov     x2, x1
        mov     x1, x0
        count_rows counts, none
END(hl_hamming_counts_neon)

// Counts the ones that `n` rows share with a query: `out[i]` is the number of bits among the first
// `bits` that are 1 in the query and in row i at `rows + i * stride`.
//
//   void hl_hamming_shared_neon(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits,
//       size_t stride, uint32_t *out);
//
// In      x0 = query, x1 = rows, x2 = n, x3 = bits, x4 = stride, x5 = out     Out  out[0..n]
// Uses    x1, x2, x5..x16, v0..v7, v16..v19     Stack  none
// Loop    a vector of 4 rows; 3 operations a row; bound by the vector pipes: 6 cycles with two, 3 with four
// Tail    the last vector ends with the row
FUNC(hl_hamming_shared_neon)
        count_rows shared, and
END(hl_hamming_shared_neon)

// Counts the bits in which `n` rows differ from a query: `out[i]` is the number of bits among the
// first `bits` that are not the same in the query and in row i at `rows + i * stride`.
//
//   void hl_hamming_differing_neon(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits,
//       size_t stride, uint32_t *out);
//
// In      x0 = query, x1 = rows, x2 = n, x3 = bits, x4 = stride, x5 = out     Out  out[0..n]
// Uses    x1, x2, x5..x16, v0..v7, v16..v19     Stack  none
// Loop    a vector of 4 rows; 3 operations a row; bound by the vector pipes: 6 cycles with two, 3 with four
// Tail    the last vector ends with the row
FUNC(hl_hamming_differing_neon)
        count_rows differing, eor
END(hl_hamming_differing_neon)
