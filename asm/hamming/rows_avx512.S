// Kernels of single rows, with AVX-512 but without VPOPCNT: the instances of one template. A full
// adder reduces three vectors to two before a nibble table counts.

#include "hl.h"
#include "rows_avx512.h"

#define by_1        zmm24
#define by_2        zmm25
#define nibble      zmm26
#define zero        zmm27

// Functions of three bits for vpternlog: exclusive or, and majority.
#define XOR         0x96
#define MAJORITY    0xe8

        .macro constants
        vbroadcasti32x4 by_1, [rip + .Lby_1]
        vpaddb  by_2, by_1, by_1
        vpbroadcastd nibble, [rip + .Lnibble]
        vpxord  zero, zero, zero
        .endm

// The popcount of each byte of v, times a weight.
        .macro ones v, t, by, mask
        vpsrlw  \t, \v, 4
        vpandq  \v, \v, \mask
        vpandq  \t, \t, \mask
        vpshufb \v, \by, \v
        vpshufb \t, \by, \t
        vpaddb  \v, \v, \t
        .endm

        .macro count v, t
        .ifc    \v, ymm8
        ones    \v, \t, ymm24, ymm26
        vpsadbw \v, \v, ymm27
        .else
        ones    \v, \t, by_1, nibble
        vpsadbw \v, \v, zero
        .endif
        .endm

// A full adder reduces three vectors to two.
        .macro four i, row, op
        vector  \op, zmm8, \row, 0
        vector  \op, zmm9, \row, 64
        vector  \op, zmm10, \row, 128
        vector  \op, zmm11, \row, 192
        vmovdqa64 zmm12, zmm8
        vpternlogq zmm12, zmm9, zmm10, MAJORITY
        vpternlogq zmm8, zmm9, zmm10, XOR
        ones    zmm12, zmm13, by_2, nibble
        ones    zmm8, zmm9, by_1, nibble
        ones    zmm11, zmm10, by_1, nibble
        vpaddb  zmm8, zmm8, zmm12
        vpaddb  zmm8, zmm8, zmm11
        vpsadbw zmm8, zmm8, zero
        vpaddq  zmm\i, zmm\i, zmm8
        .endm

// Counts the ones among the first `bits` bits of `n` rows: `counts[i]` for row i at `rows + i * stride`.
//
//   void hl_hamming_counts_avx512(const uint8_t *rows, size_t n, size_t bits, size_t stride,
//       uint32_t *counts);
//
// In      rdi = rows, rsi = n, rdx = bits, rcx = stride, r8 = counts     Out  counts[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r8..r13, zmm0..zmm13, zmm15, zmm24..zmm27, k1, k2     Stack  32 bytes
// Loop    4 vectors of 8 rows; 24 operations a row; bound by the vector pipes, two a cycle (12 cycles)
// Tail    single vectors; the last one under a mask
FUNC(hl_hamming_counts_avx512)
        mov     r9, r8
        mov     r8, rcx
        mov     rcx, rdx
        mov     rdx, rsi
        mov     rsi, rdi
        count_rows counts, none
END(hl_hamming_counts_avx512)

// Counts the ones that `n` rows share with a query: `out[i]` is the number of bits among the first
// `bits` that are 1 in the query and in row i at `rows + i * stride`.
//
//   void hl_hamming_shared_avx512(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits,
//       size_t stride, uint32_t *out);
//
// In      rdi = query, rsi = rows, rdx = n, rcx = bits, r8 = stride, r9 = out     Out  out[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r9..r13, zmm0..zmm16, zmm24..zmm27, k1, k2     Stack  32 bytes
// Loop    4 vectors of 8 rows; 28 operations a row; bound by the vector pipes, two a cycle (14 cycles)
// Tail    single vectors; the last one under a mask
FUNC(hl_hamming_shared_avx512)
        count_rows shared, and
END(hl_hamming_shared_avx512)

// Counts the bits in which `n` rows differ from a query: `out[i]` is the number of bits among the
// first `bits` that are not the same in the query and in row i at `rows + i * stride`.
//
//   void hl_hamming_differing_avx512(const uint8_t *query, const uint8_t *rows, size_t n, size_t bits,
//       size_t stride, uint32_t *out);
//
// In      rdi = query, rsi = rows, rdx = n, rcx = bits, r8 = stride, r9 = out     Out  out[0..n]
// Uses    rax, rcx, rdx, rbx, rbp, rsi, r9..r13, zmm0..zmm16, zmm24..zmm27, k1, k2     Stack  32 bytes
// Loop    4 vectors of 8 rows; 28 operations a row; bound by the vector pipes, two a cycle (14 cycles)
// Tail    single vectors; the last one under a mask
FUNC(hl_hamming_differing_avx512)
        count_rows differing, xor
END(hl_hamming_differing_avx512)

RODATA
        .balign 16
.Lby_1:                                 // popcount of each nibble
        .byte   0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4
.Lnibble:                               // the lower nibble of each byte
        .long   0x0f0f0f0f
