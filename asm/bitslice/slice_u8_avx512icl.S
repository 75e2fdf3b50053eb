// Cuts 512 `chunks` elements into 8 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u8_avx512icl(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride      Out  the planes
// Uses    rsi, rdx, rdi, r8..r10, zmm0..zmm7, zmm16..zmm29, k1, k2      Stack  none
// Loop    512 elements; 8 vectors of 5 operations; bound by the vector pipes, four of half a vector (20 cycles). Modelled by
//         llvm-mca, which gives blends two of them, not measured: 24 cycles on Zen 4
// Tail    none, a chunk is 512 elements

#include "hl.h"
#include "slice_avx512icl.h"

#define turn        zmm29

        .macro load z, i, at
        vpermb  \z, turn, [src + 64*\i + \at]
        .endm

FUNC(hl_bitslice_slice_u8_avx512icl)
        test    chunks, chunks
        jz      .Ldone
        constants
        vmovdqu64 turn, [rip + .Lturn]

        .balign 64
.Lloop:
        read    0, 1, 2, 3, 0
        read    4, 5, 6, 7, 256
        transpose 0, 1, 2, 3
        transpose 4, 5, 6, 7
        write_0145 0, 1, 4, 5, planes
        write_2367 2, 3, 6, 7, planes
        add     src, 512
        add     planes, 64
        dec     chunks
        jnz     .Lloop

.Ldone:
        vzeroupper
        ret
END(hl_bitslice_slice_u8_avx512icl)

        RODATA
        .balign 64
.Lturn:                                 // e5 e4 e3, and the complement of e2 e1 e0
        index   7, 32, 16, 8, 4, 2, 1
.Lgather:                               // e8, e7 ^ k1, e6 ^ k0, e5 e4 e3; from k = 4 on e8 complemented
        .irp    k, 0, 1, 2, 3, 68, 69, 70, 71
        index   \k, 64, 2, 1, 32, 16, 8
        .endr
