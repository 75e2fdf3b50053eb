// The change of basis between blades and matrix entries, in tiles: see transform_x86_64.h, which has
// the same labels. The width w of the vectors of a tile is `wide`, 128 bits, or `one`, a single element.

#define algebra x0
#define m       x1
#define n       x2
#define n_blades x3
#define x_at    x4
#define x_outer x5
#define stride  x6
#define y_at    x7
#define y_outer x8
#define plane   x9
#define all_terms x10
#define all_ends x11
#define kept    x12
#define results x13                     // forms: sums that go to planes
#define start   x13                     // blades: where the starts of a multivector are, or 0
#define step    x14                     // from the start of a blade to that of the next
#define advance x15                     // from the starts of a multivector to those of the next
#define inner   x16
#define inner_32 w16
#define frame   x17
#define place   x19
#define part    x20
#define upper   x21
#define left    x22

// Moving blades: the multivectors, the rows, and what is left of them.
#define rows    x0                      // blades that are read or written together
#define from_at x23
#define row_at  x24
#define some_at x25
#define count   x26
#define lanes_left x27

// Sums: the next term, the end of those of the sum, the ends of the next sums, where the sum goes.
#define term_at x23
#define terms_end x24
#define terms_end_32 w24
#define ends_at x25
#define target  x26
#define sums_left x27
#define value  x28
#define value_32 w28
#define factor    x20
#define factor_32 w20
// Forms: the planes, or 0. Blades: the start of the next blade, or 0.
#define next_at x21
#define distance x14                    // forms: of results
#define rows_at x15                     // forms: the rows of the multivector

// The frame: rows, then copies of arguments, then saved registers.
#define X       [frame, #-152]
#define Y       [frame, #-160]
#define START   [frame, #-168]
#define M       [frame, #-176]
#define TILE    [frame, #-184]
#define PLACE   [frame, #-192]
#define FRAME   (32*4*16 + 192)

        .macro  enter name
        // Mach-O accepts CFI only before the first label, so `frame` keeps the old sp to the end.
        mov     frame, sp
        sub     sp, sp, #FRAME
        .cfi_def_cfa frame, 0
        saved   stp
        .set    offset, -16
        .irp    register, d8, d10, d12, d14, x19, x21, x23, x25, x27
        .cfi_offset \register, offset
        .set    offset, offset - 16
        .endr
        .set    offset, -8
        .irp    register, d9, d11, d13, d15, x20, x22, x24, x26, x28
        .cfi_offset \register, offset
        .set    offset, offset - 16
        .endr
        cbz     m, .Ldone_\name
        cbz     n, .Ldone_\name
        .endm

        .macro  saved operation
        \operation d8, d9, [frame, #-16]
        \operation d10, d11, [frame, #-32]
        \operation d12, d13, [frame, #-48]
        \operation d14, d15, [frame, #-64]
        \operation x19, x20, [frame, #-80]
        \operation x21, x22, [frame, #-96]
        \operation x23, x24, [frame, #-112]
        \operation x25, x26, [frame, #-128]
        \operation x27, x28, [frame, #-144]
        .endm

        .macro  leave
        saved   ldp
        mov     sp, frame
        ret
        .endm

// Vector i, of the width w.
        .macro  get w, i, at, offset=0
        .ifc    \w, wide
        ldr     q\i, [\at, #\offset]
        .elseif BYTES == 8
        ldr     d\i, [\at, #\offset]
        .else
        ldr     s\i, [\at, #\offset]
        .endif
        .endm

        .macro  put w, i, at, offset=0
        .ifc    \w, wide
        str     q\i, [\at, #\offset]
        .elseif BYTES == 8
        str     d\i, [\at, #\offset]
        .else
        str     s\i, [\at, #\offset]
        .endif
        .endm

// Vector i = the number in all lanes.
        .macro  spread i, at
        .if     BYTES == 8
        ld1r    {v\i\().2d}, [\at]
        .else
        ld1r    {v\i\().4s}, [\at]
        .endif
        .endm

// An operation on vectors of numbers.
        .macro  on operation, operands:vararg
        .if     BYTES == 8
        with    \operation, 2d, \operands
        .else
        with    \operation, 4s, \operands
        .endif
        .endm

        .macro  with operation, t, to, a, b
        .ifb    \b
        \operation v\to\().\t, v\a\().\t
        .else
        \operation v\to\().\t, v\a\().\t, v\b\().\t
        .endif
        .endm

// Transposes 4 x 4 floats, or the doubles of a and b.
        .macro  transpose a, b, c, d, e, f, g, h
        trn1    v\e\().4s, v\a\().4s, v\b\().4s
        trn2    v\f\().4s, v\a\().4s, v\b\().4s
        trn1    v\g\().4s, v\c\().4s, v\d\().4s
        trn2    v\h\().4s, v\c\().4s, v\d\().4s
        pairs   \e, \g, \a, \c
        pairs   \f, \h, \b, \d
        .endm

        .macro  pairs a, b, low, high
        trn1    v\low\().2d, v\a\().2d, v\b\().2d
        trn2    v\high\().2d, v\a\().2d, v\b\().2d
        .endm

// Vectors a..d = four blades at `part` + offset of one multivector per lane; e..h are overwritten.
        .macro  load a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, offset=0
        add     upper, part, stride
        .if     BYTES == 8
        ldp     q\e, q\f, [part, #\offset]
        ldp     q\g, q\h, [upper, #\offset]
        pairs   \e, \g, \a, \b
        pairs   \f, \h, \c, \d
        .else
        ldr     q\a, [part, #\offset]
        ldr     q\b, [upper, #\offset]
        add     upper, upper, stride
        ldr     q\c, [upper, #\offset]
        add     upper, upper, stride
        ldr     q\d, [upper, #\offset]
        transpose \a, \b, \c, \d, \e, \f, \g, \h
        .endif
        .endm

// The inverse.
        .macro  store a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, offset=0
        add     upper, part, stride
        .if     BYTES == 8
        pairs   \a, \b, \e, \g
        pairs   \c, \d, \f, \h
        stp     q\e, q\f, [part, #\offset]
        stp     q\g, q\h, [upper, #\offset]
        .else
        transpose \a, \b, \c, \d, \e, \f, \g, \h
        str     q\a, [part, #\offset]
        str     q\b, [upper, #\offset]
        add     upper, upper, stride
        str     q\c, [upper, #\offset]
        add     upper, upper, stride
        str     q\d, [upper, #\offset]
        .endif
        .endm

        .macro  read_four
        load
        .irp    i, 0, 1, 2, 3
        put     wide, \i, some_at, \i*PITCH
        .endr
        .endm

        .macro  write_four
        .irp    i, 0, 1, 2, 3
        get     wide, \i, some_at, \i*PITCH
        .endr
        store
        .endm

// 16 bytes of two rows at `row_at` = two blades at `from_at`, which moves on, and back.
        .macro  read_pairs
        .if     BYTES == 8
        ldr     q0, [from_at]
        add     from_at, from_at, stride
        ldr     q1, [from_at]
        add     from_at, from_at, stride
        pairs   0, 1, 2, 3
        .else
        read_pair 0
        read_pair 1
        uzp1    v2.4s, v0.4s, v1.4s
        uzp2    v3.4s, v0.4s, v1.4s
        .endif
        str     q2, [row_at]
        str     q3, [row_at, #PITCH]
        .endm

        .macro  write_pairs
        ldr     q0, [row_at]
        ldr     q1, [row_at, #PITCH]
        .if     BYTES == 8
        pairs   0, 1, 2, 3
        .irp    i, 2, 3
        str     q\i, [from_at]
        add     from_at, from_at, stride
        .endr
        .else
        zip1    v2.4s, v0.4s, v1.4s
        zip2    v3.4s, v0.4s, v1.4s
        write_pair 2
        write_pair 3
        .endif
        .endm

        .macro  read_pair i
        ldr     d\i, [from_at]
        add     from_at, from_at, stride
        ld1     {v\i\().d}[1], [from_at]
        add     from_at, from_at, stride
        .endm

        .macro  write_pair i
        str     d\i, [from_at]
        add     from_at, from_at, stride
        st1     {v\i\().d}[1], [from_at]
        add     from_at, from_at, stride
        .endm

        .macro  read_number
        get     one, 0, part
        put     one, 0, some_at
        .endm

        .macro  write_number
        get     one, 0, some_at
        put     one, 0, part
        .endm

// Reads or writes the blades of the multivectors of a tile at `from_at`, with rows behind those kept.
        .macro  move_blades way, name, w, log
        lsl     row_at, kept, #LOG_PITCH
        add     row_at, sp, row_at
        .ifc    \w, wide
        cmp     rows, #2
        b.lo    .Lfew_\name\()_\w\()_\log
        b.eq    .Lpairs_\name\()_\w\()_\log
        mov     lanes_left, #WIDE
.Lvector_\name\()_\w\()_\log:
        mov     part, from_at
        mov     some_at, row_at
        mov     count, rows
.Lfour_\name\()_\w\()_\log:
        \way\()_four
        add     part, part, #4*BYTES
        add     some_at, some_at, #4*PITCH
        subs    count, count, #4
        b.ne    .Lfour_\name\()_\w\()_\log
        add     from_at, from_at, stride, lsl #LOG_LANES
        add     row_at, row_at, #PITCH/WIDE
        subs    lanes_left, lanes_left, #1
        b.ne    .Lvector_\name\()_\w\()_\log
        b       .Lmoved_\name\()_\w\()_\log

        // Two blades of 16 bytes of multivectors.
.Lpairs_\name\()_\w\()_\log:
        mov     lanes_left, #PITCH/16
.Lpair_\name\()_\w\()_\log:
        \way\()_pairs
        add     row_at, row_at, #16
        subs    lanes_left, lanes_left, #1
        b.ne    .Lpair_\name\()_\w\()_\log
        b       .Lmoved_\name\()_\w\()_\log
        .endif

        // One number at a time.
.Lfew_\name\()_\w\()_\log:
        mov     lanes_left, #PITCH/BYTES
.Llane_\name\()_\w\()_\log:
        mov     part, from_at
        mov     some_at, row_at
        mov     count, rows
.Lnumber_\name\()_\w\()_\log:
        \way\()_number
        add     part, part, #BYTES
        add     some_at, some_at, #PITCH
        subs    count, count, #1
        b.ne    .Lnumber_\name\()_\w\()_\log
        add     from_at, from_at, stride
        add     row_at, row_at, #BYTES
        subs    lanes_left, lanes_left, #1
        b.ne    .Llane_\name\()_\w\()_\log
.Lmoved_\name\()_\w\()_\log:
        .endm

// All tiles, of at most `most` vectors w, of 1 << `log_lanes` numbers.
        .macro  tiles kernel, name, w, log_lanes, most
        .set    LOG_LANES, \log_lanes
        .if     BYTES == 8
        fmov    v18.2d, #1.0
        .else
        fmov    v18.4s, #1.0
        .endif
        mov     place, #0
.Lnext_\name\()_\w:
        sub     part, n, place
        .irp    log, 2, 1
        .if     1 << \log <= \most
        cmp     part, #(1 << (\log + LOG_LANES))
        b.hs    .Ltile_\name\()_\w\()_\log
        .endif
        .endr
        sub     part, n, #(1 << LOG_LANES)
        cmp     place, part
        csel    place, place, part, lo
        \kernel \name, \w, 0
        .irp    log, 1, 2
        .if     1 << \log <= \most
        \kernel \name, \w, \log
        .endif
        .endr
        .endm

        .macro  next_tile name, w, log
        add     place, place, #(1 << (\log + LOG_LANES))
        cmp     place, n
        b.lo    .Lnext_\name\()_\w
        b       .Ldone_\name
        .endm

// The rows of tiles of 1 << `log` vectors.
        .macro  sizes log
        .set    WIDE, 1 << \log
        .set    LOG_PITCH, \log + LOG_LANES + LOG
        .set    PITCH, 1 << LOG_PITCH
        .endm

// The blades that are read or written together: those of a multivector, or of two of two blades each
// that are adjacent in the outer dimension, where they are `outer` bytes apart.
        .macro  together name, outer
        mov     rows, n_blades
        cmp     n_blades, #2
        ccmp    \outer, #(2 << LOG), #0, eq
        ccmp    kept, #0, #0, eq
        b.ne    .Lapart_\name
        tbnz    m, #0, .Lapart_\name
        mov     rows, #4
.Lapart_\name:
        .endm

#include "transform_tiles_neon.h"

        .macro  forms name, log
        .set    LOG, \log
        .set    BYTES, 1 << \log
        enter   \name
        str     x_at, X
        str     y_at, Y
        ldp     y_outer, plane, [frame]
        ldp     all_terms, all_ends, [frame, #16]
        ldp     kept, results, [frame, #32]
        lsl     x_outer, x_outer, #LOG
        lsl     stride, stride, #LOG
        lsl     y_outer, y_outer, #LOG
        lsl     plane, plane, #LOG
        choose  forms, \name, x_outer
.Ldone_\name:
        leave
        .endm

        .macro  blades name, log
        .set    LOG, \log
        .set    BYTES, 1 << \log
        enter   \name
        str     x_at, X
        mov     start, y_at
        str     start, START
        lsl     plane, stride, #LOG
        ldr     inner_32, [frame]
        ldp     y_at, y_outer, [frame, #8]
        ldp     stride, all_terms, [frame, #24]
        ldp     all_ends, kept, [frame, #40]
        str     y_at, Y
        lsl     x_outer, x_outer, #LOG
        lsl     stride, stride, #LOG
        lsl     y_outer, y_outer, #LOG

        // The distances of the starts of blades and of multivectors. Without starts nothing moves.
        cmp     start, #0
        csel    inner, inner, xzr, ne
        mov     advance, #BYTES
        csel    advance, advance, xzr, ne
        cmp     inner, #0
        csel    advance, advance, xzr, eq
        csel    step, m, n, eq
        lsl     step, step, #LOG
        choose  blades, \name, y_outer
.Ldone_\name:
        leave
        .endm
