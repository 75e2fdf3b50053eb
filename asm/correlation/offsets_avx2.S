// Pairs of two rows of points by the difference of their x.
//
//   void hl_correlation_offsets_avx2(const int32_t *x, const int16_t *psi, size_t n, const int32_t *other_x,
//       const int16_t *other_psi, size_t m, int64_t *words);
//
// In      rdi = x, rsi = psi, rdx = n, rcx = other_x, r8 = other_psi, r9 = m, [rsp+8] = words
//         Out  the words of all differences, added to
// Uses    rax, rcx, rdx, rsi, rdi, r8..r11, ymm0..ymm6; rbx, rbp, r12..r15 are saved     Stack  56 bytes, and 24 below them
// Loop    one point of the other row with 8; bound by the 8 stores (8 cycles, where 8.8 were measured)
// Tail    blocks of 4, 2 and 1; reads exactly n and m elements

#include "hl.h"
#include "offsets_x86_64.h"


        .macro constants
        vpbroadcastd ymm4, [rip + .Lone_pair]
        .endm

        .macro own width
        .if     \width == 8
        vmovdqu ymm5, [rax]
        .elseif \width == 4
        vmovdqu xmm5, [rax]
        .elseif \width == 2
        vmovq   xmm5, qword ptr [rax]
        .else
        vmovd   xmm5, dword ptr [rax]
        .endif
        .endm

        // What pairs add, of registers r, ymm or xmm: the first two pairs of each 16 bytes in r2, the others in r3.
        .macro values r
        vpbroadcastd \r\()0, [other_psi + 4*j]
        vpmaddwd \r\()0, \r\()0, \r\()5
        vpsrad  \r\()1, \r\()0, 31
        vpaddd  \r\()1, \r\()1, \r\()4
        vpunpckldq \r\()2, \r\()0, \r\()1
        vpunpckhdq \r\()3, \r\()0, \r\()1
        .endm

        .macro add_one value, word
        vmovq   rax, \value
        add     [\word + 8*at], rax
        .endm

        .macro add_two value, word, next
        add_one \value, \word
        vmovddup xmm6, qword ptr [\next + 8*at]
        vpaddq  xmm6, xmm6, \value
        vmovhps qword ptr [\next + 8*at], xmm6
        .endm

        .macro pairs width
        .if     \width == 8
        values  ymm
        add_two xmm2, r8, r9
        vextracti128 xmm2, ymm2, 1
        add_two xmm3, r10, r11
        vextracti128 xmm3, ymm3, 1
        add_two xmm2, r12, r13
        add_two xmm3, r14, r15
        .else
        values  xmm
        .if     \width == 1
        add_one xmm2, r8
        .else
        add_two xmm2, r8, r9
        .endif
        .if     \width == 4
        add_two xmm3, r10, r11
        .endif
        .endif
        .endm

FUNC(hl_correlation_offsets_avx2)
        offsets vzeroupper
END(hl_correlation_offsets_avx2)

        RODATA
        .balign 4
.Lone_pair:                             // 2^47, its upper half
        .long   0x8000
