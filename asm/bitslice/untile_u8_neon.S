// SENTENCE
//
//   void hl_bitslice_untile_u8_neon(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      x0 = tiles, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// USES
// Loop    LOOP
// Tail    none: a chunk is four steps

#include "hl.h"

#define NAME hl_bitslice_untile_u8_neon
#define BYTES 1
#define TILES
#include "unslice_neon.h"
