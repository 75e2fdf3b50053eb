// Puts 512 `chunks` elements together from tiles: the inverse of tile_u32.
//
//   void hl_bitslice_untile_u32_neon(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);
//
// In      x0 = tiles, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// Uses    x0, x2, x3, x4, x5, x9, v0..v31     Stack  128 bytes
// Loop    128 elements; bound by 308 vector operations, stores included: 79 cycles with four pipes
//         (modelled, Neoverse V1), 162 with two (N1)
// Tail    none: a chunk is four turns

#include "hl.h"

#define NAME hl_bitslice_untile_u32_neon
#define BYTES 4
#define TILES
#include "unslice_neon.h"
