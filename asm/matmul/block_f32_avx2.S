#define NAME        hl_matmul_block_f32_avx2
#define SHIFT       2
#define FMA         vfmadd231ps
#define MASKED      vmaskmovps
#define WIDE        vbroadcastss
#define HALF        vbroadcastss

#include "hl.h"
#include "block_avx2.h"
