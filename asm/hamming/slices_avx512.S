// Distances of the 32 planes of 2048 bits of a block in tiles: `distances[32 i + j]` for i < j is
// the number of bits in which planes i and j differ, and `distances[33 i]` the number of ones of
// plane i.
//
//   void hl_hamming_slices_avx512(const uint8_t *tiles, uint32_t *distances);
//
// In      rdi = tiles, rsi = distances      Out  distances[32 i + j] for i <= j
// Uses    rax, rcx, rdx, rsi, r8..r11, k1, k2, zmm0..zmm7, zmm10..zmm19      Stack  4328 bytes
// Loop    16 tiles, 8 planes against one plane or each other; a tree of full adders. Its first sums
//         are linear: they are differences of per-plane sums, which are computed once. 46
//         operations, and 33 after two turns; bound by the vector pipes, 2 operations a cycle (23
//         and 16.5 cycles). Not measured; llvm-mca: 5010 cycles in all on Zen 4, 4560 on Skylake-X
// Tail    none

#include "hl.h"
#define VECTORS     1
#include "adders_avx512.h"
#include "triangle_avx512.h"

#define tiles       rdi
#define parities    rdx
#define tile        rax
#define parity      rcx
#define column      r8
#define plane       r9
#define out         r10
#define left        esi
#define frame       r11

// After the parities: the results of a triangle, and the pointer.
#define results     parities + 4096
#define distances   qword ptr [parities + 4256]

#define first       zmm0
#define sum         zmm1
#define turned      zmm2
#define turn        zmm3

// Two words of each plane of the column against one plane.
        .macro two_square k, before, after
        vmovdqu64 first, [tile + column + 512*(\k)]
        vmovdqa64 sum, [parity + column + 256*(\k)]
        vpxorq  first, first, qword ptr [tile + plane + 512*(\k)]{1to8}
        vpxorq  zmm1\after, sum, qword ptr [parity + plane + 256*(\k)]{1to8}
        vpternlogq zmm1\before, first, zmm1\after, CARRY
        .endm

// Two words of each plane of the column against the plane that `turn` selects, or alone if k1 is 0.
        .macro two_triangle k, before, after
        vmovdqu64 first, [tile + column + 512*(\k)]
        vmovdqa64 sum, [parity + column + 256*(\k)]
        vpermq  turned{k1}{z}, turn, first
        vpermq  zmm1\after{k1}{z}, turn, sum
        vpxorq  first, first, turned
        vpxorq  zmm1\after, zmm1\after, sum
        vpternlogq zmm1\before, first, zmm1\after, CARRY
        .endm

// Counts over all tiles, into zmm18.
        .macro all two
        each    clear \v
        mov     tile, tiles
        mov     parity, parities
        mov     left, 2
        .balign 32
.L\two:
        sixteen \two
        add     tile, 4096
        add     parity, 2048
        sub     left, 1
        jnz     .L\two
        each    total \v
        .endm

FUNC(hl_hamming_slices_avx512)
        mov     frame, rsp
        sub     rsp, 4328
        .cfi_def_cfa frame, 8
        test    [rsp + 4328 - 4096], rsp         // pages are touched in turn
        lea     parities, [rsp + 63]
        and     parities, -64
        mov     distances, rsi
        constants

        // The running exclusive or of each plane's words, stored after every second tile.
        .irp i, 0, 1, 2, 3
        vpxord  zmm1\i, zmm1\i, zmm1\i
        .endr
        mov     tile, tiles
        mov     parity, parities
        mov     left, 16
.Lparities:
        .irp i, 0, 1, 2, 3
        vmovdqu64 first, [tile + 64*\i]
        vpternlogq zmm1\i, first, [tile + 64*\i + 256], XOR
        vmovdqa64 [parity + 64*\i], zmm1\i
        .endr
        add     tile, 512
        add     parity, 256
        sub     left, 1
        jnz     .Lparities

        // Columns of 8 planes: their popcounts, and their distances from the planes 1 to 4 places
        // further on, modulo 8.
        xor     column, column
.Lcolumn:
        vpmovzxbq turn, [rip + .Llanes]
        kxorb   k1, k1, k1
        lea     out, [results]
        lea     plane, [results + 5*32]
.Lturn:
        all     two_triangle
        vpmovqd [out], zmm18
        kxnorb  k1, k1, k1
        vpternlogd first, first, first, 0xff
        vpsubq  turn, turn, first
        add     out, 32
        cmp     out, plane
        jb      .Lturn
        vmovdqa ymm0, [results]
        vmovdqu64 zmm1, [results + 32]
        vmovdqu64 zmm3, [results + 96]
        imul    out, column, 33
        shr     out, 1
        add     out, distances
        write_triangle

        // The rows above the triangle.
        mov     out, column
        shr     out, 1
        add     out, distances
        xor     plane, plane
        jmp     .Labove
.Lplane:
        all     two_square
        vpmovqd [out], zmm18
        add     out, 128
        add     plane, 8
.Labove:
        cmp     plane, column
        jb      .Lplane
        add     column, 64
        cmp     column, 256
        jb      .Lcolumn

        mov     rsp, frame
        vzeroupper
        ret
END(hl_hamming_slices_avx512)

        adders_rodata
        triangle_rodata
.Llanes:                                // lane indices
        .byte   0, 1, 2, 3, 4, 5, 6, 7
