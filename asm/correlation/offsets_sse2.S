// Pairs of two rows of points by the difference of their x: for each i < n and j < m,
// `words[other_x[j] - x[i]]` gets 2^47 and the product of `psi[2 i..]` and `other_psi[2 j..]`, the
// sum of the products of first and of second numbers.
//
//   void hl_correlation_offsets_sse2(const int32_t *x, const int16_t *psi, size_t n, const int32_t *other_x,
//       const int16_t *other_psi, size_t m, int64_t *words);
//
// In      rdi = x, rsi = psi, rdx = n, rcx = other_x, r8 = other_psi, r9 = m, [rsp+8] = words
//         Out  words of all differences, incremented
// Uses    rax, rcx, rdx, rbx, rsi, rdi, rbp, r8..r15, xmm0..xmm7     Stack  80 bytes
// Loop    one point of the other row against 8; bound by the 8 stores (8 cycles; 9.2 measured)
// Bound   8 cycles for 8 elements on Zen 3
// Tail    a block of the points left; reads exactly n and m elements

#include "hl.h"
#include "offsets_x86_64.h"

        .macro constants
        movd    xmm4, dword ptr [rip + .Lone_pair]
        pshufd  xmm4, xmm4, 0
        .endm

        // Loads min(`width`, 4) orientations, `at` bytes after rax.
        .macro part to, at, width
        .if     \width >= 4
        movdqu  \to, [rax + \at]
        .elseif \width == 1
        movd    \to, dword ptr [rax + \at]
        .else
        movq    \to, qword ptr [rax + \at]
        .if     \width == 3
        movd    xmm0, dword ptr [rax + \at + 8]
        punpcklqdq \to, xmm0
        .endif
        .endif
        .endm

        .macro own width
        part    xmm5, 0, \width
        .if     \width > 4
        part    xmm6, 16, (\width - 4)
        .endif
        .endm

        // The increments of pairs of the orientations `of` with the one in xmm7: the first two in
        // xmm2, the others in xmm0.
        .macro values of
        movdqa  xmm0, xmm7
        pmaddwd xmm0, \of
        movdqa  xmm1, xmm0
        movdqa  xmm2, xmm0
        psrad   xmm1, 31
        paddd   xmm1, xmm4
        punpckldq xmm2, xmm1
        punpckhdq xmm0, xmm1
        .endm

        // Adds the increments of the next one or two of `width` pairs to their words.
        .macro add_to value, word, next, k, width
        .if     \k < \width
        movq    rax, \value
        add     [\word + 8*at], rax
        .endif
        .if     \k + 1 < \width
        psrldq  \value, 8
        movq    xmm3, qword ptr [\next + 8*at]
        paddq   xmm3, \value
        movq    qword ptr [\next + 8*at], xmm3
        .endif
        .endm

        .macro pairs width
        movd    xmm7, dword ptr [other_psi + 4*j]
        pshufd  xmm7, xmm7, 0
        values  xmm5
        add_to  xmm2, r8, r9, 0, \width
        add_to  xmm0, r10, r11, 2, \width
        .if     \width > 4
        values  xmm6
        add_to  xmm2, r12, r13, 4, \width
        add_to  xmm0, r14, r15, 6, \width
        .endif
        .endm

FUNC(hl_correlation_offsets_sse2)
        offsets
END(hl_correlation_offsets_sse2)

        RODATA
        .balign 4
.Lone_pair:                             // the upper half of 2^47
        .long   0x8000
