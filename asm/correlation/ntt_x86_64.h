// Sums of products after number-theoretic transforms of 16 columns: the kernel that AVX2 and AVX-512 share.
//
// An including file defines BYTES, the bytes of a vector; v0..v4, v12, v14 and v15, its registers; and these macros:
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
