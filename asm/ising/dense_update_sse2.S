// Adds the rows of up to 64 flipped spins to the local fields.
//
//   void hl_ising_dense_update_sse2(int16_t *fields, size_t columns, const int8_t *couplings,
//       size_t stride, uint64_t spins, uint64_t flips, size_t depth);
//
// In      rdi = fields, rsi = columns, rdx = couplings, rcx = stride, r8 = spins, r9 = flips,
//         [rsp+8] = depth                   Out  fields[0..columns]
// Uses    rax, rcx, rdx, rsi, rdi, r8..r11, xmm0..xmm9     Stack  512 bytes
// Loop    1 row: 128 columns in 8 vectors of bytes, which are added to the fields after `depth` rows;
//         bound by the loads. With a depth below 4, 64 columns in 8 vectors of words; bound by issue
// Tail    64 columns at a time; reads exactly the rows of `flips`

#include "hl.h"

#define BYTES       16
#include "dense_update_x86_64.h"

        // Adds or subtracts vector n of a row: 16 columns if sums are in bytes, 8 of twice the row if they
        // are in words.
        .macro accumulate words, op, n
        .if     \words
        pxor    xmm9, xmm9
        movq    xmm8, [couplings + row + 8 * \n]
        punpcklbw xmm9, xmm8
        psraw   xmm9, 7
        p\op\()w xmm\n, xmm9
        .else
        movdqu  xmm8, [couplings + row + 16 * \n]
        p\op\()b xmm\n, xmm8
        .endif
        .endm

        // Adds twice the sums in bytes, or the sums in words, to the fields.
        .macro flush words, n
        .if     \words
        movdqu  xmm8, [fields + 16 * \n]
        paddw   xmm\n, xmm8
        movdqu  [fields + 16 * \n], xmm\n
        .else
        // Twice a byte is a word with the byte in its upper half, shifted down by 7.
        pxor    xmm8, xmm8
        pxor    xmm9, xmm9
        punpcklbw xmm8, xmm\n
        punpckhbw xmm9, xmm\n
        psraw   xmm8, 7
        psraw   xmm9, 7
        movdqu  xmm\n, [fields + 32 * \n]
        paddw   xmm8, xmm\n
        movdqu  xmm\n, [fields + 32 * \n + 16]
        paddw   xmm9, xmm\n
        movdqu  [fields + 32 * \n], xmm8
        movdqu  [fields + 32 * \n + 16], xmm9
        .endif
        .endm

FUNC(hl_ising_dense_update_sse2)
        list_rows
        pieces  bytes_128, 0, 128, 0, 1, 2, 3, 4, 5, 6, 7
        pieces  bytes_64, 0, 64, 0, 1, 2, 3
        jmp     .Ldone

        // All rows in one run of words.
.Lwide:
        mov     depth, 512
        pieces  words_64, 1, 64, 0, 1, 2, 3, 4, 5, 6, 7
.Ldone:
        add     rsp, 512
        .cfi_adjust_cfa_offset -512
        ret
END(hl_ising_dense_update_sse2)
