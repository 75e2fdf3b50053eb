// Number-theoretic transforms of 16 columns: the kernels that AVX2 and AVX-512 share.
//
// An including file defines BYTES, the bytes of a vector; v0..v15, its registers; and these macros:
//
//   load to, from     loads a vector
//   store to, from    stores one
//   upper to, odd     gives the odd lanes of `to` those of `odd`
//   clear register    zeros a register, named by its number
//
// Residues are below 2^31, so an unsigned minimum subtracts 2 p where it can.

#define ROW         64
#define p           v14
#define twice       v15

        // p and 2 p from a register, which becomes 2 p.
        .macro modulus from
        vmovd   xmm14, \from
        vpbroadcastd p, xmm14
        add     \from, \from
        vmovd   xmm15, \from
        vpbroadcastd twice, xmm15
        .endm

        // Subtracts 2 p where x is not less; changes `free`.
        .macro less x, free
        vpsubd  \free, \x, twice
        vpminud \x, \x, \free
        .endm

        // x times a root modulo p: the low half of w x minus p times the quotient. Changes v12, v13.
        .macro times x, w, ratio
        vpsrlq  v13, \x, 32
        vpmuludq v12, \x, \ratio
        vpmuludq v13, v13, \ratio
        vpmulld \x, \x, \w
        vpsrlq  v12, v12, 32
        upper   v12, v13
        vpmulld v12, v12, p
        vpsubd  \x, \x, v12
        .endm

        // a - b + 2 p to b, a + b to a; changes v12.
        .macro cross a, b
        vpaddd  v12, \a, twice
        vpaddd  \a, \a, \b
        vpsubd  \b, v12, \b
        .endm

// The nodes of a transform: x = rdi, nodes = rsi, quarter = rdx, roots = rcx, p = r8d. `level` replaces
// v0..v3, from four parts of a node; the roots are v4, v6 and v8, their ratios v5, v7 and v9.
        .macro nodes name, level
        test    rsi, rsi
        jz      .Ldone_\name
        shl     rdx, 6
        jz      .Ldone_\name
        modulus r8d
        lea     r9, [rdx + 2*rdx]
        mov     r10, rcx
.Lnode_\name:
        vpbroadcastd v4, [r10]
        vpbroadcastd v5, [r10 + 4]
        vpbroadcastd v6, [rcx]
        vpbroadcastd v7, [rcx + 4]
        vpbroadcastd v8, [rcx + 8]
        vpbroadcastd v9, [rcx + 12]
        add     r10, 8
        add     rcx, 16
        lea     rax, [rdi + rdx]
        .balign 32
.Lloop_\name:
        load    v0, [rdi]
        load    v1, [rdi + rdx]
        load    v2, [rdi + 2*rdx]
        load    v3, [rdi + r9]
        \level
        store   [rdi], v0
        store   [rdi + rdx], v1
        store   [rdi + 2*rdx], v2
        store   [rdi + r9], v3
        add     rdi, BYTES
        cmp     rdi, rax
        jne     .Lloop_\name
        add     rdi, r9
        sub     rsi, 1
        jnz     .Lnode_\name
        vzeroupper
.Ldone_\name:
        ret
        .endm

        .macro forward_level
        less    v0, v12
        times   v2, v4, v5
        less    v1, v12
        times   v3, v4, v5
        cross   v0, v2
        cross   v1, v3
        less    v0, v12
        times   v1, v6, v7
        less    v2, v12
        times   v3, v8, v9
        cross   v0, v1
        cross   v2, v3
        .endm

        .macro inverse_level
        cross   v0, v1
        cross   v2, v3
        less    v0, v12
        times   v1, v6, v7
        less    v2, v12
        times   v3, v8, v9
        cross   v0, v2
        cross   v1, v3
        less    v0, v12
        times   v2, v4, v5
        less    v1, v12
        times   v3, v4, v5
        .endm

        // v0 and v1 hold sums of products of even and odd lanes. The result is in v0; v12 is the inverse;
        // changes v1, v2, v3.
        .macro reduce
        vpmuludq v2, v0, v12
        vpmuludq v3, v1, v12
        vpmuludq v2, v2, p
        vpmuludq v3, v3, p
        vpaddq  v0, v0, v2
        vpaddq  v1, v1, v3
        vpsrlq  v0, v0, 32
        upper   v0, v1
        less    v0, v1
        .endm

// Sums of rows times factors: from = rdi, to = rsi, n = rdx, inputs = rcx, outputs = r8, factors = r9,
// [rsp+8..16] = p, inverse.
        .macro combine
        test    rdx, rdx
        jz      .Ldone_combine
        test    r8, r8
        jz      .Ldone_combine
        mov     eax, [rsp + 8]
        modulus eax
        vpbroadcastd v12, [rsp + 16]
        .irp    register, rbx, r12, r13, r14
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        // Bytes between the inputs of a sum, and between its outputs.
        mov     r13, rdx
        shl     r13, 6

        // rbx counts outputs, r12 is the output, r10 the input of a vector of a row.
.Lrow_combine:
        mov     rbx, r8
        mov     r12, rsi
.Loutput_combine:
        xor     eax, eax
.Lvector_combine:
        clear   0
        clear   1
        mov     r11, rcx
        test    r11, r11
        jz      .Lsum_combine
        lea     r10, [rdi + rax]
        mov     r14, r9
        .balign 32
.Lloop_combine:
        vpbroadcastd v4, [r14]
        load    v2, [r10]
        add     r14, 4
        add     r10, r13
        vpsrlq  v3, v2, 32
        vpmuludq v2, v2, v4
        vpmuludq v3, v3, v4
        vpaddq  v0, v0, v2
        vpaddq  v1, v1, v3
        sub     r11, 1
        jnz     .Lloop_combine
.Lsum_combine:
        reduce
        store   [r12 + rax], v0
        add     eax, BYTES
        cmp     eax, ROW
        jne     .Lvector_combine
        lea     r9, [r9 + 4*rcx]
        add     r12, r13
        sub     rbx, 1
        jnz     .Loutput_combine
        add     rdi, ROW
        add     rsi, ROW
        sub     rdx, 1
        jnz     .Lrow_combine
        .irp    register, r14, r13, r12, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        vzeroupper
.Ldone_combine:
        ret
        .endm

// Products of rows: a = rdi, b = rsi, n = rdx, fields = rcx, stride = r8, p = r9d, [rsp+8] = inverse.
        .macro multiply
        test    rdx, rdx
        jz      .Ldone_multiply
        modulus r9d
        vpbroadcastd v12, [rsp + 8]
.Lrow_multiply:
        xor     eax, eax
.Lvector_multiply:
        clear   0
        clear   1
        mov     r11, rcx
        xor     r10, r10
        test    r11, r11
        jz      .Lsum_multiply
.Lloop_multiply:
        lea     r9, [rax + 4*r10]
        load    v2, [rdi + r9]
        load    v4, [rsi + r9]
        add     r10, r8
        vpsrlq  v3, v2, 32
        vpsrlq  v5, v4, 32
        vpmuludq v2, v2, v4
        vpmuludq v3, v3, v5
        vpaddq  v0, v0, v2
        vpaddq  v1, v1, v3
        sub     r11, 1
        jnz     .Lloop_multiply
.Lsum_multiply:
        reduce
        store   [rdi + rax], v0
        add     eax, BYTES
        cmp     eax, ROW
        jne     .Lvector_multiply
        add     rdi, ROW
        sub     rsi, ROW
        sub     rdx, 1
        jnz     .Lrow_multiply
        vzeroupper
.Ldone_multiply:
        ret
        .endm
