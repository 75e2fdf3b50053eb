// Blocks of matrix products with SSE2, for both types. Lengths and strides are in bytes, so a
// vector is 16 for both types.
//
// A tile is up to 6 rows by 2 vectors. If fewer columns are left, the second vector overlaps the
// first; both are read before either is written. Less than a vector is done in pieces of 8 and 4
// bytes. With only one or two rows, A and B are swapped: the vectors of B become the rows of a
// tile, the rows of A its vectors.

#include "hl.h"

#define a           rcx
#define row         r8
#define row3        r10
#define row5        r11
#define column      r9
#define column3     rbp
#define b           rsi
#define b_second    rdi
#define b_row       rdx
#define b_row3      rbx
#define c           r12
#define c_second    r13
#define c_row       r14
#define columns     r15
#define steps       rax
#define scratch     rax
// While B is copied, and before a panel.
#define from        rsi
#define to          rdi
#define next        r12
#define count       rcx
#define b0          xmm12
#define b1          xmm13
#define t0          xmm14
#define t1          xmm15

#define FRAME       88
#define k           qword ptr [rsp]
#define width       qword ptr [rsp + 8]
#define rows_left   qword ptr [rsp + 16]
#define panel       qword ptr [rsp + 24]
#define panel_rows  qword ptr [rsp + 32]
#define b_tile      qword ptr [rsp + 40]
#define advance     qword ptr [rsp + 48]
// If A and B are swapped: the number of rows, 1 or 2, and their distance in A and C; else 0. Then
// the bytes of the last vector if it is partial.
#define swapped     qword ptr [rsp + 56]
#define a_apart     [rsp + 64]
#define c_apart     [rsp + 72]
#define remainder   qword ptr [rsp + 80]
#define b_first     qword ptr [rsp + FRAME + 56]
#define b_stride    qword ptr [rsp + FRAME + 64]
// Null once it holds B; b_first then points to it.
#define packed      qword ptr [rsp + FRAME + 72]
#define c_panel     qword ptr [rsp + FRAME + 80]
#define c_stride    qword ptr [rsp + FRAME + 88]
#define accumulate  dword ptr [rsp + FRAME + 96]

        .macro P operation, operands:vararg
        .if     SHIFT == 2
        \operation\()ps \operands
        .else
        \operation\()pd \operands
        .endif
        .endm

#include "tile_sse2.h"

        // Jumps to the tile of panel_rows rows.
        .macro choose type, kind
        .irp    rows, 6, 5, 4, 3, 2, 1
        cmp     panel_rows, \rows
        je      .L\type\()_\kind\rows
        .endr
        .endm

        .macro block type, shift
        .set    SHIFT, \shift
        .irp    register, rbp, rbx, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME
        mov     k, rdx
        mov     rows_left, rdi
        mov     panel, rcx
        mov     b_row, b_stride
        mov     c_row, c_stride
        .irp    length, rsi, row, column, b_row, c_row
        shl     \length, SHIFT
        .endr
        mov     width, rsi
        mov     swapped, 0
        mov     remainder, 0
        test    rsi, rsi
        jz      .L\type\()_done

        // A first panel of 6 rows and 2 vectors packs B itself; otherwise B is copied first.
        cmp     packed, 0
        je      .L\type\()_places
        cmp     rsi, 32
        jne     .L\type\()_copy
        cmp     row, 16
        jne     .L\type\()_copy
        cmp     rdi, 6
        je      .L\type\()_strides
        cmp     rdi, 11
        jae     .L\type\()_strides
.L\type\()_copy:
        mov     from, b_first
        mov     to, packed
        mov     steps, k
        test    steps, steps
        jz      .L\type\()_copied
.L\type\()_copy_row:
        xor     ecx, ecx
        jmp     .L\type\()_copy_next
.L\type\()_copy_vector:
        movups  t0, [from + rcx]
        movups  [to + rcx], t0
        mov     rcx, next
.L\type\()_copy_next:
        lea     next, [rcx + 16]
        cmp     next, width
        jbe     .L\type\()_copy_vector
        jmp     .L\type\()_copy_rest
.L\type\()_copy_piece:
        movss   t0, dword ptr [from + rcx]
        movss   dword ptr [to + rcx], t0
        add     rcx, 4
.L\type\()_copy_rest:
        cmp     rcx, width
        jb      .L\type\()_copy_piece
        add     from, b_row
        add     to, width
        dec     steps
        jnz     .L\type\()_copy_row
.L\type\()_copied:
        mov     scratch, packed
        mov     b_first, scratch
        mov     b_row, width
        mov     packed, 0

        // One or two rows of at least two vectors: swap A and B. A partial last vector forms a pair
        // with the vector before it, `remainder` bytes apart.
.L\type\()_places:
        mov     scratch, rows_left
        cmp     scratch, 2
        ja      .L\type\()_strides
        mov     count, width
        cmp     count, 32
        jb      .L\type\()_strides
        mov     swapped, scratch
        mov     a_apart, row
        mov     c_apart, c_row
        mov     scratch, panel
        xchg    scratch, b_first
        mov     panel, scratch
        xchg    column, b_row
        mov     row, 16
        mov     c_row, row
        mov     scratch, count
        shr     count, 4
        and     scratch, 15
        mov     remainder, scratch
        neg     scratch
        sbb     count, 0
        cmp     swapped, 0
        je      .L\type\()_done
        mov     rows_left, count

.L\type\()_strides:
        lea     row3, [row + 2 * row]
        lea     row5, [row + 4 * row]
        lea     column3, [column + 2 * column]
        lea     b_row3, [b_row + 2 * b_row]

        // A panel: 6 rows, or half of the last 7 to 11.
.L\type\()_panel:
        mov     count, rows_left
        cmp     count, 6
        jbe     .L\type\()_chosen
        lea     scratch, [count + 1]
        shr     scratch, 1
        mov     ecx, 6
        cmp     scratch, count
        cmovb   count, scratch
.L\type\()_chosen:
        test    count, count
        jz      .L\type\()_last
        mov     panel_rows, count
        sub     rows_left, count
        mov     c, c_panel
        mov     b, b_first
        mov     columns, width
        cmp     swapped, 0
        jne     .L\type\()_swapped

        // The columns: a pair of vectors, or a single one if two and a part are left, so that the
        // part comes into a pair.
.L\type\()_tile:
        mov     b_tile, b
        mov     scratch, columns
        cmp     scratch, 48
        jae     .L\type\()_whole
        cmp     scratch, 32
        ja      .L\type\()_single
        mov     advance, scratch
        sub     scratch, 16
        jz      .L\type\()_one
        jae     .L\type\()_apart
        jmp     .L\type\()_pieces
.L\type\()_whole:
        mov     scratch, 16
        mov     advance, 32
.L\type\()_apart:
        lea     b_second, [b + scratch]
        lea     c_second, [c + scratch]
.L\type\()_pair:
        choose  \type, pair
.L\type\()_single:
        mov     advance, 16
.L\type\()_one:
        choose  \type, one
.L\type\()_next:
        mov     scratch, advance
        mov     b, b_tile
        add     c, scratch
        add     b, scratch
        sub     columns, scratch
        jnz     .L\type\()_tile

        mov     count, panel_rows
        mov     scratch, row
        imul    scratch, count
        add     panel, scratch
        imul    count, c_row
        add     c_panel, count
        jmp     .L\type\()_panel

        // All columns are one tile.
.L\type\()_swapped:
        mov     advance, columns
        mov     b_second, b
        mov     c_second, c
        add     b_second, a_apart
        add     c_second, c_apart
        cmp     swapped, 1
        je      .L\type\()_one
        jmp     .L\type\()_pair

        // The partial last vector, paired with the one before it.
.L\type\()_last:
        mov     scratch, remainder
        mov     remainder, 0
        mov     row, scratch
        mov     c_row, scratch
        mov     rows_left, 2
        test    scratch, scratch
        jnz     .L\type\()_panel
.L\type\()_done:
        .cfi_remember_state
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -FRAME
        .irp    register, r15, r14, r13, r12, rbx, rbp
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        ret
        .cfi_restore_state

        .irp    rows, 6, 5, 4, 3, 2, 1
        tile    \type, pair, \rows, 2
        tile    \type, one, \rows, 1
        .endr

        // The first panel, which also copies B to `packed`.
.L\type\()_pack:
        mov     row5, packed
        mov     b_first, row5
        mov     packed, 0
        test    steps, steps
        jz      .L\type\()_packed
.L\type\()_pack_step:
        movups  b0, [b]
        movups  b1, [b + 16]
        movups  [row5], b0
        movups  [row5 + 16], b1
        each_row product, 6, a, 16, 48, 80, 2
        add     a, column
        add     b, b_row
        add     row5, 32
        dec     steps
        jnz     .L\type\()_pack_step
.L\type\()_packed:
        mov     row5, 80
        mov     b_row, 32
        mov     b_row3, 96
        jmp     .L\type\()_pair6_store

        // Less than a vector: 8 bytes, then 4.
.L\type\()_pieces:
        .if     SHIFT == 2
        mov     advance, 4
        cmp     columns, 8
        jae     .L\type\()_eight
        choose  \type, four
.L\type\()_eight:
        .endif
        mov     advance, 8
        choose  \type, eight
        .irp    rows, 6, 5, 4, 3, 2, 1
        tile    \type, eight, \rows, 1, movsd
        .if     SHIFT == 2
        tile    \type, four, \rows, 1, movss
        .endif
        .endr
        .endm

// block_f32 without fused multiply-add: each product is rounded, then added.
//
//   void hl_matmul_block_unfused_f32_sse2(size_t m, size_t n, size_t k, const float *a,
//       ptrdiff_t a_row, ptrdiff_t a_column, const float *b, ptrdiff_t b_row, float *packed,
//       float *c, ptrdiff_t c_row, uint32_t accumulate);
//
// In      rdi = m, rsi = n, rdx = k, rcx = a, r8 = a_row, r9 = a_column, [rsp+8] = b,
//         [rsp+16] = b_row, [rsp+24] = packed, [rsp+32] = c, [rsp+40] = c_row,
//         [rsp+48] = accumulate             Out  m rows of n at c, k rows of n at packed
// Uses    rax, rcx, rdx, rbx, rsi, rdi, rbp, r8..r15, xmm0..xmm15     Stack  136 bytes
// Loop    4 steps of k, 6 x 8; 37 instructions a step and 4 for all; bound by issue, six a cycle on
//         Zen 3 (6.3 cycles a step; 6.4 measured; the multiplications and additions alone take 6)
// Bound   6.3 cycles for 48 elements on Zen 3
// Tail    fewer rows, a pair of vectors that overlap, pieces of 8 and 4 bytes; reads and writes
//         exactly the elements
FUNC(hl_matmul_block_unfused_f32_sse2)
        block   f32, 2
END(hl_matmul_block_unfused_f32_sse2)

// Block of a product of doubles without fused multiply-add, like block_unfused_f32; each element of
// A is stored twice in succession.
//
//   void hl_matmul_block_unfused_f64_sse2(size_t m, size_t n, size_t k, const double *a,
//       ptrdiff_t a_row, ptrdiff_t a_column, const double *b, ptrdiff_t b_row, double *packed,
//       double *c, ptrdiff_t c_row, uint32_t accumulate);
//
// In      rdi = m, rsi = n, rdx = k, rcx = a, r8 = a_row, r9 = a_column, [rsp+8] = b,
//         [rsp+16] = b_row, [rsp+24] = packed, [rsp+32] = c, [rsp+40] = c_row,
//         [rsp+48] = accumulate             Out  m rows of n at c, k rows of n at packed
// Uses    rax, rcx, rdx, rbx, rsi, rdi, rbp, r8..r15, xmm0..xmm15     Stack  136 bytes
// Loop    4 steps of k, 6 x 4; 37 instructions a step and 4 for all; bound by issue, six a cycle on
//         Zen 3 (6.3 cycles a step; 6.4 measured; the multiplications and additions alone take 6)
// Bound   6.3 cycles for 24 elements on Zen 3
// Tail    fewer rows, a pair of vectors that overlap, pieces of 8 and 4 bytes; reads and writes
//         exactly the elements
FUNC(hl_matmul_block_unfused_f64_sse2)
        block   f64, 3
END(hl_matmul_block_unfused_f64_sse2)
