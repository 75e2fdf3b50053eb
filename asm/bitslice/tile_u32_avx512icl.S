// Cuts 512 `chunks` elements into tiles of 64, each bytes 8 t .. 8 t + 8 of the 32 planes in turn.
//
//   void hl_bitslice_tile_u32_avx512icl(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride      Out  the tiles
// Uses    rsi, rdx, rdi, zmm0..zmm21      Stack  none
// Loop    4 tiles; bound by the 32 permutations on two pipes of half a vector, and as much by the 16 stores (32 cycles). Modelled by
//         llvm-mca, not measured: 32 cycles on Zen 4
// Tail    none, a chunk is 8 tiles

#include "hl.h"

#define source      rdi
#define source_step 256
#define rounds      rsi
#define target      rdx
#define target_step rcx
#include "tile_u32_avx512icl.h"

FUNC(hl_bitslice_tile_u32_avx512icl)
        tiles
END(hl_bitslice_tile_u32_avx512icl)

        RODATA
        .balign 64
.Lbefore:                               // e4 e3 b0, and the complement of e2 e1 e0, for b1 = 0; for b1 = 1 with e4 complemented
        index   28, 64, 32, 1, 16, 8, 4
        index   94, 64, 32, 1, 16, 8, 4
.Lafter:                                // k2 k1 k0 e5 e4 e3 for b0 = 0; for b0 = 1 with e5 complemented
        index   0, 4, 2, 1, 64, 32, 16
        index   72, 4, 2, 1, 64, 32, 16
