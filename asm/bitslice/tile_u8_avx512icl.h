// Tiles of bytes with AVX-512 VBMI and GFNI, in either direction: 64 elements, or a tile of them, are one vector.
//
// A file defines, includes this one and writes `tiles`:
//
//   source, source_step, target, target_step     pointers, and the bytes from one tile to the next, registers or numbers
//   chunks                                       a register
//   .Lbefore                                     the index that makes rows of 8 bytes, in descending order, to be transposed
//   constants, finish a                          macros: what `finish` needs, and what is left to do with a vector
//
// A chunk is read before the last one is written, so that a load which has to wait for a store to the same place modulo 4096 does not
// hold up the tiles between.

#include "planes_avx512icl.h"

#define unit        zmm17
#define before      zmm18

// The vectors as read are zmm20..zmm27, a permuted one is zmm\i.
        .macro read
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqu64 zmm2\i, [source]
        add     source, source_step
        .endr
        .endm

        .macro permute
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpermb  zmm\i, before, zmm2\i
        .endr
        .endm

        .macro write
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        diagonal zmm\i, unit
        finish  zmm\i
        vmovdqu64 [target], zmm\i
        add     target, target_step
        .endr
        .endm

        .macro tiles
        test    chunks, chunks
        jz      .Ldone
        vpbroadcastq unit, [rip + .Lunit]
        vmovdqu64 before, [rip + .Lbefore]
        constants
        read
        dec     chunks
        jz      .Llast

        .balign 64
.Lloop:
        permute
        read
        write
        dec     chunks
        jnz     .Lloop

.Llast:
        permute
        write

.Ldone:
        vzeroupper
        ret
        .endm

        RODATA
        .balign 8
.Lunit:                                 // byte i = 1 << i
        .quad   0x8040201008040201
