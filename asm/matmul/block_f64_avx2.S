#define NAME        hl_matmul_block_f64_avx2
#define SHIFT       3
#define FMA         vfmadd231pd
#define MASKED      vmaskmovpd
#define WIDE        vbroadcastsd
#define HALF        vmovddup

#include "hl.h"
#include "block_avx2.h"
