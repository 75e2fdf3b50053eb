// Where the vectors of the common kernels are, and the sums of products, for SSE2, AVX2 and AVX-512. The file
// that includes this defines x_at, y_at and z_at, the addresses of a block of multivectors, and
//
//   load from, to     place `to` = the coefficients of a block
//   store from, to    the inverse, of coefficients from number BEGIN on and below END

// Rows of the frame: of both factors; of r x; of results; of results for even r; of -0; of ones in
// the lanes of even r; of a pointer and a number; of columns of weights; of weights. If there are
// fewer multivectors than lanes, MIDDLE and RESULT hold copies of them until they are loaded, and
// the results are stored at FIRST.
#define FIRST   ROWS
#define SECOND  (ROWS+16)
#define MIDDLE  (ROWS+32)
#define RESULT  (ROWS+48)
#define EVENS   (ROWS+64)
#define MINUS   (ROWS+80)
#define EVEN_LANES (ROWS+81)
#define SAVED   82*ROW
#define FRAME   83*ROW
#define COLUMNS 83*ROW
#define WEIGHTS (ROWS+85)
#define WEIGHTED_FRAME 120*ROW

#include "common.h"

// Tables of the algebra with 4, 8 or 16 blades. A blade is a bitmap of generators: e1 is 1, e2 is 2, e3 is 4 and
// e4 is 8. Hexadecimal digit i of BLADES_IN_ORDER is the blade of coefficient i, and digit b of
// COEFFICIENTS the coefficient of blade b. Digit i of RANKS is the number of coefficients before i
// with the parity of i. The generators in ZERO have square 0, the others 1.
        .macro  algebra blades
        .set    BLADES, \blades
        .set    ZERO, 0
        .set    RANKS, 0x33212100
        .if     \blades == 4
        .set    BLADES_IN_ORDER, 0x3210
        .set    COEFFICIENTS, 0x3210
        .elseif \blades == 8
        .set    BLADES_IN_ORDER, 0x76534210
        .set    COEFFICIENTS, 0x76534210
        .else
        .set    BLADES_IN_ORDER, 0xfedb7ca695384210
        .set    COEFFICIENTS, 0xfedac974b8635210
        .set    ZERO, 1
        .set    RANKS, 0x7765465432132100
        .endif

        // The places of both factors and of their product.
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
        .macro  store_sums t, sums
        .set    REVERSE, 0
        .set    EVEN, 0
        .if     REGISTERS == 16
        load    y_at, RIGHT
        load    x_at, LEFT
        .else
        load    x_at, LEFT
        load    y_at, RIGHT
        .endif
        .if     (BLADES == 8) & (REGISTERS == 16)
        .set    HALF, 0
        .irp    g, 0, 4
        .set    BEGIN, \g
        .set    END, \g + 4
        \sums   \t, LEFT, RIGHT, (8-BEGIN)
        store   (8-BEGIN), z_at
        .endr
        .else
        all_sums \t, \sums, LEFT, RIGHT, TO
        store   TO, z_at
        .endif
        .endm
