// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u32_neon(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = planes, x3 = stride     Out  the planes
// Uses    x0, x1, x2, x4, x9, v0..v31     Stack  128 bytes
// Loop    128 elements; bound by 324 vector operations, stores included: 82 cycles with four pipes
//         (modelled, Neoverse V1), 163 with two (N1)
// Tail    none: a chunk is four turns

#include "hl.h"

#define NAME hl_bitslice_slice_u32_neon
#define BYTES 4
#include "slice_neon.h"
