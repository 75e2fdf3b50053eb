// Weighted products of the common algebras: products with a row of weights for each path. Blocks at
// a distance of whole rounds of channels take the same weights, so they follow each other.

#define z       x6
#define first   x9
#define channels x10
#define weights x11
#define x       x12
#define row     x13
#define step    x13
#define distance x14
#define begin   x15
#define y       x16

// Rows of the weights of the multivectors from number `begin` on, a row for each path.
        .macro columns name, t, blades
        udiv    first, begin, channels
        msub    first, first, channels, begin
        mov     index, weights
        add     row, sp, #ROW*(WEIGHTS - ROWS)
        mov     x0, #PATHS
        add     place, first, #LANES
        cmp     place, channels
        b.hi    .Lwrap_\name\()_\blades
.Lpath_\name\()_\blades:
        add     place, index, first, lsl #LOG
        ldr     q0, [place]
        str     q0, [row], #ROW
        add     index, index, channels, lsl #LOG
        subs    x0, x0, #1
        b.ne    .Lpath_\name\()_\blades
        b       .Lfirst_\name\()_\blades

        // Column 0 follows the last one.
.Lwrap_\name\()_\blades:
        mov     place, first
        .irp    i, 0, 1, 2, 3
        .if     \i < LANES
        .if     LOG == 2
        ldr     s0, [index, place, lsl #2]
        str     s0, [row, #4*\i]
        .else
        ldr     d0, [index, place, lsl #3]
        str     d0, [row, #8*\i]
        .endif
        add     place, place, #1
        cmp     place, channels
        csel    place, xzr, place, eq
        .endif
        .endr
        add     row, row, #ROW
        add     index, index, channels, lsl #LOG
        subs    x0, x0, #1
        b.ne    .Lwrap_\name\()_\blades
.Lfirst_\name\()_\blades:
        .endm

// All multivectors of an algebra.
        .macro weighted_blocks name, t, blades
        algebra \blades
        number_paths
        places
        .if     BLADES == 16
        .set    TO, RESULT
        .endif
        .set    BYTES, \blades << LOG
        cmp     count, #LANES
        b.hs    .Lwhole_\name\()_\blades

        // Fewer than lanes are copied.
        mov     place, #BYTES
        mul     whole, count, place
        mov     count, #LANES
        copy    MIDDLE, x, x_\name\()_\blades
        copy    RESULT, y, y_\name\()_\blades
        str     z, [sp, #SAVED]
        mov     z, sp

.Lwhole_\name\()_\blades:
        mov     begin, #0
.Lcolumns_\name\()_\blades:
        columns \name, \t, \blades
        mov     first, begin
        mov     place, #BYTES
        mul     step, distance, place
        madd    x_at, begin, place, x
        madd    y_at, begin, place, y
        madd    z_at, begin, place, z
.Lblock_\name\()_\blades:
        store_sums \t, weighted_product
        add     x_at, x_at, step
        add     y_at, y_at, step
        add     z_at, z_at, step
        add     first, first, distance
        add     place, first, #LANES
        cmp     place, count
        b.ls    .Lblock_\name\()_\blades

        // Other weights, those of the last block at the end. It begins early enough to be whole.
        tst     begin, #LANES - 1
        b.ne    .Lend_\name
        add     begin, begin, #LANES
        cmp     begin, distance
        b.hs    .Llast_\name\()_\blades
        add     place, begin, #LANES
        cmp     place, count
        b.ls    .Lcolumns_\name\()_\blades
.Llast_\name\()_\blades:
        sub     begin, count, #LANES
        tst     begin, #LANES - 1
        b.ne    .Lcolumns_\name\()_\blades
        b       .Lend_\name
        .endm

// A kernel with weights, for elements of 2^log bytes.
        .macro weighted name, t, log
        .set    LOG, \log
        .set    LANES, ROW >> \log
        .set    GROUP, 16 >> \log
        enter_frame WEIGHTED_FRAME
        cbz     x5, .Ldone_\name
        mov     channels, x1
        mov     weights, x2
        mov     x, x3
        mov     y, x4
        mov     count, x5
        mov     whole, #0

        // The distance of such blocks: lcm(channels, LANES).
        orr     place, channels, #LANES
        rbit    place, place
        clz     place, place
        lsr     distance, channels, place
        lsl     distance, distance, #4 - LOG
        cmp     x0, #1
        b.eq    .Lspace_\name
        b.hi    .Lmotions_\name
        weighted_blocks \name, \t, 4
.Lspace_\name:
        weighted_blocks \name, \t, 8
.Lmotions_\name:
        weighted_blocks \name, \t, 16
.Lend_\name:
        cbz     whole, .Ldone_\name
        ldr     z, [sp, #SAVED]
        mov     index, sp
        move    z, index, z_\name
.Ldone_\name:
        leave_frame
        .endm
