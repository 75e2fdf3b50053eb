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
//
// The increment 2^47 + p, with a product p far below 2^31, is p in the lower half and 2^15 in the
// upper half, or 2^15 - 1 if p is negative.
//
// A pair costs a load, an addition and a store, and a CPU stores once a cycle. The loop reaches
// that rate with about half of the pairs added in integer registers and the others in vectors:
// moving all values from vectors to integer registers is too slow. Several pairs may share a word:
// each addition ends before the next begins.

#include "hl.h"

#define words       qword ptr [rbp + 56]
#define x           rdi
#define other_x     rcx
#define other_psi   rsi
#define at          rbx
// From -m to 0; the pointers to the other row point to its end.
#define j           rdx

#define left        qword ptr [rbp - 8]
#define psi         qword ptr [rbp - 16]
#define minus_m     qword ptr [rbp - 24]

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

        // All pairs of the next `width` points, at most 8. r8 and on point to the words where
        // other_x is 0.
        .macro block width
        mov     rax, psi
        part    xmm5, 0, \width
        .if     \width > 4
        part    xmm1, 16, (\width - 4)
        vinserti128 ymm5, ymm5, xmm1, 1
        .endif
        add     psi, 4 * \width
        mov     rax, words
        .irp    k, 8, 9, 10, 11, 12, 13, 14, 15
        .if     \k - 8 < \width
        movsxd  r\k, dword ptr [x + 4 * (\k - 8)]
        neg     r\k
        lea     r\k, [rax + 8*r\k]
        .endif
        .endr
        add     x, 4 * \width
        mov     j, minus_m
        .balign 32
.Lpairs\width:
        movsxd  at, dword ptr [other_x + 4*j]

        // The increments of pairs: the first two pairs of each 16 bytes in register 2, the others in 3.
        .if     \width > 4
        vpbroadcastd ymm0, [other_psi + 4*j]
        vpmaddwd ymm0, ymm0, ymm5
        vpsrad  ymm1, ymm0, 31
        vpaddd  ymm1, ymm1, ymm4
        vpunpckldq ymm2, ymm0, ymm1
        vpunpckhdq ymm3, ymm0, ymm1
        .else
        vpbroadcastd xmm0, [other_psi + 4*j]
        vpmaddwd xmm0, xmm0, xmm5
        vpsrad  xmm1, xmm0, 31
        vpaddd  xmm1, xmm1, xmm4
        vpunpckldq xmm2, xmm0, xmm1
        vpunpckhdq xmm3, xmm0, xmm1
        .endif
        add_to  xmm2, r8, r9, 0, \width
        add_to  xmm3, r10, r11, 2, \width
        .if     \width > 4
        vextracti128 xmm2, ymm2, 1
        vextracti128 xmm3, ymm3, 1
        .endif
        add_to  xmm2, r12, r13, 4, \width
        add_to  xmm3, r14, r15, 6, \width
        inc     j
        jnz     .Lpairs\width
        .endm

FUNC(hl_correlation_offsets_avx2)
        // The frame code is kept apart from the body: some assemblers accept CFI directives only at
        // distances that they know when they read them.
        .irp    register, rbp, rbx, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        sub     rsp, 24
        .cfi_remember_state
        call    .Lwalk
        mov     rsp, rbp
        .cfi_def_cfa_register rsp
        .irp    register, r15, r14, r13, r12, rbx, rbp
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        vzeroupper
        ret
        .cfi_restore_state

.Lwalk:
        vpbroadcastd ymm4, [rip + .Lone_pair]
        mov     left, rdx
        mov     psi, rsi
        lea     other_x, [rcx + 4*r9]
        lea     other_psi, [r8 + 4*r9]
        neg     r9
        jz      .Ldone
        mov     minus_m, r9
        jmp     .Lnext
.Lblock:
        block   8
.Lnext:
        sub     left, 8
        jae     .Lblock

        // The points left.
        mov     rax, left
        .irp    width, 7, 6, 5, 4, 3, 2, 1
        cmp     rax, \width - 8
        je      .Lfew\width
        .endr
        ret
        .irp    width, 7, 6, 5, 4, 3, 2, 1
.Lfew\width:
        block   \width
        ret
        .endr
.Ldone:
        ret
END(hl_correlation_offsets_avx2)

        RODATA
        .balign 4
.Lone_pair:                             // the upper half of 2^47
        .long   0x8000
