// Blocks of products with AVX2 and FMA, for both types of elements.
//
// C is cut into slivers of columns and each sliver into panels of rows:
//
//   two     6 rows of 2 vectors             four    3 rows of 4: for m < 4
//   three   4 rows of 3: ends odd widths    eight   1 row of 8: for m = 1
//   pack    as two, the first panel where B is packed
//   wide    12 rows of one ymm or less      half    12 rows of one xmm or less: only where all of n is so narrow
//
// The last vector of a sliver is moved back to end with the row of C, so only wide and half need masks: what two vectors hold
// in common has the same bits in both. A table per kind says which panel begins n rows, so that none is much thinner than the rest.

#include "panels_avx2.h"

// The panel that begins so many rows or more, then those that begin 1, 2.. rows: two for up to twice the most, three for less than
// thrice; 12 and 16 rows go by 4, whose 8 stores hold nothing up. No panel of one row may follow another.
#define BY_TWELVE   12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 9, 9, 9, 10, 10, 10, 11, 11, 11
#define BY_SIX      6, 1, 2, 3, 4, 5, 6, 4, 4, 5, 5, 6, 4, 5, 5, 5, 5, 5
#define FIRST_BY_SIX 6, 1, 2, 3, 4, 5, 6, 4, 4, 5, 5, 6, 4, 5, 5, 5, 4, 5
#define BY_FOUR     4, 1, 2, 3, 4, 3, 3, 4, 4, 3, 3, 3

        .macro table kind, rows:vararg
        .balign 8
.Ltable_\kind:
        .set    most, 0
        .irp    n, \rows
        .set    most, most + 1
        .endr
        .quad   most
        .irp    n, \rows
        .long   .L\kind\()_\n - .Ltable_\kind
        .endr
        .endm

FUNC(NAME)
        sub     rsp, 48
        .cfi_adjust_cfa_offset 48
        shl     rsi, SHIFT
        jz      .Lnothing
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
        jne     .Lpack
        test    rdi, rdi
        jz      .Lnothing

        // The kind of a sliver of all rows, rdi, and columns of rsi bytes: no other than the first may have one vector.
.Lsliver:
        mov     ROWS, rdi
        cmp     rsi, 32
        jbe     .Lnarrow
        cmp     rdi, 4
        jb      .Lfew
.Lmany:
        lea     last, [rsi - 32]
        lea     t, [rip + .Ltable_two]
        cmp     rsi, 64
        jbe     .Lchosen
        cmp     rsi, 96
        jbe     .Lthree
        mov     edi, 32
.Lchosen:
        mov     TABLE, t
        mov     rsi, ROWS
.Lenter:
        cmp     rsi, [t]
        jae     .Lmost
        movsxd  rsi, dword ptr [t + 4*rsi + 8]
        add     rsi, t
        jmp     rsi
.Lmost:
        movsxd  rsi, dword ptr [t + 8]
        add     rsi, t
        jmp     rsi

.Lpanel:
        mov     t, TABLE
        mov     rsi, ROWS
        mov     a, A
        mov     count, K
        jmp     .Lenter

        // The next sliver begins at the first rows of A and C again.
.Lnext:
        mov     rsi, COLUMNS
        lea     rdx, [last + 32]
        sub     rsi, rdx
        jz      .Ldone
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
        jmp     .Lsliver
.Ldone:
        vzeroupper
.Lnothing:
        .cfi_remember_state
        add     rsp, 48
        .cfi_adjust_cfa_offset -48
        ret
        .cfi_restore_state

.Lthree:
        lea     t, [rip + .Ltable_three]
        jmp     .Lchosen

        // Few rows want many columns: 8 vectors or 4, where that leaves no single one.
.Lfew:
        cmp     rsi, 96
        jbe     .Lmany
        cmp     rdi, 1
        jne     .Lfour
        lea     t, [rip + .Ltable_eight]
        lea     last, [rsi - 32]
        cmp     rsi, 224
        jbe     .Lfour
        cmp     rsi, 256
        jbe     .Lchosen
        mov     edi, 224
        cmp     rsi, 288
        ja      .Lchosen
.Lfour:
        lea     t, [rip + .Ltable_four]
        lea     last, [rsi - 32]
        cmp     rsi, 128
        jbe     .Lchosen
        mov     edi, 96
        cmp     rsi, 160
        ja      .Lchosen
        mov     edi, 64
        jmp     .Lthree

.Lnarrow:
        lea     rdi, [rip + .Lmask + 32]
        sub     rdi, rsi
        lea     t, [rip + .Ltable_half]
        vmovdqu xmm14, [rdi]
        cmp     rsi, 16
        jbe     .Lchosen
        lea     t, [rip + .Ltable_wide]
        vmovdqu ymm14, [rdi]
        jmp     .Lchosen

        // Two vectors of columns are packed by the first panel, others before it.
.Lpack:
        cmp     rsi, 64
        jne     .Lcopy
        test    rdi, rdi
        jz      .Lcopy
        mov     ROWS, rdi
        mov     last, 32
        lea     t, [rip + .Ltable_pack]
        jmp     .Lchosen
.Lcopy:
        mov     b, B
        mov     packed, PACKED
        mov     B, packed
        test    rdx, rdx
        jz      .Lcopied
.Lcopy_row:
        xor     ecx, ecx
.Lcopy_words:
        mov     esi, [b + rcx]
        mov     [packed + rcx], esi
        add     rcx, 4
        cmp     rcx, COLUMNS
        jb      .Lcopy_words
        add     b, b_row
        add     packed, rcx
        dec     rdx
        jnz     .Lcopy_row
.Lcopied:
        mov     b_row, COLUMNS
        mov     rsi, b_row
        mov     rdi, M
        mov     a, A
        mov     count, K
        test    rdi, rdi
        jnz     .Lsliver
        jmp     .Lnothing

        .irp    n, 6, 5, 4, 3, 2, 1
        panel   pack, \n, 2
        mov     t, PACKED
        mov     B, t
        mov     b_row, 64
        lea     t, [rip + .Ltable_two]
        mov     TABLE, t
        mov     last, 32
        jmp     .Lstore_two_\n
        .endr
        panels  two, 2, 6, 5, 4, 3, 2, 1
        panels  three, 3, 4, 3, 2, 1
        panels  four, 4, 3, 2, 1
        panels  eight, 8, 1
        narrow_panels wide, 32, ymm, WIDE
        narrow_stores whole_wide, .Ldone, vmovups [c], ymm\sum
        narrow_stores part_wide, .Ldone, part_wide \sum
        narrow_panels half, 16, xmm, HALF
        narrow_stores whole_half, .Lnothing, vmovups [c], xmm\sum
        narrow_stores part_half, .Lnothing, part_half \sum
        narrow_stores one, .Lnothing, vmovss [c], xmm\sum
END(NAME)

        RODATA
        table   pack, BY_SIX
        table   two, FIRST_BY_SIX
        table   follow_two, BY_SIX
        table   three, BY_FOUR
        table   follow_three, BY_FOUR
        table   four, 3, 1, 2
        table   eight, 1
        table   wide, BY_TWELVE
        table   half, BY_TWELVE
.Lmask:         // 32 bytes behind the mask of n bytes less n
        .rept   8
        .long   -1
        .endr
        .rept   8
        .long   0
        .endr
.Llanes:
        .long   0, 1, 2, 3, 4, 5, 6, 7
