// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u32_avx512icl(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride      Out  the planes
// Uses    rsi, rdx, rdi, r8..r11, zmm0..zmm29, k1, k2      Stack  none
// Loop    512 elements; LOOPLINE
// Tail    none, a chunk is 512 elements

#include "hl.h"
#include "slice_avx512icl.h"

#define split       zmm29

// Brings e4 in and b1 out.
        .macro load i
        vmovdqu64 zmm\i, [src + 128*\i]
        vpermt2b zmm\i, split, [src + 128*\i + 64]
        .endm

// Writes the 16 planes with one b1. A vector's number is e8 e7 e6 e5 at first, at last k1 k0 b0 under e8.
        .macro half b1
        vmovdqu64 split, [rip + .Lsplit + 64*\b1]
        four    0, 2, 4, 6
        four    1, 3, 5, 7
        interleave zmm0, zmm1
        interleave zmm2, zmm3
        interleave zmm4, zmm5
        interleave zmm6, zmm7
        four    8, 10, 12, 14
        four    9, 11, 13, 15
        interleave zmm8, zmm9
        interleave zmm10, zmm11
        interleave zmm12, zmm13
        interleave zmm14, zmm15
        eight   0, 8, 2, 10, 4, 12, 6, 14
        lea     plane, [plane + 8*stride]
        eight   1, 9, 3, 11, 5, 13, 7, 15
        .endm

FUNC(hl_bitslice_slice_u32_avx512icl)
        test    chunks, chunks
        jz      .Ldone
        constants

        // Each half reads the whole chunk: its 16 vectors and the constants are what there are registers for.
        .balign 64
.Lloop:
        mov     plane, planes
        half    0
        lea     plane, [plane + 8*stride]
        half    1
        add     src, 2048
        add     planes, 64
        dec     chunks
        jnz     .Lloop

.Ldone:
        vzeroupper
        ret
END(hl_bitslice_slice_u32_avx512icl)

        RODATA
        .balign 64
.Lsplit:                                // e4 e3 b0, and the complement of e2 e1 e0, for b1 = 0 and 1
        index   28, 64, 32, 1, 16, 8, 4
        index   30, 64, 32, 1, 16, 8, 4
.Lgather:                               // e8, e7 ^ k1, e6 ^ k0, e5 e4 e3; from k = 4 on e8 complemented
        .irp    k, 0, 2, 4, 6, 72, 74, 76, 78
        index   \k, 64, 4, 2, 1, 32, 16
        .endr
