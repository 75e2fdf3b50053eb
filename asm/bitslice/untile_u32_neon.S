// SENTENCE
//
//   void hl_bitslice_untile_u32_neon(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);
//
// In      x0 = tiles, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// USES
// Loop    LOOP
// Tail    none: a chunk is four steps

#include "hl.h"

#define NAME hl_bitslice_untile_u32_neon
#define BYTES 4
#define TILES
#include "unslice_neon.h"
