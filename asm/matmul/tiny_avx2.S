// Tiny products with AVX2 and FMA, for both types of elements: 1 to 8 rows and columns, a depth of 1
// to 8.
//
// Each size of C has its own code, found in a table: its sums stay in registers, and a loop passes
// over k. A row of C is one vector. A row of 5 to 8 doubles is two: the second one has the elements
// above the fourth, or ends with the row, so that it may share an element with the first. Rows of
// 3, 5, 6 or 7 floats and of 3 doubles are read under a mask and written in pieces, because many
// CPUs write slowly under a mask.

#include "hl.h"

#define layout      rdi
#define a           rsi
#define b           rdx
#define c           rcx
#define accumulate  r8d
#define count       rax
#define a_row       r9
#define a_row3      r10                         // from 4 rows on
#define a_column    r11
#define b_row       r8                          // up to 5 rows
#define a4          r8                          // from 6 rows on: row 4 of A
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

// Vectors: sums in 0..7, or 0..5 and 10..15 for rows of two vectors; a row of B in 8 and 7; elements
// of A pass through 9; the mask is in 15.

        .macro FMA operands:vararg
        .if     SHIFT == 2
        vfmadd231ps \operands
        .else
        vfmadd231pd \operands
        .endif
        .endm

        .macro FMA_FIRST operands:vararg
        .if     SHIFT == 2
        vfmadd231ss \operands
        .else
        vfmadd231sd \operands
        .endif
        .endm

        .macro BROADCAST operands:vararg
        .if     SHIFT == 2
        vbroadcastss \operands
        .elseif BYTES > 16
        vbroadcastsd \operands
        .else
        vmovddup \operands
        .endif
        .endm

// An instruction whose last operand is the element of row i of A.
        .macro of_row i, instruction:vararg
        .if     \i == 0
        \instruction [a]
        .elseif \i == 1
        \instruction [a + a_row]
        .elseif \i == 2
        \instruction [a + 2*a_row]
        .elseif \i == 3
        \instruction [a + a_row3]
        .elseif ROWS == 5
        \instruction [a + 4*a_row]
        .elseif \i == 4
        \instruction [a4]
        .elseif \i == 5
        \instruction [a4 + a_row]
        .elseif \i == 6
        \instruction [a4 + 2*a_row]
        .else
        \instruction [a4 + a_row3]
        .endif
        .endm

        .macro load to, bytes, at:vararg
        .if     \bytes == 4
        vmovss  xmm\to, [\at]
        .elseif \bytes <= 12
        vmovsd  xmm\to, [\at]
        .if     \bytes == 12
        vmovhps xmm\to, xmm\to, [\at + 4]
        .endif
        .elseif \bytes < 32
        vmovups xmm\to, [\at]
        .if     \bytes > 16
        vinsertf128 ymm\to, ymm\to, [\at + \bytes - 16], 1
        .endif
        .else
        vmovups ymm\to, [\at]
        .endif
        .endm

        .macro store from, bytes, at:vararg
        .if     \bytes == 4
        vmovss  [\at], xmm\from
        .elseif \bytes <= 12
        vmovlps [\at], xmm\from
        .if     \bytes == 12
        vmovhps [\at + 4], xmm\from
        .endif
        .elseif \bytes < 32
        vmovups [\at], xmm\from
        .if     \bytes > 16
        vextractf128 [\at + \bytes - 16], ymm\from, 1
        .endif
        .else
        vmovups [\at], ymm\from
        .endif
        .endm

// Loads or stores a row of BYTES.
        .macro row_of_c operation, v0, v1, at:vararg
        .if     BYTES <= 32
        \operation \v0, BYTES, \at
        .else
        \operation \v0, 32, \at
        .if     BYTES == 56
        \operation \v1, 32, \at + 24
        .else
        \operation \v1, (BYTES - 32), \at + 32
        .endif
        .endif
        .endm

// Loads or stores all rows; leaves `at` at the last pair.
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

        .macro multiply i
        .if     BYTES == 1 << SHIFT
        of_row  \i, FMA_FIRST xmm\i, xmm8,
        .elseif BYTES <= 16
        of_row  \i, BROADCAST xmm9,
        FMA     xmm\i, xmm9, xmm8
        .else
        of_row  \i, BROADCAST ymm9,
        FMA     ymm\i, ymm9, ymm8
        .if     BYTES > 48
        FMA     ymm1\i, ymm9, ymm7
        .elseif BYTES > 32
        FMA     xmm1\i, xmm9, xmm7
        .endif
        .endif
        .endm

// One size of C. Seven or eight rows of two vectors do not fit the registers: the first three or
// four are computed here, the others by the code of four rows.
        .macro block type, m, n
        .set    BYTES, \n << SHIFT
        .set    ROWS, \m
        .if     \m > 6 && BYTES > 32
        .set    ROWS, \m - 4
        .endif
.L\type\()_\m\()_\n:
        test    accumulate, accumulate
        jnz     .L\type\()_\m\()_\n\()_add
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < ROWS
        vxorps  xmm\i, xmm\i, xmm\i
        .if     BYTES > 32
        vxorps  xmm1\i, xmm1\i, xmm1\i
        .endif
        .endif
        .endr
.L\type\()_\m\()_\n\()_begin:
        .if     \m <= 5
        mov     b_row, B_ROW
        .endif
        .if     ROWS > 3
        lea     a_row3, [a_row + 2*a_row]
        .endif
        .if     ROWS > 5
        lea     a4, [a + 4*a_row]
        .endif
.L\type\()_\m\()_\n\()_loop:
        row_of_c load, 8, 7, b
        .if     \m <= 5
        add     b, b_row
        .else
        add     b, B_ROW
        .endif
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < ROWS
        multiply \i
        .endif
        .endr
        add     a, a_column
        .if     ROWS > 5
        add     a4, a_column
        .endif
        dec     count
        jnz     .L\type\()_\m\()_\n\()_loop
        .if     ROWS < \m
        mov     count, K
        mov     t, B_ROW
        imul    t, count
        sub     b, t
        mov     t, a_column
        imul    t, count
        sub     a, t
        .endif
        mov     c_row, C_ROW
        rows_of_c store, c, c_row
        .if     ROWS < \m
        lea     c, [c + 2*c_row]
        .if     ROWS == 3
        sub     c, c_row
        .endif
        mov     a_row, A_ROW
        .rept   ROWS
        add     a, a_row
        .endr
        jmp     .L\type\()_4_\n
        .else
        .if     BYTES > 16
        vzeroupper
        .endif
        ret
        .endif
.L\type\()_\m\()_\n\()_add:
        .if     ROWS < \m
        mov     a_row3, c
        mov     count, C_ROW
        rows_of_c load, a_row3, count
        mov     count, K
        .else
        mov     t, c
        mov     r8, C_ROW
        rows_of_c load, t, r8
        .endif
        jmp     .L\type\()_\m\()_\n\()_begin
        .endm

        .macro tiny type, shift
        .set    SHIFT, \shift
        mov     rax, M
        mov     t, N
        lea     t, [t + 8*rax]
        lea     table, [rip + .L\type\()_table]
        movsxd  t, dword ptr [table + 4*t - 36]
        mov     count, K
        mov     a_row, A_ROW
        add     t, table
        mov     a_column, A_COLUMN
        notrack jmp t
        .irp    m, 1, 2, 3, 4, 5, 6, 7, 8
        .irp    n, 1, 2, 3, 4, 5, 6, 7, 8
        block   \type, \m, \n
        .endr
        .endr
        .endm

        .macro offsets type
        .balign 4
.L\type\()_table:
        .irp    m, 1, 2, 3, 4, 5, 6, 7, 8
        .irp    n, 1, 2, 3, 4, 5, 6, 7, 8
        offset  \type, \m, \n
        .endr
        .endr
        .endm
        .macro offset type, m, n
        .long   .L\type\()_\m\()_\n - .L\type\()_table
        .endm

// Tiny product: C becomes A B, or C + A B if `accumulate` is not 0; each element is one chain of
// fused multiply-adds over ascending k, which begins at +0 or at its element of C.
//
//   void hl_matmul_tiny_f32(const hl_matmul_layout *layout, const float *a, const float *b,
//       float *c, uint32_t accumulate);
//
FUNC(hl_matmul_tiny_f32_avx2)
        tiny    f32, 2
END(hl_matmul_tiny_f32_avx2)

FUNC(hl_matmul_tiny_f64_avx2)
        tiny    f64, 3
END(hl_matmul_tiny_f64_avx2)

        RODATA
        offsets f32
        offsets f64
