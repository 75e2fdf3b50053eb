// Blocks of products with AVX2 and FMA, for both types of elements.
//
//   SHIFT           log2 of the size of an element
//   FMA, MASKED     multiply and add; load under a mask
//   WIDE, HALF      load an element into all lanes of a ymm, of an xmm
//
// C is cut into slivers of columns and each sliver into panels of rows, whose sums stand in registers up to ymm11:
//
//   two     6 rows of 2 vectors             four    3 rows of 4: for m < 4
//   three   4 rows of 3: ends odd widths    eight   1 row of 8: for m = 1
//   wide    12 rows of one ymm or less      half    12 rows of one xmm or less: these two only where all of n is so narrow
//
// The last vector of a sliver is moved back to end with the row of C, so only wide and half need masks: what two vectors hold
// in common has the same bits in both. A table per kind says which panel begins n rows, so that none is much thinner than the rest.

#define a           rcx
#define b           r11
#define count       rdx
#define a_row       r8
#define a_row3      rax
#define a_row5      rsi
#define a_column    r9
#define b_row       r10
#define last        rdi                         // bytes from the first to the last vector of a row
#define a6          rdi                         // where one vector is all: rows 6..
#define packed      rdi                         // while B is packed
#define c           rcx                         // outside of the loop
#define c_row       rdx
#define late        rdx                         // where the last two rows of the panel before go
#define t           r11

// In the red zone.
#define M           qword ptr [rsp - 8]
#define K           qword ptr [rsp - 16]
#define COLUMNS     qword ptr [rsp - 24]        // bytes of a row of C, from this sliver on
#define ROWS        qword ptr [rsp - 32]        // from this panel on
#define TABLE       qword ptr [rsp - 40]
#define A           qword ptr [rsp - 48]        // of this panel

// The arguments on the stack, changed in place.
#define B           qword ptr [rsp + 8]         // of this sliver
#define B_ROW       qword ptr [rsp + 16]
#define PACKED      qword ptr [rsp + 24]
#define C           qword ptr [rsp + 32]        // of this panel
#define C_ROW       qword ptr [rsp + 40]        // in bytes
#define ACCUMULATE  dword ptr [rsp + 48]

// Vector v of the row at `base`, in and out.
        .macro vector_in r, number, base, v, vectors
        .if     \vectors == 1
        MASKED  \r\number, \r\()14, [\base]
        .elseif \v + 1 < \vectors
        vmovups \r\number, [\base + 32*\v]
        .else
        vmovups \r\number, [\base + last]
        .endif
        .endm

        .macro vector_out number, base, v, vectors
        .if     \v + 1 < \vectors
        vmovups [\base + 32*\v], ymm\number
        .else
        vmovups [\base + last], ymm\number
        .endif
        .endm

// The element of a row of the panel, in all lanes.
        .macro row_in r, number, load, row
        .if     \row < 6
        row_at  \r\number, \load, a, \row
        .else
        row_at  \r\number, \load, a6, (\row-6)
        .endif
        .endm

        .macro row_at to, load, base, row
        .if     \row == 0
        \load   \to, [\base]
        .elseif \row == 1
        \load   \to, [\base + a_row]
        .elseif \row == 2
        \load   \to, [\base + 2*a_row]
        .elseif \row == 3
        \load   \to, [\base + a_row3]
        .elseif \row == 4
        \load   \to, [\base + 4*a_row]
        .else
        \load   \to, [\base + a_row5]
        .endif
        .endm

// The instruction for each sum of a panel, row by row: register \sum, at sum_row and sum_vector.
        .macro sums rows, vectors, instruction:vararg
        .irp    sum, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        .if     \sum >= 12 - \rows * \vectors
        .set    sum_row, (\sum - 12 + \rows * \vectors) / \vectors
        .set    sum_vector, (\sum - 12 + \rows * \vectors) % \vectors
        \instruction
        .endif
        .endr
        .endm

        .macro sum_in r, sum, vectors
        vector_in \r, \sum, c, sum_vector, \vectors
        .if     sum_vector + 1 == \vectors
        add     c, c_row
        .endif
        .endm

// A row of B stays in registers 12.. and the elements of A pass through 15; in wide slivers it is the other way round.
        .macro step kind, rows, vectors, r, load, by=by_row
        .if     \vectors > 3
        row_in  \r, 12, \load, 0
        .if     \rows > 1
        row_in  \r, 13, \load, 1
        .endif
        .if     \rows > 2
        row_in  \r, 14, \load, 2
        .endif
        .irp    v, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \v < \vectors
        vector_in \r, 15, b, \v, \vectors
        sums    \rows, \vectors, by_vector \sum, \v
        .endif
        .endr
        .else
        .ifc    \kind, pack
        vmovups ymm12, [b]
        vmovups ymm13, [b + 32]
        prefetcht0 [b + 8*b_row]
        vmovups [packed], ymm12
        vmovups [packed + 32], ymm13
        add     packed, 64
        .else
        vector_in \r, 12, b, 0, \vectors
        .if     \vectors > 1
        vector_in \r, 13, b, 1, \vectors
        .endif
        .if     \vectors > 2
        vector_in \r, 14, b, 2, \vectors
        .endif
        .endif
        sums    \rows, \vectors, \by \r, \sum, \load, \vectors
        .endif
        add     a, a_column
        .if     \rows > 6
        add     a6, a_column
        .endif
        add     b, b_row
        .endm

        .macro by_row r, sum, load, vectors
        .if     sum_vector == 0
        row_in  \r, 15, \load, sum_row
        .endif
        multiply \r, \sum, sum_vector
        .endm

        .macro first r, sum, load, vectors
        .if     sum_vector == 0 && \sum >= 12 - 2 * \vectors
        row_out \sum, late, \vectors
        add     late, C_ROW
        .set    sum_vector, 0
        .endif
        vxorps  xmm\sum, xmm\sum, xmm\sum
        by_row  \r, \sum, \load, \vectors
        .endm

        .macro by_vector sum, v
        .if     sum_vector == \v
        multiply ymm, \sum, sum_row
        .endif
        .endm

        .macro multiply r, sum, other
        .if     \other == 0
        FMA     \r\sum, \r\()15, \r\()12
        .elseif \other == 1
        FMA     \r\sum, \r\()15, \r\()13
        .else
        FMA     \r\sum, \r\()15, \r\()14
        .endif
        .endm

// A panel up to its stores, for which it leaves c and c_row; a and count are set.
        .macro panel kind, rows, vectors, r=ymm, load=WIDE
.L\kind\()_\rows:
        LANDING_PAD
        sums    \rows, \vectors, vxorps xmm\sum, xmm\sum, xmm\sum
        cmp     ACCUMULATE, 0
        je      .Lbegin_\kind\()_\rows
        mov     c, C
        mov     c_row, C_ROW
        sums    \rows, \vectors, sum_in \r, \sum, \vectors
        mov     a, A
        mov     count, K
.Lbegin_\kind\()_\rows:
        imul    b, a_row, \rows
        add     A, b
        sub     ROWS, \rows
        mov     b, B
        .ifc    \kind, pack
        mov     packed, PACKED
        .endif
        .if     \rows > 5
        lea     a_row5, [a_row + 4*a_row]
        .endif
        .if     \rows > 6
        lea     a6, [a + 2*a_row3]
        .endif
        test    count, count
        jz      .Lend_\kind\()_\rows
        test    count, 1
        jnz     .Lodd_\kind\()_\rows
.Lloop_\kind\()_\rows:
        step    \kind, \rows, \vectors, \r, \load
.Lodd_\kind\()_\rows:
        step    \kind, \rows, \vectors, \r, \load
        sub     count, 2
        jg      .Lloop_\kind\()_\rows
.Lend_\kind\()_\rows:
        mov     c, C
        mov     c_row, C_ROW
        .endm

// Panels of a kind and their common end: the stores of the last n rows. More than about 8 stores that wait for their data hold up
// all that follows them, so those of the last two rows wait for the first step of the panel that follows.
        .macro panels kind, vectors, rows:vararg
        .irp    n, \rows
        panel   \kind, \n, \vectors
        jmp     .Lstore_\kind\()_\n
        .if     \vectors < 4
        follow  \kind, \n, \vectors
        .endif
        .endr

        .irp    n, \rows
.Lstore_\kind\()_\n:
        .if     \n == 2 && \vectors < 4
        cmp     ROWS, 0
        jne     .Lfollow_\kind
        .endif
        row_out (12 - \n * \vectors), c, \vectors
        add     c, c_row
        .endr
        jmp     .Lnext

        .if     \vectors < 4
.Lfollow_\kind:
        cmp     ACCUMULATE, 0
        jne     .Lat_once_\kind
        cmp     K, 0
        je      .Lat_once_\kind
        mov     late, c
        mov     a, A
        mov     rsi, ROWS
        lea     t, [rip + .Ltable_follow_\kind]
        jmp     .Lenter
.Lat_once_\kind:
        row_out (12 - 2 * \vectors), c, \vectors
        add     c, c_row
        row_out (12 - \vectors), c, \vectors
        add     c, c_row
        mov     C, c
        jmp     .Lpanel
        .endif
        .endm

        .macro row_out first, base, vectors
        .irp    sum, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        .if     \sum >= \first && \sum < \first + \vectors
        .set    sum_vector, \sum - \first
        vector_out \sum, \base, sum_vector, \vectors
        .endif
        .endr
        .endm

// A panel behind another one: its first step, then into its loop.
        .macro follow kind, rows, vectors
.Lfollow_\kind\()_\rows:
        LANDING_PAD
        imul    b, a_row, \rows
        add     A, b
        sub     ROWS, \rows
        mov     b, B
        .if     \rows > 5
        lea     a_row5, [a_row + 4*a_row]
        .endif
        step    \kind, \rows, \vectors, ymm, WIDE, first
        mov     C, late
        mov     count, K
        dec     count
        jz      .Lend_\kind\()_\rows
        test    count, 1
        jz      .Lloop_\kind\()_\rows
        jmp     .Lodd_\kind\()_\rows
        .endm

// A row of less than a whole vector, in two moves that overlap: 12 has the lanes of the second.
        .macro narrow_panels kind, bytes, r, load
        .irp    n, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1
        panel   \kind, \n, 1, \r, \load
        mov     t, COLUMNS
        cmp     t, \bytes
        je      .Lwhole_\kind\()_\n
        .ifc    \kind, half
        cmp     t, 8
        jb      .Lone_\n
        .endif
        lea     a6, [rip + .Llanes]
        vmovdqu xmm12, [a6 + t - \bytes / 2]
        jmp     .Lpart_\kind\()_\n
        .endr
        .endm

        .macro narrow_stores name, instruction:vararg
        .irp    n, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1
.L\name\()_\n:
        .irp    sum, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        .if     \sum + \n == 12
        \instruction
        add     c, c_row
        .endif
        .endr
        .endr
        jmp     .Lnarrow_end
        .endm

        .macro part_wide sum
        vmovups [c], xmm\sum
        vpermps ymm\sum, ymm12, ymm\sum
        vmovups [c + t - 16], xmm\sum
        .endm

        .macro part_half sum
        vmovlps [c], xmm\sum
        vpermilps xmm\sum, xmm\sum, xmm12
        vmovlps [c + t - 8], xmm\sum
        .endm

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
        ret

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
        lea     t, [rip + .Lmask + 32]
        sub     t, rsi
        vmovdqu ymm14, [t]
        lea     t, [rip + .Ltable_half]
        cmp     rsi, 16
        jbe     .Lchosen
        lea     t, [rip + .Ltable_wide]
        jmp     .Lchosen
.Lnarrow_end:
        mov     C, c
        cmp     ROWS, 0
        jne     .Lpanel
        jmp     .Ldone

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
        ret

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
        narrow_stores whole_wide, vmovups [c], ymm\sum
        narrow_stores part_wide, part_wide \sum
        narrow_panels half, 16, xmm, HALF
        narrow_stores whole_half, vmovups [c], xmm\sum
        narrow_stores part_half, part_half \sum
        narrow_stores one, vmovss [c], xmm\sum
END(NAME)

        RODATA
        // How many rows are most; the panel that begins so many or more; that which begins 1, 2.. rows.
        table   two, 6, 1, 2, 3, 4, 5, 6, 4, 4, 5, 5, 6, 6, 5, 5, 5, 5, 5
        table   pack, 6, 1, 2, 3, 4, 5, 6, 4, 4, 5, 5, 6, 6, 5, 5, 5, 5, 5
        table   three, 4, 1, 2, 3, 4, 3, 3, 4, 4, 3, 3, 3
        table   follow_two, 6, 1, 2, 3, 4, 5, 6, 4, 4, 5, 5, 6, 6, 5, 5, 5, 5, 5
        table   follow_three, 4, 1, 2, 3, 4, 3, 3, 4, 4, 3, 3, 3
        table   four, 3, 1, 2
        table   eight, 1
        table   wide, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 9, 9, 9, 10, 10, 10, 11, 11, 11
        table   half, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 9, 9, 9, 10, 10, 10, 11, 11, 11
.Lmask:         // 32 bytes behind the mask of n bytes less n
        .rept   8
        .long   -1
        .endr
        .rept   8
        .long   0
        .endr
.Llanes:
        .long   0, 1, 2, 3, 4, 5, 6, 7
