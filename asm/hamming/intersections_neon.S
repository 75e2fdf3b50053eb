// Counts the ones that rows have in common with packed rows: `out[i * out_stride + 8 g + l]` is the
// number of bits that are 1 in row i and in packed row 8 g + l.
//
//   void hl_hamming_intersections_neon(const uint8_t *packed, size_t groups, size_t chunks,
//       const uint8_t *rows, size_t stride, const uint64_t *tails, size_t n, uint32_t *out,
//       size_t out_stride);
//
// In      x0 = packed, x1 = groups, x2 = chunks, x3 = rows, x4 = stride, x5 = tails, x6 = n, x7 = out,
//         [sp] = out_stride                 Out  out
// Uses    x3, x5..x17, v0..v29     Stack  64 bytes
// Loop    1 word of 4 rows; 16 sums of two packed rows in bytes; bound by 3 vector operations a sum
//         and one a word: 26 cycles with four pipes (modelled, Neoverse V1), 52 with two (N1)
// Tail    single rows; the byte sums take at most 31 words, the one in `tails` first

#include "hl.h"

#define packed      x0
#define groups      x1
#define chunks      x2
#define rows        x3
#define stride      x4
#define tails       x5
#define n           x6
#define out         x7
#define out_stride  x8
#define frame       x9
#define word        x10
#define row0        x11
#define row1        x12
#define row2        x13
#define row3        x14
#define left        x15
#define run         x16
#define group       x17

// Adds to the byte sums v the popcount of the bits that a row shares with two packed rows. Both
// halves of w hold the word of the row.
        .macro common v, w
        and     v29.16b, v28.16b, v\w\().16b
        cnt     v29.16b, v29.16b
        add     v\v\().16b, v\v\().16b, v29.16b
        .endm

// The next two packed rows against rows 0 .. 3.
        .macro two_packed a, b, c, d
        ldr     q28, [word], #16
        common  \a, 24
        .if     count > 1
        common  \b, 25
        common  \c, 26
        common  \d, 27
        .endif
        .endm

// One word of each row.
        .macro step
        ld1r    {v24.2d}, [row0], #8
        .if     count > 1
        ld1r    {v25.2d}, [row1], #8
        ld1r    {v26.2d}, [row2], #8
        ld1r    {v27.2d}, [row3], #8
        .endif
        two_packed 0, 4, 8, 12
        two_packed 1, 5, 9, 13
        two_packed 2, 6, 10, 14
        two_packed 3, 7, 11, 15
        .endm

// Adds the byte sums of a row to its counts i and j, and clears them.
        .macro widen i, j, a, b, c, d
        uaddlp  v\a\().8h, v\a\().16b
        uaddlp  v\b\().8h, v\b\().16b
        uaddlp  v\c\().8h, v\c\().16b
        uaddlp  v\d\().8h, v\d\().16b
        addp    v\a\().8h, v\a\().8h, v\b\().8h
        addp    v\c\().8h, v\c\().8h, v\d\().8h
        addp    v\a\().8h, v\a\().8h, v\c\().8h
        uaddw   v\i\().4s, v\i\().4s, v\a\().4h
        uaddw2  v\j\().4s, v\j\().4s, v\a\().8h
        .irp    sum, v\a\().16b, v\b\().16b, v\c\().16b, v\d\().16b
        movi    \sum, #0
        .endr
        .endm

// Sets the row pointers: the first to `first`, the others `step` bytes apart.
        .macro point first, step
        mov     row0, \first
        .if     count > 1
        add     row1, row0, \step
        add     row2, row1, \step
        add     row3, row2, \step
        .endif
        .endm

// All groups against 1 << shift rows; `of` is that number as a word.
        .macro block of, shift
        .set    count, 1 << \shift
        .irp    sum, v0.16b, v1.16b, v2.16b, v3.16b, v4.16b, v5.16b, v6.16b, v7.16b
        movi    \sum, #0
        .endr
        .irp    sum, v8.16b, v9.16b, v10.16b, v11.16b, v12.16b, v13.16b, v14.16b, v15.16b
        movi    \sum, #0
        .endr
        mov     word, packed
        mov     group, groups
.Lgroup_\of:
        .irp    sum, v16.16b, v17.16b, v18.16b, v19.16b, v20.16b, v21.16b, v22.16b, v23.16b
        movi    \sum, #0
        .endr
        mov     run, #31
        cbz     tails, .Lwords_\of

        // The word of `tails` belongs to the last packed word of the group.
        point   tails, #8
        add     word, word, chunks, lsl #6
        step
        sub     word, word, chunks, lsl #6
        sub     word, word, #64
        mov     run, #30

.Lwords_\of:
        point   rows, stride
        mov     left, chunks
.Lrun_\of:
        cmp     left, run
        csel    run, left, run, lo
        sub     left, left, run
        cbz     run, .Lwiden_\of
.Lloop_\of:
        step
        subs    run, run, #1
        b.ne    .Lloop_\of

        // The byte sums are full, or the row ends.
.Lwiden_\of:
        widen   16, 17, 0, 1, 2, 3
        .if     count > 1
        widen   18, 19, 4, 5, 6, 7
        widen   20, 21, 8, 9, 10, 11
        widen   22, 23, 12, 13, 14, 15
        .endif
        mov     run, #31
        cbnz    left, .Lrun_\of

        // Store the counts of the group.
        point   out, out_stride
        stp     q16, q17, [row0]
        .if     count > 1
        stp     q18, q19, [row1]
        stp     q20, q21, [row2]
        stp     q22, q23, [row3]
        .endif
        add     out, out, #32
        cmp     tails, #0
        cset    left, ne
        add     word, word, left, lsl #6
        subs    group, group, #1
        b.ne    .Lgroup_\of

        // The next rows.
        sub     out, out, groups, lsl #5
        add     out, out, out_stride, lsl #\shift
        add     rows, rows, stride, lsl #\shift
        add     tails, tails, left, lsl #(3 + \shift)
        sub     n, n, #count
        .endm

FUNC(hl_hamming_intersections_neon)
        // Mach-O accepts CFI only before the first label, so `frame` keeps the old sp to the end.
        ldr     out_stride, [sp]
        mov     frame, sp
        sub     sp, sp, #64
        .cfi_def_cfa frame, 0
        stp     d8, d9, [sp]
        stp     d10, d11, [sp, #16]
        stp     d12, d13, [sp, #32]
        stp     d14, d15, [sp, #48]
        .cfi_offset d8, -64
        .cfi_offset d9, -56
        .cfi_offset d10, -48
        .cfi_offset d11, -40
        .cfi_offset d12, -32
        .cfi_offset d13, -24
        .cfi_offset d14, -16
        .cfi_offset d15, -8
        lsl     out_stride, out_stride, #2
        cbz     groups, .Ldone

.Lfour:
        cmp     n, #4
        b.lo    .Lrest
        block   four, 2
        b       .Lfour

.Lrest:
        cbz     n, .Ldone
        block   one, 0
        b       .Lrest

.Ldone:
        ldp     d8, d9, [sp]
        ldp     d10, d11, [sp, #16]
        ldp     d12, d13, [sp, #32]
        ldp     d14, d15, [sp, #48]
        mov     sp, frame
        ret
END(hl_hamming_intersections_neon)
