// Counts the ones that rows have in common with packed rows: `out[i * out_stride + 8 g + l]` is the
// number of bits that are 1 in row i and in packed row 8 g + l.
//
//   void hl_hamming_intersections_sse2(const uint8_t *packed, size_t groups, size_t chunks,
//       const uint8_t *rows, size_t stride, const uint64_t *tails, size_t n, uint32_t *out,
//       size_t out_stride);
//
// In      rdi = packed, rsi = groups, rdx = chunks, rcx = rows, r8 = stride, r9 = tails,
//         [rsp+8] = n, [rsp+16] = out, [rsp+24] = out_stride     Out  8 groups of integers for each row
// Uses    rax, rcx, rbx, rbp, r9..r15, xmm0..xmm15     Stack  6256 bytes
// Loop    32 words, each against 2 packed rows; 228 operations and 32 loads to registers; bound by
//         issue, four a cycle on Zen 3 (65 cycles; 73 measured)
// Bound   65 cycles for 2 elements on Zen 3
// Tail    missing words are zeros in a copy; reads exactly the words of the rows
//
// The stack holds 32 words of up to 8 rows, every word twice. Full adders reduce 31 words to
// vectors of weight 1, 2, 4, 8 and 16.

#include "hl.h"
#include "counters_sse2.h"

#define GROUP       64

#define packed      rdi
#define groups      rsi
#define chunks      rdx
#define rows        rcx
#define stride      r8
#define tails       r9
// The operands: two rows of a group, and a row on the stack.
#define at          r10
#define words       r11
#define to          r12
// The block of words: its first word, its length, and its address in the group.
#define chunk       r14
#define length      r13
#define group       r15
#define row         ebx
#define quarter     eax

#define doubled     rsp + 8
#define padded      rsp + 4104
// Mask on the counts so far: zero in the first block.
#define keep        xmmword ptr [rsp + 6152]
#define all         qword ptr [rsp + 6168]
#define taken       dword ptr [rsp + 6176]
#define left        qword ptr [rsp + 6184]
#define out_group   qword ptr [rsp + 6192]
#define FRAME       6192
#define n           qword ptr [rbp + 56]
#define out         qword ptr [rbp + 64]
#define out_stride  [rbp + 72]

        .macro common to, k
        movdqu  \to, [at + GROUP * (\k)]
        pand    \to, [words + 16 * (\k)]
        .endm

        // Adds 4 or 8 more words, starting with word k. The carry replaces the first argument, and b is the new sum
        // of that argument's weight. The sums of smaller weight, down to 1, are then in c; in `one` and d.
        .macro carry_4 two, one, a, b, c, k
        common  \a, \k
        common  \b, (\k+1)
        full_adder \one, \a, \b
        common  \a, (\k+2)
        common  \c, (\k+3)
        full_adder \b, \a, \c
        full_adder \two, \one, \b
        .endm

        .macro carry_8 four, two, one, a, b, c, d, k
        carry_4 \two, \one, \a, \b, \c, \k
        carry_4 \b, \c, \a, \one, \d, (\k+4)
        full_adder \four, \two, \b
        .endm

        // The frame code is kept apart from the body: some assemblers accept CFI directives only at
        // distances that they know when they read them.
FUNC(hl_hamming_intersections_sse2)
        .irp    register, rbp, rbx, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     rbp, rsp
        .cfi_def_cfa_register rbp

        // The frame is touched page by page, from the top.
        and     rsp, -16
        lea     rsp, [rsp - (FRAME - 4096)]
        test    [rsp], rsp
        lea     rsp, [rsp - 4096]
        .cfi_remember_state
        call    .Lcounts
        mov     rsp, rbp
        .cfi_def_cfa_register rsp
        .irp    register, r15, r14, r13, r12, rbx, rbp
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        ret
        .cfi_restore_state

.Lcounts:
        test    groups, groups
        jz      .Lnone
        cmp     n, 0
        je      .Lnone
        movdqa  mask_1, [rip + .Lmask_1]
        movdqa  mask_2, [rip + .Lmask_2]
        movdqa  mask_4, [rip + .Lmask_4]
        xor     eax, eax
        test    tails, tails
        setnz   al
        add     rax, chunks
        mov     all, rax

        // Up to 8 rows.
.Lrows:
        mov     rax, n
        mov     ebx, 8
        cmp     rax, rbx
        cmova   rax, rbx
        mov     taken, eax
        pxor    xmm0, xmm0
        movdqa  keep, xmm0
        xor     chunk, chunk

        // Copy 32 words of each row: its words, its tail, then zeros.
.Lblock:
        mov     at, rows
        lea     words, [doubled]
        mov     to, tails
        mov     row, taken
        lea     length, [chunk + 32]
.Ldouble:
        mov     rax, chunk
.Lword:
        cmp     rax, chunks
        jae     .Lafter
        movq    xmm0, qword ptr [at + 8 * rax]
.Lput:
        punpcklqdq xmm0, xmm0
        movdqa  [words], xmm0
        add     words, 16
        inc     rax
        cmp     rax, length
        jne     .Lword
        add     at, stride
        add     to, 8
        dec     row
        jnz     .Ldouble

        // The groups. A block that ends early is read from a copy. Words after its end do not
        // matter, because the rows have zeros there.
        mov     length, all
        sub     length, chunk
        mov     group, chunk
        shl     group, 6
        add     group, packed
        mov     left, groups
        mov     rax, out
        mov     out_group, rax
.Lgroup:
        mov     at, group
        cmp     length, 32
        jae     .Lwhole
        cmp     length, 16
        je      .Lwhole
        lea     words, [padded]
        mov     rax, length
        test    rax, rax
        jz      .Lcopied
.Lcopy:
        .irp    r, 0, 1, 2, 3
        movdqu  xmm\r, [at + 16 * \r]
        movdqa  [words + 16 * \r], xmm\r
        .endr
        add     at, 64
        add     words, 64
        dec     rax
        jnz     .Lcopy
.Lcopied:
        lea     at, [padded]

.Lwhole:
        lea     words, [doubled]
        mov     to, out_group
        mov     row, taken
.Lrow:
        mov     quarter, 4

        .balign 32
.Lquarter:
        common  xmm0, 0
        common  xmm1, 1
        common  xmm2, 2
        full_adder xmm0, xmm1, xmm2
        carry_4 xmm0, xmm2, xmm1, xmm3, xmm4, 3
        carry_8 xmm0, xmm3, xmm4, xmm1, xmm2, xmm5, xmm6, 7
        cmp     length, 16
        jbe     .Lhalf
        carry_8 xmm2, xmm4, xmm6, xmm1, xmm3, xmm5, xmm8, 16
        carry_8 xmm3, xmm6, xmm8, xmm1, xmm5, xmm4, xmm7, 24
        full_adder xmm0, xmm2, xmm3
.Lcount:
        common  xmm1, 15
        sum_ones xmm7, xmm1, xmm8, xmm5, xmm3, xmm0
        pshufd  xmm7, xmm7, 0x08
        movq    xmm0, qword ptr [to]
        pand    xmm0, keep
        paddd   xmm0, xmm7
        movq    qword ptr [to], xmm0
        add     at, 16
        add     to, 8
        dec     quarter
        jnz     .Lquarter

        sub     at, 64
        add     words, 512
        mov     rax, out_stride
        lea     to, [to + 4 * rax - 32]
        dec     row
        jnz     .Lrow

        mov     rax, all
        shl     rax, 6
        add     group, rax
        add     out_group, 32
        dec     left
        jnz     .Lgroup

        // The next block of the words, then the next rows.
        pcmpeqb xmm0, xmm0
        movdqa  keep, xmm0
        add     chunk, 32
        cmp     chunk, all
        jb      .Lblock
        lea     rows, [rows + 8 * stride]
        add     tails, 64
        mov     rax, out_stride
        shl     rax, 5
        add     out, rax
        sub     n, 8
        ja      .Lrows
.Lnone:
        ret

        // After the words of the row: its tail if there is one, else 0.
.Lafter:
        pxor    xmm0, xmm0
        cmp     rax, all
        jae     .Lput
        movq    xmm0, qword ptr [to]
        jmp     .Lput

        // At most 16 words: the vector of weight 16 is zero.
.Lhalf:
        movdqa  xmm7, xmm6
        movdqa  xmm8, xmm4
        movdqa  xmm5, xmm2
        movdqa  xmm3, xmm0
        pxor    xmm0, xmm0
        jmp     .Lcount
END(hl_hamming_intersections_sse2)

RODATA
        masks
