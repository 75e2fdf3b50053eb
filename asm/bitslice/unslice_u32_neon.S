// Puts 512 `chunks` elements together from 32 planes: the inverse of slice_u32.
//
//   void hl_bitslice_unslice_u32_neon(const uint8_t *planes, size_t stride, size_t chunks, uint32_t *dst);
//
// In      x0 = planes, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// Uses    x0, x2, x3, x4, x6, x9, v0..v31     Stack  128 bytes
// Loop    128 elements; bound by 308 vector operations, stores included: 80 cycles with four pipes
//         (modelled, Neoverse V1), 166 with two (N1)
// Tail    none: a chunk is four turns

#include "hl.h"

#define NAME hl_bitslice_unslice_u32_neon
#define BYTES 4
#include "unslice_neon.h"
