#include "hl.h"

#define NAME hl_bitslice_untile_u32_sse2
#define LAYOUT "tiles_sse2.h"
#include "unslice_u32_sse2.h"
