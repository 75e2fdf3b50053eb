// Tiles of 32-bit elements with AVX-512 VBMI and GFNI, in either direction: 64 elements, or a tile of them, are 4 vectors. Both bits
// of a vector's number are exchanged with bits of the bytes' numbers, bit 0 before the octets are transposed and bit 1 after.
//
// A file defines, includes this one and writes `tiles`:
//
//   source, source_step, target, target_step     pointers, and the bytes from one tile to the next, registers or numbers
//   rounds                                       a register, the number of chunks
//   .Lbefore, .Lafter                            the indices of both exchanges; the second one with the vectors in the other order
//
// A tile is read four tiles ahead, so that a load which has to wait for a store to the same place modulo 4096 does not hold up the tiles
// between.

#include "planes_avx512icl.h"

#define before_0    zmm17
#define before_1    zmm18
#define after_0     zmm19
#define after_1     zmm20
#define unit        zmm21

        .macro read a, b, c, d
        vmovdqu64 zmm\a, [source]
        vmovdqu64 zmm\b, [source + 64]
        vmovdqu64 zmm\c, [source + 128]
        vmovdqu64 zmm\d, [source + 192]
        add     source, source_step
        .endm

// One tile; what was exchanged for bit 0 numbers the pairs of vectors in the end.
        .macro turn a, b, c, d
        choose  zmm\a, zmm\b, before_0, before_1
        choose  zmm\c, zmm\d, before_0, before_1
        diagonal zmm\a, unit
        diagonal zmm\b, unit
        diagonal zmm\c, unit
        diagonal zmm\d, unit
        choose  zmm\a, zmm\c, after_0, after_1
        choose  zmm\b, zmm\d, after_0, after_1
        vmovdqu64 [target], zmm\a
        vmovdqu64 [target + 64], zmm\c
        vmovdqu64 [target + 128], zmm\b
        vmovdqu64 [target + 192], zmm\d
        add     target, target_step
        .endm

        .macro tiles
        add     rounds, rounds
        jz      .Ldone
        vmovdqu64 before_0, [rip + .Lbefore]
        vmovdqu64 before_1, [rip + .Lbefore + 64]
        vmovdqu64 after_0, [rip + .Lafter]
        vmovdqu64 after_1, [rip + .Lafter + 64]
        vpbroadcastq unit, [rip + .Lunit]
        read    0, 1, 2, 3
        read    4, 5, 6, 7
        read    8, 9, 10, 11
        read    12, 13, 14, 15
        dec     rounds
        jz      .Llast

        .balign 64
.Lloop:
        turn    0, 1, 2, 3
        read    0, 1, 2, 3
        turn    4, 5, 6, 7
        read    4, 5, 6, 7
        turn    8, 9, 10, 11
        read    8, 9, 10, 11
        turn    12, 13, 14, 15
        read    12, 13, 14, 15
        dec     rounds
        jnz     .Lloop

.Llast:
        turn    0, 1, 2, 3
        turn    4, 5, 6, 7
        turn    8, 9, 10, 11
        turn    12, 13, 14, 15

.Ldone:
        vzeroupper
        ret
        .endm

        RODATA
        .balign 8
.Lunit:                                 // byte i = 1 << i
        .quad   0x8040201008040201
