// Tiny products with AVX2 and AVX-512: the registers, and all rows of C.

#define layout      rdi
#define a           rsi
#define b           rdx
#define c           rcx
#define accumulate  r8d
#define count       rax
#define a_row       r9
#define a_row3      r10                         // from 4 rows on
#define a_column    r11
#define a4          r8                          // from 6 rows on: row 4 of A, instead of accumulate
#define c_row       r9                          // after the loop
#define t           r10
#define table       r11

// The layout.
#define M           qword ptr [layout]
#define N           qword ptr [layout + 8]
#define K           qword ptr [layout + 16]
#define A_ROW       qword ptr [layout + 24]
#define A_COLUMN    qword ptr [layout + 32]
#define B_ROW       qword ptr [layout + 40]
#define C_ROW       qword ptr [layout + 48]

// Loads or stores all rows by `row_of_c`, which takes the two vectors of a row and its address, and moves
// `at` to the last pair of them.
        .macro rows_of_c operation, at, step
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < ROWS
        .if     \i & 1
        row_of_c \operation, \i, 1\i, \at + \step
        .else
        .if     \i > 0
        lea     \at, [\at + 2*\step]
        .endif
        row_of_c \operation, \i, 1\i, \at
        .endif
        .endif
        .endr
        .endm
