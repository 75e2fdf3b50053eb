// Blocks of matrix products with SSE2, for both types: `times` and `plus` are the instructions of one, SHIFT is the logarithm of its
// size. Lengths and strides are in bytes, so that a vector has 16 of either.
//
// A tile is up to 6 rows by 2 vectors; the second overlaps the first where fewer columns are left, and both are read before either
// is written. Less than a vector goes in pieces of 8 and 4 bytes. Where there are only one or two rows, A and B change places:
// vectors stand for rows, and rows for vectors.

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
// Where A and B have changed places: the rows, 1 or 2, and how far apart they are in A and C; else 0. The bytes of the last vector
// if it has not all.
#define swapped     qword ptr [rsp + 56]
#define a_apart     [rsp + 64]
#define c_apart     [rsp + 72]
#define remainder   qword ptr [rsp + 80]
#define b_first     qword ptr [rsp + FRAME + 56]
#define b_stride    qword ptr [rsp + FRAME + 64]
// Null once it holds B, and b_first is it.
#define packed      qword ptr [rsp + FRAME + 72]
#define c_panel     qword ptr [rsp + FRAME + 80]
#define c_stride    qword ptr [rsp + FRAME + 88]
#define accumulate  dword ptr [rsp + FRAME + 96]

#include "tile_sse2.h"

        // To the tile of as many rows.
        .macro choose name
        .irp    rows, 6, 5, 4, 3, 2, 1
        cmp     panel_rows, \rows
        je      .L\name\rows
        .endr
        .endm

        .macro block
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
        jz      .Ldone

        // A first panel of 6 rows and 2 vectors packs B itself; else it is copied first.
        cmp     packed, 0
        je      .Lplaces
        cmp     rsi, 32
        jne     .Lcopy
        cmp     row, 16
        jne     .Lcopy
        cmp     rdi, 6
        je      .Lstrides
        cmp     rdi, 11
        jae     .Lstrides
.Lcopy:
        mov     from, b_first
        mov     to, packed
        mov     steps, k
        test    steps, steps
        jz      .Lcopied
.Lcopy_row:
        xor     ecx, ecx
        jmp     .Lcopy_next
.Lcopy_vector:
        movups  t0, [from + rcx]
        movups  [to + rcx], t0
        mov     rcx, next
.Lcopy_next:
        lea     next, [rcx + 16]
        cmp     next, width
        jbe     .Lcopy_vector
        jmp     .Lcopy_rest
.Lcopy_piece:
        movss   t0, dword ptr [from + rcx]
        movss   dword ptr [to + rcx], t0
        add     rcx, 4
.Lcopy_rest:
        cmp     rcx, width
        jb      .Lcopy_piece
        add     from, b_row
        add     to, width
        dec     steps
        jnz     .Lcopy_row
.Lcopied:
        mov     scratch, packed
        mov     b_first, scratch
        mov     b_row, width
        mov     packed, 0

        // One or two rows of at least two vectors: the places change. A last vector that is not whole forms a pair with the one before
        // it, as far apart as it has bytes.
.Lplaces:
        mov     scratch, rows_left
        cmp     scratch, 2
        ja      .Lstrides
        mov     count, width
        cmp     count, 32
        jb      .Lstrides
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
        je      .Ldone
        mov     rows_left, count

.Lstrides:
        lea     row3, [row + 2 * row]
        lea     row5, [row + 4 * row]
        lea     column3, [column + 2 * column]
        lea     b_row3, [b_row + 2 * b_row]

        // A panel: 6 rows, or half of the last 7 to 11.
.Lpanel:
        mov     count, rows_left
        cmp     count, 6
        jbe     .Lchosen
        lea     scratch, [count + 1]
        shr     scratch, 1
        mov     ecx, 6
        cmp     scratch, count
        cmovb   count, scratch
.Lchosen:
        test    count, count
        jz      .Llast
        mov     panel_rows, count
        sub     rows_left, count
        mov     c, c_panel
        mov     b, b_first
        mov     columns, width
        cmp     swapped, 0
        jne     .Lswapped

        // The columns: a pair of vectors, or one where two and a part are left, so that the part is in a pair.
.Ltile:
        mov     b_tile, b
        mov     scratch, columns
        cmp     scratch, 48
        jae     .Lwhole
        cmp     scratch, 32
        ja      .Lsingle
        mov     advance, scratch
        sub     scratch, 16
        jz      .Lone
        jae     .Lapart
        jmp     .Lpieces
.Lwhole:
        mov     scratch, 16
        mov     advance, 32
.Lapart:
        lea     b_second, [b + scratch]
        lea     c_second, [c + scratch]
.Lpair:
        choose  pair
.Lsingle:
        mov     advance, 16
.Lone:
        choose  one
.Lnext:
        mov     scratch, advance
        mov     b, b_tile
        add     c, scratch
        add     b, scratch
        sub     columns, scratch
        jnz     .Ltile

        mov     count, panel_rows
        mov     scratch, row
        imul    scratch, count
        add     panel, scratch
        imul    count, c_row
        add     c_panel, count
        jmp     .Lpanel

        // All columns are one tile.
.Lswapped:
        mov     advance, columns
        mov     b_second, b
        mov     c_second, c
        add     b_second, a_apart
        add     c_second, c_apart
        cmp     swapped, 1
        je      .Lone
        jmp     .Lpair

        // The last vector, with the one before it.
.Llast:
        mov     scratch, remainder
        mov     remainder, 0
        mov     row, scratch
        mov     c_row, scratch
        mov     rows_left, 2
        test    scratch, scratch
        jnz     .Lpanel
.Ldone:
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
        tile    pair, \rows, 2
        tile    one, \rows, 1
        .endr

        // B on its way to `packed`, in panels.
.Lpack:
        mov     row5, packed
        mov     b_first, row5
        mov     packed, 0
        test    steps, steps
        jz      .Lpacked
.Lpack_step:
        movups  b0, [b]
        movups  b1, [b + 16]
        movups  [row5], b0
        movups  [row5 + 16], b1
        each_row product, 6, a, 16, 48, 80, 2
        add     a, column
        add     b, b_row
        add     row5, 32
        dec     steps
        jnz     .Lpack_step
.Lpacked:
        mov     row5, 80
        mov     b_row, 32
        mov     b_row3, 96
        jmp     .Lpair6_store

        // Less than a vector: 8 bytes, then 4.
.Lpieces:
        .if     SHIFT == 2
        mov     advance, 4
        cmp     columns, 8
        jae     .Leight
        choose  four
.Leight:
        .endif
        mov     advance, 8
        choose  eight
        .irp    rows, 6, 5, 4, 3, 2, 1
        piece   eight, \rows, movsd
        .if     SHIFT == 2
        piece   four, \rows, movss
        .endif
        .endr
        .endm
