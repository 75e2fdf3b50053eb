// Cuts 512 `chunks` elements into tiles of 64: the 64 bytes at `tiles + t * stride` are bytes 8 t .. 8 t + 8 of
// each of the 8 planes in turn.
//
//   void hl_bitslice_tile_u8_avx2gfni(const uint8_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, r8, ymm0..ymm7, ymm10..ymm15     Stack  none
// Loop    256 elements; 6 shuffles and a blend for each of 8 vectors; bound by the pipes for shuffles, three on Zen 4
//         (16 cycles), two on Alder Lake (20; modelled at 23)
// Tail    none, a chunk is two turns; reads and writes exactly the elements and the tiles, none of the gaps

#include "hl.h"

#define BYTES 1
#include "cut_avx2gfni.h"

// Rows 4 q .. 4 q + 3 of the two tiles of one e6, from vectors for both e5.
        .macro pair near, far, x, y
        unpack  dq, ymm10, ymm11, \x, \y
        vperm2i128 ymm12, ymm10, ymm11, 0x20
        vperm2i128 ymm13, ymm10, ymm11, 0x31
        vmovdqu \near, ymm12
        vmovdqu \far, ymm13
        .endm

        .macro put q, x, y, z, w
        pair    [row+32*\q], [row+2*stride+32*\q], \x, \y
        pair    [row+stride+32*\q], [row+stride3+32*\q], \z, \w
        .endm

        .macro next
        lea     dst, [dst + 4*stride]
        .endm

FUNC(hl_bitslice_tile_u8_avx2gfni)
        walk
END(hl_bitslice_tile_u8_avx2gfni)
