// Puts 512 `chunks` elements together from tiles: the inverse of tile_u32.
//
//   void hl_bitslice_untile_u32_avx512icl(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst      Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, zmm0..zmm21      Stack  none
// Loop    4 tiles; bound by the 32 permutations on two pipes of half a vector, and as much by the 16 stores (32 cycles). Modelled by
//         llvm-mca, not measured: 32 cycles on Zen 4
// Tail    none, a chunk is 8 tiles

#include "hl.h"

#define source      rdi
#define source_step rsi
#define rounds      rdx
#define target      rcx
#define target_step 256
#include "tile_u32_avx512icl.h"

FUNC(hl_bitslice_untile_u32_avx512icl)
        tiles
END(hl_bitslice_untile_u32_avx512icl)

        RODATA
        .balign 64
.Lbefore:                               // b0 e4 e3, and the complement of k2 k1 k0, for e5 = 0; for e5 = 1 with b0 complemented
        index   56, 64, 2, 1, 32, 16, 8
        index   124, 64, 2, 1, 32, 16, 8
.Lafter:                                // e3 e2 e1 e0 b1 b0 for e4 = 0; for e4 = 1 with b1 complemented
        index   0, 8, 4, 2, 1, 64, 32
        index   80, 8, 4, 2, 1, 64, 32
