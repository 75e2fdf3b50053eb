// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u32_avx2gfni(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8, r9, ymm0..ymm15     Stack  800 bytes
// Loop    256 elements; 7 shuffles and a blend for each of 32 vectors; bound by the pipes for shuffles, three on Zen 4
//         (75 cycles), two on Alder Lake (96; modelled at 110)
// Tail    none, a chunk is two turns; reads and writes exactly the elements and the planes, none of the gaps

#include "hl.h"

#define BYTES 4
#include "cut_avx2gfni.h"

        .macro put q, x, y, z, w
        unpack  dq, ymm10, ymm11, \x, \y
        unpack  dq, ymm12, ymm13, \z, \w
        unpack  qdq, ymm8, ymm9, ymm10, ymm12
        vmovdqu [row], ymm8
        vmovdqu [row + stride], ymm9
        unpack  qdq, ymm8, ymm9, ymm11, ymm13
        vmovdqu [row + 2*stride], ymm8
        vmovdqu [row + stride3], ymm9
        lea     row, [row + 4*stride]
        .endm

        .macro next
        add     dst, 32
        .endm

FUNC(hl_bitslice_slice_u32_avx2gfni)
        walk
END(hl_bitslice_slice_u32_avx2gfni)
