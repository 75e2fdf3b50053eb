// Pairs of two rows of points by the difference of their x: for each i < n and j < m,
// `words[other_x[j] - x[i]]` gets 2^47 and the product of `psi[2 i..]` and `other_psi[2 j..]`, the
// sum of the products of first and of second numbers.
//
//   void hl_correlation_offsets_avx2(const int32_t *x, const int16_t *psi, size_t n, const int32_t *other_x,
//       const int16_t *other_psi, size_t m, int64_t *words);
//
// In      rdi = x, rsi = psi, rdx = n, rcx = other_x, r8 = other_psi, r9 = m, [rsp+8] = words
//         Out  words of all differences, incremented
// Uses    rax, rcx, rdx, rbx, rsi, rdi, rbp, r8..r15, ymm0..ymm6     Stack  80 bytes
// Loop    one point of the other row against 8; bound by the 8 stores (8 cycles; 8.8 measured)
// Bound   8 cycles for 8 elements on Zen 3
// Tail    a block of the points left; reads exactly n and m elements

#include "hl.h"
#include "offsets_x86_64.h"

        .macro constants
        vpbroadcastd ymm4, [rip + .Lone_pair]
        .endm

        // Loads min(`width`, 4) orientations, `at` bytes after rax.
        .macro part to, at, width
        .if     \width >= 4
        vmovdqu \to, [rax + \at]
        .elseif \width == 1
        vmovd   \to, dword ptr [rax + \at]
        .else
        vmovq   \to, qword ptr [rax + \at]
        .if     \width == 3
        vpinsrd \to, \to, dword ptr [rax + \at + 8], 2
        .endif
        .endif
        .endm

        .macro own width
        part    xmm5, 0, \width
        .if     \width > 4
        part    xmm1, 16, (\width - 4)
        vinserti128 ymm5, ymm5, xmm1, 1
        .endif
        .endm

        // The increments of pairs, in registers r, ymm or xmm: the first two pairs of each 16 bytes
        // in r2, the others in r3.
        .macro values r
        vpbroadcastd \r\()0, [other_psi + 4*j]
        vpmaddwd \r\()0, \r\()0, \r\()5
        vpsrad  \r\()1, \r\()0, 31
        vpaddd  \r\()1, \r\()1, \r\()4
        vpunpckldq \r\()2, \r\()0, \r\()1
        vpunpckhdq \r\()3, \r\()0, \r\()1
        .endm

        // Adds the increments of the next one or two of `width` pairs to their words.
        .macro add_to value, word, next, k, width
        .if     \k < \width
        vmovq   rax, \value
        add     [\word + 8*at], rax
        .endif
        .if     \k + 1 < \width
        vmovddup xmm6, qword ptr [\next + 8*at]
        vpaddq  xmm6, xmm6, \value
        vmovhps qword ptr [\next + 8*at], xmm6
        .endif
        .endm

        .macro pairs width
        .if     \width > 4
        values  ymm
        .else
        values  xmm
        .endif
        add_to  xmm2, r8, r9, 0, \width
        add_to  xmm3, r10, r11, 2, \width
        .if     \width > 4
        vextracti128 xmm2, ymm2, 1
        vextracti128 xmm3, ymm3, 1
        .endif
        add_to  xmm2, r12, r13, 4, \width
        add_to  xmm3, r14, r15, 6, \width
        .endm

FUNC(hl_correlation_offsets_avx2)
        offsets vzeroupper
END(hl_correlation_offsets_avx2)

        RODATA
        .balign 4
.Lone_pair:                             // the upper half of 2^47
        .long   0x8000
