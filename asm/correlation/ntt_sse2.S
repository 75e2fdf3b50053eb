#include "hl.h"

#define p           xmm13
#define twice       xmm14
#define low_halves  xmm15

#define BYTES       16
#define v0          xmm0
#define v1          xmm1
#define v2          xmm2
#define v3          xmm3
#define v4          xmm4
#define v12         xmm12

#include "ntt_x86_64.h"

        // Broadcasts a number of 32 bits.
        .macro broadcast to, from
        movd    \to, \from
        pshufd  \to, \to, 0
        .endm

        // p and 2 p from a register, which becomes 2 p, and the mask of the even lanes.
        .macro modulus from
        broadcast p, \from
        add     \from, \from
        broadcast twice, \from
        pcmpeqd low_halves, low_halves
        psrlq   low_halves, 32
        .endm

        // Subtracts 2 p where x is not less; all numbers are below 2^31. Changes xmm10.
        .macro less x
        psubd   \x, twice
        movdqa  xmm10, \x
        psrad   xmm10, 31
        pand    xmm10, twice
        paddd   \x, xmm10
        .endm

        // The even and the odd lanes of x times those of w, minus p times the quotients. Changes xmm10,
        // xmm11, xmm12.
        .macro times x, w, ratio
        movdqa  xmm10, \x
        movdqa  xmm11, \x
        psrlq   xmm11, 32
        movdqa  xmm12, xmm11
        pmuludq xmm10, \ratio
        pmuludq xmm12, \ratio
        psrlq   xmm10, 32
        psrlq   xmm12, 32
        pmuludq xmm10, p
        pmuludq xmm12, p
        pmuludq \x, \w
        pmuludq xmm11, \w
        psubd   \x, xmm10
        psubd   xmm11, xmm12
        pand    \x, low_halves
        psllq   xmm11, 32
        por     \x, xmm11
        .endm

        // a - b + 2 p to b, a + b to a; changes xmm10.
        .macro cross a, b
        movdqa  xmm10, \a
        paddd   \a, \b
        paddd   xmm10, twice
        psubd   xmm10, \b
        movdqa  \b, xmm10
        .endm

// The nodes of a transform. `level` replaces xmm0..xmm3, from four parts of a node; the roots are xmm4,
// xmm6 and xmm8, their ratios xmm5, xmm7 and xmm9.
        .macro nodes name
        test    rsi, rsi
        jz      .Ldone_\name
        shl     rdx, 6
        jz      .Ldone_\name
        modulus r8d
        lea     r9, [rdx + 2*rdx]
        mov     r10, rcx
.Lnode_\name:
        broadcast  xmm4, [r10]
        broadcast  xmm5, [r10 + 4]
        broadcast  xmm6, [rcx]
        broadcast  xmm7, [rcx + 4]
        broadcast  xmm8, [rcx + 8]
        broadcast  xmm9, [rcx + 12]
        add     r10, 8
        add     rcx, 16
        lea     rax, [rdi + rdx]
        .balign 32
.Lloop_\name:
        movdqu  xmm0, [rdi]
        movdqu  xmm1, [rdi + rdx]
        movdqu  xmm2, [rdi + 2*rdx]
        movdqu  xmm3, [rdi + r9]
        .ifc    \name, forward
        less    xmm0
        times   xmm2, xmm4, xmm5
        less    xmm1
        times   xmm3, xmm4, xmm5
        cross   xmm0, xmm2
        cross   xmm1, xmm3
        less    xmm0
        times   xmm1, xmm6, xmm7
        less    xmm2
        times   xmm3, xmm8, xmm9
        cross   xmm0, xmm1
        cross   xmm2, xmm3
        .else
        cross   xmm0, xmm1
        cross   xmm2, xmm3
        less    xmm0
        times   xmm1, xmm6, xmm7
        less    xmm2
        times   xmm3, xmm8, xmm9
        cross   xmm0, xmm2
        cross   xmm1, xmm3
        less    xmm0
        times   xmm2, xmm4, xmm5
        less    xmm1
        times   xmm3, xmm4, xmm5
        .endif
        movdqu  [rdi], xmm0
        movdqu  [rdi + rdx], xmm1
        movdqu  [rdi + 2*rdx], xmm2
        movdqu  [rdi + r9], xmm3
        add     rdi, 16
        cmp     rdi, rax
        jne     .Lloop_\name
        add     rdi, r9
        sub     rsi, 1
        jnz     .Lnode_\name
.Ldone_\name:
        ret
        .endm

// Two levels of 16 number-theoretic transforms.
//
//   void hl_correlation_ntt_forward_sse2(uint32_t *x, size_t nodes, size_t quarter, const uint32_t *roots,
//                                         uint32_t p);
//
// In      rdi = x, rsi = nodes, rdx = quarter, rcx = roots, r8d = p     Out  x
// Uses    rax, rcx, rdx, rdi, rsi, r8..r10, xmm0..xmm15     Stack  none
// Loop    4 x 4 numbers: 4 products of 17 operations, and 40 others; bound by the three
//         vector pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_forward_sse2)
        nodes   forward
END(hl_correlation_ntt_forward_sse2)

// Two levels of 16 inverse number-theoretic transforms.
//
//   void hl_correlation_ntt_inverse_sse2(uint32_t *x, size_t nodes, size_t quarter, const uint32_t *roots,
//                                         uint32_t p);
//
// In      rdi = x, rsi = nodes, rdx = quarter, rcx = roots, r8d = p     Out  x
// Uses    rax, rcx, rdx, rdi, rsi, r8..r10, xmm0..xmm15     Stack  none
// Loop    4 x 4 numbers: 4 products of 17 operations, and 40 others; bound by the three
//         vector pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_inverse_sse2)
        nodes   inverse
END(hl_correlation_ntt_inverse_sse2)

// Sums of rows times factors modulo a prime.
//
//   void hl_correlation_ntt_combine_sse2(const uint32_t *from, uint32_t *to, size_t n, size_t inputs,
//                                         size_t outputs, const uint32_t *factors, uint32_t p,
//                                         uint32_t inverse);
//
// In      rdi = from, rsi = to, rdx = n, rcx = inputs, r8 = outputs, r9 = factors,
//         [rsp+8..16] = p, inverse     Out  to
// Uses    rax, rbx, rdx, rdi, rsi, r9..r14, xmm0..xmm4, xmm10, xmm12..xmm15     Stack  32 bytes
// Loop    4 elements of an input: 7 operations; bound by the three vector pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_combine_sse2)
        combine
END(hl_correlation_ntt_combine_sse2)

// Products of rows with rows in descending order modulo a prime.
//
//   void hl_correlation_ntt_multiply_sse2(uint32_t *a, const uint32_t *b, size_t n, size_t fields,
//                                          size_t stride, uint32_t p, uint32_t inverse);
//
// In      rdi = a, rsi = b, rdx = n, rcx = fields, r8 = stride, r9d = p, [rsp+8] = inverse
//                                           Out  a
// Uses    rax, rdx, rdi, rsi, r9..r11, xmm0..xmm5, xmm10, xmm12..xmm15     Stack  none
// Loop    4 elements of a field: 8 operations; bound by the three vector pipes
// Tail    none; a row is a whole number of vectors
FUNC(hl_correlation_ntt_multiply_sse2)
        test    rdx, rdx
        jz      .Ldone_multiply
        modulus r9d
        broadcast  xmm12, [rsp + 8]
.Lrow_multiply:
        xor     eax, eax
.Lvector_multiply:
        pxor    xmm0, xmm0
        pxor    xmm1, xmm1
        mov     r11, rcx
        xor     r10d, r10d
        test    r11, r11
        jz      .Lsum_multiply
.Lloop_multiply:
        lea     r9, [rax + 4*r10]
        movdqu  xmm2, [rdi + r9]
        movdqu  xmm4, [rsi + r9]
        add     r10, r8
        movdqa  xmm3, xmm2
        movdqa  xmm5, xmm4
        psrlq   xmm3, 32
        psrlq   xmm5, 32
        pmuludq xmm2, xmm4
        pmuludq xmm3, xmm5
        paddq   xmm0, xmm2
        paddq   xmm1, xmm3
        sub     r11, 1
        jnz     .Lloop_multiply
.Lsum_multiply:
        // xmm0 and xmm1 hold sums of products of even and odd lanes; xmm12 is the inverse.
        movdqa  xmm2, xmm0
        movdqa  xmm3, xmm1
        pmuludq xmm2, xmm12
        pmuludq xmm3, xmm12
        pmuludq xmm2, p
        pmuludq xmm3, p
        paddq   xmm0, xmm2
        paddq   xmm1, xmm3
        psrlq   xmm0, 32
        movdqa  xmm2, low_halves
        pandn   xmm2, xmm1
        por     xmm0, xmm2
        less    xmm0
        movdqu  [rdi + rax], xmm0
        add     eax, 16
        cmp     eax, ROW
        jne     .Lvector_multiply
        add     rdi, ROW
        sub     rsi, ROW
        sub     rdx, 1
        jnz     .Lrow_multiply
.Ldone_multiply:
        ret
END(hl_correlation_ntt_multiply_sse2)
