// Distances of the 32 planes of 2048 bits of a block in tiles: `distances[32 i + j]` for i < j is the number of
// bits in which planes i and j differ, and `distances[33 i]` the number of ones of plane i.
//
//   void hl_hamming_slices_avx2(const uint8_t *tiles, uint32_t *distances);
//
// In      rdi = tiles, rsi = distances      Out  the distances on and above the diagonal
// Uses    rax, rcx, rdx, rsi, rdi, rbp, r8, r9, ymm0..ymm15     Stack  9248 bytes
// Loop    4 pairs of 2048 bits, 144 times: 179 operations and 32 loads to registers; bound by
//         issue, four a cycle on Zen 3 (53 cycles, as measured)
// Bound   7632 cycles for 528 elements on Zen 3
// Tail    none; reads the 8192 bytes, writes 528 integers
//
// The popcount of a sequence of bits is twice the number of falls (1 to 0) in its prefix sums
// modulo 2, plus the last sum. Prefix sums are linear, so the sums of a difference are the
// differences of the planes' sums. A pair therefore needs no additions for its sums, and three
// operations for the fall over two bits. Full adders reduce the 15 falls, of weight 2, to vectors
// of weight 2, 4, 8 and 16. A nibble table counts these, the last sum and the last word.

#include "hl.h"

#define tiles       rdi
#define out         rsi
// Addresses in the sums of word 0: planes j to j + 3, and plane i.
#define planes      rcx
#define plane       rdx
// Destination of distance (i, j).
#define at          rax
#define count       r8d

// The sums of a word: 32 planes, one of zeros, three unused.
#define STRIDE      288
#define sums        r9
#define zeros       [sums + 256]

#define x           ymm0
#define u           ymm1
#define two         ymm2
#define four        ymm3
#define eight       ymm4
#define by_1        ymm12
#define by_2        ymm13
#define by_4        ymm14
#define nibble      ymm15

#include "counters_avx2.h"

        // The fall from sum 2 k, in x, over the next two sums; x becomes the second of them.
        .macro fall to, k
        vpbroadcastq u, [plane + STRIDE * (2*\k+1)]
        vpxor   u, u, [planes + STRIDE * (2*\k+1)]
        vpor    \to, x, u
        vpbroadcastq x, [plane + STRIDE * (2*\k+2)]
        vpxor   x, x, [planes + STRIDE * (2*\k+2)]
        vpand   u, u, x
        vpxor   \to, \to, u
        .endm

        // Adds four more falls; the carry goes to `to`.
        .macro four_falls to, k
        fall    ymm5, \k
        fall    ymm6, (\k+1)
        full_adder ymm7, two, ymm5, ymm6
        fall    ymm5, (\k+2)
        fall    ymm6, (\k+3)
        full_adder ymm8, two, ymm5, ymm6
        full_adder \to, four, ymm7, ymm8
        .endm

        // The frame code is kept apart from the body: some assemblers accept CFI directives only at
        // distances that they know when they read them.
FUNC(hl_hamming_slices_avx2)
        push    rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     rbp, rsp
        .cfi_def_cfa_register rbp

        // The frame is touched page by page, from the top.
        .rept   2
        lea     rsp, [rsp - 4096]
        test    [rsp], rsp
        .endr
        lea     rsp, [rsp - (32 * STRIDE - 8192)]
        and     rsp, -32
        mov     sums, rsp
        .cfi_remember_state
        call    .Lblock
        mov     rsp, rbp
        pop     rbp
        .cfi_def_cfa rsp, 8
        .cfi_restore rbp
        vzeroupper
        ret
        .cfi_restore_state

        // Prefix sums of the first 31 words of each plane, copies of the last words.
.Lblock:
        .irp    r, 0, 1, 2, 3, 4, 5, 6, 7, 8
        vpxor   xmm\r, xmm\r, xmm\r
        .endr
        mov     planes, sums
        mov     count, 31
.Lsum:
        .irp    r, 0, 1, 2, 3, 4, 5, 6, 7
        vpxor   ymm\r, ymm\r, [tiles + 32 * \r]
        vmovdqa [planes + 32 * \r], ymm\r
        .endr
        vmovdqa [planes + 256], ymm8
        add     tiles, 256
        add     planes, STRIDE
        dec     count
        jnz     .Lsum
        .irp    r, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqu ymm\r, [tiles + 32 * \r]
        vmovdqa [planes + 32 * \r], ymm\r
        .endr
        vmovdqa [planes + 256], ymm8

        vmovdqa by_1, [rip + .Lby_1]
        vpbroadcastb nibble, [rip + .Lnibble]
        vmovdqa by_2, [rip + .Lby_2]
        vmovdqa by_4, [rip + .Lby_4]
        mov     planes, sums

.Lplanes:
        mov     plane, sums
        mov     at, out

        // Count the falls.
        .balign 32
.Lplane:
        vpbroadcastq x, [plane]
        vpxor   x, x, [planes]
        fall    two, 0
        fall    ymm5, 1
        fall    ymm6, 2
        full_adder four, two, ymm5, ymm6
        four_falls eight, 3
        four_falls ymm9, 7
        four_falls ymm10, 11
        full_adder ymm11, eight, ymm9, ymm10

        // Look up the last sums, words 31, and the falls in units of 1, 2, 4 and 8.
        vpbroadcastq u, [plane + 31 * STRIDE]
        vpxor   u, u, [planes + 31 * STRIDE]
        ones    x, ymm5, by_1
        ones    u, ymm6, by_1
        ones    two, ymm7, by_2
        ones    four, ymm8, by_4
        ones    eight, ymm5, by_2
        ones    ymm11, ymm6, by_4
        vpaddb  x, x, u
        vpaddb  two, two, four
        vpaddb  eight, eight, ymm11
        vpaddb  x, x, two

        // Two byte sums, the second in units of 4, become four integers.
        vpxor   xmm5, xmm5, xmm5
        vpsadbw x, x, ymm5
        vpsadbw eight, eight, ymm5
        vpsllq  eight, eight, 2
        vpaddq  x, x, eight
        vextracti128 xmm1, x, 1
        vshufps xmm0, xmm0, xmm1, 0x88
        cmp     plane, planes
        jae     .Lnear
        vmovdqu [at], xmm0
        add     plane, 8
        sub     at, -128
        jmp     .Lplane

        // Planes j to j + 3 against each other, and their popcounts: the distances from zeros.
.Lnear:
        lea     r8, zeros
        cmp     plane, r8
        je      .Lones
        lea     r8, [planes + 8]
        cmp     plane, r8
        ja      .Lthird
        je      .Lsecond
        vpextrd [at + 4], xmm0, 1
.Lsecond:
        vpextrq [at + 8], xmm0, 1
        add     plane, 8
        sub     at, -128
        jmp     .Lplane
.Lthird:
        vpextrd [at + 12], xmm0, 3
        lea     plane, zeros
        sub     at, 256
        jmp     .Lplane
.Lones:
        vmovd   [at], xmm0
        vpextrd [at + 132], xmm0, 1
        vpextrd [at + 264], xmm0, 2
        vpextrd [at + 396], xmm0, 3

        add     out, 16
        add     planes, 32
        lea     r8, zeros
        cmp     planes, r8
        jne     .Lplanes
        ret
END(hl_hamming_slices_avx2)

RODATA
        tables
