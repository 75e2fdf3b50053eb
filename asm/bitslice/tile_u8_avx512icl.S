// Cuts 512 `chunks` elements into tiles of 64, each bytes 8 t .. 8 t + 8 of the 8 planes in turn.
//
//   void hl_bitslice_tile_u8_avx512icl(const uint8_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride      Out  the tiles
// Uses    rsi, rdx, rdi, zmm0..zmm7, zmm17..zmm27      Stack  none
// Loop    8 tiles; bound by the 16 permutations on two pipes of half a vector, and as much by the 8 stores (16 cycles). Modelled by
//         llvm-mca, not measured: 16 cycles on Zen 4
// Tail    none, a chunk is 8 tiles

#include "hl.h"

#define source      rdi
#define source_step 64
#define chunks      rsi
#define target      rdx
#define target_step rcx
#define after       zmm19
#include "tile_u8_avx512icl.h"

        .macro constants
        vmovdqu64 after, [rip + .Lafter]
        .endm

        .macro finish a
        vpermb  \a, after, \a
        .endm

FUNC(hl_bitslice_tile_u8_avx512icl)
        tiles
END(hl_bitslice_tile_u8_avx512icl)

        RODATA
        .balign 64
.Lbefore:                               // e5 e4 e3, and the complement of e2 e1 e0
        index   7, 32, 16, 8, 4, 2, 1
.Lafter:                                // k2 k1 k0 e5 e4 e3
        index   0, 4, 2, 1, 32, 16, 8
