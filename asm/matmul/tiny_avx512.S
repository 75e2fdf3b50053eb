// Tiny products of doubles with AVX-512.
//
// A row of C is one vector under the mask k1. Each number of rows has its own code, found in a table:
// its sums stay in registers while a loop passes over k.

#include "hl.h"
#include "tiny_x86_64.h"

        .macro row_of_c operation, v0, v1, at:vararg
        .ifc    \operation, load
        vmovupd zmm\v0{k1}{z}, [\at]
        .else
        vmovupd [\at]{k1}, zmm\v0
        .endif
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
        vmovupd zmm16{k1}{z}, [b]
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
