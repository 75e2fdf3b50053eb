// Puts 512 `chunks` elements together from tiles: the inverse of tile_u32.
//
//   void hl_bitslice_untile_u32_avx512(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, r9, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  1088 bytes
// Loop    512 elements; 14 operations for each of 32 vectors; bound by the two ports of Skylake-X for 64 bytes (224 cycles);
//         modelled at 337 on Zen 4
// Bound   224 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the tiles, none of the gaps

#include "hl.h"

#define BYTES 4
#define FRAME 1088
#include "join_avx512.h"

// Rows 4 k2 .. 4 k2 + 3 of the tiles from `base` on: lanes [k0 e5 e4 e3] for both k1.
        .macro rows x, y, base, at
        load    \x, \y, [\base+\at], [\base+2*stride+\at], [\base+4*stride+\at], [\base+2*stride3+\at]
        .endm

        .macro fetch b
        rows    zmm20, zmm21, src, 64*\b
        rows    zmm22, zmm23, src, 64*\b+32
        rows    zmm24, zmm25, row, 64*\b
        rows    zmm26, zmm27, row, 64*\b+32
        unpack  qdq, zmm0, zmm1, zmm20, zmm24
        unpack  qdq, zmm2, zmm3, zmm21, zmm25
        unpack  qdq, zmm4, zmm5, zmm22, zmm26
        unpack  qdq, zmm6, zmm7, zmm23, zmm27
        .endm

FUNC(hl_bitslice_untile_u32_avx512)
        enter

        .balign 64
.Lloop:
        lea     row, [src + stride]
        join
        lea     src, [src + 8*stride]
        add     dst, 2048
        dec     chunks
        jnz     .Lloop

        leave
END(hl_bitslice_untile_u32_avx512)
