// Distances of the 32 planes of 2048 bits of a block in tiles: `distances[32 i + j]` for i < j is the number of
// bits in which planes i and j differ, and `distances[33 i]` the number of ones of plane i.
//
//   void hl_hamming_slices_avx512icl(const uint8_t *tiles, uint32_t *distances);
//
// In      rdi = tiles, rsi = distances      Out  distances[32 i + j] for i <= j
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm17, zmm19..zmm28, k1, k2     Stack  4168 bytes
// Loop    4 tiles, 8 planes against 8 others; a chain of full adders. Its sums are linear: they are differences of
//         per-plane sums, which are computed once. Its carries are counted: 5 operations for 2 words of 8 pairs;
//         bound by the vector pipes, 2 operations a cycle (40 cycles). Not measured; llvm-mca: 40.0 cycles, in all
//         2990 on Zen 4 and 3040 on Sapphire Rapids
// Tail    none

#include "hl.h"

#define tiles       rdi
#define parities    rdx
#define tile        rax
#define parity      rcx
#define column      r8
#define row         r9
#define out         r10
#define left        esi
#define frame       r11
#define distances   qword ptr [parities + 4096]

#define first       zmm8
#define sum         zmm9
#define difference  zmm28

// Functions of three bits for vpternlog: the exclusive or, and the carry of a full adder from the
// old sum, the first word and the new sum.
#define XOR         0x96
#define CARRY       0xd4

// Counts the carries of two tiles, the 8 planes of a column against those of a row. The sums of row i alternate
// between zmm1i and zmm2i.
        .macro square_two before, after, at
        vmovdqu64 first, [tile + column + 2*\at]
        vmovdqa64 sum, [parity + column + \at]
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpxorq  difference, first, qword ptr [tile + row + 2*\at + 8*\i]{1to8}
        vpxorq  zmm\after\i, sum, qword ptr [parity + row + \at + 8*\i]{1to8}
        vpternlogq zmm\before\i, difference, zmm\after\i, CARRY
        vpopcntq zmm\before\i, zmm\before\i
        vpaddq  zmm\i, zmm\i, zmm\before\i
        .endr
        .endm

// Two tiles, the 8 planes of a column: their sums, and each plane against the planes 1 to 4 places
// further on, modulo 8. At distance 4 there are only 4 pairs, half a vector.
        .macro triangle_two before, after, at
        vmovdqu64 first, [tile + column + 2*\at]
        vmovdqu64 zmm\after\()0, [tile + column + 2*\at + 256]
        vpternlogq zmm\after\()0, first, zmm\before\()0, XOR
        vmovdqa64 [parity + column + \at], zmm\after\()0
        .irp    i, 1, 2, 3
        valignq difference, first, first, \i
        valignq zmm\after\i, zmm\after\()0, zmm\after\()0, \i
        vpxorq  difference, difference, first
        vpxorq  zmm\after\i, zmm\after\i, zmm\after\()0
        vpternlogq zmm\before\i, difference, zmm\after\i, CARRY
        vpopcntq zmm\before\i, zmm\before\i
        vpaddq  zmm\i, zmm\i, zmm\before\i
        .endr
        vpxorq  ymm28, ymm8, [tile + column + 2*\at + 32]
        vpxorq  ymm\after\()4, ymm\after\()0, [parity + column + \at + 32]
        vpternlogq ymm\before\()4, ymm28, ymm\after\()4, CARRY
        vpopcntq ymm\before\()4, ymm\before\()4
        vpaddq  ymm4, ymm4, ymm\before\()4
        vpternlogq zmm\before\()0, first, zmm\after\()0, CARRY
        vpopcntq zmm\before\()0, zmm\before\()0
        vpaddq  zmm0, zmm0, zmm\before\()0
        .endm

// Counts over all tiles.
        .macro all two, last
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if \i <= \last
        vpxord  zmm\i, zmm\i, zmm\i
        vpxord  zmm1\i, zmm1\i, zmm1\i
        .endif
        .endr
        mov     tile, tiles
        mov     parity, parities
        mov     left, 8
        .balign 32
.L\two:
        \two    1, 2, 0
        \two    2, 1, 256
        add     tile, 1024
        add     parity, 512
        sub     left, 1
        jnz     .L\two
        .endm

FUNC(hl_hamming_slices_avx512icl)
        mov     frame, rsp
        sub     rsp, 4168
        .cfi_def_cfa frame, 8
        test    [rsp + 4168 - 4096], rsp         // pages are touched in turn
        lea     parities, [rsp + 63]
        and     parities, -64
        mov     distances, rsi
        xor     column, column

        // Columns of 8 planes. Their parities are kept for the later columns.
.Lcolumn:
        all     triangle_two, 4

        // The popcount of the words: two for each carry, one for each bit of the last sum.
        .irp    i, 0, 1, 2, 3, 4
        vpopcntq zmm1\i, zmm1\i
        vpaddq  zmm\i, zmm\i, zmm\i
        vpaddq  zmm\i, zmm\i, zmm1\i
        vpmovqd ymm\i, zmm\i
        .endr
        vinserti32x8 zmm1, zmm1, ymm2, 1
        vinserti32x8 zmm3, zmm3, ymm4, 1
        imul    out, column, 33
        shr     out, 1
        add     out, distances

        // Write row i of the triangle: the popcount of plane i on the diagonal, nothing below it. zmm1
        // has the distances of plane i from planes i + 1 and i + 2, zmm3 from i + 3 and i + 4 (modulo
        // 8; of i + 4 only lanes 0 to 3 are read).
        mov     eax, 0xff
        kmovd   k1, eax
        mov     eax, 1
        kmovd   k2, eax
        lea     rax, [rip + .Lplaces]
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpmovzxbd ymm19, [rax + 8*\i]
        vpermi2d zmm19, zmm1, zmm3
        vmovdqa32 ymm19{k2}, ymm0
        vmovdqu32 [out + 128*\i]{k1}, ymm19
        kaddb   k1, k1, k1
        kaddb   k2, k2, k2
        .endr

        // The rows above the triangle.
        mov     out, column
        shr     out, 1
        add     out, distances
        xor     row, row
        jmp     .Labove
.Lrow:
        all     square_two, 7
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpopcntq zmm1\i, zmm1\i
        vpaddq  zmm\i, zmm\i, zmm\i
        vpaddq  zmm\i, zmm\i, zmm1\i
        vpmovqd [out + 128*\i], zmm\i
        .endr
        add     out, 1024
        add     row, 64
.Labove:
        cmp     row, column
        jb      .Lrow
        add     column, 64
        cmp     column, 256
        jb      .Lcolumn

        mov     rsp, frame
        vzeroupper
        ret
END(hl_hamming_slices_avx512icl)

        RODATA
        .balign 8
.Lplaces:                               // index of column j > i in row i: 8 (j - i - 1) + i,
                                        // or 8 (7 - j + i) + j if j - i > 4
        .byte   0, 0, 8, 16, 24, 21, 14, 7
        .byte   0, 0, 1, 9, 17, 25, 22, 15
        .byte   0, 0, 0, 2, 10, 18, 26, 23
        .byte   0, 0, 0, 0, 3, 11, 19, 27
        .byte   0, 0, 0, 0, 0, 4, 12, 20
        .byte   0, 0, 0, 0, 0, 0, 5, 13
        .byte   0, 0, 0, 0, 0, 0, 0, 6
        .byte   0, 0, 0, 0, 0, 0, 0, 0
