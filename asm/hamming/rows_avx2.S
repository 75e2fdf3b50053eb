// Kernels of single rows, with AVX2: the instances of one template.
//
// Four rows at a time. Full adders reduce seven vectors of a row to three before a nibble table
// counts. The last vector ends with the row; a mask omits bits that other vectors hold.

#include "hl.h"

#define query       rdi
#define rows        rsi
#define n           rdx
#define bits        rcx
#define stride      r8
#define out         r9

// The next vector of rows 0 and 1, of rows 2 and 3, and of the query.
#define low         rax
#define high        r10
#define at          r11

// The vectors of a row: blocks of 8, single ones, and a last one with `rest` bytes if not 0.
#define left        rcx
#define blocks      rbx
#define singles     rbp
#define rest        r12
#define rest_mask   [rsp + 8]

// ymm0 to ymm3 are the sums of the four rows, ymm9 to ymm12 their sums of bytes.
#define nibble      ymm4
#define by_1        ymm5
#define by_2        ymm6
#define by_4        ymm7
#define zero        ymm8
#define of_query    ymm13

#include "counters_avx2.h"

#include "short_rows.h"

// A vector of a row, combined with the query in memory: `op` is and, xor or none.
        .macro vector op, to, row, offset
        .ifc    \op, none
        vmovdqu \to, [\row+\offset]
        .else
        vmovdqu \to, [at+\offset]
        vp\op   \to, \to, [\row+\offset]
        .endif
        .endm

// Calls a macro for each of 4 rows, or for one, with the indices of its sums and the row's address.
        .macro each number, statement, arguments:vararg
        \statement 0, 9, low, \arguments
        .if     \number > 1
        \statement 1, 10, low+stride, \arguments
        \statement 2, 11, high, \arguments
        \statement 3, 12, high+stride, \arguments
        .endif
        .endm

        .macro eight i, c, row, op
        vector  \op, ymm9, \row, 0
        vector  \op, ymm10, \row, 32
        vector  \op, ymm11, \row, 64
        full_adder ymm12, ymm9, ymm10, ymm11
        vector  \op, ymm10, \row, 96
        vector  \op, ymm11, \row, 128
        full_adder ymm13, ymm9, ymm10, ymm11
        vector  \op, ymm10, \row, 160
        vector  \op, ymm11, \row, 192
        full_adder ymm14, ymm9, ymm10, ymm11
        full_adder ymm10, ymm12, ymm13, ymm14
        vector  \op, ymm11, \row, 224

        // Two vectors of weight 1, one of 2 and one of 4: at most 64 in a byte.
        ones    ymm9, ymm15, by_1
        ones    ymm11, ymm13, by_1
        ones    ymm12, ymm14, by_2
        ones    ymm10, ymm15, by_4
        vpaddb  ymm9, ymm9, ymm11
        vpaddb  ymm12, ymm12, ymm10
        vpaddb  ymm9, ymm9, ymm12
        vpsadbw ymm9, ymm9, zero
        vpaddq  ymm\i, ymm\i, ymm9
        .endm

// The words of eight vectors of one row, without a query. Three of the vectors are counted by POPCNT,
// which takes one port a word, where a vector takes six ports.
#define sum_0       r13
#define sum_1       r14
#define sum_2       r15
#define sum_3       query
#define saved_singles [rsp + 40]
#define saved_rest  [rsp + 48]

        .macro three i, row, at
        popcnt  r11, [\row+\at]
        popcnt  rbp, [\row+\at+8]
        popcnt  r12, [\row+\at+16]
        add     \i, r11
        add     \i, rbp
        add     \i, r12
        .endm

        .macro mixed i, sum, row
        vmovdqu ymm9, [\row]
        vmovdqu ymm10, [\row+32]
        vmovdqu ymm11, [\row+64]
        three   \sum, \row, 160
        full_adder ymm12, ymm9, ymm10, ymm11
        vmovdqu ymm10, [\row+96]
        vmovdqu ymm11, [\row+128]
        three   \sum, \row, 184
        full_adder ymm13, ymm9, ymm10, ymm11
        three   \sum, \row, 208
        ones    ymm12, ymm14, by_2
        ones    ymm9, ymm15, by_1
        three   \sum, \row, 232
        ones    ymm13, ymm14, by_2
        vpaddb  ymm9, ymm9, ymm12
        vpaddb  ymm9, ymm9, ymm13
        vpsadbw ymm9, ymm9, zero
        vpaddq  ymm\i, ymm\i, ymm9
        .endm

// The popcount of each byte of a vector, combined with the query in a register.
        .macro single_ones op, to, t, row, masked=0
        .ifc    \op, none
        vmovdqu \to, [\row]
        .else
        vp\op   \to, of_query, [\row]
        .endif
        .if     \masked
        vpand   \to, \to, rest_mask
        .endif
        ones    \to, \t, by_1
        .endm

        .macro single i, c, row, op, masked=0
        single_ones \op, ymm14, ymm15, \row, \masked
        vpaddb  ymm\c, ymm\c, ymm14
        .endm

        .macro widen i, c, row, op
        vpsadbw ymm\c, ymm\c, zero
        vpaddq  ymm\i, ymm\i, ymm\c
        .endm

        .macro only i, c, row, op
        single_ones \op, ymm\i, ymm\c, \row
        vpsadbw ymm\i, ymm\i, zero
        .endm

// Stores the counts of 4 rows or of one, with the sums of words if `words` is 1, and goes on to the
// next rows. Rows left after the last whole strip are counted with its last ones.
        .macro store number, name, loop, words
        .if     \number > 1
        vshufps ymm0, ymm0, ymm1, 0x88
        vshufps ymm2, ymm2, ymm3, 0x88
        vphaddd ymm0, ymm0, ymm2
        vextracti128 xmm1, ymm0, 1
        vpaddd  xmm0, xmm0, xmm1
        vmovdqu [out], xmm0
        .else
        vextracti128 xmm1, ymm0, 1
        vpaddd  xmm0, xmm0, xmm1
        vpshufd xmm1, xmm0, 0x4e
        vpaddd  xmm0, xmm0, xmm1
        vmovd   [out], xmm0
        .endif
        .if     \words
        add     [out], r13d
        add     [out + 4], r14d
        add     [out + 8], r15d
        add     [out + 12], edi
        .endif
        lea     rows, [rows + \number*stride]
        add     out, 4*\number
        sub     n, \number
        jae     .L\loop\()_\number\()_\name
        .if     \number > 1
        lea     out, [out + 4*n]
        mov     rax, n
        imul    rax, stride
        add     rows, rax
        add     n, \number
        mov     eax, 0
        cmovnz  n, rax
        jnz     .L\loop\()_\number\()_\name
        .endif
        ret
        .endm

// Main loop: `number` rows per iteration while they last. On entry n is the row count minus `number`.
// Four rows without a query have sums of words too.
        .macro strips number, name, op
        .set    WORDS, 0
        .ifc    \op, none
        .set    WORDS, \number / 4
        .endif
.Lstrip_\number\()_\name:
        mov     low, rows
        lea     high, [rows + 2*stride]
        mov     at, query
        .irp    i, 0, 1, 2, 3
        .if     \i < \number
        vpxor   xmm\i, xmm\i, xmm\i
        .endif
        .endr
        .if     WORDS
        xor     r13d, r13d
        xor     r14d, r14d
        xor     r15d, r15d
        xor     edi, edi
        .endif
        mov     left, blocks
        test    left, left
        jz      .Lsingles_\number\()_\name

        // Blocks of eight vectors of each row.
        .balign 32
.Lblock_\number\()_\name:
        .if     WORDS
        mixed   0, sum_0, low
        mixed   1, sum_1, low+stride
        mixed   2, sum_2, high
        mixed   3, sum_3, high+stride
        .else
        each    \number, eight, \op
        .endif
        add     low, 256
        add     high, 256
        add     at, 256
        dec     left
        jnz     .Lblock_\number\()_\name
        .if     WORDS
        mov     singles, saved_singles
        mov     rest, saved_rest
        .endif

.Lsingles_\number\()_\name:
        mov     left, singles
        or      left, rest
        jz      .Lstore_\number\()_\name
        .irp    i, 9, 10, 11, 12
        .if     \i < 9 + \number
        vpxor   xmm\i, xmm\i, xmm\i
        .endif
        .endr
        mov     left, singles
        test    left, left
        jz      .Lrest_\number\()_\name
.Lsingle_\number\()_\name:
        .ifnc   \op, none
        vmovdqu of_query, [at]
        .endif
        each    \number, single, \op
        add     low, 32
        add     high, 32
        add     at, 32
        dec     left
        jnz     .Lsingle_\number\()_\name

.Lrest_\number\()_\name:
        test    rest, rest
        jz      .Lwiden_\number\()_\name
        lea     low, [low + rest - 32]
        lea     high, [high + rest - 32]
        lea     at, [at + rest - 32]
        .ifnc   \op, none
        vmovdqu of_query, [at]
        .endif
        each    \number, single, \op, 1
.Lwiden_\number\()_\name:
        each    \number, widen, \op
.Lstore_\number\()_\name:
        store   \number, \name, strip, WORDS
        .endm

        .macro count_rows name, op
        test    n, n
        jz      .Ldone_\name
        lea     rest, [bits + 7]
        shr     rest, 3
        jz      .Lempty_\name
        cmp     rest, 32
        jb      .Lshort_\name

        // The vectors; the mask of the last one is zero before its bytes.
        mov     singles, bits
        shr     singles, 8
        mov     rax, singles
        shl     rax, 5
        sub     rest, rax
        lea     rax, [rip + .Lends]
        vmovdqu ymm0, [rax + rest]
        vmovdqu rest_mask, ymm0
        neg     ecx
        and     ecx, 7
        mov     eax, 255
        shr     eax, cl
        and     [rsp + 39], al
        mov     blocks, singles
        shr     blocks, 3
        and     singles, 7
        .ifc    \op, none
        mov     saved_singles, singles
        mov     saved_rest, rest
        .endif
        vmovdqa by_1, [rip + .Lby_1]
        vpbroadcastb nibble, [rip + .Lnibble]
        vmovdqa by_2, [rip + .Lby_2]
        vmovdqa by_4, [rip + .Lby_4]
        vpxor   xmm8, xmm8, xmm8

        sub     n, 4
        jb      .Lfew_\name
        lea     rax, [singles - 1]
        or      rax, blocks
        or      rax, rest
        jnz     .Lstrip_4_\name

        // Four rows of one vector.
        mov     at, query
        .ifnc   \op, none
        vmovdqu of_query, [at]
        .endif
.Lonly_4_\name:
        mov     low, rows
        lea     high, [rows + 2*stride]
        each    4, only, \op
        store   4, \name, only, 0
        strips  4, \name, \op

        // Less than 4 rows.
.Lfew_\name:
        add     n, 3
        strips  1, \name, \op
.Ldone_\name:
        ret

        // Rows without bits.
.Lempty_\name:
        mov     [out], r12d
        add     out, 4
        dec     n
        jnz     .Lempty_\name
        ret
.Lshort_\name:
        short_rows \name, \op
        .endm

// The frame code is kept apart from the body: some assemblers accept CFI directives only at
// distances that they know when they read them.
        .macro frame name, bytes, saved:vararg
        .irp    register, \saved
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        sub     rsp, \bytes
        .cfi_adjust_cfa_offset \bytes
        call    .Lcount_\name
        add     rsp, \bytes
        .cfi_adjust_cfa_offset -\bytes
        .endm

        .macro restore registers:vararg
        .irp    register, \registers
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        vzeroupper
        ret
        .endm

// Counts the ones among the first `bits` bits of `n` rows: `counts[i]` for row i at `rows + i * stride`.
//
//   void hl_hamming_counts_avx2(const uint8_t *rows, size_t n, size_t bits, size_t stride,
//       uint32_t *counts);
//
// In      rdi = rows, rsi = n, rdx = bits, rcx = stride, r8 = counts     Out  counts[0..n]
// Uses    rax, rcx, rdx, rdi, rbx, rbp, rsi, r8..r15, ymm0..ymm15     Stack  104 bytes
// Loop    8 vectors of 4 rows; 32 operations a row on vectors and 12 POPCNT, which share three ports
//         of Intel CPUs (14.7 cycles a row of 2048 bits); on Zen 4 bound by dispatch
// Tail    single vectors; the last vector ends with the row; rows of less than 32 bytes by words
FUNC(hl_hamming_counts_avx2)
        mov     r9, r8
        mov     r8, rcx
        mov     rcx, rdx
        mov     rdx, rsi
        mov     rsi, rdi
        frame   counts, 48, rbx, rbp, r12, r13, r14, r15
        restore r15, r14, r13, r12, rbp, rbx
.Lcount_counts:
        count_rows counts, none
END(hl_hamming_counts_avx2)

// Counts the ones that `n` rows share with a query: `out[i]` is the number of bits among the first
// `bits` that are 1 in the query and in row i at `rows + i * stride`.
//
//   void hl_hamming_shared_avx2(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits,
//       size_t stride, uint32_t *out);
//
// In      rdi = query, rsi = rows, rdx = n, rcx = bits, r8 = stride, r9 = out     Out  out[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r9..r12, ymm0..ymm15     Stack  64 bytes
// Loop    8 vectors of 4 rows; 58 operations a row; bound by the vector pipes, four a cycle on Zen 4
//         (14.5 cycles a row of 2048 bits)
// Tail    single vectors; the last vector ends with the row; rows of less than 32 bytes by words
FUNC(hl_hamming_shared_avx2)
        frame   shared, 32, rbx, rbp, r12
        restore r12, rbp, rbx
.Lcount_shared:
        count_rows shared, and
END(hl_hamming_shared_avx2)

// Counts the bits in which `n` rows differ from a query: `out[i]` is the number of bits among the
// first `bits` that are not the same in the query and in row i at `rows + i * stride`.
//
//   void hl_hamming_differing_avx2(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits,
//       size_t stride, uint32_t *out);
//
// In      rdi = query, rsi = rows, rdx = n, rcx = bits, r8 = stride, r9 = out     Out  out[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r9..r12, ymm0..ymm15     Stack  64 bytes
// Loop    8 vectors of 4 rows; 58 operations a row; bound by the vector pipes, four a cycle on Zen 4
//         (14.5 cycles a row of 2048 bits)
// Tail    single vectors; the last vector ends with the row; rows of less than 32 bytes by words
FUNC(hl_hamming_differing_avx2)
        frame   differing, 32, rbx, rbp, r12
        restore r12, rbp, rbx
.Lcount_differing:
        count_rows differing, xor
END(hl_hamming_differing_avx2)

RODATA
        tables
        // 32 bytes from offset k on: the last k are set.
.Lends:
        .fill   32, 1, 0
        .fill   32, 1, 255
