// Puts 512 `chunks` elements together from 32 planes: the inverse of slice_u32.
//
//   void hl_bitslice_unslice_u32_avx2gfni(const uint8_t *planes, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8..r10, ymm0..ymm13, ymm15     Stack  800 bytes
// Loop    256 elements; 7 shuffles for each of 32 vectors; bound by the pipes for shuffles, three on Zen 4 (75 cycles), two
//         on Alder Lake (96; modelled at 108)
// Tail    none, a chunk is two turns; reads and writes exactly the elements and the planes, none of the gaps

#include "hl.h"

#define BYTES 4
#include "join_avx2gfni.h"

// Row k of the lower four of a byte and row k + 4.
        .macro rows low, high, x, y
        vmovdqu ymm8, \y
        unpack  bw, \low, \high, ymm8, \x
        .endm

        .macro fetch b
        lea     upper, [row + 4*stride]
        rows    ymm0, ymm4, [row], [upper]
        rows    ymm1, ymm5, [row+stride], [upper+stride]
        rows    ymm2, ymm6, [row+2*stride], [upper+2*stride]
        rows    ymm3, ymm7, [row+stride3], [upper+stride3]
        lea     row, [row + 8*stride]
        .endm

        .macro next
        add     src, 32
        .endm

FUNC(hl_bitslice_unslice_u32_avx2gfni)
        walk
END(hl_bitslice_unslice_u32_avx2gfni)
