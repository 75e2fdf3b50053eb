// Pairs of two rows of points by the difference of their x.
//
//   void hl_correlation_offsets_sse2(const int32_t *x, const int16_t *psi, size_t n, const int32_t *other_x,
//       const int16_t *other_psi, size_t m, int64_t *words);
//
// In      rdi = x, rsi = psi, rdx = n, rcx = other_x, r8 = other_psi, r9 = m, [rsp+8] = words
//         Out  the words of all differences, added to
// Uses    rax, rcx, rdx, rsi, rdi, r8..r11, xmm0..xmm7; rbx, rbp, r12..r15 are saved     Stack  56 bytes, and 24 below them
// Loop    one point of the other row with 8; bound by the 8 stores (8 cycles, where 9.2 were measured)
// Tail    blocks of 4, 2 and 1; reads exactly n and m elements

#include "hl.h"
#include "offsets_x86_64.h"

        .macro constants
        movd    xmm4, dword ptr [rip + .Lone_pair]
        pshufd  xmm4, xmm4, 0
        .endm

        .macro own width
        .if     \width == 8
        movdqu  xmm5, [rax]
        movdqu  xmm6, [rax + 16]
        .elseif \width == 4
        movdqu  xmm5, [rax]
        .elseif \width == 2
        movq    xmm5, qword ptr [rax]
        .else
        movd    xmm5, dword ptr [rax]
        .endif
        .endm

        // What pairs of the orientations `of` and of that in xmm7 add: the first two in xmm2, the others in xmm0.
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

        .macro add_one value, word
        movq    rax, \value
        add     [\word + 8*at], rax
        .endm

        .macro add_two value, word, next
        add_one \value, \word
        psrldq  \value, 8
        movq    xmm3, qword ptr [\next + 8*at]
        paddq   xmm3, \value
        movq    qword ptr [\next + 8*at], xmm3
        .endm

        .macro pairs width
        movd    xmm7, dword ptr [other_psi + 4*j]
        pshufd  xmm7, xmm7, 0
        values  xmm5
        .if     \width == 1
        add_one xmm2, r8
        .else
        add_two xmm2, r8, r9
        .endif
        .if     \width >= 4
        add_two xmm0, r10, r11
        .endif
        .if     \width == 8
        values  xmm6
        add_two xmm2, r12, r13
        add_two xmm0, r14, r15
        .endif
        .endm

FUNC(hl_correlation_offsets_sse2)
        offsets
END(hl_correlation_offsets_sse2)

        RODATA
        .balign 4
.Lone_pair:                             // 2^47, its upper half
        .long   0x8000
