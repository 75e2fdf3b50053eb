// Cuts 512 `chunks` elements into 8 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u8_avx512(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8, zmm0..zmm17, zmm29..zmm31     Stack  none
// Loop    512 elements; 12 operations for each of 8 vectors; bound by the two ports of Skylake-X for 64 bytes (48 cycles);
//         modelled at 68 on Zen 4
// Bound   48 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the planes, none of the gaps

#include "hl.h"

#define BYTES 1
#include "cut_avx512.h"

FUNC(hl_bitslice_slice_u8_avx512)
        enter

        .balign 64
.Lloop:
        cut
        mov     row, dst
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqu64 [row], zmm1\k
        add     row, stride
        .endr
        add     src, 512
        add     dst, 64
        dec     chunks
        jnz     .Lloop

        leave
END(hl_bitslice_slice_u8_avx512)
