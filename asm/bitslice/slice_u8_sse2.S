#include "hl.h"

#define NAME hl_bitslice_slice_u8_sse2
#define LAYOUT "rows_sse2.h"
#include "slice_u8_sse2.h"
