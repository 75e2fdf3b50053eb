// Blocks of products with AVX2 and FMA, for both types of elements.
//
// C is split into slivers of columns and each sliver into panels of rows:
//
//   two     6 rows of 2 vectors             four    3 rows of 4: for m < 4
//   three   4 rows of 3: ends odd widths    eight   1 row of 8: for m = 1
//   pack    like two, the first panel if B is packed
//   wide    12 rows of one ymm or less      half    12 rows of one xmm or less
//   one     12 rows of one f32              (all three only if all of n is that narrow)
//
// The last vector of a sliver, or the second half of the only one, is moved back to end with the row
// of C. Elements that two vectors or halves share have the same bits in both. A table for each kind gives
// the first panel for n rows, so that no panel is much thinner than the others.

#include "hl.h"
#include "panels_avx2.h"

// The first panel for more rows than the table lists, then the first panels for 1, 2, .. rows. Up
// to twice the largest panel makes two panels, less than three times makes three; 12 and 16 rows
// are split by 4, whose 8 stores delay nothing. A panel of one row may not follow another panel.
#define TWO_PANELS  7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12
#define THREE_PANELS 9, 9, 9, 10, 10, 10, 11, 11, 11
#define BY_TWELVE   12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, TWO_PANELS, THREE_PANELS
#define BY_SIX      6, 1, 2, 3, 4, 5, 6, 4, 4, 5, 5, 6, 4, 5, 5, 5, 5, 5
#define FIRST_BY_SIX 6, 1, 2, 3, 4, 5, 6, 4, 4, 5, 5, 6, 4, 5, 5, 5, 4, 5
#define BY_FOUR     4, 1, 2, 3, 4, 3, 3, 4, 4, 3, 3, 3

        .macro table type, kind, rows:vararg
        .balign 8
.L\type\()_table_\kind:
        .set    most, 0
        .irp    n, \rows
        .set    most, most + 1
        .endr
        .quad   most
        .irp    n, \rows
        .long   .L\type\()_\kind\()_\n - .L\type\()_table_\kind
        .endr
        .endm

// The registers of vectors load elements by `wide`, halves by `half`.
        .macro block type, shift, wide, half
        .set    SHIFT, \shift
        sub     rsp, 48
        .cfi_adjust_cfa_offset 48
        shl     rsi, SHIFT
        jz      .L\type\()_nothing
        mov     M, rdi
        mov     K, rdx
        mov     COLUMNS, rsi
        mov     A, a
        mov     b_row, B_ROW
        shl     a_row, SHIFT
        shl     a_column, SHIFT
        shl     b_row, SHIFT
        shl     C_ROW, SHIFT
        lea     a_row3, [a_row + 2*a_row]
        cmp     PACKED, 0
        jne     .L\type\()_pack
        test    rdi, rdi
        jz      .L\type\()_nothing

        // Choose the kind of a sliver of rdi rows and rsi bytes of columns. Only the first sliver
        // may have a single vector.
.L\type\()_sliver:
        mov     ROWS, rdi
        cmp     rsi, 32
        jbe     .L\type\()_narrow
        cmp     rdi, 4
        jb      .L\type\()_few
.L\type\()_many:
        lea     last, [rsi - 32]
        lea     t, [rip + .L\type\()_table_two]
        cmp     rsi, 64
        jbe     .L\type\()_chosen
        cmp     rsi, 96
        jbe     .L\type\()_three
        mov     edi, 32
.L\type\()_chosen:
        mov     TABLE, t
        mov     rsi, ROWS
.L\type\()_enter:
        cmp     rsi, [t]
        jae     .L\type\()_most
        movsxd  rsi, dword ptr [t + 4*rsi + 8]
        add     rsi, t
        jmp     rsi
.L\type\()_most:
        movsxd  rsi, dword ptr [t + 8]
        add     rsi, t
        jmp     rsi

.L\type\()_panel:
        mov     t, TABLE
        mov     rsi, ROWS
        mov     a, A
        mov     count, K
        jmp     .L\type\()_enter

        // The next sliver begins at the first rows of A and C again.
.L\type\()_next:
        mov     rsi, COLUMNS
        lea     rdx, [last + 32]
        sub     rsi, rdx
        jz      .L\type\()_done
        mov     COLUMNS, rsi
        add     B, rdx
        mov     rdi, M
        add     c, rdx
        mov     rdx, C_ROW
        imul    rdx, rdi
        sub     c, rdx
        mov     C, c
        mov     a, A
        mov     rdx, a_row
        imul    rdx, rdi
        sub     a, rdx
        mov     A, a
        mov     count, K
        jmp     .L\type\()_sliver
.L\type\()_done:
        vzeroupper
.L\type\()_nothing:
        .cfi_remember_state
        add     rsp, 48
        .cfi_adjust_cfa_offset -48
        ret
        .cfi_restore_state

.L\type\()_three:
        lea     t, [rip + .L\type\()_table_three]
        jmp     .L\type\()_chosen

        // Few rows take many columns: 8 or 4 vectors, unless that leaves a single one.
.L\type\()_few:
        cmp     rsi, 96
        jbe     .L\type\()_many
        cmp     rdi, 1
        jne     .L\type\()_four
        lea     t, [rip + .L\type\()_table_eight]
        lea     last, [rsi - 32]
        cmp     rsi, 224
        jbe     .L\type\()_four
        cmp     rsi, 256
        jbe     .L\type\()_chosen
        mov     edi, 224
        cmp     rsi, 288
        ja      .L\type\()_chosen
.L\type\()_four:
        lea     t, [rip + .L\type\()_table_four]
        lea     last, [rsi - 32]
        cmp     rsi, 128
        jbe     .L\type\()_chosen
        mov     edi, 96
        cmp     rsi, 160
        ja      .L\type\()_chosen
        mov     edi, 64
        jmp     .L\type\()_three

.L\type\()_narrow:
        mov     B_ROW, b_row
        lea     over, [rsi - 16]
        lea     t, [rip + .L\type\()_table_wide]
        cmp     rsi, 16
        ja      .L\type\()_chosen
        lea     over, [rsi - 8]
        lea     t, [rip + .L\type\()_table_half]
        .if     SHIFT == 2
        cmp     rsi, 8
        jae     .L\type\()_chosen
        lea     t, [rip + .L\type\()_table_one]
        .endif
        jmp     .L\type\()_chosen

        // If B has two vectors of columns, the first panel packs it; other widths are packed
        // before.
.L\type\()_pack:
        cmp     rsi, 64
        jne     .L\type\()_copy
        test    rdi, rdi
        jz      .L\type\()_copy
        mov     ROWS, rdi
        mov     last, 32
        lea     t, [rip + .L\type\()_table_pack]
        jmp     .L\type\()_chosen
.L\type\()_copy:
        mov     b, B
        mov     packed, PACKED
        mov     B, packed
        test    rdx, rdx
        jz      .L\type\()_copied
.L\type\()_copy_row:
        xor     ecx, ecx
.L\type\()_copy_words:
        mov     esi, [b + rcx]
        mov     [packed + rcx], esi
        add     rcx, 4
        cmp     rcx, COLUMNS
        jb      .L\type\()_copy_words
        add     b, b_row
        add     packed, rcx
        dec     rdx
        jnz     .L\type\()_copy_row
.L\type\()_copied:
        mov     b_row, COLUMNS
        mov     rsi, b_row
        mov     rdi, M
        mov     a, A
        mov     count, K
        test    rdi, rdi
        jnz     .L\type\()_sliver
        jmp     .L\type\()_nothing

        .irp    n, 6, 5, 4, 3, 2, 1
        panel   \type, pack, \n, 2, \wide
        mov     t, PACKED
        mov     B, t
        mov     b_row, 64
        lea     t, [rip + .L\type\()_table_two]
        mov     TABLE, t
        mov     last, 32
        jmp     .L\type\()_store_two_\n
        .endr
        panels  \type, two, 2, \wide, 6, 5, 4, 3, 2, 1
        panels  \type, three, 3, \wide, 4, 3, 2, 1
        panels  \type, four, 4, \wide, 3, 2, 1
        panels  \type, eight, 8, \wide, 1
        narrow_panels \type, wide, 32, .L\type\()_done, ymm, \wide
        narrow_panels \type, half, 16, .L\type\()_nothing, xmm, \half
        .if     SHIFT == 2
        narrow_panels \type, one, 4, .L\type\()_nothing, xmm, \half
        .endif
        .endm

        .macro tables type
        table   \type, pack, BY_SIX
        table   \type, two, FIRST_BY_SIX
        table   \type, follow_two, BY_SIX
        table   \type, three, BY_FOUR
        table   \type, follow_three, BY_FOUR
        table   \type, four, 3, 1, 2
        table   \type, eight, 1
        table   \type, wide, BY_TWELVE
        table   \type, half, BY_TWELVE
        .ifc    \type, f32
        table   \type, one, BY_TWELVE
        .endif
        .endm

// Block of a product: `m` rows and `n` columns of C become A B, or C + A B if `accumulate` is not
// 0; each element is one chain of fused multiply-adds over ascending k, which begins at +0 or at
// its element of C.
//
//   void hl_matmul_block_f32_avx2(size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_row,
//       ptrdiff_t a_column, const float *b, ptrdiff_t b_row, float *packed, float *c,
//       ptrdiff_t c_row, uint32_t accumulate);
//
// In      rdi = m, rsi = n, rdx = k, rcx = a, r8 = a_row, r9 = a_column, the others on the stack
//         Out  c, packed
// Uses    rax, rcx, rdx, rsi, rdi, r8..r11, ymm0..ymm15      Stack  48 bytes; its arguments are changed
// Loop    6 rows of 16 columns, 2 steps of k; bound by the 12 multiply-adds of a step (6 cycles)
// Bound   6 cycles for 96 elements on Zen 3
// Tail    4 rows of 24 columns, or 12 of up to 8; few rows take more columns
FUNC(hl_matmul_block_f32_avx2)
        block   f32, 2, vbroadcastss, vbroadcastss
END(hl_matmul_block_f32_avx2)

        RODATA_OF(hl_matmul_block_f32_avx2)
        tables  f32

// Block of a product of doubles, like block_f32.
//
//   void hl_matmul_block_f64_avx2(size_t m, size_t n, size_t k, const double *a, ptrdiff_t a_row,
//       ptrdiff_t a_column, const double *b, ptrdiff_t b_row, double *packed, double *c,
//       ptrdiff_t c_row, uint32_t accumulate);
//
// In      rdi = m, rsi = n, rdx = k, rcx = a, r8 = a_row, r9 = a_column, the others on the stack
//         Out  c, packed
// Uses    rax, rcx, rdx, rsi, rdi, r8..r11, ymm0..ymm15      Stack  48 bytes; its arguments are changed
// Loop    6 rows of 8 columns, 2 steps of k; bound by the 12 multiply-adds of a step (6 cycles)
// Bound   6 cycles for 48 elements on Zen 3
// Tail    4 rows of 12 columns, or 12 of up to 4; few rows take more columns
FUNC(hl_matmul_block_f64_avx2)
        block   f64, 3, vbroadcastsd, vmovddup
END(hl_matmul_block_f64_avx2)

        RODATA_OF(hl_matmul_block_f64_avx2)
        tables  f64
