// Where the vectors of the common kernels are, and the steps of these that SSE2, AVX2 and AVX-512
// share. The file that includes this defines x_at, y_at and z_at, the addresses of a
// block of multivectors, and
//
//   load t, from, to            place `to` = the coefficients of a block
//   store t, from, to           the inverse, of coefficients from number BEGIN on and below END
//   clear i                     register i = 0
//   either t, i, a              register i |= register a
//   either_row t, i, row        register i |= row
//   blend t, i, row, a, b       register i = row in the lanes of even r; a and b may change

// Rows of the frame: of both factors; of r x; of results; of results for even r; of -0; of ones in
// the lanes of even r; of a pointer and a number; of columns of weights; of weights. If there are
// fewer multivectors than lanes, MIDDLE and RESULT hold copies of them until they are loaded, and
// the results are stored at FIRST.
#define FIRST   ROWS
#define SECOND  (ROWS+16)
#define MIDDLE  (ROWS+32)
#define RESULT  (ROWS+48)
#define EVENS   (ROWS+64)
#define MINUS   80
#define EVEN_LANES 81
#define SAVED   82*ROW
#define FRAME   83*ROW
#define COLUMNS 83*ROW
#define WEIGHTS (ROWS+85)
#define WEIGHTED_FRAME 120*ROW

#include "common.h"

// The places of both factors and of their product.
        .macro places
        .set    LEFT, FIRST
        .set    RIGHT, SECOND
        .set    TO, RESULT
        .if     BLADES == 4
        .set    LEFT, 0
        .set    RIGHT, 4
        .set    TO, 8
        .elseif (BLADES == 8) & (REGISTERS == 32)
        .set    LEFT, 0
        .set    RIGHT, 8
        .set    TO, 16
        .elseif BLADES == 8
        .set    LEFT, 0
        .elseif REGISTERS == 32
        .set    RIGHT, 0
        .set    TO, 16
        .endif
        .endm

// Loads x and y, and stores their product; `sums` is product or weighted_product. 16 registers hold
// x of 8 coefficients and 4 sums, which are stored before the other 4 begin.
        .macro store_sums t, sums
        .set    REVERSE, 0
        .set    EVEN, 0
        .if     REGISTERS == 16
        load    \t, y_at, RIGHT
        load    \t, x_at, LEFT
        .else
        load    \t, x_at, LEFT
        load    \t, y_at, RIGHT
        .endif
        .if     (BLADES == 8) & (REGISTERS == 16)
        .set    HALF, 0
        .irp    g, 0, 4
        .set    BEGIN, \g
        .set    END, \g + 4
        \sums   \t, LEFT, RIGHT, (8-BEGIN)
        store   \t, (8-BEGIN), z_at
        .endr
        .else
        all_sums \t, \sums, LEFT, RIGHT, TO
        store   \t, TO, z_at
        .endif
        .endm

// The places of sandwich products: of r, x, r x and results. X_LOADED is where x is at first. 32
// registers hold 16 coefficients of r or x, and those of r x before they are put to rows.
        .macro sandwich_places
        .set    R_AT, FIRST
        .set    X_AT, SECOND
        .set    RX_AT, MIDDLE
        .set    Z_AT, RESULT
        .set    X_LOADED, SECOND
        .if     (BLADES == 4) | ((BLADES == 8) & (REGISTERS == 32))
        .set    R_AT, 0
        .set    X_AT, BLADES
        .set    X_LOADED, BLADES
        .set    RX_AT, 2*BLADES
        .set    Z_AT, BLADES
        .elseif BLADES == 8
        .set    X_LOADED, 0
        .set    Z_AT, 0
        .elseif REGISTERS == 32
        .set    X_AT, 0
        .set    X_LOADED, 0
        .set    RX_AT, 16
        .set    Z_AT, 16
        .endif
        .endm

// The products r x and r x ~r.
        .macro sandwich_products t, even
        .set    EVEN, \even
        .set    REVERSE, 0
        all_sums \t, product, R_AT, X_AT, RX_AT
        .set    REVERSE, 1
        .if     (BLADES == 16) & (REGISTERS == 32)
        copy_vectors RX_AT, MIDDLE
        copy_vectors R_AT, X_AT
        all_sums \t, product, MIDDLE, X_AT, Z_AT
        .else
        all_sums \t, product, RX_AT, R_AT, Z_AT
        .endif
        .endm

// The same for even r. Then even coefficients of results depend on those of x alone, and odd ones
// on odd ones. So 16 registers hold 8 coefficients of x, which results replace, and 4 of r x; or 8
// of the second factor, and 4 sums.
        .macro even_sandwich_products t
        .if     (REGISTERS == 32) | (BLADES == 4)
        sandwich_products \t, 1
        .else
        .set    EVEN, 1
        .if     BLADES == 8
        .irp    side, 0, 1
        begin_side \side, 0
        product \t, R_AT, X_LOADED, ROWS
        .set    REVERSE, 1
        .set    FIRST_BY_RANK, 1
        product \t, SUMS, R_AT, Z_AT
        .set    FIRST_BY_RANK, 0
        .endr
        .else
        .set    SECOND_BY_RANK, 1
        .irp    side, 0, 1
        begin_side \side, 0
        get_side X_AT
        all_sums \t, product, R_AT, 0, RX_AT
        .endr
        .irp    side, 0, 1
        begin_side \side, 1
        .if     \side == 0
        get_side R_AT
        .endif
        all_sums \t, product, RX_AT, 0, Z_AT
        .endr
        .set    SECOND_BY_RANK, 0
        .endif
        .set    SIDE, -1
        name_registers
        .endif
        .endm

        .macro begin_side side, reverse
        .set    SIDE, \side
        .set    REVERSE, \reverse
        .set    HALF, 0
        .set    BEGIN, 0
        .set    END, BLADES
        name_registers
        .endm

// Gets the coefficients of the parity SIDE to the first 8 registers.
        .macro get_side from
        .irp    p, TO_15
        parity  (BLADES_IN_ORDER >> (4*\p)) & 15
        .if     IS_ODD == SIDE
        .set    RANK, (RANKS >> (4*\p)) & 15
        .altmacro
        get     %(RANK), %(\from - ROWS + \p)
        .noaltmacro
        .endif
        .endr
        .endm

// Register SUM = the bits of all odd coefficients together: 0 or -0 where each of them is.
        .macro odd_bits t, from
        .altmacro
        clear   %(SUM)
        .noaltmacro
        .irp    p, TO_15
        .if     \p < BLADES
        parity  (BLADES_IN_ORDER >> (4*\p)) & 15
        .if     IS_ODD
        .altmacro
        .if     \from < ROWS
        either  \t, %(SUM), %(\from + \p)
        .else
        either_row \t, %(SUM), %(\from - ROWS + \p)
        .endif
        .noaltmacro
        .endif
        .endif
        .endr
        .endm

// Copies a multivector to another place, if it is another. One of both places is in rows.
        .macro copy_vectors from, to
        .if     \from != \to
        .irp    i, TO_15
        .if     \i < BLADES
        .altmacro
        .if     \from < ROWS
        put     %(\from + \i), %(\to - ROWS + \i)
        .elseif \to < ROWS
        get     %(\to + \i), %(\from - ROWS + \i)
        .else
        get     %(SUMS), %(\from - ROWS + \i)
        put     %(SUMS), %(\to - ROWS + \i)
        .endif
        .noaltmacro
        .endif
        .endr
        .endif
        .endm

// Replaces a multivector by that of the rows in the lanes of even r.
        .macro blend_vectors t, place, rows
        .set    SPARE, SUM
        .if     (\place == 16) && (BLADES == 16)
        .set    SPARE, 0
        .endif
        .irp    i, TO_15
        .if     \i < BLADES
        .altmacro
        .if     \place < ROWS
        blend   \t, %(\place + \i), %(\rows - ROWS + \i), %(SPARE), %(SPARE + 1)
        .else
        get     %(SUMS), %(\place - ROWS + \i)
        blend   \t, %(SUMS), %(\rows - ROWS + \i), %(SPARE), %(SPARE + 1)
        put     %(SUMS), %(\place - ROWS + \i)
        .endif
        .noaltmacro
        .endif
        .endr
        .endm
