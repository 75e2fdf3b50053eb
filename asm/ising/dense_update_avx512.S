// Adds the rows of up to 64 flipped spins to the local fields.
//
//   void hl_ising_dense_update_avx512(int16_t *fields, size_t columns, const int8_t *couplings,
//       size_t stride, uint64_t spins, uint64_t flips, size_t depth);
//
// In      rdi = fields, rsi = columns, rdx = couplings, rcx = stride, r8 = spins, r9 = flips,
//         [rsp+8] = depth                   Out  fields[0..columns]
// Uses    rax, rcx, rdx, rsi, rdi, r8..r11, zmm0..zmm8     Stack  512 bytes
// Loop    1 row: 256 columns in 4 vectors of bytes, which are added to the fields after `depth` rows;
//         bound by the loads from the second-level cache. With a depth below 4, 256 columns in 8
//         vectors of words; bound by the extensions (8 cycles)
// Tail    64 columns at a time; reads exactly the rows of `flips`

#include "hl.h"

#define BYTES       64
#include "dense_update_x86_64.h"

        // Adds or subtracts vector n of a row: 64 columns if sums are in bytes, 32 if they are in words.
        .macro accumulate words, op, n
        .if     \words
        vpmovsxbw zmm8, [couplings + row + 32 * \n]
        vp\op\()w zmm\n, zmm\n, zmm8
        .else
        vp\op\()b zmm\n, zmm\n, [couplings + row + 64 * \n]
        .endif
        .endm

        // Adds twice the sums to the fields.
        .macro flush words, n
        .if     \words
        vpaddw  zmm\n, zmm\n, zmm\n
        vpaddw  zmm\n, zmm\n, [fields + 64 * \n]
        vmovdqu64 [fields + 64 * \n], zmm\n
        .else
        vpmovsxbw zmm8, ymm\n
        vextracti64x4 ymm\n, zmm\n, 1
        vpaddw  zmm8, zmm8, zmm8
        vpmovsxbw zmm\n, ymm\n
        vpaddw  zmm8, zmm8, [fields + 128 * \n]
        vpaddw  zmm\n, zmm\n, zmm\n
        vmovdqu64 [fields + 128 * \n], zmm8
        vpaddw  zmm\n, zmm\n, [fields + 128 * \n + 64]
        vmovdqu64 [fields + 128 * \n + 64], zmm\n
        .endif
        .endm

FUNC(hl_ising_dense_update_avx512)
        list_rows
        pieces  bytes_256, 0, 256, 0, 1, 2, 3
        pieces  bytes_64, 0, 64, 0
        jmp     .Ldone

        // All rows in one run of words.
.Lwide:
        mov     depth, 512
        pieces  words_256, 1, 256, 0, 1, 2, 3, 4, 5, 6, 7
        pieces  words_64, 1, 64, 0, 1
.Ldone:
        add     rsp, 512
        .cfi_adjust_cfa_offset -512
        vzeroupper
        ret
END(hl_ising_dense_update_avx512)
