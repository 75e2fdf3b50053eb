// Pairs of two rows of points by the difference of their x: for each i < n and j < m,
// `words[other_x[j] - x[i]]` gets 2^47 and the product of `psi[2 i..]` and `other_psi[2 j..]`, the
// sum of the products of first and of second numbers.
//
//   void hl_correlation_offsets_avx512(const int32_t *x, const int16_t *psi, size_t n,
//       const int32_t *other_x, const int16_t *other_psi, size_t m, int64_t *words);
//
// In      rdi = x, rsi = psi, rdx = n, rcx = other_x, r8 = other_psi, r9 = m, [rsp+8] = words
//         Out  words of all differences, incremented
// Uses    rax, rcx, rdx, rbx, rsi, rdi, rbp, r8..r15, ymm0..ymm6, k1     Stack  80 bytes
// Loop    one point of the other row against 8; bound by the 8 stores (8 cycles); longer vectors,
//         of two points, would only save instructions that the stores hide
// Tail    a block of the points left; reads exactly n and m elements

#include "hl.h"
#include "offsets_x86_64.h"

        .macro constants
        vpbroadcastd ymm4, [rip + .Lone_pair]
        .endm

        .macro own width
        mov     r8d, (1 << \width) - 1
        kmovd   k1, r8d
        vmovdqu32 ymm5{k1}{z}, [rax]
        .endm

        // The increments of pairs: the first two of each 16 bytes in ymm2, the others in ymm3.
        .macro values
        vpbroadcastd ymm0, [other_psi + 4*j]
        vpmaddwd ymm0, ymm0, ymm5
        vpsrad  ymm1, ymm0, 31
        vpaddd  ymm1, ymm1, ymm4
        vpunpckldq ymm2, ymm0, ymm1
        vpunpckhdq ymm3, ymm0, ymm1
        .endm

        // Adds the increments of the next one or two of `width` pairs to their words: 3 of 8 in
        // integer registers, since vector additions load their operand themselves.
        .macro add_to value, word, next, k, width
        .if     \k == 6 && \width > 6
        vpaddq  xmm6, \value, qword ptr [\word + 8*at]{1to2}
        vmovq   qword ptr [\word + 8*at], xmm6
        .elseif \k < \width
        vmovq   rax, \value
        add     [\word + 8*at], rax
        .endif
        .if     \k + 1 < \width
        vpaddq  xmm6, \value, qword ptr [\next + 8*at]{1to2}
        vmovhps qword ptr [\next + 8*at], xmm6
        .endif
        .endm

        .macro pairs width
        values
        add_to  xmm2, r8, r9, 0, \width
        add_to  xmm3, r10, r11, 2, \width
        .if     \width > 4
        vextracti128 xmm2, ymm2, 1
        vextracti128 xmm3, ymm3, 1
        .endif
        add_to  xmm2, r12, r13, 4, \width
        add_to  xmm3, r14, r15, 6, \width
        .endm

FUNC(hl_correlation_offsets_avx512)
        offsets vzeroupper
END(hl_correlation_offsets_avx512)

        RODATA
        .balign 4
.Lone_pair:                             // the upper half of 2^47
        .long   0x8000
