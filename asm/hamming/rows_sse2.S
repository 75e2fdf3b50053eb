// Kernels of single rows, with SSE2: the instances of one template.
//
// Full adders reduce seven vectors of a row to three. The last vector ends with the row; a mask
// omits bits that other vectors hold. A short row is its first bytes and its last ones.

#include "hl.h"
#include "counters_sse2.h"

#define query       rdi
#define rows        rsi
#define n           rdx
#define bits        rcx
#define stride      r8
#define out         r9

// The next vector of the row and of the query.
#define row         rax
#define at          r11

// The vectors of a row: blocks of 8, single ones, and a last one with `rest` bytes if not 0. A short
// row has less than a vector.
#define left        rcx
#define blocks      rbx
#define singles     rbp
#define rest        r10
#define bytes       r10

#define sum         xmm0
#define byte_sums   xmm10
#define of_query    xmm11
#define rest_mask   xmm12

// A vector of the row, combined with the query: `op` is and, xor or none.
        .macro vector op, to, offset
        movdqu  \to, [row+\offset]
        .ifnc   \op, none
        movdqu  xmm9, [at+\offset]
        p\op    \to, xmm9
        .endif
        .endm

// The first and the last bytes of a row in the halves of a vector.
        .macro piece size, to, row
        .if     \size == 8
        movq    \to, qword ptr [\row]
        movq    xmm9, qword ptr [\row+bytes-8]
        .elseif \size == 4
        movd    \to, dword ptr [\row]
        movd    xmm9, dword ptr [\row+bytes-4]
        .elseif \size == 2
        movzx   eax, word ptr [\row]
        movzx   r11d, word ptr [\row+bytes-2]
        movd    \to, eax
        movd    xmm9, r11d
        .else
        movzx   eax, byte ptr [\row]
        movd    \to, eax
        punpcklqdq \to, \to
        .endif
        .if     \size > 1
        punpcklqdq \to, xmm9
        .endif
        .endm

        .macro count_rows name, op
        test    n, n
        jz      .Lnone_\name
        push    rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbx, 0
        push    rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        movdqa  mask_1, [rip + .Lmask_1]
        movdqa  mask_2, [rip + .Lmask_2]
        movdqa  mask_4, [rip + .Lmask_4]
        lea     bytes, [bits + 7]
        shr     bytes, 3
        jz      .Lempty_\name
        mov     singles, bits
        shr     singles, 7

        // ecx = the unused bits of the last byte.
        neg     ecx
        and     ecx, 7
        cmp     bytes, 16
        jb      .Lshort_\name

        // The vectors; the mask of the last one is zero before its bytes.
        mov     rax, singles
        shl     rax, 4
        sub     rest, rax
        lea     rax, [rip + .Lends]
        movdqu  rest_mask, [rax + rest]
        mov     rax, -1
        shr     rax, cl
        movq    xmm1, rax
        pcmpeqb xmm2, xmm2
        punpcklqdq xmm2, xmm1
        pand    rest_mask, xmm2
        mov     blocks, singles
        shr     blocks, 3
        and     singles, 7

.Lrow_\name:
        mov     row, rows
        mov     at, query
        pxor    sum, sum
        mov     left, blocks
        test    left, left
        jz      .Lsingles_\name

        // Full adders reduce seven vectors to vectors of weight 1, 2 and 4.
        .balign 32
.Lblock_\name:
        vector  \op, xmm1, 0
        vector  \op, xmm2, 16
        vector  \op, xmm3, 32
        full_adder xmm1, xmm2, xmm3
        vector  \op, xmm2, 48
        vector  \op, xmm4, 64
        full_adder xmm3, xmm2, xmm4
        vector  \op, xmm2, 80
        vector  \op, xmm5, 96
        full_adder xmm4, xmm2, xmm5
        full_adder xmm1, xmm3, xmm4
        vector  \op, xmm2, 112

        // Nibbles of two vectors are at most 8 (weights 1, 1) and 12 (2, 4).
        sum_bits xmm5, xmm6
        sum_bits xmm2, xmm7
        sum_bits xmm4, xmm8
        sum_bits xmm1, xmm9
        sum_fields 2, mask_2, xmm5, xmm6
        sum_fields 2, mask_2, xmm2, xmm7
        sum_fields 2, mask_2, xmm4, xmm8
        sum_fields 2, mask_2, xmm1, xmm9
        paddb   xmm1, xmm1
        paddb   xmm5, xmm2
        paddb   xmm4, xmm1
        sum_fields 4, mask_4, xmm5, xmm6
        sum_fields 4, mask_4, xmm4, xmm7
        pxor    xmm1, xmm1
        paddb   xmm4, xmm4
        paddb   xmm5, xmm4
        psadbw  xmm5, xmm1
        paddq   sum, xmm5
        sub     row, -128
        sub     at, -128
        dec     left
        jnz     .Lblock_\name

.Lsingles_\name:
        pxor    byte_sums, byte_sums
        mov     left, singles
        test    left, left
        jz      .Lrest_\name
.Lsingle_\name:
        vector  \op, xmm1, 0
        sum_bits xmm1, xmm2
        sum_fields 2, mask_2, xmm1, xmm2
        sum_fields 4, mask_4, xmm1, xmm2
        paddb   byte_sums, xmm1
        add     row, 16
        add     at, 16
        dec     left
        jnz     .Lsingle_\name

.Lrest_\name:
        test    rest, rest
        jz      .Lstore_\name
        lea     row, [row + rest - 16]
        lea     at, [at + rest - 16]
        vector  \op, xmm1, 0
        pand    xmm1, rest_mask
        sum_bits xmm1, xmm2
        sum_fields 2, mask_2, xmm1, xmm2
        sum_fields 4, mask_4, xmm1, xmm2
        paddb   byte_sums, xmm1
.Lstore_\name:
        pxor    xmm1, xmm1
        psadbw  byte_sums, xmm1
        paddq   sum, byte_sums
        pshufd  xmm1, sum, 0x4e
        paddd   xmm1, sum
        movd    dword ptr [out], xmm1
        add     rows, stride
        add     out, 4
        dec     n
        jnz     .Lrow_\name
        jmp     .Ldone_\name

.Lshort_\name:
        cmp     bytes, 8
        jae     .Lpieces_\name\()_8
        cmp     bytes, 4
        jae     .Lpieces_\name\()_4
        cmp     bytes, 2
        jae     .Lpieces_\name\()_2

        // Rows of `size` to 2 `size` - 1 bytes. The mask omits first bytes that are among the last.
        .irp    size, 1, 2, 4, 8
.Lpieces_\name\()_\size:
        mov     rax, -1
        add     ecx, 64 - 8*\size
        shr     rax, cl
        movq    xmm1, rax
        lea     ecx, [8*r10 - 8*\size]
        mov     eax, 1
        shl     rax, cl
        dec     rax
        movq    rest_mask, rax
        punpcklqdq rest_mask, xmm1
        piece   \size, of_query, query
.Lpiece_\name\()_\size:
        piece   \size, xmm1, rows
        .ifnc   \op, none
        p\op    xmm1, of_query
        .endif
        pand    xmm1, rest_mask
        sum_bits xmm1, xmm2
        sum_fields 2, mask_2, xmm1, xmm2
        sum_fields 4, mask_4, xmm1, xmm2
        pxor    xmm0, xmm0
        psadbw  sum, xmm1
        pshufd  xmm1, sum, 0x4e
        paddd   xmm1, sum
        movd    dword ptr [out], xmm1
        add     rows, stride
        add     out, 4
        dec     n
        jnz     .Lpiece_\name\()_\size
        jmp     .Ldone_\name
        .endr

        // Rows without bits.
.Lempty_\name:
        mov     [out], r10d
        add     out, 4
        dec     n
        jnz     .Lempty_\name

.Ldone_\name:
        pop     rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbp
        pop     rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbx
.Lnone_\name:
        ret
        .endm

// Counts the ones among the first `bits` bits of `n` rows: `counts[i]` for row i at `rows + i * stride`.
//
//   void hl_hamming_counts_sse2(const uint8_t *rows, size_t n, size_t bits, size_t stride,
//       uint32_t *counts);
//
// In      rdi = rows, rsi = n, rdx = bits, rcx = stride, r8 = counts     Out  counts[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r8..r11, xmm0..xmm15     Stack  16 bytes
// Loop    8 vectors; 75 operations and 8 loads; bound by issue, four a cycle (21 cycles for 1024 bits)
// Tail    single vectors; the last vector ends with the row
FUNC(hl_hamming_counts_sse2)
        mov     r9, r8
        mov     r8, rcx
        mov     rcx, rdx
        mov     rdx, rsi
        mov     rsi, rdi
        count_rows counts, none
END(hl_hamming_counts_sse2)

// Counts the ones that `n` rows share with a query: `out[i]` is the number of bits among the first
// `bits` that are 1 in the query and in row i at `rows + i * stride`.
//
//   void hl_hamming_shared_sse2(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits,
//       size_t stride, uint32_t *out);
//
// In      rdi = query, rsi = rows, rdx = n, rcx = bits, r8 = stride, r9 = out     Out  out[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r9..r11, xmm0..xmm15     Stack  16 bytes
// Loop    8 vectors; 83 operations and 16 loads; bound by issue, four a cycle (25 cycles for 1024 bits)
// Tail    single vectors; the last vector ends with the row
FUNC(hl_hamming_shared_sse2)
        count_rows shared, and
END(hl_hamming_shared_sse2)

// Counts the bits in which `n` rows differ from a query: `out[i]` is the number of bits among the
// first `bits` that are not the same in the query and in row i at `rows + i * stride`.
//
//   void hl_hamming_differing_sse2(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits,
//       size_t stride, uint32_t *out);
//
// In      rdi = query, rsi = rows, rdx = n, rcx = bits, r8 = stride, r9 = out     Out  out[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r9..r11, xmm0..xmm15     Stack  16 bytes
// Loop    8 vectors; 83 operations and 16 loads; bound by issue, four a cycle (25 cycles for 1024 bits)
// Tail    single vectors; the last vector ends with the row
FUNC(hl_hamming_differing_sse2)
        count_rows differing, xor
END(hl_hamming_differing_sse2)

RODATA
        masks
        // 16 bytes from offset k on: the last k are set.
.Lends:
        .fill   16, 1, 0
        .fill   16, 1, 255
