// Counts the ones that rows have in common with packed rows: `out[i * out_stride + 8 g + l]` is the
// number of bits that are 1 in row i and in packed row 8 g + l.
//
//   void hl_hamming_intersections_avx2(const uint8_t *packed, size_t groups, size_t chunks,
//       const uint8_t *rows, size_t stride, const uint64_t *tails, size_t n, uint32_t *out,
//       size_t out_stride);
//
// In      rdi = packed, rsi = groups, rdx = chunks, rcx = rows, r8 = stride, r9 = tails,
//         [rsp+8] = n, [rsp+16] = out, [rsp+24] = out_stride     Out  8 groups of integers for each row
// Uses    rax, rbx, rsi, rdi, rbp, r9..r15, ymm0..ymm15     Stack  144 bytes
// Loop    16 words, each against 8 packed rows; 216 operations and 21 loads to registers; bound by
//         issue, four a cycle on Zen 3 (59 cycles; 61 measured)
// Bound   59 cycles for 4 elements on Zen 3
// Tail    one word at a time; reads exactly the words of the rows
//
// Full adders reduce 15 words to vectors of weight 1, 2, 4 and 8. A nibble table counts these and the last word.

#include "hl.h"

#define packed      rdi
#define groups      rsi
#define chunks      rdx
#define rows        rcx
#define stride      r8
#define tails       r9
#define n           [rbp + 56]
#define row         rbx
// Minus the number of rows left; `tails` then points to the end of the tails.
#define left        r12
#define out         r13
#define to          r14
#define out_stride  r15
// The next word of the row, and of the packed group.
#define word        r10
#define at          r11
#define unread      rax

// The counts of four packed rows, and of the other four.
#define counts      [rsp + 8]
#define counts_4    [rsp + 40]

// ymm0 to ymm5 belong to the first four packed rows, ymm10 to ymm15 to the other four: sums of
// weight 1, 2 and 4 in this order, then carries.
#define by_1        ymm8
#define nibble      ymm9

#include "counters_avx2.h"

        // The bits that word k of the row shares with the eight packed rows.
        .macro common a, b, k
        vpbroadcastq \b, [word + 8 * (\k)]
        vpand   \a, \b, [at + 64 * (\k)]
        vpand   \b, \b, [at + 64 * (\k) + 32]
        .endm

        // Adds four more words, starting with word k; the carries go to `to` and `to_4`.
        .macro carry_4 to, to_4, k
        common  ymm6, ymm8, \k
        common  ymm7, ymm9, (\k+1)
        full_adder ymm4, ymm0, ymm6, ymm7
        full_adder ymm14, ymm10, ymm8, ymm9
        common  ymm6, ymm8, (\k+2)
        common  ymm7, ymm9, (\k+3)
        full_adder ymm5, ymm0, ymm6, ymm7
        full_adder ymm15, ymm10, ymm8, ymm9
        full_adder \to, ymm1, ymm4, ymm5
        full_adder \to_4, ymm11, ymm14, ymm15
        .endm

        // The frame code is kept apart from the body: some assemblers accept CFI directives only at
        // distances that they know when they read them.
FUNC(hl_hamming_intersections_avx2)
        .irp    register, rbp, rbx, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        lea     rsp, [rsp - 64]
        and     rsp, -32
        .cfi_remember_state
        call    .Lcounts
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

.Lcounts:
        test    groups, groups
        jz      .Ldone
        cmp     qword ptr n, 0
        je      .Ldone
        mov     rax, n
        lea     rax, [tails + 8 * rax]
        test    tails, tails
        cmovnz  tails, rax
        mov     out, [rbp + 64]
        mov     out_stride, [rbp + 72]
        shl     out_stride, 2

.Lgroup:
        mov     row, rows
        mov     to, out
        mov     left, n
        neg     left

.Lrow:
        vpxor   xmm0, xmm0, xmm0
        vmovdqa counts, ymm0
        vmovdqa counts_4, ymm0
        mov     word, row
        mov     at, packed
        mov     unread, chunks
        sub     unread, 16
        jb      .Lfew

        .balign 32
.Lloop:
        common  ymm0, ymm10, 0
        common  ymm6, ymm8, 1
        common  ymm7, ymm9, 2
        full_adder ymm1, ymm0, ymm6, ymm7
        full_adder ymm11, ymm10, ymm8, ymm9
        carry_4 ymm2, ymm12, 3
        carry_4 ymm3, ymm13, 7
        carry_4 ymm6, ymm8, 11
        full_adder ymm4, ymm2, ymm3, ymm6
        full_adder ymm14, ymm12, ymm13, ymm8

        // Look up the vectors of weight 1 (two of them), 2, 4 and 8: at most 128 in a byte.
        common  ymm5, ymm15, 15
        vmovdqa by_1, [rip + .Lby_1]
        vpbroadcastb nibble, [rip + .Lnibble]
        vmovdqa ymm7, [rip + .Lby_2]
        vmovdqa ymm6, [rip + .Lby_4]
        ones    ymm0, ymm3, by_1
        ones    ymm10, ymm13, by_1
        ones    ymm5, ymm3, by_1
        ones    ymm15, ymm13, by_1
        vmovdqa by_1, [rip + .Lby_8]
        ones    ymm1, ymm3, ymm7
        ones    ymm11, ymm13, ymm7
        ones    ymm2, ymm3, ymm6
        ones    ymm12, ymm13, ymm6
        ones    ymm4, ymm3, by_1
        ones    ymm14, ymm13, by_1
        vpaddb  ymm0, ymm0, ymm5
        vpaddb  ymm10, ymm10, ymm15
        vpaddb  ymm1, ymm1, ymm2
        vpaddb  ymm11, ymm11, ymm12
        vpaddb  ymm0, ymm0, ymm4
        vpaddb  ymm10, ymm10, ymm14
        vpaddb  ymm0, ymm0, ymm1
        vpaddb  ymm10, ymm10, ymm11
        vpxor   xmm3, xmm3, xmm3
        vpsadbw ymm0, ymm0, ymm3
        vpsadbw ymm10, ymm10, ymm3
        vpaddq  ymm0, ymm0, counts
        vpaddq  ymm10, ymm10, counts_4
        vmovdqa counts, ymm0
        vmovdqa counts_4, ymm10
        sub     word, -128
        add     at, 1024
        sub     unread, 16
        jae     .Lloop

        // The rest of the row, and its tail: at most 16 words, whose counts a byte can hold.
.Lfew:
        vmovdqa by_1, [rip + .Lby_1]
        vpbroadcastb nibble, [rip + .Lnibble]
        vpxor   xmm0, xmm0, xmm0
        vpxor   xmm10, xmm10, xmm10
        add     unread, 16
        jz      .Ltail
.Lword:
        vpbroadcastq ymm11, [word]
        vpand   ymm1, ymm11, [at]
        vpand   ymm11, ymm11, [at + 32]
        ones    ymm1, ymm3, by_1
        ones    ymm11, ymm13, by_1
        vpaddb  ymm0, ymm0, ymm1
        vpaddb  ymm10, ymm10, ymm11
        add     at, 64
        add     word, 8
        dec     unread
        jnz     .Lword
.Ltail:
        test    tails, tails
        jz      .Lstore
        vpbroadcastq ymm11, [tails + 8*left]
        vpand   ymm1, ymm11, [at]
        vpand   ymm11, ymm11, [at + 32]
        ones    ymm1, ymm3, by_1
        ones    ymm11, ymm13, by_1
        vpaddb  ymm0, ymm0, ymm1
        vpaddb  ymm10, ymm10, ymm11
        add     at, 64

        // Add the byte sums to the counts and store these.
.Lstore:
        vpxor   xmm3, xmm3, xmm3
        vpsadbw ymm0, ymm0, ymm3
        vpsadbw ymm10, ymm10, ymm3
        vpaddq  ymm0, ymm0, counts
        vpaddq  ymm10, ymm10, counts_4
        vshufps ymm0, ymm0, ymm10, 0x88
        vpermq  ymm0, ymm0, 0xd8
        vmovdqu [to], ymm0
        add     row, stride
        add     to, out_stride
        inc     left
        jnz     .Lrow

        // The next group begins where this one ends.
        mov     packed, at
        add     out, 32
        dec     groups
        jnz     .Lgroup
.Ldone:
        ret
END(hl_hamming_intersections_avx2)

RODATA
        tables
