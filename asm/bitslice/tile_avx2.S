// Slices elements of one, two and four bytes into tiles with AVX2, by the levels of network_avx2.h.

#include "hl.h"

#define src         rdi
#define pieces      rsi
#define tiles       rdx
#define stride      rcx
#define stride3     r8
#define order       ymm9
#define left        rsi

#include "network_avx2.h"

// Cuts 512 `chunks` elements into tiles of 64: the 64 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 8 planes in turn.
//
//   void hl_bitslice_tile_u8_avx2(const uint8_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride         Out  8 chunks tiles
// Uses    rdx, rsi, rdi, r8, ymm0..ymm15      Stack  none
// Loop    256 elements; 8 vectors of 15 operations, 30 cycles on four pipes; 40 on Zen 3 (two for
//         shuffles and shifts)
// Bound   30 cycles for 256 elements on Zen 3
// Tail    none
FUNC(hl_bitslice_tile_u8_avx2)
        constants
        vbroadcasti128 order, [rip + .Lorder]
        lea     stride3, [stride + 2*stride]
        add     pieces, pieces
        jz      .Ldone_u8

        // A piece is 256 elements: eight vectors, e6 e5 e4: e7|e3 e2 e1 e0|k2 k1 k0.
        .balign 64
.Lpiece_u8:
        load_halves 0, 1, src, src + 128
        load_halves 2, 3, src + 32, src + 160
        load_halves 4, 5, src + 64, src + 192
        load_halves 6, 7, src + 96, src + 224
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpshufb ymm\i, ymm\i, order
        .endr

        // e6 e5 e4: e7|e2 e0 e1 e3|k2 k1 k0
        interleave wd, 8, 0, 2, 1, 3, 4, 6, 5, 7                       // e6 e2 e4: e7|e0 e1 e5 e3|k2 k1 k0
        interleave wd, 5, 8, 0, 2, 3, 1, 4, 6, 7                       // e6 e2 e0: e7|e1 e5 e4 e3|k2 k1 k0
        exchange 1, 5, 0, 8, 3, 2, 4, 1, 7                             // e6 e2 k0: e7|e1 e5 e4 e3|k2 k1 e0
        interleave qdq, 6, 5, 0, 8, 3, 2, 4, 1, 7                      // e6 e2 e1: e7|k0 e5 e4 e3|k2 k1 e0
        exchange 2, 6, 0, 5, 3, 8, 4, 2, 7                             // e6 e2 k1: e7|k0 e5 e4 e3|k2 e1 e0
        exchange 4, 6, 5, 0, 3, 8, 2, 4, 7                             // e6 k2 k1: e7|k0 e5 e4 e3|e2 e1 e0
        halves  1, 6, 0, 5, 3, 8, 4, 2, 7                              // e6 k2 e7: k1|k0 e5 e4 e3|e2 e1 e0

        // Store four tiles.
        vmovdqu [tiles], ymm1
        vmovdqu [tiles + 32], ymm6
        vmovdqu [tiles + stride], ymm5
        vmovdqu [tiles + stride + 32], ymm8
        vmovdqu [tiles + 2*stride], ymm0
        vmovdqu [tiles + 2*stride + 32], ymm3
        vmovdqu [tiles + stride3], ymm4
        vmovdqu [tiles + stride3 + 32], ymm7
        add     src, 256
        lea     tiles, [tiles + 4*stride]
        sub     pieces, 1
        jnz     .Lpiece_u8

.Ldone_u8:
        vzeroupper
        ret
END(hl_bitslice_tile_u8_avx2)

// Cuts 512 `chunks` elements into tiles of 64: the 128 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 16 planes in turn.
//
//   void hl_bitslice_tile_u16_avx2(const uint16_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride         Out  8 chunks tiles
// Uses    rdx, rsi, rdi, ymm0..ymm8, ymm10..ymm15      Stack  none
// Loop    128 elements; 8 vectors of 14 operations, 28 cycles on four pipes
// Tail    none
FUNC(hl_bitslice_tile_u16_avx2)
        constants
        shl     left, 2
        jz      .Ldone_u16

        .balign 64
.Lloop_u16:
        // Two tiles, e6: eight vectors, e6 e5 e4: e3|e2 e1 e0 b0|k2 k1 k0.
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqu ymm\i, [src + 32*\i]
        .endr
        interleave bw, 8, 0, 2, 1, 3, 4, 6, 5, 7                       // e6 e2 e4: e3|e1 e0 b0 e5|k2 k1 k0
        exchange 4, 8, 2, 0, 3, 1, 6, 4, 7                             // e6 k2 e4: e3|e1 e0 b0 e5|e2 k1 k0
        interleave bw, 5, 8, 0, 2, 3, 1, 4, 6, 7                       // e6 k2 e1: e3|e0 b0 e5 e4|e2 k1 k0
        exchange 2, 5, 0, 8, 3, 2, 4, 1, 7                             // e6 k2 k1: e3|e0 b0 e5 e4|e2 e1 k0
        halves  6, 5, 0, 8, 3, 2, 4, 1, 7                              // e6 k2 e3: k1|e0 b0 e5 e4|e2 e1 k0
        interleave bw, 1, 6, 0, 5, 3, 8, 4, 2, 7                       // e6 k2 e0: k1|b0 e5 e4 e3|e2 e1 k0
        exchange 1, 1, 0, 6, 3, 5, 4, 8, 7                             // e6 k2 k0: k1|b0 e5 e4 e3|e2 e1 e0
        interleave qdq, 2, 1, 0, 6, 3, 5, 4, 8, 7                      // e6 k2 b0: k1|k0 e5 e4 e3|e2 e1 e0

        // Store the bits of byte 0, then those of byte 1.
        put     vmovdqu, tiles, 2, 1, 0, 3
        put     vmovdqu, tiles + stride, 6, 5, 4, 7
        add     src, 256
        lea     tiles, [tiles + 2*stride]
        sub     left, 1
        jnz     .Lloop_u16

.Ldone_u16:
        vzeroupper
        ret
END(hl_bitslice_tile_u16_avx2)

// Cuts 512 `chunks` elements into tiles of 64: the 256 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 32 planes in turn.
//
//   void hl_bitslice_tile_u32_avx2(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride         Out  8 chunks tiles
// Uses    rdx, rsi, rdi, ymm0..ymm8, ymm10..ymm15      Stack  none
// Loop    64 elements; 8 vectors of 14 operations, 28 cycles on four pipes; 39 on Zen 3 (two for
//         shuffles and shifts)
// Bound   28 cycles for 64 elements on Zen 3
// Tail    none
FUNC(hl_bitslice_tile_u32_avx2)
        constants
        shl     left, 3
        jz      .Ldone_u32

        .balign 64
.Lloop_u32:
        // Eight vectors, e5 e4 e3: e2|e1 e0 b1 b0|k2 k1 k0.
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqu ymm\i, [src + 32*\i]
        .endr
        interleave bw, 8, 0, 2, 1, 3, 4, 6, 5, 7                       // e5 e1 e3: e2|e0 b1 b0 e4|k2 k1 k0
        interleave bw, 5, 8, 0, 2, 3, 1, 4, 6, 7                       // e5 e1 e0: e2|b1 b0 e4 e3|k2 k1 k0
        exchange 1, 5, 0, 8, 3, 2, 4, 1, 7                             // e5 e1 k0: e2|b1 b0 e4 e3|k2 k1 e0
        exchange 2, 5, 8, 0, 3, 2, 1, 4, 7                             // e5 k1 k0: e2|b1 b0 e4 e3|k2 e1 e0
        halves  6, 5, 8, 0, 3, 2, 1, 4, 7                              // e5 e2 k0: k1|b1 b0 e4 e3|k2 e1 e0
        interleave dq, 4, 6, 0, 5, 2, 8, 1, 3, 7                       // b1 e2 k0: k1|b0 e5 e4 e3|k2 e1 e0
        exchange 4, 4, 5, 6, 8, 0, 1, 2, 7                             // b1 k2 k0: k1|b0 e5 e4 e3|e2 e1 e0
        interleave qdq, 3, 4, 6, 5, 8, 0, 2, 1, 7                      // b1 k2 b0: k1|k0 e5 e4 e3|e2 e1 e0

        // Store the bits of bytes 0, 1, 2 and 3 of the elements.
        vmovdqu [tiles], ymm3
        vmovdqu [tiles + 64], ymm6
        vmovdqu [tiles + 32], ymm4
        vmovdqu [tiles + 96], ymm8
        vmovdqu [tiles + 128], ymm5
        vmovdqu [tiles + 192], ymm2
        vmovdqu [tiles + 160], ymm0
        vmovdqu [tiles + 224], ymm7
        add     src, 256
        add     tiles, stride
        sub     left, 1
        jnz     .Lloop_u32

.Ldone_u32:
        vzeroupper
        ret
END(hl_bitslice_tile_u32_avx2)

        constant_data
        .balign 16
.Lorder:                                // to the byte order e2 e0 e1 e3
        .byte   0, 8, 2, 10, 1, 9, 3, 11, 4, 12, 6, 14, 5, 13, 7, 15
