// SENTENCE
//
//   void hl_bitslice_slice_u32_neon(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = planes, x3 = stride     Out  the planes
// USES
// Loop    LOOP
// Tail    none: a chunk is four steps

#include "hl.h"

#define NAME hl_bitslice_slice_u32_neon
#define BYTES 4
#include "slice_neon.h"
