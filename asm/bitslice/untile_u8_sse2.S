// Puts 512 `chunks` elements together from tiles: the inverse of tile_u8.
//
//   void hl_bitslice_untile_u8_sse2(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rax, rcx, rdx, rdi, xmm0..xmm8     Stack  none
// Loop    128 elements; 8 vectors of 13 operations, 6.5 of them on two pipes; bound by both (26 cycles; Zen 3: 34)
// Bound   26 cycles for 128 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named

#include "hl.h"

#define NAME hl_bitslice_untile_u8_sse2
#define LAYOUT "tiles_sse2.h"
#include "unslice_u8_sse2.h"
