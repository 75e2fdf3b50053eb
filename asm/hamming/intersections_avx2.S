// Counts the ones that rows have in common with packed rows.
//
//   void hl_hamming_intersections_avx2(const uint8_t *packed, size_t groups, size_t chunks, const uint8_t *rows, size_t stride,
//       const uint64_t *tails, size_t n, uint32_t *out, size_t out_stride);
//
// In      rdi = packed, rsi = groups, rdx = chunks, rcx = rows, r8 = stride, r9 = tails, [rsp+8] = n, [rsp+16] = out,
//         [rsp+24] = out_stride             Out  8 groups of integers for each row
// Uses    rax, rsi, rdi, r8, r10, r11, ymm0..ymm15; rbx, rbp, r12..r15 are saved     Stack  48 bytes of red zone
// Loop    16 words, each with those of 8 packed rows; 2 x 102 operations, bound by the four vector pipes (51 cycles on a Zen 3)
// Tail    one word at a time; reads exactly the words of the rows
//
// Of 15 words full adders make vectors that count 1, 2, 4 and 8; these and the last word are looked up by nibbles.

#include "hl.h"
#include "counters_avx2.h"

#define packed      rdi
#define groups      rsi
#define chunks      rdx
#define rows        rcx
#define stride      r8
#define tails       r9
#define n           [rsp + 8]
#define row         rbx
#define tail        rbp
#define left        r12
#define out         r13
#define to          r14
#define out_stride  r15
// The next word of the row, and of its packed group.
#define word        r10
#define at          r11
#define unread      rax

#define one         ymm0
#define two         ymm1
#define four        ymm2
#define eight       ymm3
#define count       ymm1\half

        // Word k of the row, and of four packed rows.
        .macro common to, k, half
        vbroadcastsd \to, [word + 8 * (\k)]
        vpand   \to, \to, [at + 64 * (\k) + 32 * \half]
        .endm

        // What 2, 4 and 8 more words, from word k, carry.
        .macro carry_2 to, k, half
        common  ymm4, \k, \half
        common  ymm5, (\k+1), \half
        full_adder \to, one, ymm4, ymm5
        .endm

        .macro carry_4 to, k, half
        carry_2 ymm6, \k, \half
        carry_2 ymm7, (\k+2), \half
        full_adder \to, two, ymm6, ymm7
        .endm

        .macro carry_8 to, k, half
        carry_4 ymm8, \k, \half
        carry_4 ymm9, (\k+4), \half
        full_adder \to, four, ymm8, ymm9
        .endm

        .macro count_16 half
        common  one, 0, \half
        carry_2 two, 1, \half
        carry_4 four, 3, \half
        carry_8 eight, 7, \half
        common  ymm4, 15, \half
        vmovdqa ymm5, [rip + .Lby_1 + 32]
        ones    one, ymm6, by_1
        ones    ymm4, ymm7, by_1
        ones    two, ymm8, by_2
        ones    four, ymm9, by_4
        ones    eight, ymm6, ymm5
        vpaddb  one, one, ymm4
        vpaddb  two, two, four
        vpaddb  one, one, eight
        vpaddb  one, one, two
        vpxor   xmm4, xmm4, xmm4
        vpsadbw one, one, ymm4
        vpaddq  count, count, one
        .endm

        // Few words, one by one: not more than 16, so that their ones fit in bytes.
        .macro count_1 word
        vbroadcastsd ymm4, [\word]
        vpand   ymm5, ymm4, [at + 32]
        vpand   ymm4, ymm4, [at]
        ones    ymm4, ymm6, by_1
        ones    ymm5, ymm7, by_1
        vpaddb  ymm0, ymm0, ymm4
        vpaddb  ymm1, ymm1, ymm5
        add     at, 64
        .endm

FUNC(hl_hamming_intersections_avx2)
        test    groups, groups
        jz      .Lnone
        cmp     qword ptr n, 0
        je      .Lnone

        // The red zone holds what belongs to the caller.
        mov     [rsp - 8], rbx
        mov     [rsp - 16], rbp
        mov     [rsp - 24], r12
        mov     [rsp - 32], r13
        mov     [rsp - 40], r14
        mov     [rsp - 48], r15
        .cfi_offset rbx, -16
        .cfi_offset rbp, -24
        .cfi_offset r12, -32
        .cfi_offset r13, -40
        .cfi_offset r14, -48
        .cfi_offset r15, -56

        mov     out, [rsp + 16]
        mov     out_stride, [rsp + 24]
        shl     out_stride, 2
        load_tables

.Lgroup:
        mov     row, rows
        mov     tail, tails
        mov     to, out
        mov     left, n

.Lrow:
        vpxor   xmm10, xmm10, xmm10
        vpxor   xmm11, xmm11, xmm11
        mov     word, row
        mov     at, packed
        mov     unread, chunks
        sub     unread, 16
        jb      .Lfew

        .balign 32
.Lloop:
        count_16 0
        count_16 1
        sub     word, -128
        add     at, 1024
        sub     unread, 16
        jae     .Lloop

        // The rest of the row, and its tail.
.Lfew:
        vpxor   xmm0, xmm0, xmm0
        vpxor   xmm1, xmm1, xmm1
        add     unread, 16
        jz      .Ltail
.Lword:
        count_1 word
        add     word, 8
        dec     unread
        jnz     .Lword
.Ltail:
        test    tail, tail
        jz      .Lstore
        count_1 tail
        add     tail, 8

        // Eight integers.
.Lstore:
        vpxor   xmm4, xmm4, xmm4
        vpsadbw ymm0, ymm0, ymm4
        vpsadbw ymm1, ymm1, ymm4
        vpaddq  ymm0, ymm0, ymm10
        vpaddq  ymm1, ymm1, ymm11
        vshufps ymm0, ymm0, ymm1, 0x88
        vpermq  ymm0, ymm0, 0xd8
        vmovdqu [to], ymm0
        add     row, stride
        add     to, out_stride
        dec     left
        jnz     .Lrow

        // A row ends where the next group begins.
        mov     packed, at
        add     out, 32
        dec     groups
        jnz     .Lgroup

        mov     rbx, [rsp - 8]
        mov     rbp, [rsp - 16]
        mov     r12, [rsp - 24]
        mov     r13, [rsp - 32]
        mov     r14, [rsp - 40]
        mov     r15, [rsp - 48]
        vzeroupper
.Lnone:
        ret
END(hl_hamming_intersections_avx2)

RODATA
        tables
