// SENTENCE
//
//   void hl_bitslice_unslice_u32_neon(const uint8_t *planes, size_t stride, size_t chunks, uint32_t *dst);
//
// In      x0 = planes, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// USES
// Loop    LOOP
// Tail    none: a chunk is four steps

#include "hl.h"

#define NAME hl_bitslice_unslice_u32_neon
#define BYTES 4
#include "unslice_neon.h"
