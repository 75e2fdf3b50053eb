// Cuts 512 `chunks` elements into tiles of 64: the 256 bytes at `tiles + t * stride` are bytes 8 t .. 8 t + 8 of
// each of the 32 planes in turn.
//
//   void hl_bitslice_tile_u32_avx2gfni(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, r8, r9, ymm0..ymm15     Stack  800 bytes
// Loop    256 elements; 7 shuffles and a blend for each of 32 vectors; bound by the pipes for shuffles, three on Zen 4
//         (75 cycles), two on Alder Lake (96; modelled at 105)
// Tail    none, a chunk is two turns; reads and writes exactly the elements and the tiles, none of the gaps

#include "hl.h"

#define BYTES 4
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

FUNC(hl_bitslice_tile_u32_avx2gfni)
        walk
END(hl_bitslice_tile_u32_avx2gfni)
