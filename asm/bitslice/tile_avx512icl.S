// Slices bytes into tiles and back with AVX-512 VBMI and GFNI. 64 elements, or their tile, are one vector.
//
// The arguments of the bodies are pointers and the distances of tiles in bytes, registers or
// numbers. Tiles are read before earlier ones are written. So a load that must wait for a store to
// the same address modulo 4096 does not delay the tiles in between.

#include "hl.h"
#include "planes_avx512icl.h"

#define source      rdi
#define unit        zmm17
#define before      zmm18
// The index of the last permutation of a vector, which only slicing needs.
#define after       zmm19

// `direction` is cut or join. zmm20..zmm27 are the vectors as read, zmm0..zmm7 the permuted ones.
        .macro tiles name, direction, source_step, chunks, target, target_step
        test    \chunks, \chunks
        jz      .Ldone_\name
        vpbroadcastq unit, [rip + .Lunit]
        vmovdqu64 before, [rip + .Lbefore_\name]
        .ifc    \direction, cut
        vmovdqu64 after, [rip + .Lafter_\name]
        .endif
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqu64 zmm2\i, [source]
        add     source, \source_step
        .endr
        dec     \chunks
        jz      .Llast_\name

        .balign 64
.Lloop_\name:
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpermb  zmm\i, before, zmm2\i
        .endr
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqu64 zmm2\i, [source]
        add     source, \source_step
        .endr
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vgf2p8affineqb zmm\i, unit, zmm\i, 0
        .ifc    \direction, cut
        vpermb  zmm\i, after, zmm\i
        .endif
        vmovdqu64 [\target], zmm\i
        add     \target, \target_step
        .endr
        dec     \chunks
        jnz     .Lloop_\name

.Llast_\name:
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpermb  zmm\i, before, zmm2\i
        .endr
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vgf2p8affineqb zmm\i, unit, zmm\i, 0
        .ifc    \direction, cut
        vpermb  zmm\i, after, zmm\i
        .endif
        vmovdqu64 [\target], zmm\i
        add     \target, \target_step
        .endr

.Ldone_\name:
        vzeroupper
        ret
        .endm

// Cuts 512 `chunks` elements into tiles of 64: the 64 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 8 planes in turn.
//
//   void hl_bitslice_tile_u8_avx512icl(const uint8_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride      Out  the tiles
// Uses    rsi, rdx, rdi, zmm0..zmm7, zmm17..zmm27      Stack  none
// Loop    8 tiles; bound equally by the 16 permutations on two 256-bit pipes and by the 8 stores
//         (16 cycles). Not measured; llvm-mca: 16 cycles on Zen 4
// Tail    none, a chunk is 8 tiles
FUNC(hl_bitslice_tile_u8_avx512icl)
        tiles   tile_u8, cut, 64, rsi, rdx, rcx
END(hl_bitslice_tile_u8_avx512icl)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u8.
//
//   void hl_bitslice_untile_u8_avx512icl(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst      Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, zmm0..zmm7, zmm17, zmm18, zmm20..zmm27      Stack  none
// Loop    8 tiles; bound by the 8 stores (16 cycles on Zen 4; not measured)
// Tail    none, a chunk is 8 tiles
FUNC(hl_bitslice_untile_u8_avx512icl)
        tiles   untile_u8, join, rsi, rdx, rcx, 64
END(hl_bitslice_untile_u8_avx512icl)

        RODATA
        .balign 64
.Lbefore_tile_u8:                       // e5 e4 e3, and the complement of e2 e1 e0
        index   7, 32, 16, 8, 4, 2, 1
.Lafter_tile_u8:                        // k2 k1 k0 e5 e4 e3
        index   0, 4, 2, 1, 32, 16, 8
.Lbefore_untile_u8:                     // e5 e4 e3, and the complement of k2 k1 k0
        index   56, 4, 2, 1, 32, 16, 8
        .balign 8
.Lunit:                                 // byte i = 1 << i
        .quad   0x8040201008040201
