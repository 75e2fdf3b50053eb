// Slices elements into tiles and back with AVX-512 VBMI and GFNI. 64 elements, or their tile, are
// one vector for u8, two for u16 and four for u32.
//
// The arguments of the bodies are pointers and the distances of tiles in bytes, registers or
// numbers. Tiles are read before earlier ones are written. So a load that must wait for a store to
// the same address modulo 4096 does not delay the tiles in between.

#include "hl.h"
#include "planes_avx512icl.h"

#define source      rdi

// The last permutation of a vector, which only slicing needs, and its index.
#define after       zmm19

        .macro constants_cut name
        vmovdqu64 after, [rip + .Lafter_\name]
        .endm

        .macro finish_cut a
        vpermb  \a, after, \a
        .endm

        .macro constants_join name
        .endm

        .macro finish_join a
        .endm

#define unit_u8     zmm17
#define before      zmm18

// zmm20..zmm27 are the vectors as read, zmm\i a permuted one.
        .macro read_u8 source_step
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqu64 zmm2\i, [source]
        add     source, \source_step
        .endr
        .endm

        .macro permute
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpermb  zmm\i, before, zmm2\i
        .endr
        .endm

        .macro write direction, target, target_step
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        diagonal zmm\i, unit_u8
        finish_\direction zmm\i
        vmovdqu64 [\target], zmm\i
        add     \target, \target_step
        .endr
        .endm

        .macro tiles_u8 name, direction, source_step, chunks, target, target_step
        test    \chunks, \chunks
        jz      .Ldone_\name
        vpbroadcastq unit_u8, [rip + .Lunit]
        vmovdqu64 before, [rip + .Lbefore_\name]
        constants_\direction \name
        read_u8 \source_step
        dec     \chunks
        jz      .Llast_\name

        .balign 64
.Lloop_\name:
        permute
        read_u8 \source_step
        write   \direction, \target, \target_step
        dec     \chunks
        jnz     .Lloop_\name

.Llast_\name:
        permute
        write   \direction, \target, \target_step

.Ldone_\name:
        vzeroupper
        ret
        .endm

#define pair_0      zmm17
#define pair_1      zmm20
#define unit_u16    zmm21

// One tile: slicing exchanges e5 and b0 first, the inverse last.
        .macro pair_cut a, b
        choose  \a, \b, pair_0, pair_1
        diagonal \a, unit_u16
        diagonal \b, unit_u16
        vpermb  \a, after, \a
        vpermb  \b, after, \b
        .endm

        .macro pair_join a, b
        vpermb  \a, before, \a
        vpermb  \b, before, \b
        diagonal \a, unit_u16
        diagonal \b, unit_u16
        choose  \a, \b, pair_0, pair_1
        .endm

        .macro read_u16 source_step, a, b
        vmovdqu64 zmm\a, [source]
        vmovdqu64 zmm\b, [source + 64]
        add     source, \source_step
        .endm

        .macro turn_u16 direction, target, target_step, a, b
        pair_\direction zmm\a, zmm\b
        vmovdqu64 [\target], zmm\a
        vmovdqu64 [\target + 64], zmm\b
        add     \target, \target_step
        .endm

        .macro tiles_u16 name, direction, source_step, rounds, target, target_step
        test    \rounds, \rounds
        jz      .Ldone_\name
        add     \rounds, \rounds
        vmovdqu64 pair_0, [rip + .Lpair_\name]
        vmovdqu64 pair_1, [rip + .Lpair_\name + 64]
        .ifc    \direction, cut
        vmovdqu64 after, [rip + .Lafter_tile_u8]
        .else
        vmovdqu64 before, [rip + .Lbefore_untile_u8]
        .endif
        vpbroadcastq unit_u16, [rip + .Lunit]
        read_u16 \source_step, 0, 1
        read_u16 \source_step, 2, 3
        read_u16 \source_step, 4, 5
        read_u16 \source_step, 6, 7
        dec     \rounds
        jz      .Llast_\name

        .balign 64
.Lloop_\name:
        turn_u16 \direction, \target, \target_step, 0, 1
        read_u16 \source_step, 0, 1
        turn_u16 \direction, \target, \target_step, 2, 3
        read_u16 \source_step, 2, 3
        turn_u16 \direction, \target, \target_step, 4, 5
        read_u16 \source_step, 4, 5
        turn_u16 \direction, \target, \target_step, 6, 7
        read_u16 \source_step, 6, 7
        dec     \rounds
        jnz     .Lloop_\name

.Llast_\name:
        turn_u16 \direction, \target, \target_step, 0, 1
        turn_u16 \direction, \target, \target_step, 2, 3
        turn_u16 \direction, \target, \target_step, 4, 5
        turn_u16 \direction, \target, \target_step, 6, 7

.Ldone_\name:
        vzeroupper
        ret
        .endm

#define before_0    zmm17
#define before_1    zmm18
#define after_0     zmm19
#define after_1     zmm20
#define unit_u32    zmm21

        .macro read_u32 source_step, a, b, c, d
        vmovdqu64 zmm\a, [source]
        vmovdqu64 zmm\b, [source + 64]
        vmovdqu64 zmm\c, [source + 128]
        vmovdqu64 zmm\d, [source + 192]
        add     source, \source_step
        .endm

// One tile. The bit that was exchanged for bit 0 of the vector index selects the pair of vectors in
// the end.
        .macro turn target, target_step, a, b, c, d
        choose  zmm\a, zmm\b, before_0, before_1
        choose  zmm\c, zmm\d, before_0, before_1
        diagonal zmm\a, unit_u32
        diagonal zmm\b, unit_u32
        diagonal zmm\c, unit_u32
        diagonal zmm\d, unit_u32
        choose  zmm\a, zmm\c, after_0, after_1
        choose  zmm\b, zmm\d, after_0, after_1
        vmovdqu64 [\target], zmm\a
        vmovdqu64 [\target + 64], zmm\c
        vmovdqu64 [\target + 128], zmm\b
        vmovdqu64 [\target + 192], zmm\d
        add     \target, \target_step
        .endm

        .macro tiles_u32 name, source_step, rounds, target, target_step
        add     \rounds, \rounds
        jz      .Ldone_\name
        vmovdqu64 before_0, [rip + .Lbefore_\name]
        vmovdqu64 before_1, [rip + .Lbefore_\name + 64]
        vmovdqu64 after_0, [rip + .Lafter_\name]
        vmovdqu64 after_1, [rip + .Lafter_\name + 64]
        vpbroadcastq unit_u32, [rip + .Lunit]
        read_u32 \source_step, 0, 1, 2, 3
        read_u32 \source_step, 4, 5, 6, 7
        read_u32 \source_step, 8, 9, 10, 11
        read_u32 \source_step, 12, 13, 14, 15
        dec     \rounds
        jz      .Llast_\name

        .balign 64
.Lloop_\name:
        turn    \target, \target_step, 0, 1, 2, 3
        read_u32 \source_step, 0, 1, 2, 3
        turn    \target, \target_step, 4, 5, 6, 7
        read_u32 \source_step, 4, 5, 6, 7
        turn    \target, \target_step, 8, 9, 10, 11
        read_u32 \source_step, 8, 9, 10, 11
        turn    \target, \target_step, 12, 13, 14, 15
        read_u32 \source_step, 12, 13, 14, 15
        dec     \rounds
        jnz     .Lloop_\name

.Llast_\name:
        turn    \target, \target_step, 0, 1, 2, 3
        turn    \target, \target_step, 4, 5, 6, 7
        turn    \target, \target_step, 8, 9, 10, 11
        turn    \target, \target_step, 12, 13, 14, 15

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
        tiles_u8 tile_u8, cut, 64, rsi, rdx, rcx
END(hl_bitslice_tile_u8_avx512icl)

// Cuts 512 `chunks` elements into tiles of 64: the 128 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 16 planes in turn.
//
//   void hl_bitslice_tile_u16_avx512icl(const uint16_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride      Out  the tiles
// Uses    rsi, rdx, rdi, zmm0..zmm7, zmm16, zmm17, zmm19..zmm21      Stack  none
// Loop    4 tiles; bound by the 16 permutations on two 256-bit pipes and by the 8 stores (16 cycles)
// Tail    none, a chunk is 8 tiles
FUNC(hl_bitslice_tile_u16_avx512icl)
        tiles_u16 tile_u16, cut, 128, rsi, rdx, rcx
END(hl_bitslice_tile_u16_avx512icl)

// Cuts 512 `chunks` elements into tiles of 64: the 256 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 32 planes in turn.
//
//   void hl_bitslice_tile_u32_avx512icl(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride      Out  the tiles
// Uses    rsi, rdx, rdi, zmm0..zmm21      Stack  none
// Loop    4 tiles; bound equally by the 32 permutations on two 256-bit pipes and by the 16 stores
//         (32 cycles). Not measured; llvm-mca: 32 cycles on Zen 4
// Tail    none, a chunk is 8 tiles
FUNC(hl_bitslice_tile_u32_avx512icl)
        tiles_u32 tile_u32, 256, rsi, rdx, rcx
END(hl_bitslice_tile_u32_avx512icl)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u8.
//
//   void hl_bitslice_untile_u8_avx512icl(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst      Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, zmm0..zmm7, zmm17, zmm18, zmm20..zmm27      Stack  none
// Loop    8 tiles; bound by the 8 stores (16 cycles on Zen 4; not measured)
// Tail    none, a chunk is 8 tiles
FUNC(hl_bitslice_untile_u8_avx512icl)
        tiles_u8 untile_u8, join, rsi, rdx, rcx, 64
END(hl_bitslice_untile_u8_avx512icl)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u16.
//
//   void hl_bitslice_untile_u16_avx512icl(const uint8_t *tiles, size_t stride, size_t chunks, uint16_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst      Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, zmm0..zmm7, zmm16..zmm18, zmm20, zmm21      Stack  none
// Loop    4 tiles; bound by the 16 permutations on two 256-bit pipes and by the 8 stores (16 cycles)
// Tail    none, a chunk is 8 tiles
FUNC(hl_bitslice_untile_u16_avx512icl)
        tiles_u16 untile_u16, join, rsi, rdx, rcx, 128
END(hl_bitslice_untile_u16_avx512icl)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u32.
//
//   void hl_bitslice_untile_u32_avx512icl(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst      Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, zmm0..zmm21      Stack  none
// Loop    4 tiles; bound equally by the 32 permutations on two 256-bit pipes and by the 16 stores
//         (32 cycles). Not measured; llvm-mca: 32 cycles on Zen 4
// Tail    none, a chunk is 8 tiles
FUNC(hl_bitslice_untile_u32_avx512icl)
        tiles_u32 untile_u32, rsi, rdx, rcx, 256
END(hl_bitslice_untile_u32_avx512icl)

        RODATA
        .balign 64
.Lbefore_tile_u8:                       // e5 e4 e3, and the complement of e2 e1 e0
        index   7, 32, 16, 8, 4, 2, 1
.Lafter_tile_u8:                        // k2 k1 k0 e5 e4 e3
        index   0, 4, 2, 1, 32, 16, 8
.Lpair_tile_u16:                        // e5 e4 e3, and the complement of e2 e1 e0, for b0 = 0; for b0 = 1
                                        // with e5 complemented
        index   14, 64, 32, 16, 8, 4, 2
        index   79, 64, 32, 16, 8, 4, 2
.Lpair_untile_u16:                      // e4 e3 e2 e1 e0 b0 for e5 = 0; for e5 = 1 with b0 complemented
        index   0, 16, 8, 4, 2, 1, 64
        index   96, 16, 8, 4, 2, 1, 64
.Lbefore_tile_u32:                      // e4 e3 b0, and the complement of e2 e1 e0, for b1 = 0; for
                                        // b1 = 1 with e4 complemented
        index   28, 64, 32, 1, 16, 8, 4
        index   94, 64, 32, 1, 16, 8, 4
.Lafter_tile_u32:                       // k2 k1 k0 e5 e4 e3 for b0 = 0; for b0 = 1 with e5 complemented
        index   0, 4, 2, 1, 64, 32, 16
        index   72, 4, 2, 1, 64, 32, 16
.Lbefore_untile_u8:                     // e5 e4 e3, and the complement of k2 k1 k0
        index   56, 4, 2, 1, 32, 16, 8
.Lbefore_untile_u32:                    // b0 e4 e3, and the complement of k2 k1 k0, for e5 = 0; for
                                        // e5 = 1 with b0 complemented
        index   56, 64, 2, 1, 32, 16, 8
        index   124, 64, 2, 1, 32, 16, 8
.Lafter_untile_u32:                     // e3 e2 e1 e0 b1 b0 for e4 = 0; for e4 = 1 with b1 complemented
        index   0, 8, 4, 2, 1, 64, 32
        index   80, 8, 4, 2, 1, 64, 32
        .balign 8
.Lunit:                                 // byte i = 1 << i
        .quad   0x8040201008040201
