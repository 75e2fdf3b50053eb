// Puts 512 `chunks` elements together from 8 planes: the inverse of slice_u8.
//
//   void hl_bitslice_unslice_u8_avx512icl(const uint8_t *planes, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst      Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, r8..r11, zmm0..zmm3, zmm16..zmm18      Stack  none
// Loop    256 elements; 4 vectors of 4 operations; bound by the three pipes of half a vector that do these (11 cycles). Modelled
//         by llvm-mca, not measured: 12 cycles on Zen 4
// Tail    none, a chunk is 512 elements

#include "hl.h"
#include "unslice_avx512icl.h"

FUNC(hl_bitslice_unslice_u8_avx512icl)
        add     halves, halves
        jz      .Ldone
        constants

        .balign 64
.Lloop:
        mov     plane, planes
        eight   0, 1, 2, 3, pair_0
        vmovdqu64 [dst], zmm0
        vmovdqu64 [dst + 64], zmm1
        vmovdqu64 [dst + 128], zmm2
        vmovdqu64 [dst + 192], zmm3
        add     planes, 32
        add     dst, 256
        dec     halves
        jnz     .Lloop

.Ldone:
        vzeroupper
        ret
END(hl_bitslice_unslice_u8_avx512icl)
