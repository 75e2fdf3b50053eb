// Cuts 512 `chunks` elements into tiles of 64: bytes 8 t .. 8 t + 8 of each of the 8 planes in turn.
//
//   void hl_bitslice_tile_u8_sse2(const uint8_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, xmm0..xmm8     Stack  none
// Loop    128 elements; 8 vectors of 14 operations, 7.5 of them on two pipes; bound by these (30 cycles; Zen 3: 39)
// Bound   30 cycles for 128 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named

#include "hl.h"

#define NAME hl_bitslice_tile_u8_sse2
#define LAYOUT "tiles_sse2.h"
#include "slice_u8_sse2.h"
