// Puts 512 `chunks` elements together from 8 planes: the inverse of slice_u8.
//
//   void hl_bitslice_unslice_u8_neon(const uint8_t *planes, size_t stride, size_t chunks, uint8_t *dst);
//
// In      x0 = planes, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// Uses    x0, x2, x3, x4, x6, v0..v7, v28..v31     Stack  none
// Loop    128 elements; bound by 72 vector operations, stores included: 20 cycles with four pipes
//         (modelled, Neoverse V1), 37 with two (N1)
// Tail    none: a chunk is four turns

#include "hl.h"

#define NAME hl_bitslice_unslice_u8_neon
#define BYTES 1
#include "unslice_neon.h"
