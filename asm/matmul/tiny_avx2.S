// Tiny products with AVX2 and FMA, for both types of elements.
//
// Each of the 64 sizes of C has its own code, found in a table: its sums stay in registers while a
// loop passes over k. Up to two rows take no loop, whose jumps would take longer than their steps.
//
// A row of C is one vector, or two. Bytes that do not fill a register are two overlapping halves of
// it, which need no masks: many CPUs write slowly under a mask.

#include "hl.h"
#include "tiny_x86_64.h"

#define b_row       r8                          // up to 5 rows, instead of accumulate

// Vectors: the sums of row i in i and, if it has two vectors, in 10 + i; a row of B in 8 and 7; elements
// of A pass through 9.

        .macro FMA operands:vararg
        .if     SHIFT == 2
        vfmadd231ps \operands
        .else
        vfmadd231pd \operands
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

// Loads or stores a row.
        .macro row_of_c operation, v0, v1, at:vararg
        \operation \v0, FIRST, \at
        .if     SECOND > 0
        \operation \v1, SECOND, \at + BYTES - SECOND
        .endif
        .endm

        .macro step m
        row_of_c load, 8, 7, b
        .if     \m <= 5
        add     b, b_row
        .else
        add     b, B_ROW
        .endif
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < ROWS
        .if     BYTES == 4
        of_row  \i, vfmadd231ss xmm\i, xmm8,
        .elseif BYTES == 8 && SHIFT == 3
        of_row  \i, vfmadd231sd xmm\i, xmm8,
        .elseif FIRST <= 16
        .if     SHIFT == 2
        of_row  \i, vbroadcastss xmm9,
        .else
        of_row  \i, vmovddup xmm9,
        .endif
        FMA     xmm\i, xmm9, xmm8
        .else
        .if     SHIFT == 2
        of_row  \i, vbroadcastss ymm9,
        .else
        of_row  \i, vbroadcastsd ymm9,
        .endif
        FMA     ymm\i, ymm9, ymm8
        .endif
        .if     SECOND > 16
        FMA     ymm1\i, ymm9, ymm7
        .elseif SECOND > 0
        FMA     xmm1\i, xmm9, xmm7
        .endif
        .endif
        .endr
        add     a, a_column
        .if     ROWS > 5
        add     a4, a_column
        .endif
        .endm

// One size of C. Seven or eight rows of more than 32 bytes do not fit the registers: the first three
// or four are computed here, the others by the code of four rows.
        .macro block type, m, n
        .set    BYTES, \n << SHIFT
        .set    FIRST, BYTES
        .set    SECOND, 0
        .if     BYTES > 32
        .set    FIRST, 32
        .elseif BYTES == 24 && \m <= 4
        .set    FIRST, 16
        .endif
        .if     BYTES == 56
        .set    SECOND, 32
        .else
        .set    SECOND, BYTES - FIRST
        .endif
        .set    ROWS, \m
        .if     \m > 6 && BYTES > 32
        .set    ROWS, \m - 4
        .endif

.L\type\()_\m\n:
        test    accumulate, accumulate
        jnz     .L\type\()_\m\n\()_add
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < ROWS
        vxorps  xmm\i, xmm\i, xmm\i
        .if     SECOND > 0
        vxorps  xmm1\i, xmm1\i, xmm1\i
        .endif
        .endif
        .endr
.L\type\()_\m\n\()_begin:
        .if     \m <= 5
        mov     b_row, B_ROW
        .endif
        .if     ROWS > 3
        lea     a_row3, [a_row + 2*a_row]
        .endif
        .if     ROWS > 5
        lea     a4, [a + 4*a_row]
        .endif
.L\type\()_\m\n\()_loop:
        .if     \m <= 2
        .rept   7
        step    \m
        dec     count
        jz      .L\type\()_\m\n\()_end
        .endr
        step    \m
        .else
        step    \m
        dec     count
        jnz     .L\type\()_\m\n\()_loop
        .endif
.L\type\()_\m\n\()_end:
        .if     ROWS < \m
        // Back to the first column of A and the first row of B.
        mov     t, K
        imul    a_column, t
        sub     a, a_column
        imul    t, B_ROW
        sub     b, t
        .endif
        mov     c_row, C_ROW
        rows_of_c store, c, c_row
        .if     ROWS < \m
        // On to the other rows.
        .if     ROWS == 4
        lea     c, [c + 2*c_row]
        .else
        add     c, c_row
        .endif
        mov     a_row, A_ROW
        .rept   ROWS
        add     a, a_row
        .endr
        mov     a_column, A_COLUMN
        mov     count, K
        jmp     .L\type\()_4\n
        .else
        .if     FIRST > 16
        vzeroupper
        .endif
        ret
        .endif

.L\type\()_\m\n\()_add:
        mov     t, c
        mov     count, C_ROW
        rows_of_c load, t, count
        mov     count, K
        jmp     .L\type\()_\m\n\()_begin
        .endm

        .macro tiny type, shift
        .set    SHIFT, \shift

        // Go to the code of m rows and n columns.
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
        .long   .L\type\()_\m\n - .L\type\()_table
        .endr
        .endr
        .endm
// Tiny product: C becomes A B, or C + A B if `accumulate` is not 0; each element is one chain of
// fused multiply-adds over ascending k, which begins at +0 or at its element of C.
//
//   void hl_matmul_tiny_f32_avx2(const hl_matmul_layout *layout, const float *a, const float *b,
//       float *c, uint32_t accumulate);
//
// In      rdi = layout, rsi = a, rdx = b, rcx = c, r8d = accumulate      Out  c
// Uses    rax, rcx, rdx, rsi, r8..r11, ymm0..ymm13      Stack  none
// Loop    one step of k for all of C; for 8 rows of 8, bound by the 8 multiply-adds (4 cycles)
// Bound   4 cycles for 64 elements on Zen 3
// Tail    none: each size of C has its code
FUNC(hl_matmul_tiny_f32_avx2)
        tiny    f32, 2
END(hl_matmul_tiny_f32_avx2)

        RODATA_OF(hl_matmul_tiny_f32_avx2)
        offsets f32

// Tiny product of doubles, like tiny_f32.
//
//   void hl_matmul_tiny_f64_avx2(const hl_matmul_layout *layout, const double *a, const double *b,
//       double *c, uint32_t accumulate);
//
// In      rdi = layout, rsi = a, rdx = b, rcx = c, r8d = accumulate      Out  c
// Uses    rax, rcx, rdx, rsi, r8..r11, ymm0..ymm15      Stack  none
// Loop    one step of k; for 8 rows of 8, 4 rows at a time; bound by the 8 multiply-adds (4 cycles)
// Bound   4 cycles for 32 elements on Zen 3
// Tail    none: each size of C has its code
FUNC(hl_matmul_tiny_f64_avx2)
        tiny    f64, 3
END(hl_matmul_tiny_f64_avx2)

        RODATA_OF(hl_matmul_tiny_f64_avx2)
        offsets f64
