// Puts 512 `chunks` elements together from tiles: the inverse of tile_u8.
//
//   void hl_bitslice_untile_u8_neon(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      x0 = tiles, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// Uses    x0, x2, x3, x4, x5, v0..v7, v28..v31     Stack  none
// Loop    128 elements; bound by 72 vector operations, stores included: 19 cycles with four pipes
//         (modelled, Neoverse V1), 37 with two (N1)
// Tail    none: a chunk is four turns

#include "hl.h"

#define NAME hl_bitslice_untile_u8_neon
#define BYTES 1
#define TILES
#include "unslice_neon.h"
