// Puts 512 `chunks` elements together from tiles: the inverse of tile_u8.
//
//   void hl_bitslice_untile_u8_avx2gfni(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, ymm0..ymm11, ymm15     Stack  none
// Loop    256 elements; 5 shuffles and a blend for each of 8 vectors; bound by the pipes for shuffles, three on Zen 4
//         (13 cycles), two on Alder Lake (16; modelled at 22)
// Tail    none, a chunk is two turns; reads and writes exactly the elements and the tiles, none of the gaps

#include "hl.h"

#define BYTES 1
#include "join_avx2gfni.h"

// The lower and the upper 16 bytes of 32, those of two tiles in the two lanes.
        .macro lanes low, high, tile, other, at
        vbroadcasti128 \low, [\other + \at]
        vpblendd \low, \low, [\tile + \at], 0x0f
        vbroadcasti128 \high, [\tile + \at + 16]
        vpblendd \high, \high, [\other + \at], 0xf0
        .endm

// Byte b of the two tiles of one e6.
        .macro pair b, tile, other, x, y, z, w
        lanes   ymm8, ymm9, \tile, \other, 64*\b
        lanes   ymm10, ymm11, \tile, \other, 64*\b+32
        unpack  bw, \x, \y, ymm10, ymm8
        unpack  bw, \z, \w, ymm11, ymm9
        .endm

        .macro fetch b
        pair    \b, row, row+2*stride, ymm0, ymm1, ymm2, ymm3
        pair    \b, row+stride, row+stride3, ymm4, ymm5, ymm6, ymm7
        .endm

        .macro next
        lea     src, [src + 4*stride]
        .endm

FUNC(hl_bitslice_untile_u8_avx2gfni)
        walk
END(hl_bitslice_untile_u8_avx2gfni)
