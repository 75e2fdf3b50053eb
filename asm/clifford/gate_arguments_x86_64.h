// The arguments of S: a row for a block or, for kind 4, a row for each grade of a block. For SSE2, AVX2 and
// AVX-512.

// Loads rows of four coefficients into vectors 0..3.
        .macro coefficients n, g
        parts   \n, \g
        transpose
        .endm

// Loads the parameters of a block unless the frame has them.
        .macro parameters n, load, grades
        mov     rax, channel
        cmp     rax, loaded
        je      .Lready_\load\()_\n
        mov     loaded, rax
        mov     saved_at, at
        mov     saved_to, to
        mov     saved_left, left
        load_\load \n, \grades
        mov     at, saved_at
        mov     to, saved_to
        mov     left, saved_left
.Lready_\load\()_\n:
        .endm

// Advances the channel to the next block.
        .macro next_channel
        mov     rax, channel
        add     rax, turn
        mov     rdx, rax
        sub     rdx, channels
        cmovae  rax, rdx
        mov     channel, rax
        .endm

// Rows of weights and bias for kind 0, from channel rax on. If the block contains the last channel
// and channel 0 after it, the parameters of its multivectors are first copied in their order.
        .macro load_linear n, grades
        lea     rdx, [rax + LANES]
        cmp     rdx, channels
        ja      .Lwrap_\n
        mov     rdx, bias
        in_order 8, \n, [rdx + 4*rax]
        imul    at, rax, 4*\n
        add     at, weights
        jmp     .Lcolumns_\n
.Lwrap_\n:
        lea     to, [rsp + SIGNS]
        xor     left, left
.Lchannel_\n:
        imul    at, rax, 4*\n
        add     at, weights
        .irp    offset, 0, 16, 32, 48
        .if     \offset < 4*\n
        copy    [to + \offset], [at + \offset]
        .endif
        .endr
        mov     rdx, bias
        mov     edx, [rdx + 4*rax]
        mov     [rsp + 4*left + BIAS], edx
        add     to, 4*\n
        add     rax, 1
        xor     edx, edx
        cmp     rax, channels
        cmove   rax, rdx
        add     left, 1
        cmp     left, LANES
        jne     .Lchannel_\n
        lea     at, [rsp + SIGNS]
        in_order 8, \n, [rsp + BIAS]
.Lcolumns_\n:
        put     8, [rsp + BIAS]
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        coefficients \n, \g
        .irp    i, 0, 1, 2, 3
        put     \i, [rsp + WEIGHTS + (4*\g + \i)*ROW]
        .endr
        .endif
        .endr
        .endm

// Rows of weights and bias for kind 4, from channel rax on.
        .macro load_silu n, grades
        imul    at, rax, 4*\grades
        mov     to, at
        add     at, weights
        add     to, bias
        xor     left, left
.Llane_\n:
        .irp    k, 0, 1, 2, 3, 4
        .if     \k < \grades
        mov     edx, [at + 4*\k]
        mov     [rsp + 4*left + WEIGHTS + \k*ROW], edx
        mov     edx, [to + 4*\k]
        mov     [rsp + 4*left + BIAS + \k*ROW], edx
        .endif
        .endr
        add     at, 4*\grades
        add     to, 4*\grades
        add     rax, 1
        cmp     rax, channels
        jne     .Lsame_\n
        mov     at, weights
        mov     to, bias
        xor     eax, eax
.Lsame_\n:
        add     left, 1
        cmp     left, LANES
        jne     .Llane_\n
        .if     LANES > 4
        .if     \n == 4
        .irp    row, WEIGHTS, WEIGHTS + ROW, WEIGHTS + 2*ROW, BIAS, BIAS + ROW, BIAS + 2*ROW
        in_order 0, 4, [rsp + \row]
        put     0, [rsp + \row]
        .endr
        .endif
        .endif
        .endm

// Adds the square of coefficient p, in vector i, to the sum of its grade.
        .macro square i, p, sum
        times   \i, \i, \i
        times_at \i, \i, [rsp + SIGNS + (\p)*ROW]
        plus    \sum, \sum, \i
        .endm

// Adds the squares of four coefficients to the sums of their grades. The first sum is x[0] itself.
        .macro squares n, g, a, b, c, d
        coefficients \n, \g
        .if     \g == 0
        move    \a, 0
        .else
        square  0, 4*\g, \a
        .endif
        square  1, 4*\g + 1, \b
        square  2, 4*\g + 2, \c
        square  3, 4*\g + 3, \d
        .endm

// Stores the argument of grade k.
        .macro of_grade k, sum
        times_at \sum, \sum, [rsp + WEIGHTS + \k*ROW]
        plus_at \sum, \sum, [rsp + BIAS + \k*ROW]
        put     \sum, [to + \k*ROW]
        .endm

// Stores the arguments of a block.
        .macro arguments n, grades
        cmp     kind, GELU
        je      .Lgelu_\n
        ja      .Lsilu_\n
        test    kind, kind
        jz      .Llinear_\n

        // Kinds 1 and 2: the sum, or the mean.
        clear   8
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        coefficients \n, \g
        .irp    i, 0, 1, 2, 3
        plus    8, 8, \i
        .endr
        .endif
        .endr
        times   8, 8, 15
        put     8, [to]
        jmp     .Largued_\n

        // Kind 0: bias + weight x[p] + ..
.Llinear_\n:
        parameters \n, linear
        get     8, [rsp + BIAS]
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        coefficients \n, \g
        .irp    i, 0, 1, 2, 3
        times_at \i, \i, [rsp + WEIGHTS + (4*\g + \i)*ROW]
        plus    8, 8, \i
        .endr
        .endif
        .endr
        put     8, [to]
        next_channel
        jmp     .Largued_\n

        // Kind 3: factor (x[0] + cubic x[0]^3).
.Lgelu_\n:
        parts   \n, 0
        first_row
        put     0, [to + X0]
        times   1, 0, 0
        times   1, 1, 0
        times_at 1, 1, ALL(.Lcubic)
        plus    1, 1, 0
        times_at 1, 1, ALL(.Lfactor)
        put     1, [to]
        jmp     .Largued_\n

        // Kind 4: weight n + bias for each grade.
.Lsilu_\n:
        parameters \n, silu, \grades
        .irp    sum, 9, 10, 11, 12
        clear   \sum
        .endr
        .if     \n == 4
        squares \n, 0, 8, 9, 9, 10
        .elseif \n == 8
        squares \n, 0, 8, 9, 9, 9
        squares \n, 1, 10, 10, 10, 11
        .else
        squares \n, 0, 8, 9, 9, 9
        squares \n, 1, 9, 10, 10, 10
        squares \n, 2, 10, 10, 10, 11
        squares \n, 3, 11, 11, 11, 12
        .endif
        of_grade 0, 8
        of_grade 1, 9
        of_grade 2, 10
        .if     \n > 4
        of_grade 3, 11
        .endif
        .if     \n > 8
        of_grade 4, 12
        .endif
        next_channel
.Largued_\n:
        .endm
