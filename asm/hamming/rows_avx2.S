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

// Combinations with the query: of words, of vectors with the query in memory, and in a register.
        .macro combine_and word, other
        and     \word, \other
        .endm

        .macro combine_xor word, other
        xor     \word, \other
        .endm

        .macro combine_none word, other
        .endm

        .macro vector_and to, row, offset
        vmovdqu \to, [at+\offset]
        vpand   \to, \to, [\row+\offset]
        .endm

        .macro vector_xor to, row, offset
        vmovdqu \to, [at+\offset]
        vpxor   \to, \to, [\row+\offset]
        .endm

        .macro vector_none to, row, offset
        vmovdqu \to, [\row+\offset]
        .endm

        .macro single_and to, row
        vpand   \to, of_query, [\row]
        .endm

        .macro single_xor to, row
        vpxor   \to, of_query, [\row]
        .endm

        .macro single_none to, row
        vmovdqu \to, [\row]
        .endm

        .macro load_none
        .endm

        .macro load_and
        vmovdqu of_query, [at]
        .endm

        .macro load_xor
        vmovdqu of_query, [at]
        .endm

#include "short_rows.h"

// Calls a macro for each of 4 rows, or for one, with the indices of its sums and the row's address.
        .macro each_4 statement, op
        \statement 0, 9, low, \op
        \statement 1, 10, low+stride, \op
        \statement 2, 11, high, \op
        \statement 3, 12, high+stride, \op
        .endm

        .macro each_1 statement, op
        \statement 0, 9, low, \op
        .endm

        .macro clear i, c, row, op
        vpxor   xmm\i, xmm\i, xmm\i
        .endm

        .macro clear_bytes i, c, row, op
        vpxor   xmm\c, xmm\c, xmm\c
        .endm

        .macro eight i, c, row, op
        vector_\op ymm9, \row, 0
        vector_\op ymm10, \row, 32
        vector_\op ymm11, \row, 64
        full_adder ymm12, ymm9, ymm10, ymm11
        vector_\op ymm10, \row, 96
        vector_\op ymm11, \row, 128
        full_adder ymm13, ymm9, ymm10, ymm11
        vector_\op ymm10, \row, 160
        vector_\op ymm11, \row, 192
        full_adder ymm14, ymm9, ymm10, ymm11
        full_adder ymm10, ymm12, ymm13, ymm14
        vector_\op ymm11, \row, 224

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

// Blocks of eight vectors of each row.
        .macro blocks_1 name, op
        .balign 32
.Lblock_1_\name:
        eight   0, 9, low, \op
        step    8
        dec     left
        jnz     .Lblock_1_\name
        .endm

        .macro blocks_4 name, op
        .balign 32
.Lblock_4_\name:
        .ifc    \op, none
        mixed   0, sum_0, low
        mixed   1, sum_1, low+stride
        mixed   2, sum_2, high
        mixed   3, sum_3, high+stride
        .else
        each_4  eight, \op
        .endif
        step    8
        dec     left
        jnz     .Lblock_4_\name
        .endm

        .macro single i, c, row, op
        single_\op ymm14, \row
        ones    ymm14, ymm15, by_1
        vpaddb  ymm\c, ymm\c, ymm14
        .endm

        .macro last i, c, row, op
        single_\op ymm14, \row
        vpand   ymm14, ymm14, rest_mask
        ones    ymm14, ymm15, by_1
        vpaddb  ymm\c, ymm\c, ymm14
        .endm

        .macro widen i, c, row, op
        vpsadbw ymm\c, ymm\c, zero
        vpaddq  ymm\i, ymm\i, ymm\c
        .endm

        .macro only i, c, row, op
        single_\op ymm\i, \row
        ones    ymm\i, ymm\c, by_1
        vpsadbw ymm\i, ymm\i, zero
        .endm

        .macro step vectors
        add     low, 32*\vectors
        add     high, 32*\vectors
        add     at, 32*\vectors
        .endm

// The next rows. Rows that are left after the last whole strip are counted with the last ones of it.
        .macro next number, name, loop
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

        .macro store_4
        vshufps ymm0, ymm0, ymm1, 0x88
        vshufps ymm2, ymm2, ymm3, 0x88
        vphaddd ymm0, ymm0, ymm2
        vextracti128 xmm1, ymm0, 1
        vpaddd  xmm0, xmm0, xmm1
        vmovdqu [out], xmm0
        .endm

        .macro store_1
        vextracti128 xmm1, ymm0, 1
        vpaddd  xmm0, xmm0, xmm1
        vpshufd xmm1, xmm0, 0x4e
        vpaddd  xmm0, xmm0, xmm1
        vmovd   [out], xmm0
        .endm

// The sums of words, which four rows without a query have.
        .macro clear_words_1 op
        .endm

        .macro restore_1 op
        .endm

        .macro add_words_1 op
        .endm

        .macro clear_words_4 op
        .ifc    \op, none
        xor     r13d, r13d
        xor     r14d, r14d
        xor     r15d, r15d
        xor     edi, edi
        .endif
        .endm

        .macro restore_4 op
        .ifc    \op, none
        mov     singles, saved_singles
        mov     rest, saved_rest
        .endif
        .endm

        .macro add_words_4 op
        .ifc    \op, none
        add     [out], r13d
        add     [out + 4], r14d
        add     [out + 8], r15d
        add     [out + 12], edi
        .endif
        .endm

// Main loop: `number` rows per iteration while they last. On entry n is the row count minus `number`.
        .macro strips number, name, op
.Lstrip_\number\()_\name:
        mov     low, rows
        lea     high, [rows + 2*stride]
        mov     at, query
        each_\number clear, \op
        clear_words_\number \op
        mov     left, blocks
        test    left, left
        jz      .Lsingles_\number\()_\name
        blocks_\number \name, \op
        restore_\number \op

.Lsingles_\number\()_\name:
        mov     left, singles
        or      left, rest
        jz      .Lstore_\number\()_\name
        each_\number clear_bytes, \op
        mov     left, singles
        test    left, left
        jz      .Lrest_\number\()_\name
.Lsingle_\number\()_\name:
        load_\op
        each_\number single, \op
        step    1
        dec     left
        jnz     .Lsingle_\number\()_\name

.Lrest_\number\()_\name:
        test    rest, rest
        jz      .Lwiden_\number\()_\name
        lea     low, [low + rest - 32]
        lea     high, [high + rest - 32]
        lea     at, [at + rest - 32]
        load_\op
        each_\number last, \op
.Lwiden_\number\()_\name:
        each_\number widen, \op
.Lstore_\number\()_\name:
        store_\number
        add_words_\number \op
        next    \number, \name, strip
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
        load_\op
.Lonly_4_\name:
        mov     low, rows
        lea     high, [rows + 2*stride]
        each_4  only, \op
        store_4
        next    4, \name, only
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
