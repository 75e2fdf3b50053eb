#include "hl.h"

#define NAME hl_bitslice_tile_u32_sse2
#define LAYOUT "tiles_sse2.h"
#include "slice_u32_sse2.h"
