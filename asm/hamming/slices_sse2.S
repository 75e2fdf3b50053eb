// Distances of the 32 planes of 2048 bits of a block in tiles: `distances[32 i + j]` for i < j is the number of
// bits in which planes i and j differ, and `distances[33 i]` the number of ones of plane i.
//
//   void hl_hamming_slices_sse2(const uint8_t *tiles, uint32_t *distances);
//
// In      rdi = tiles, rsi = distances      Out  the distances on and above the diagonal
// Uses    rax, rcx, rdx, rdi, rbp, r8..r11, xmm0..xmm15     Stack  8720 bytes
// Loop    2 pairs of 2048 bits, 272 times: 203 operations and 32 loads to registers; bound by
//         issue, four a cycle on Zen 3 (59 cycles, as measured)
// Bound   16048 cycles for 528 elements on Zen 3
// Tail    none; reads the 8192 bytes, writes 528 integers
//
// The popcount of a sequence of bits is twice the number of falls (1 to 0) in its prefix sums modulo 2, plus the
// last sum. Prefix sums are linear, so the sums of a difference are the differences of the planes' sums. A pair
// therefore needs no additions for its sums, and three operations for the fall over two bits. Full adders reduce
// the 15 falls, of weight 2, to vectors of weight 2, 4, 8 and 16.

#include "hl.h"
#include "counters_sse2.h"

#define tiles       rdi
#define out         rsi
// Addresses in the sums of word 0: planes i and i + 1, and planes j and j + 1.
#define planes      rcx
#define others      rdx
// Destinations of distances (i, j) and (i + 1, j + 1), and of the distances of i and i + 1 from zeros.
#define at          rax
#define below       r8
#define ones        r9
#define ones_below  r10
// Address of plane 31, in the register of `sums`.
#define last        r11
#define count       eax

// The sums of a word: 32 planes, two of zeros.
#define STRIDE      272
#define sums        r11

        // The fall from sum 2 k, in x, over the next two sums replaces x; the second of them goes to `next`.
        .macro fall x, next, k
        movdqu  xmm8, [others + STRIDE * (2*\k+1)]
        pxor    xmm8, [planes + STRIDE * (2*\k+1)]
        por     \x, xmm8
        movdqu  \next, [others + STRIDE * (2*\k+2)]
        pxor    \next, [planes + STRIDE * (2*\k+2)]
        pand    xmm8, \next
        pxor    \x, xmm8
        .endm

        // Adds four more falls. The carry replaces `four`, y is the new sum of its weight, x the sum of
        // weight 2 and w the last prefix sum.
        .macro four_falls four, two, x, y, z, w, k
        fall    \x, \y, \k
        fall    \y, \z, (\k+1)
        full_adder \two, \x, \y
        fall    \z, \x, (\k+2)
        fall    \x, \w, (\k+3)
        full_adder \y, \z, \x
        full_adder \four, \two, \y
        .endm

        // The frame code is kept apart from the body: some assemblers accept CFI directives only at
        // distances that they know when they read them.
FUNC(hl_hamming_slices_sse2)
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
        and     rsp, -16
        mov     sums, rsp
        .cfi_remember_state
        call    .Lblock
        mov     rsp, rbp
        pop     rbp
        .cfi_def_cfa rsp, 8
        .cfi_restore rbp
        ret
        .cfi_restore_state

        // Prefix sums of the first 31 words of each plane, copies of the last words.
.Lblock:
        .irp    half, 0, 128
        .irp    r, 0, 1, 2, 3, 4, 5, 6, 7, 8
        pxor    xmm\r, xmm\r
        .endr
        lea     planes, [sums + \half]
        lea     others, [tiles + \half]
        mov     count, 31
.Lsum\half:
        .irp    r, 0, 1, 2, 3, 4, 5, 6, 7
        movdqu  xmm9, [others + 16 * \r]
        pxor    xmm\r, xmm9
        movdqa  [planes + 16 * \r], xmm\r
        .endr
        movdqa  [planes + 128], xmm8
        add     others, 256
        add     planes, STRIDE
        dec     count
        jnz     .Lsum\half
        .irp    r, 0, 1, 2, 3, 4, 5, 6, 7
        movdqu  xmm9, [others + 16 * \r]
        movdqa  [planes + 16 * \r], xmm9
        .endr
        movdqa  [planes + 128], xmm8
        .endr

        movdqa  mask_1, [rip + .Lmask_1]
        movdqa  mask_2, [rip + .Lmask_2]
        movdqa  mask_4, [rip + .Lmask_4]
        mov     planes, sums
        mov     ones, out
        add     last, 248

.Lplanes:
        lea     others, [planes + 8]
        lea     at, [ones + 4]
        lea     ones_below, [ones + 132]
        lea     below, [ones + 136]

        // After the last plane come zeros.
        .balign 32
.Lothers:
        cmp     others, last
        cmova   at, ones
        cmovae  below, ones_below

        // Count the falls.
        movdqu  xmm0, [others]
        pxor    xmm0, [planes]
        fall    xmm0, xmm1, 0
        fall    xmm1, xmm2, 1
        fall    xmm2, xmm3, 2
        full_adder xmm0, xmm1, xmm2
        four_falls xmm0, xmm2, xmm3, xmm1, xmm4, xmm5, 3
        four_falls xmm1, xmm3, xmm5, xmm2, xmm4, xmm6, 7
        four_falls xmm2, xmm5, xmm6, xmm3, xmm4, xmm7, 11
        full_adder xmm0, xmm1, xmm2
        movdqu  xmm8, [others + 31 * STRIDE]
        pxor    xmm8, [planes + 31 * STRIDE]
        sum_ones xmm7, xmm8, xmm6, xmm3, xmm2, xmm0

        movd    [at], xmm7
        punpckhqdq xmm7, xmm7
        movd    [below], xmm7
        add     at, 4
        add     below, 4
        add     others, 8
        lea     rdi, [last + 8]
        cmp     others, rdi
        jbe     .Lothers

        // The next two rows.
        add     ones, 264
        add     planes, 16
        cmp     planes, last
        jb      .Lplanes
        ret
END(hl_hamming_slices_sse2)

RODATA
        masks
