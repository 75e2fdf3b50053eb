// Cuts 512 `chunks` elements into tiles of 64: the 256 bytes at tiles + t * stride are bytes 8 t .. 8 t + 8 of each of
// the 32 planes in turn.
//
//   void hl_bitslice_tile_u32_neon(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = tiles, x3 = stride     Out  the tiles
// Uses    x0, x1, x2, x4, x5, x9, v0..v31     Stack  128 bytes
// Loop    128 elements; bound by 324 vector operations, stores included: 78 cycles with four pipes
//         (modelled, Neoverse V1), 165 with two (N1)
// Tail    none: a chunk is four turns

#include "hl.h"

#define NAME hl_bitslice_tile_u32_neon
#define BYTES 4
#define TILES
#include "slice_neon.h"
