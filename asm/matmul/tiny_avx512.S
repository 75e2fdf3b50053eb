// Tiny products of doubles with AVX-512.
//
// A row of C is one vector under the mask k1. Each number of rows has its own code, found in a table:
// its sums stay in registers while a loop passes over k.

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

        .macro load to, at:vararg
        vmovupd zmm\to{k1}{z}, [\at]
        .endm

        .macro store from, at:vararg
        vmovupd [\at]{k1}, zmm\from
        .endm

// Loads or stores all rows, and moves `at` to the last pair of them.
        .macro rows_of_c operation, at, step
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < ROWS
        .if     \i & 1
        \operation \i, \at + \step
        .else
        .if     \i > 0
        lea     \at, [\at + 2*\step]
        .endif
        \operation \i, \at
        .endif
        .endif
        .endr
        .endm

// Tiny product of doubles, like tiny_f32.
//
//   void hl_matmul_tiny_f64_avx512(const hl_matmul_layout *layout, const double *a, const double *b,
//       double *c, uint32_t accumulate);
//
// In      rdi = layout, rsi = a, rdx = b, rcx = c, r8d = accumulate      Out  c
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm7, zmm16, k1      Stack  none
// Loop    one step of k for all of C; for 8 rows, bound by the 8 multiply-adds (4 cycles)
// Tail    none: a mask of n columns
FUNC(hl_matmul_tiny_f64_avx512)
        // Make the mask of n columns, and go to the code of m rows.
        mov     eax, -1
        mov     t, N
        bzhi    eax, eax, r10d
        kmovd   k1, eax
        mov     t, M
        lea     table, [rip + .Ltable]
        movsxd  t, dword ptr [table + 4*t - 4]
        mov     count, K
        mov     a_row, A_ROW
        add     t, table
        mov     a_column, A_COLUMN
        notrack jmp t

        // The code of m rows.
        .irp    m, 1, 2, 3, 4, 5, 6, 7, 8
        .set    ROWS, \m
.Lrows_\m:
        test    accumulate, accumulate
        jnz     .Ladd_\m
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < ROWS
        vpxor   xmm\i, xmm\i, xmm\i
        .endif
        .endr
.Lbegin_\m:
        .if     ROWS > 3
        lea     a_row3, [a_row + 2*a_row]
        .endif
        .if     ROWS > 5
        lea     a4, [a + 4*a_row]
        .endif

        // Add a row of B times an element of A to the sums of each row of C.
.Lloop_\m:
        load    16, b
        add     b, B_ROW
        vfmadd231pd zmm0, zmm16, [a]{1to8}
        .if     ROWS > 1
        vfmadd231pd zmm1, zmm16, [a + a_row]{1to8}
        .endif
        .if     ROWS > 2
        vfmadd231pd zmm2, zmm16, [a + 2*a_row]{1to8}
        .endif
        .if     ROWS > 3
        vfmadd231pd zmm3, zmm16, [a + a_row3]{1to8}
        .endif
        .if     ROWS > 4
        vfmadd231pd zmm4, zmm16, [a + 4*a_row]{1to8}
        .endif
        .if     ROWS > 5
        vfmadd231pd zmm5, zmm16, [a4 + a_row]{1to8}
        .endif
        .if     ROWS > 6
        vfmadd231pd zmm6, zmm16, [a4 + 2*a_row]{1to8}
        .endif
        .if     ROWS > 7
        vfmadd231pd zmm7, zmm16, [a4 + a_row3]{1to8}
        .endif
        add     a, a_column
        .if     ROWS > 5
        add     a4, a_column
        .endif
        dec     count
        jnz     .Lloop_\m
        mov     c_row, C_ROW
        rows_of_c store, c, c_row
        vzeroupper
        ret
.Ladd_\m:
        mov     t, c
        mov     count, C_ROW
        rows_of_c load, t, count
        mov     count, K
        jmp     .Lbegin_\m
        .endr
END(hl_matmul_tiny_f64_avx512)

        RODATA_OF(hl_matmul_tiny_f64_avx512)
        .balign 4
.Ltable:
        .irp    m, 1, 2, 3, 4, 5, 6, 7, 8
        .long   .Lrows_\m - .Ltable
        .endr
