// The sums of tiles: see transform_neon.h.

// `operation` for the vectors of a row of a tile.
        .macro  all operation, w, at
        .irp    i, 0, 1, 2, 3
        .if     \i < WIDE
        \operation \w, \i, \at, \i*(PITCH/WIDE)
        .endif
        .endr
        .endm

// Adds a number with the sign in vector 16. The product is exact.
        .macro  term w, i, at, offset
        get     \w, 17, \at, \offset
        on      fmla, \i, 17, 16
        .endm

        .macro  copies i
        .if     BYTES == 8
        dup     v\i\().2d, value
        .else
        dup     v\i\().4s, value_32
        .endif
        .endm

// The vectors of a sum begin as -0, to which any number can be added, or as +0 if it has no terms.
        .macro  begin
        cmp     term_at, terms_end
        csetm   value, ne
        lsl     value, value, #8*BYTES - 1
        .irp    i, 0, 1, 2, 3
        .if     \i < WIDE
        copies  \i
        .endif
        .endr
        .endm

// The next term: its number, and its sign, 1 or -1, in vector 16.
        .macro  next_term
        ldr     value_32, [term_at], #4
        .if     BYTES == 8
        lsl     factor, value, #63
        dup     v16.2d, factor
        .else
        lsl     factor_32, value_32, #31
        dup     v16.4s, factor_32
        .endif
        lsr     value, value, #1
        orr     v16.16b, v16.16b, v18.16b       // v18 = 1
        .endm

// The end of the terms of the next sum.
        .macro  next_sum
        ldr     terms_end_32, [ends_at], #4
        add     terms_end, all_terms, terms_end, lsl #2
        .endm

// The forms of tiles of 1 << `log` vectors.
        .macro  forms_tile name, w, log
        sizes   \log
.Ltile_\name\()_\w\()_\log:
        ldr     x_at, X
        madd    x_at, place, stride, x_at
        ldr     y_at, Y
        add     y_at, y_at, place, lsl #LOG
        mov     left, m

        // The rows of the blades.
.Lforms_\name\()_\w\()_\log:
        mov     from_at, x_at
        move_blades read, \name, \w, \log

        // The kept sums go to rows, the others to planes.
        mov     rows_at, sp
.Lmultivector_\name\()_\w\()_\log:
        mov     term_at, all_terms
        mov     ends_at, all_ends
        mov     target, sp
        mov     distance, #PITCH
        mov     sums_left, kept
        mov     next_at, y_at
.Lsums_\name\()_\w\()_\log:
        cbnz    sums_left, .Lsum_\name\()_\w\()_\log
        cbz     next_at, .Lall_\name\()_\w\()_\log
        mov     target, next_at
        mov     distance, plane
        mov     sums_left, results
        mov     next_at, #0
        b       .Lsums_\name\()_\w\()_\log
.Lsum_\name\()_\w\()_\log:
        sub     sums_left, sums_left, #1
        next_sum
        begin
        b.eq    .Lput_\name\()_\w\()_\log
.Lterm_\name\()_\w\()_\log:
        next_term
        add     value, rows_at, value, lsl #LOG_PITCH
        all     term, \w, value
        cmp     term_at, terms_end
        b.ne    .Lterm_\name\()_\w\()_\log
.Lput_\name\()_\w\()_\log:
        all     put, \w, target
        add     target, target, distance
        b       .Lsums_\name\()_\w\()_\log

.Lall_\name\()_\w\()_\log:
        add     x_at, x_at, x_outer
        add     y_at, y_at, y_outer
        subs    left, left, #1
        b.eq    .Lend_\name\()_\w\()_\log
        cmp     rows, n_blades
        b.eq    .Lforms_\name\()_\w\()_\log
        tbz     left, #0, .Lforms_\name\()_\w\()_\log
        add     rows_at, rows_at, #2*PITCH
        b       .Lmultivector_\name\()_\w\()_\log
.Lend_\name\()_\w\()_\log:
        next_tile \name, \w, \log
        .endm

// The blades of tiles of 1 << `log` vectors. `next_at` is the start of the next blade, or 0: `advance`
// bytes further for the next multivector of the outer dimension, and `step` bytes further for the next
// blade.
        .macro  blades_tile name, w, log
        sizes   \log
.Ltile_\name\()_\w\()_\log:
        ldr     x_at, X
        add     x_at, x_at, place, lsl #LOG
        ldr     y_at, Y
        madd    y_at, place, stride, y_at
        mov     left, m
        ldr     start, START
        cbz     inner, .Lblades_\name\()_\w\()_\log
        add     start, start, place, lsl #LOG

        // The kept sums and the blades go to rows.
.Lblades_\name\()_\w\()_\log:
        mov     target, sp
.Lmultivector_\name\()_\w\()_\log:
        mov     term_at, all_terms
        mov     ends_at, all_ends
        add     sums_left, kept, n_blades
        mov     next_at, #0
.Lsum_\name\()_\w\()_\log:
        next_sum
        cmp     sums_left, n_blades
        csel    next_at, start, next_at, eq
        cbnz    next_at, .Lstart_\name\()_\w\()_\log
        begin
.Lany_\name\()_\w\()_\log:
        cmp     term_at, terms_end
        b.eq    .Lput_\name\()_\w\()_\log
.Lterm_\name\()_\w\()_\log:
        next_term
        subs    factor, value, kept
        madd    factor, factor, plane, x_at
        lsl     value, value, #LOG_PITCH
        b.hs    .Lunit_\name\()_\w\()_\log
        add     factor, sp, value
.Lunit_\name\()_\w\()_\log:
        all     term, \w, factor
        cmp     term_at, terms_end
        b.ne    .Lterm_\name\()_\w\()_\log
.Lput_\name\()_\w\()_\log:
        all     put, \w, target
        add     target, target, #PITCH
        subs    sums_left, sums_left, #1
        b.ne    .Lsum_\name\()_\w\()_\log
        add     start, start, advance
        add     x_at, x_at, x_outer
        sub     left, left, #1
        cmp     rows, n_blades
        b.eq    .Lmultivectors_\name\()_\w\()_\log
        tbnz    left, #0, .Lmultivector_\name\()_\w\()_\log

        // The blades of the multivectors.
.Lmultivectors_\name\()_\w\()_\log:
        mov     from_at, y_at
        move_blades write, \name, \w, \log
        add     y_at, y_at, y_outer
        cmp     rows, n_blades
        b.eq    .Lone_\name\()_\w\()_\log
        add     y_at, y_at, y_outer
.Lone_\name\()_\w\()_\log:
        cbnz    left, .Lblades_\name\()_\w\()_\log
        next_tile \name, \w, \log

        // The start of a blade, for all lanes or for each.
.Lstart_\name\()_\w\()_\log:
        cbz     inner, .Lsame_\name\()_\w\()_\log
        all     get, \w, next_at
        add     next_at, next_at, step
        b       .Lany_\name\()_\w\()_\log
.Lsame_\name\()_\w\()_\log:
        .irp    i, 0, 1, 2, 3
        .if     \i < WIDE
        spread  \i, next_at
        .endif
        .endr
        add     next_at, next_at, step
        b       .Lany_\name\()_\w\()_\log
        .endm
