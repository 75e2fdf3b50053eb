#include "hl.h"

#define NAME hl_bitslice_unslice_u32_sse2
#define LAYOUT "rows_sse2.h"
#include "unslice_u32_sse2.h"
