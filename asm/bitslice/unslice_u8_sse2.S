#include "hl.h"

#define NAME hl_bitslice_unslice_u8_sse2
#define LAYOUT "rows_sse2.h"
#include "unslice_u8_sse2.h"
