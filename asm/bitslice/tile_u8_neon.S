// Cuts 512 `chunks` elements into tiles of 64: the 64 bytes at tiles + t * stride are bytes 8 t .. 8 t + 8 of each of
// the 8 planes in turn.
//
//   void hl_bitslice_tile_u8_neon(const uint8_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = tiles, x3 = stride     Out  the tiles
// Uses    x0, x1, x2, x4, x5, v0..v7, v28..v31     Stack  none
// Loop    128 elements; bound by 76 vector operations, stores included: 18 cycles with four pipes
//         (modelled, Neoverse V1), 38 with two (N1)
// Tail    none: a chunk is four turns

#include "hl.h"

#define NAME hl_bitslice_tile_u8_neon
#define BYTES 1
#define TILES
#include "slice_neon.h"
