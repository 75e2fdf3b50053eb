// SENTENCE
//
//   void hl_bitslice_tile_u8_neon(const uint8_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = tiles, x3 = stride     Out  the tiles
// USES
// Loop    LOOP
// Tail    none: a chunk is four steps

#include "hl.h"

#define NAME hl_bitslice_tile_u8_neon
#define BYTES 1
#define TILES
#include "slice_neon.h"
