// Sums of products after number-theoretic transforms of 16 columns: the kernel that SSE2, AVX2 and
// AVX-512 share.
//
// An including file defines BYTES, the bytes of a vector, and v0..v4, v12, p and twice, its registers;
// SSE2 also the macros of its transforms. Residues are below 2^31, so an unsigned minimum subtracts
// 2 p where it can.

#define ROW         64

// Sums of rows times factors: from = rdi, to = rsi, n = rdx, inputs = rcx, outputs = r8, factors = r9,
// [rsp+8..16] = p, inverse.
        .macro combine
        .if     BYTES == 64
        mov     eax, 0xaaaa             // the odd lanes
        kmovd   k1, eax
        .endif
        test    rdx, rdx
        jz      .Ldone_combine
        test    r8, r8
        jz      .Ldone_combine
        mov     eax, [rsp + 8]
        .if     BYTES == 16
        modulus eax
        broadcast v12, [rsp + 16]
        .else
        vmovd   xmm14, eax
        vpbroadcastd p, xmm14
        add     eax, eax
        vmovd   xmm15, eax
        vpbroadcastd twice, xmm15
        vpbroadcastd v12, [rsp + 16]
        .endif
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
        .if     BYTES == 16
        pxor    xmm0, xmm0
        pxor    xmm1, xmm1
        .else
        vpxor   xmm0, xmm0, xmm0
        vpxor   xmm1, xmm1, xmm1
        .endif
        mov     r11, rcx
        test    r11, r11
        jz      .Lsum_combine
        lea     r10, [rdi + rax]
        mov     r14, r9
        .balign 32
.Lloop_combine:
        .if     BYTES == 16
        broadcast v4, [r14]
        movdqu  v2, [r10]
        .else
        vpbroadcastd v4, [r14]
        .if     BYTES == 32
        vmovdqu v2, [r10]
        .else
        vmovdqu32 v2, [r10]
        .endif
        .endif
        add     r14, 4
        add     r10, r13
        .if     BYTES == 16
        movdqa  v3, v2
        psrlq   v3, 32
        pmuludq v2, v4
        pmuludq v3, v4
        paddq   v0, v2
        paddq   v1, v3
        .else
        vpsrlq  v3, v2, 32
        vpmuludq v2, v2, v4
        vpmuludq v3, v3, v4
        vpaddq  v0, v0, v2
        vpaddq  v1, v1, v3
        .endif
        sub     r11, 1
        jnz     .Lloop_combine
.Lsum_combine:
        // v0 and v1 hold sums of products of even and odd lanes; v12 is the inverse. The result is in v0.
        .if     BYTES == 16
        movdqa  v2, v0
        movdqa  v3, v1
        pmuludq v2, v12
        pmuludq v3, v12
        pmuludq v2, p
        pmuludq v3, p
        paddq   v0, v2
        paddq   v1, v3
        psrlq   v0, 32
        movdqa  v2, low_halves
        pandn   v2, v1
        por     v0, v2
        less    v0
        movdqu  [r12 + rax], v0
        .else
        vpmuludq v2, v0, v12
        vpmuludq v3, v1, v12
        vpmuludq v2, v2, p
        vpmuludq v3, v3, p
        vpaddq  v0, v0, v2
        vpaddq  v1, v1, v3
        vpsrlq  v0, v0, 32
        .if     BYTES == 32
        vpblendd v0, v0, v1, 0xaa
        .else
        vmovdqa32 v0 {k1}, v1
        .endif
        vpsubd  v1, v0, twice
        vpminud v0, v0, v1
        .if     BYTES == 32
        vmovdqu [r12 + rax], v0
        .else
        vmovdqu32 [r12 + rax], v0
        .endif
        .endif
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
        .if     BYTES > 16
        vzeroupper
        .endif
.Ldone_combine:
        ret
        .endm
