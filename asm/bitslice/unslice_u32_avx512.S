// Puts 512 `chunks` elements together from 32 planes: the inverse of slice_u32.
//
//   void hl_bitslice_unslice_u32_avx512(const uint8_t *planes, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, r9, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  1088 bytes
// Loop    512 elements; 11 operations for each of 32 vectors; bound by the two ports of Skylake-X for 64 bytes (176 cycles);
//         modelled at 202 on Zen 4
// Bound   176 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the planes, none of the gaps

#include "hl.h"

#define BYTES 4
#define FRAME 1088
#include "join_avx512.h"

        .macro fetch b
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqu64 zmm\k, [row]
        add     row, stride
        .endr
        .endm

FUNC(hl_bitslice_unslice_u32_avx512)
        enter

        .balign 64
.Lloop:
        mov     row, src
        join
        add     src, 64
        add     dst, 2048
        dec     chunks
        jnz     .Lloop

        leave
END(hl_bitslice_unslice_u32_avx512)
