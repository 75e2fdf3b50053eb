// Cuts 512 `chunks` elements into 8 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u8_neon(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = planes, x3 = stride     Out  the planes
// Uses    x0, x1, x2, x4, v0..v7, v28..v31     Stack  none
// Loop    128 elements; bound by 76 vector operations, stores included: 19 cycles with four pipes
//         (modelled, Neoverse V1), 38 with two (N1)
// Tail    none: a chunk is four turns

#include "hl.h"

#define NAME hl_bitslice_slice_u8_neon
#define BYTES 1
#include "slice_neon.h"
