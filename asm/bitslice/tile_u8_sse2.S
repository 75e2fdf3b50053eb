#include "hl.h"

#define NAME hl_bitslice_tile_u8_sse2
#define LAYOUT "tiles_sse2.h"
#include "slice_u8_sse2.h"
