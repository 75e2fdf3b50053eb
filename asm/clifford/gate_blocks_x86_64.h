// The products and arguments of the blocks of a pass: see gate_x86_64.h. For SSE2, AVX2 and AVX-512.

// Loads floats of successive multivectors into the lanes of vector i that these multivectors have in rows.
        .macro  in_order i, n, place:vararg
        .if     ROW == 16
        movups  xmm\i, \place
        .elseif \n == 4
        vmovups V(7), [rip + .Lorder]
        vpermps V(\i), V(7), \place
        .else
        vmovups V(\i), \place
        .endif
        .endm

// The products of a pass and the arguments of the next one, for n blades.
        .macro  blocks n, grades
        // Vector 15 = 1 or, for the mean, 1 / n.
.Lblocks_\n:
        constant 15, .Lone
        cmp     kind, MEAN
        jne     .Lfactor_\n
        constant 15, .Lmean_\n
.Lfactor_\n:
        cmp     kind, SILU
        je      .Lpatterns_\n
        .if     ROW == 64 && \n == 8
        vmovups zmm24, [rip + .Lpattern]
        .endif
        jmp     .Lblock_\n
.Lpatterns_\n:
        .if     ROW == 64 && \n == 8
        vmovups ymm24, [rip + .Lgrades_8]
        .elseif ROW == 64 && \n == 16
        vmovups zmm24, [rip + .Lgrades_16]
        mov     eax, 0x8000
        kmovw   k1, eax
        .elseif ROW == 32 && \n > 4
        vmovups ymm13, [rip + .Lgrades_\n]
        .if     \n == 16
        vmovups ymm14, [rip + .Lgrades_16 + 32]
        .endif
        .endif

        // The products of a block, if one is left.
.Lblock_\n:
        test    left_now, left_now
        jz      .Lmultiplied_\n
        cmp     kind, SILU
        je      .Lby_grade_\n
        apply   \n, 0
        jmp     .Lstored_\n
.Lby_grade_\n:
        apply   \n, 1
.Lstored_\n:
        add     x_now, step_now
        add     z_now, step_now
        add     gates, gate_rows
        sub     left_now, 1

        // The arguments of a block, if one is left: a row or, for kind 4, a row for each grade.
.Lmultiplied_\n:
        test    left, left
        jz      .Lnothing_\n
        cmp     kind, GELU
        je      .Lgelu_\n
        ja      .Lsilu_\n
        test    kind, kind
        jz      .Llinear_\n

        // Kinds 1 and 2: the sum, or the mean.
        clear   8
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        parts   \n, \g
        transpose
        .irp    i, 0, 1, 2, 3
        op      addps, V(8), V(8), V(\i)
        .endr
        .endif
        .endr
        op      mulps, V(8), V(8), V(15)
        move    [to], V(8)
        jmp     .Largued_\n

        // Kind 0: bias + weight x[p] + ..
.Llinear_\n:
        mov     rax, channel
        cmp     rax, loaded
        je      .Lready_linear_\n
        mov     loaded, rax
        mov     saved_at, at
        mov     saved_to, to
        mov     saved_left, left

        // Rows of weights and bias, from channel rax on.
        lea     rdx, [rax + LANES]
        cmp     rdx, channels
        ja      .Lwrap_\n
        mov     rdx, bias
        in_order 8, \n, [rdx + 4*rax]
        imul    at, rax, 4*\n
        add     at, weights
        jmp     .Lcolumns_\n

        // If the block contains the last channel and channel 0 after it, the parameters of its multivectors
        // are first copied in their order.
.Lwrap_\n:
        lea     to, [rsp + SIGNS]
        xor     left, left
.Lchannel_\n:
        imul    at, rax, 4*\n
        add     at, weights
        .irp    offset, 0, 16, 32, 48
        .if     \offset < 4*\n
        copy_16 [to + \offset], [at + \offset]
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
        move    [rsp + BIAS], V(8)
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        parts   \n, \g
        transpose
        .irp    i, 0, 1, 2, 3
        move    [rsp + WEIGHTS + (4*\g + \i)*ROW], V(\i)
        .endr
        .endif
        .endr
        mov     at, saved_at
        mov     to, saved_to
        mov     left, saved_left
.Lready_linear_\n:
        move    V(8), [rsp + BIAS]
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        parts   \n, \g
        transpose
        .irp    i, 0, 1, 2, 3
        op      mulps, V(\i), V(\i), [rsp + WEIGHTS + (4*\g + \i)*ROW]
        op      addps, V(8), V(8), V(\i)
        .endr
        .endif
        .endr
        move    [to], V(8)
        mov     rax, channel
        add     rax, turn
        mov     rdx, rax
        sub     rdx, channels
        cmovae  rax, rdx
        mov     channel, rax
        jmp     .Largued_\n

        // Kind 3: factor (x[0] + cubic x[0]^3).
.Lgelu_\n:
        parts   \n, 0
        op      unpcklps, V(0), V(0), V(1)
        op      unpcklps, V(2), V(2), V(3)
        op      unpcklpd, V(0), V(0), V(2)
        move    [to + X0], V(0)
        op      mulps, V(1), V(0), V(0)
        op      mulps, V(1), V(1), V(0)
        op      mulps, V(1), V(1), ALL(.Lcubic)
        op      addps, V(1), V(1), V(0)
        op      mulps, V(1), V(1), ALL(.Lfactor)
        move    [to], V(1)
        jmp     .Largued_\n

        // Kind 4: weight n + bias for each grade.
.Lsilu_\n:
        mov     rax, channel
        cmp     rax, loaded
        je      .Lready_silu_\n
        mov     loaded, rax
        mov     saved_at, at
        mov     saved_to, to
        mov     saved_left, left

        // Rows of weights and bias, from channel rax on.
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
        move    [rsp + \row], V(0)
        .endr
        .endif
        .endif
        mov     at, saved_at
        mov     to, saved_to
        mov     left, saved_left
.Lready_silu_\n:

        // The sums of squares of each grade in vectors 8 to 12. The first one is x[0] itself.
        .irp    sum, 9, 10, 11, 12
        clear   \sum
        .endr
        .set    GRADES, 0x4333322222211110
        .if     \n == 8
        .set    GRADES, 0x32221110
        .elseif \n == 4
        .set    GRADES, 0x2110
        .endif
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        parts   \n, \g
        transpose
        .irp    i, 0, 1, 2, 3
        .if     4*\g + \i == 0
        move    V(8), V(0)
        .else
        op      mulps, V(\i), V(\i), V(\i)
        op      mulps, V(\i), V(\i), [rsp + SIGNS + (4*\g + \i)*ROW]
        .irp    sum, 9, 10, 11, 12
        .if     \sum - 8 == ((GRADES >> (4*(4*\g + \i))) & 15)
        op      addps, V(\sum), V(\sum), V(\i)
        .endif
        .endr
        .endif
        .endr
        .endif
        .endr
        .irp    sum, 8, 9, 10, 11, 12
        .if     \sum - 8 < \grades
        op      mulps, V(\sum), V(\sum), [rsp + WEIGHTS + (\sum - 8)*ROW]
        op      addps, V(\sum), V(\sum), [rsp + BIAS + (\sum - 8)*ROW]
        move    [to + (\sum - 8)*ROW], V(\sum)
        .endif
        .endr
        mov     rax, channel
        add     rax, turn
        mov     rdx, rax
        sub     rdx, channels
        cmovae  rax, rdx
        mov     channel, rax
.Largued_\n:
        add     at, step
        add     to, argument_rows
        sub     left, 1
        jnz     .Lblock_\n
.Lnothing_\n:
        test    left_now, left_now
        jnz     .Lblock_\n
        jmp     .Lgates
        .endm
