// Counts the ones that rows have in common with packed rows: `out[i * out_stride + 8 g + l]` is the
// number of bits that are 1 in row i and in packed row 8 g + l.
//
//   void hl_hamming_intersections_avx512icl(const uint8_t *packed, size_t groups, size_t chunks,
//       const uint8_t *rows, size_t stride, const uint64_t *tails, size_t n, uint32_t *out,
//       size_t out_stride);
//
// In      rdi = packed, rsi = groups, rdx = chunks, rcx = rows, r8 = stride, r9 = tails,
//         [rsp+8] = n, [rsp+16] = out, [rsp+24] = out_stride
//         Out  out[i out_stride + 0..8 groups] for each row i
// Uses    rax, rcx, rbx, rbp, r9..r15, zmm0..zmm17, zmm20..zmm23     Stack  48 bytes
// Loop    4 words of 8 packed rows and 8 rows; a chain of full adders that adds a word in one
//         operation and counts the carries: 5 operations for 2 words of 8 pairs; bound by the
//         vector pipes, 2 operations a cycle (40 cycles). Not measured; llvm-mca, with broadcasts
//         from memory as plain loads: 40.1 cycles on Zen 4 and Sapphire Rapids, and 5.4 for a pair
//         of rows of 2048 bits
// Tail    1 to 3 words and the tail one at a time; 1 to 7 rows one at a time; reads and writes
//         exactly the operands

#include "hl.h"

#define packed      rdi
#define groups      rsi
#define chunks      rdx
#define rows        rcx
#define stride      r8
#define tails       r9
#define at          rax
#define low         r10
#define high        r11
#define stride3     rbx
#define out         rbp
#define left        r12
#define to          r12
#define out_stride  r13
#define group       r14
#define n           r15

// For row i: the exclusive or of the words, and the number of carries.
#define parity      zmm\i
#define carries     zmm1\i

#define between     zmm8
#define next        zmm9
#define word0       zmm20
#define word1       zmm21
#define word2       zmm22
#define word3       zmm23

// Functions of three bits for vpternlog: b ^ (a & c), and the carry of a full adder from the sums
// before, between and after two words.
#define SUM         0x6c
#define CARRY       0x74

// Calls a macro for each of 8 rows, or for one, with the row's index and address.
        .macro each_8 statement
        \statement 0, low
        \statement 1, low+stride
        \statement 2, low+2*stride
        \statement 3, low+stride3
        \statement 4, high
        \statement 5, high+stride
        \statement 6, high+2*stride
        \statement 7, high+stride3
        .endm

        .macro each_1 statement
        \statement 0, low
        .endm

        .macro clear i, row
        vpxord  parity, parity, parity
        vpxord  carries, carries, carries
        .endm

        .macro count i, ones
        vpopcntq \ones, \ones
        vpaddq  carries, carries, \ones
        .endm

        .macro two i, row, first, second, before, after
        vpbroadcastq between, [\row]
        vpternlogq between, \before, \first, SUM
        vpbroadcastq \after, [\row + 8]
        vpternlogq \after, between, \second, SUM
        vpternlogq \before, between, \after, CARRY
        count   \i, \before
        .endm

        .macro four i, row
        two     \i, \row, word0, word1, parity, next
        two     \i, \row+16, word2, word3, next, parity
        .endm

        .macro one i, row
        vpbroadcastq between, [\row]
        vpternlogq between, parity, word0, SUM
        vpandnq parity, between, parity
        count   \i, parity
        vmovdqa64 parity, between
        .endm

        .macro tail i, row
        one     \i, tails+8*\i
        .endm

        .macro store i, row
        vpopcntq parity, parity
        vpaddq  carries, carries, carries
        vpaddq  carries, carries, parity
        vpmovqd [to], carries
        add     to, out_stride
        .endm

// Strips of 8 rows, or of one, as long as enough rows are left. The groups are contiguous.
        .macro strips number
.Lstrip_\number:
        mov     at, packed
        mov     group, groups
.Lgroup_\number:
        each_\number clear
        mov     low, rows
        lea     high, [rows + 4*stride]
        mov     left, chunks
        sub     left, 4
        jb      .Lrest_\number

        .balign 32
.Lfour_\number:
        vmovdqu64 word0, [at]
        vmovdqu64 word1, [at + 64]
        vmovdqu64 word2, [at + 128]
        vmovdqu64 word3, [at + 192]
        each_\number four
        add     at, 256
        add     low, 32
        add     high, 32
        sub     left, 4
        jae     .Lfour_\number

.Lrest_\number:
        add     left, 4
        jz      .Ltail_\number
.Lone_\number:
        vmovdqu64 word0, [at]
        each_\number one
        add     at, 64
        add     low, 8
        add     high, 8
        sub     left, 1
        jnz     .Lone_\number

.Ltail_\number:
        test    tails, tails
        jz      .Lstore_\number
        vmovdqu64 word0, [at]
        add     at, 64
        each_\number tail

        // A carry counts two.
.Lstore_\number:
        mov     to, out
        each_\number store
        add     out, 32
        sub     group, 1
        jnz     .Lgroup_\number

        // The next rows; `out` is at the end of its row.
        mov     left, groups
        shl     left, 5
        sub     out, left
        lea     out, [out + \number*out_stride]
        lea     rows, [rows + \number*stride]
        test    tails, tails
        jz      .Lnext_\number
        add     tails, 8*\number
.Lnext_\number:
        sub     n, \number
        jae     .Lstrip_\number
        .endm

FUNC(hl_hamming_intersections_avx512icl)
        test    groups, groups
        jz      .Lnone

        .irp    register, rbx, rbp, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     n, [rsp + 56]
        mov     out, [rsp + 64]
        mov     out_stride, [rsp + 72]
        shl     out_stride, 2
        lea     stride3, [stride + 2*stride]

        // n is the number of rows left minus the rows of a strip.
        sub     n, 8
        jb      .Lfew
        strips  8
.Lfew:
        add     n, 7
        jnc     .Ldone
        strips  1

.Ldone:
        vzeroupper
        .irp    register, r15, r14, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
.Lnone:
        ret
END(hl_hamming_intersections_avx512icl)
