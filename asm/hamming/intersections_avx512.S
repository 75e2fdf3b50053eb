// Counts the ones that rows have in common with packed rows: `out[i * out_stride + 8 g + l]` is the
// number of bits that are 1 in row i and in packed row 8 g + l.
//
//   void hl_hamming_intersections_avx512(const uint8_t *packed, size_t groups, size_t chunks,
//       const uint8_t *rows, size_t stride, const uint64_t *tails, size_t n, uint32_t *out,
//       size_t out_stride);
//
// In      rdi = packed, rsi = groups, rdx = chunks, rcx = rows, r8 = stride, r9 = tails,
//         [rsp+8] = n, [rsp+16] = out, [rsp+24] = out_stride
//         Out  out[i out_stride + 0..8 groups] for each row i
// Uses    rax, rcx, rbx, rbp, r8..r15, zmm0..zmm2, zmm4..zmm7, zmm10..zmm18, zmm20..zmm28
//         Stack  48 bytes
// Loop    16 words of 8 packed rows and 2 rows; a tree of full adders, whose first level adds a
//         word in one operation; 46 operations a row, and 33 after the loop; bound by the vector
//         pipes, 2 operations a cycle (46 cycles). Not measured; llvm-mca, with broadcasts from
//         memory as plain loads: 46.6 cycles on Zen 4, 52 on Skylake-X
// Tail    1 to 15 words and the tail one at a time; a last single row is paired with itself; reads
//         and writes exactly the operands

#include "hl.h"
#define VECTORS     1, 2
#include "adders_avx512.h"

#define packed      rdi
#define groups      rsi
#define chunks      rdx
#define rows        rcx
#define stride      r8
#define tails       r9
#define at          rax
#define row1        r10
#define row2        r11
#define tail_stride rbx
#define out         rbp
#define left        r12
#define out_stride  r13
#define group       r14
#define n           r15

#define word0       zmm0
#define word1       zmm1
#define between     zmm2

// Functions of three bits for vpternlog: b ^ (a & c), and the carry of a full adder from the sums
// before, between and after two words.
#define SUM         0x6c
#define COMMON      0x74

        .macro two k, before, after
        vmovdqu64 word0, [at + 128*(\k)]
        vmovdqu64 word1, [at + 128*(\k) + 64]
        two_of  1, row1, \k, \before, \after
        two_of  2, row2, \k, \before, \after
        .endm

        .macro two_of v, row, k, before, after
        vpbroadcastq between, [\row + 16*(\k)]
        vpternlogq between, zmm\v\before, word0, SUM
        vpbroadcastq zmm\v\after, [\row + 16*(\k) + 8]
        vpternlogq zmm\v\after, between, word1, SUM
        vpternlogq zmm\v\before, between, zmm\v\after, COMMON
        .endm

// Counts one more word, at the given addresses in the rows.
        .macro one row1, row2
        vmovdqu64 word0, [at]
        vpandq  word1, word0, qword ptr [\row1]{1to8}
        vpandq  between, word0, qword ptr [\row2]{1to8}
        ones    word1
        ones    between
        vpsadbw word1, word1, zero
        vpsadbw between, between, zero
        vpaddq  zmm18, zmm18, word1
        vpaddq  zmm28, zmm28, between
        add     at, 64
        .endm

FUNC(hl_hamming_intersections_avx512)
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
        mov     tail_stride, 8
        constants

        // Two rows; if only one is left, it is taken twice.
.Lrows:
        cmp     n, 1
        jb      .Ldone
        ja      .Ltwo
        xor     stride, stride
        xor     out_stride, out_stride
        xor     tail_stride, tail_stride
.Ltwo:
        mov     at, packed
        mov     group, groups

        // The groups are contiguous.
.Lgroup:
        each    clear \v
        mov     row1, rows
        lea     row2, [rows + stride]
        mov     left, chunks
        sub     left, 16
        jb      .Lfew

        .balign 32
.Lsixteen:
        sixteen two
        add     at, 1024
        add     row1, 128
        add     row2, 128
        sub     left, 16
        jae     .Lsixteen
        each    total \v

.Lfew:
        add     left, 16
        jz      .Ltail
.Lone:
        one     row1, row2
        add     row1, 8
        add     row2, 8
        sub     left, 1
        jnz     .Lone
.Ltail:
        test    tails, tails
        jz      .Lstore
        one     tails, tails+tail_stride

.Lstore:
        vpmovqd [out], zmm18
        vpmovqd [out + out_stride], zmm28
        add     out, 32
        sub     group, 1
        jnz     .Lgroup

        // The next rows; `out` is at the end of its row.
        mov     left, groups
        shl     left, 5
        sub     out, left
        lea     out, [out + 2*out_stride]
        lea     rows, [rows + 2*stride]
        test    tails, tails
        jz      .Lnext
        add     tails, 16
.Lnext:
        sub     n, 2
        ja      .Lrows

.Ldone:
        vzeroupper
        .irp    register, r15, r14, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
.Lnone:
        ret
END(hl_hamming_intersections_avx512)

        adders_rodata
