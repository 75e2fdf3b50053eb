// Adds the rows of up to 64 flipped spins to the local fields.
//
//   void hl_ising_dense_update_avx2(int16_t *fields, size_t columns, const int8_t *couplings,
//       size_t stride, uint64_t spins, uint64_t flips, size_t depth);
//
// In      rdi = fields, rsi = columns, rdx = couplings, rcx = stride, r8 = spins, r9 = flips,
//         [rsp+8] = depth                   Out  fields[0..columns]
// Uses    rax, rcx, rdx, rsi, rdi, r8..r11, ymm0..ymm8     Stack  512 bytes
// Loop    1 row: 256 columns in 8 vectors of bytes, which are added to the fields after `depth` rows;
//         bound by the loads from the second-level cache. With a depth below 4, 128 columns in 8
//         vectors of words; bound by the extensions (8 cycles)
// Tail    64 columns at a time; reads exactly the rows of `flips`

#include "hl.h"

#define BYTES       32
#include "dense_update_x86_64.h"

        // Adds or subtracts vector n of a row: 32 columns if sums are in bytes, 16 if they are in words.
        .macro accumulate words, op, n
        .if     \words
        vpmovsxbw ymm8, [couplings + row + 16 * \n]
        vp\op\()w ymm\n, ymm\n, ymm8
        .else
        vp\op\()b ymm\n, ymm\n, [couplings + row + 32 * \n]
        .endif
        .endm

        // Adds twice the sums to the fields.
        .macro flush words, n
        .if     \words
        vpaddw  ymm\n, ymm\n, ymm\n
        vpaddw  ymm\n, ymm\n, [fields + 32 * \n]
        vmovdqu [fields + 32 * \n], ymm\n
        .else
        vpmovsxbw ymm8, xmm\n
        vextracti128 xmm\n, ymm\n, 1
        vpaddw  ymm8, ymm8, ymm8
        vpmovsxbw ymm\n, xmm\n
        vpaddw  ymm8, ymm8, [fields + 64 * \n]
        vpaddw  ymm\n, ymm\n, ymm\n
        vmovdqu [fields + 64 * \n], ymm8
        vpaddw  ymm\n, ymm\n, [fields + 64 * \n + 32]
        vmovdqu [fields + 64 * \n + 32], ymm\n
        .endif
        .endm

FUNC(hl_ising_dense_update_avx2)
        list_rows
        pieces  bytes_256, 0, 256, 0, 1, 2, 3, 4, 5, 6, 7
        pieces  bytes_64, 0, 64, 0, 1
        jmp     .Ldone

        // All rows in one run of words.
.Lwide:
        mov     depth, 512
        pieces  words_128, 1, 128, 0, 1, 2, 3, 4, 5, 6, 7
        pieces  words_64, 1, 64, 0, 1, 2, 3
.Ldone:
        add     rsp, 512
        .cfi_adjust_cfa_offset -512
        vzeroupper
        ret
END(hl_ising_dense_update_avx2)
