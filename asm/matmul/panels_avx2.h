// The panels of block_avx2.S: rows of C by vectors. Their sums are at most ymm0..ymm11; the last
// row is always in the last registers: the sum of vector v in row r is in 12 - (rows - r) * vectors + v.
//
//   SHIFT           log2 of the size of an element, a symbol
//   NARROW          bytes of the largest row of the panels of one vector, a symbol
//   load            the instruction that loads an element into all lanes of the registers r

#define a           rcx
#define b           r11
#define count       rdx
#define a_row       r8
#define a_row3      rax
#define a_row5      rsi
#define a_column    r9
#define b_row       r10
#define over        r10                         // in panels of one vector: from a row to its last half
#define last        rdi                         // bytes from the first to the last vector of a row
#define a6          rdi                         // in panels of one vector: rows 6..
#define packed      rdi                         // while B is packed
#define c           rcx                         // outside the loop
#define c_row       rdx
#define late        rdx                         // destination of the last two rows of the panel before
#define t           r11

// On the stack.
#define M           qword ptr [rsp + 40]
#define K           qword ptr [rsp + 32]
#define COLUMNS     qword ptr [rsp + 24]        // bytes of a row of C, from this sliver on
#define ROWS        qword ptr [rsp + 16]        // from this panel on
#define TABLE       qword ptr [rsp + 8]
#define A           qword ptr [rsp]             // of this panel

// The arguments above them, changed in place.
#define B           qword ptr [rsp + 56]        // of this sliver
#define B_ROW       qword ptr [rsp + 64]        // in panels of one vector: in bytes
#define PACKED      qword ptr [rsp + 72]
#define C           qword ptr [rsp + 80]        // of this panel
#define C_ROW       qword ptr [rsp + 88]        // in bytes
#define ACCUMULATE  dword ptr [rsp + 96]

// Loads vector v of the row at `base`. A row of less than a vector is its first and its last half, which
// may overlap.
        .macro vector_in r, number, base, v, vectors
        .if     \vectors == 1
        .if     NARROW == 32
        vmovups xmm\number, [\base]
        vinsertf128 ymm\number, ymm\number, [\base + over], 1
        .elseif NARROW == 16
        vmovsd  xmm\number, qword ptr [\base]
        vmovhps xmm\number, xmm\number, [\base + over]
        .else
        vmovss  xmm\number, dword ptr [\base]
        .endif
        .elseif \v + 1 < \vectors
        vmovups \r\number, [\base + 32*\v]
        .else
        vmovups \r\number, [\base + last]
        .endif
        .endm

// Loads the element of a row of the panel, `row` rows after `base`, into all lanes.
        .macro row_in to, load, row, base=a
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
        .elseif \row == 5
        \load   \to, [\base + a_row5]
        .else
        row_in  \to, \load, (\row-6), a6
        .endif
        .endm

// Stores the row whose first sum is `first`.
        .macro row_out first, base, vectors
        .irp    sum, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        .if     \sum >= \first && \sum + 1 < \first + \vectors
        vmovups [\base + 32*(\sum - \first)], ymm\sum
        .elseif \sum + 1 == \first + \vectors
        vmovups [\base + last], ymm\sum
        .endif
        .endr
        .endm

// Multiplies the broadcast element, or the vector, in 15 by one of the registers from 12 on.
        .macro multiply r, sum, other
        .irp    factor, 12, 13, 14
        .if     \factor == 12 + \other && SHIFT == 2
        vfmadd231ps \r\sum, \r\()15, \r\factor
        .elseif \factor == 12 + \other
        vfmadd231pd \r\sum, \r\()15, \r\factor
        .endif
        .endr
        .endm

// A row of B stays in registers 12.. and the elements of A pass through 15; in wide slivers the
// roles are swapped. The first step of a panel that follows another one stores the last two rows of that.
        .macro step kind, rows, vectors, r, load, follows=0
        .if     \vectors > 3
        row_in  \r\()12, \load, 0
        .if     \rows > 1
        row_in  \r\()13, \load, 1
        .endif
        .if     \rows > 2
        row_in  \r\()14, \load, 2
        .endif
        .irp    v, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \v < \vectors
        vector_in \r, 15, b, \v, \vectors
        .irp    sum, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        .if     \sum >= 12 - \rows * \vectors && (\sum - 12 + \rows * \vectors) % \vectors == \v
        multiply \r, \sum, (\sum - 12 + \rows * \vectors) / \vectors
        .endif
        .endr
        .endif
        .endr
        .else
        .ifc    \kind, pack
        vmovups ymm12, [b]
        vmovups ymm13, [b + 32]
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
        .irp    sum, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        .if     \sum >= 12 - \rows * \vectors
        .set    sum_row, (\sum - 12 + \rows * \vectors) / \vectors
        .set    sum_vector, (\sum - 12 + \rows * \vectors) % \vectors
        .if     \follows
        .if     sum_vector == 0 && \sum >= 12 - 2 * \vectors
        row_out \sum, late, \vectors
        add     late, C_ROW
        .endif
        vxorps  xmm\sum, xmm\sum, xmm\sum
        .endif
        .if     sum_vector == 0
        row_in  \r\()15, \load, sum_row
        .endif
        multiply \r, \sum, sum_vector
        .endif
        .endr
        .endif
        add     a, a_column
        .if     \rows > 6
        add     a6, a_column
        .endif
        .if     \vectors == 1
        add     b, B_ROW
        .else
        add     b, b_row
        .endif
        .endm

// A panel up to its stores, for which it sets c and c_row. On entry, a and count are set.
        .macro panel type, kind, rows, vectors, load, r=ymm
.L\type\()_\kind\()_\rows:
        LANDING_PAD
        .irp    sum, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        .if     \sum >= 12 - \rows * \vectors
        vxorps  xmm\sum, xmm\sum, xmm\sum
        .endif
        .endr
        cmp     ACCUMULATE, 0
        je      .L\type\()_begin_\kind\()_\rows
        mov     c, C
        mov     c_row, C_ROW
        .irp    sum, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        .if     \sum >= 12 - \rows * \vectors
        .set    sum_vector, (\sum - 12 + \rows * \vectors) % \vectors
        vector_in \r, \sum, c, sum_vector, \vectors
        .if     sum_vector + 1 == \vectors
        add     c, c_row
        .endif
        .endif
        .endr
        mov     a, A
        mov     count, K

        // Prefetch C of the next panel while a deep panel is computed: with a large stride each row is in
        // a page of its own.
.L\type\()_begin_\kind\()_\rows:
        .if     \rows > 3 && \vectors == 2
        cmp     K, 64
        jb      .L\type\()_fetched_\kind\()_\rows
        mov     a_row5, C_ROW
        imul    b, a_row5, \rows
        add     b, C
        .rept   6
        prefetcht0 [b]
        prefetcht0 [b + 63]
        add     b, a_row5
        .endr
.L\type\()_fetched_\kind\()_\rows:
        .endif
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
        jz      .L\type\()_end_\kind\()_\rows
        test    count, 1
        jnz     .L\type\()_odd_\kind\()_\rows

        // Two steps, which prefetch a row of B: it may be read in place from L3 or from memory.
.L\type\()_loop_\kind\()_\rows:
        .if     \vectors == 2
        prefetcht0 [b + 8*b_row]
        .endif
        step    \kind, \rows, \vectors, \r, \load
.L\type\()_odd_\kind\()_\rows:
        .if     \vectors == 2
        prefetcht0 [b + 8*b_row]
        .endif
        step    \kind, \rows, \vectors, \r, \load
        sub     count, 2
        jg      .L\type\()_loop_\kind\()_\rows
.L\type\()_end_\kind\()_\rows:
        mov     c, C
        mov     c_row, C_ROW
        .endm

// Panels of a kind and their common end: the stores of the last n rows. More than about 8 stores
// that wait for their data stall everything after them, so the stores of the last two rows move
// into the first step of the next panel.
        .macro panels type, kind, vectors, load, rows:vararg
        .irp    n, \rows
        panel   \type, \kind, \n, \vectors, \load
        jmp     .L\type\()_store_\kind\()_\n

        // A panel that follows another one: its first step, then a jump into its loop.
        .if     \vectors < 4
.L\type\()_follow_\kind\()_\n:
        LANDING_PAD
        imul    b, a_row, \n
        add     A, b
        sub     ROWS, \n
        mov     b, B
        .if     \n > 5
        lea     a_row5, [a_row + 4*a_row]
        .endif
        step    \kind, \n, \vectors, ymm, \load, 1
        mov     C, late
        mov     count, K
        dec     count
        jz      .L\type\()_end_\kind\()_\n
        test    count, 1
        jz      .L\type\()_loop_\kind\()_\n
        jmp     .L\type\()_odd_\kind\()_\n
        .endif
        .endr

        .irp    n, \rows
.L\type\()_store_\kind\()_\n:
        .if     \n == 2 && \vectors < 4
        cmp     ROWS, 0
        jne     .L\type\()_follow_\kind
        .endif
        row_out (12 - \n * \vectors), c, \vectors
        add     c, c_row
        .endr
        jmp     .L\type\()_next

        .if     \vectors < 4
.L\type\()_follow_\kind:
        cmp     ACCUMULATE, 0
        jne     .L\type\()_at_once_\kind
        cmp     K, 0
        je      .L\type\()_at_once_\kind
        mov     late, c
        mov     a, A
        mov     rsi, ROWS
        lea     t, [rip + .L\type\()_table_follow_\kind]
        jmp     .L\type\()_enter
.L\type\()_at_once_\kind:
        row_out (12 - 2 * \vectors), c, \vectors
        add     c, c_row
        row_out (12 - \vectors), c, \vectors
        add     c, c_row
        mov     C, c
        jmp     .L\type\()_panel
        .endif
        .endm

// Panels of rows of less than a vector, and their stores. NARROW bytes are the most.
        .macro narrow_panels type, kind, bytes, end, r, load
        .set    NARROW, \bytes
        .irp    n, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1
        panel   \type, \kind, \n, 1, \load, \r
        jmp     .L\type\()_store_\kind\()_\n
        .endr
        .irp    n, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1
.L\type\()_store_\kind\()_\n:
        .irp    sum, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        .if     \sum + \n == 12
        .if     NARROW == 32
        vmovups [c], xmm\sum
        vextractf128 [c + over], ymm\sum, 1
        .elseif NARROW == 16
        vmovlps [c], xmm\sum
        vmovhps [c + over], xmm\sum
        .else
        vmovss  dword ptr [c], xmm\sum
        .endif
        add     c, c_row
        .endif
        .endr
        .endr
        mov     C, c
        cmp     ROWS, 0
        jne     .L\type\()_panel
        jmp     \end
        .endm
