#include "hl.h"

#define NAME hl_bitslice_untile_u8_sse2
#define LAYOUT "tiles_sse2.h"
#include "unslice_u8_sse2.h"
