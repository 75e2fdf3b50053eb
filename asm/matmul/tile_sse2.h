// Tiles of a block of a product with SSE2, in the registers and the frame of block_unfused_sse2.S:
// all of k for up to 6 rows by one or two vectors, anywhere in B and C. A tile takes c and b, and
// for two vectors c_second and b_second, and ends at .Lnext.

        // Calls `do` for each of up to 6 rows with the number of rows after it, its address and its
        // accumulators.
        .macro each_row do, rows, base, one, three, five, rest:vararg
        \do     \rows-1, \base, xmm0, xmm1, \rest
        .if     \rows > 1
        \do     \rows-2, \base+\one, xmm2, xmm3, \rest
        .endif
        .if     \rows > 2
        \do     \rows-3, \base+2*\one, xmm4, xmm5, \rest
        .endif
        .if     \rows > 3
        \do     \rows-4, \base+\three, xmm6, xmm7, \rest
        .endif
        .if     \rows > 4
        \do     \rows-5, \base+4*\one, xmm8, xmm9, \rest
        .endif
        .if     \rows > 5
        \do     \rows-6, \base+\five, xmm10, xmm11, \rest
        .endif
        .endm

        .macro load after, place, first, second, vectors, move
        \move   \first, [c+\place]
        .if     \vectors == 2
        \move   \second, [c_second+\place]
        .endif
        .endm

        .macro store after, place, first, second, vectors, move
        \move   [c+\place], \first
        .if     \vectors == 2
        \move   [c_second+\place], \second
        .endif
        .endm

        // An element of A times one or two vectors: the last row overwrites the vectors of B
        // instead of a copy of its element.
        .macro product after, place, first, second, vectors
        movups  t0, [\place]
        .if     \vectors == 1
        P mul, t0, b0
        P add, \first, t0
        .elseif \after == 0
        P mul, b0, t0
        P mul, b1, t0
        P add, \first, b0
        P add, \second, b1
        .else
        movaps  t1, t0
        P mul, t0, b0
        P mul, t1, b1
        P add, \first, t0
        P add, \second, t1
        .endif
        .endm

        // A step of k: the vectors of a row of B, then the rows of A.
        .macro rank_1 rows, vectors, move, b_place, a_place, one, three, five
        \move   b0, [b+\b_place]
        .if     \vectors == 2
        \move   b1, [b_second+\b_place]
        .endif
        each_row product, \rows, \a_place, \one, \three, \five, \vectors
        .endm

        // One tile; `move` moves a vector, or a piece of one. Vectors take four steps at a time if the
        // rows of A are 16 bytes apart, as in a packed panel.
        .macro tile type, kind, rows, vectors, move=movups
.L\type\()_\kind\rows:
        lea     scratch, [c_row + 2 * c_row]
        lea     a, [c_row + 4 * c_row]
        cmp     accumulate, 0
        jne     .L\type\()_\kind\rows\()_load
        .irp    sum, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        .if     \sum < 2 * \rows && (\vectors == 2 || \sum % 2 == 0)
        xorps   xmm\sum, xmm\sum
        .endif
        .endr
        jmp     .L\type\()_\kind\rows\()_begin
.L\type\()_\kind\rows\()_load:
        each_row load, \rows, 0, c_row, scratch, a, \vectors, \move
.L\type\()_\kind\rows\()_begin:
        mov     a, panel
        mov     steps, k
        .ifc    \move, movups
        cmp     row, 16
        jne     .L\type\()_\kind\rows\()_rest
        .if     \rows * \vectors == 12
        cmp     packed, 0
        jne     .L\type\()_pack
        .endif
        sub     steps, 4
        jb      .L\type\()_\kind\rows\()_few
        .balign 32
.L\type\()_\kind\rows\()_four:
        rank_1  \rows, \vectors, movups, 0, a, 16, 48, 80
        rank_1  \rows, \vectors, movups, b_row, a+column, 16, 48, 80
        rank_1  \rows, \vectors, movups, 2*b_row, a+2*column, 16, 48, 80
        rank_1  \rows, \vectors, movups, b_row3, a+column3, 16, 48, 80
        lea     a, [a + 4 * column]
        lea     b, [b + 4 * b_row]
        .if     \vectors == 2
        lea     b_second, [b_second + 4 * b_row]
        .endif
        sub     steps, 4
        jae     .L\type\()_\kind\rows\()_four
.L\type\()_\kind\rows\()_few:
        add     steps, 4
.L\type\()_\kind\rows\()_rest:
        .endif

        // The steps left, for rows of A at any stride; then the stores to C.
        test    steps, steps
        jz      .L\type\()_\kind\rows\()_store
.L\type\()_\kind\rows\()_step:
        rank_1  \rows, \vectors, \move, 0, a, row, row3, row5
        add     a, column
        add     b, b_row
        .if     \vectors == 2
        add     b_second, b_row
        .endif
        dec     steps
        jnz     .L\type\()_\kind\rows\()_step
.L\type\()_\kind\rows\()_store:
        lea     scratch, [c_row + 2 * c_row]
        lea     a, [c_row + 4 * c_row]
        each_row store, \rows, 0, c_row, scratch, a, \vectors, \move
        jmp     .L\type\()_next
        .endm
