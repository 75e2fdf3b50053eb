// Puts 512 `chunks` elements together from tiles: the inverse of tile_u8.
//
//   void hl_bitslice_untile_u8_avx512icl(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst      Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, zmm0..zmm7, zmm17, zmm18, zmm20..zmm27      Stack  none
// Loop    8 tiles; bound by the 8 stores (16 cycles on Zen 4; not measured)
// Tail    none, a chunk is 8 tiles

#include "hl.h"

#define source      rdi
#define source_step rsi
#define chunks      rdx
#define target      rcx
#define target_step 64
#include "tile_u8_avx512icl.h"

        .macro constants
        .endm

        .macro finish a
        .endm

FUNC(hl_bitslice_untile_u8_avx512icl)
        tiles
END(hl_bitslice_untile_u8_avx512icl)

        RODATA
        .balign 64
.Lbefore:                               // e5 e4 e3, and the complement of k2 k1 k0
        index   56, 4, 2, 1, 32, 16, 8
