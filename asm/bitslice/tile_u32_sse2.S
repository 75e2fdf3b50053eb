// Cuts 512 `chunks` elements into tiles of 64: bytes 8 t .. 8 t + 8 of each of the 32 planes in turn.
//
//   void hl_bitslice_tile_u32_sse2(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, r11, xmm0..xmm15     Stack  24 bytes
// Loop    64 elements; 16 vectors of 13 operations, 6.5 of them on two pipes; bound by both (52 cycles; Zen 3: 68)
// Bound   52 cycles for 64 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named

#include "hl.h"

#define NAME hl_bitslice_tile_u32_sse2
#define LAYOUT "tiles_sse2.h"
#include "slice_u32_sse2.h"
