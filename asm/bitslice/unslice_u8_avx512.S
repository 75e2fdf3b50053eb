// Puts 512 `chunks` elements together from 8 planes: the inverse of slice_u8.
//
//   void hl_bitslice_unslice_u8_avx512(const uint8_t *planes, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, zmm0..zmm17, zmm29..zmm31     Stack  none
// Loop    512 elements; 10 operations for each of 8 vectors; bound by the two ports of Skylake-X for 64 bytes (40 cycles);
//         modelled at 42 on Zen 4
// Bound   40 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the planes, none of the gaps

#include "hl.h"

#define BYTES 1
#include "join_avx512.h"

        .macro fetch b
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqu64 zmm\k, [row]
        add     row, stride
        .endr
        .endm

FUNC(hl_bitslice_unslice_u8_avx512)
        enter

        .balign 64
.Lloop:
        mov     row, src
        join
        add     src, 64
        add     dst, 512
        dec     chunks
        jnz     .Lloop

        leave
END(hl_bitslice_unslice_u8_avx512)
