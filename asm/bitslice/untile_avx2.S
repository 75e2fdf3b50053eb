// Puts elements together from tiles with AVX2, by the levels of network_avx2.h.

#include "hl.h"
#include "network_avx2.h"

#define tiles       rdi
#define stride      rsi
#define pieces      rdx
#define dst         rcx
#define stride3     r8
#define left        rdx

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u8.
//
//   void hl_bitslice_untile_u8_avx2(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst         Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, r8, ymm0..ymm8, ymm10..ymm15      Stack  none
// Loop    256 elements; 8 vectors of 14 operations, 28 cycles on four pipes; 35 on Zen 3 (two for
//         shuffles and shifts)
// Bound   28 cycles for 256 elements on Zen 3
// Tail    none
FUNC(hl_bitslice_untile_u8_avx2)
        constants
        lea     stride3, [stride + 2*stride]
        add     pieces, pieces
        jz      .Ldone_u8

        // A piece is 256 elements: eight vectors, k1 k2 e6: e7|k0 e5 e4 e3|e2 e1 e0.
        .balign 64
.Lpiece_u8:
        load_halves 0, 4, tiles, tiles + 2*stride
        load_halves 1, 5, tiles + stride, tiles + stride3
        load_halves 2, 6, tiles + 32, tiles + 2*stride + 32
        load_halves 3, 7, tiles + stride + 32, tiles + stride3 + 32
        exchange 2, 0, 4, 1, 5, 2, 6, 3, 7                             // e1 k2 e6: e7|k0 e5 e4 e3|e2 k1 e0
        interleave bw, 8, 0, 4, 1, 5, 2, 6, 3, 7                       // k0 k2 e6: e7|e5 e4 e3 e1|e2 k1 e0
        exchange 4, 8, 1, 0, 2, 4, 6, 5, 7                             // k0 e2 e6: e7|e5 e4 e3 e1|k2 k1 e0
        interleave wd, 3, 8, 1, 0, 2, 4, 6, 5, 7                       // k0 e5 e6: e7|e4 e3 e2 e1|k2 k1 e0
        exchange 1, 3, 0, 8, 4, 1, 6, 2, 7                             // e0 e5 e6: e7|e4 e3 e2 e1|k2 k1 k0
        interleave bw, 5, 3, 0, 8, 4, 1, 6, 2, 7                       // e4 e5 e6: e7|e3 e2 e1 e0|k2 k1 k0
        halves  2, 5, 0, 3, 4, 8, 6, 1, 7                              // e7 e5 e6: e4|e3 e2 e1 e0|k2 k1 k0

        // Store 32 elements a vector.
        vmovdqu [dst], ymm2
        vmovdqu [dst + 64], ymm5
        vmovdqu [dst + 32], ymm3
        vmovdqu [dst + 96], ymm8
        vmovdqu [dst + 128], ymm0
        vmovdqu [dst + 192], ymm4
        vmovdqu [dst + 160], ymm6
        vmovdqu [dst + 224], ymm7
        lea     tiles, [tiles + 4*stride]
        add     dst, 256
        sub     pieces, 1
        jnz     .Lpiece_u8

.Ldone_u8:
        vzeroupper
        ret
END(hl_bitslice_untile_u8_avx2)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u16.
//
//   void hl_bitslice_untile_u16_avx2(const uint8_t *tiles, size_t stride, size_t chunks, uint16_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst         Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, ymm0..ymm8, ymm10..ymm15      Stack  none
// Loop    128 elements; 8 vectors of 15 operations, 30 cycles on four pipes
// Tail    none
FUNC(hl_bitslice_untile_u16_avx2)
        constants
        shl     left, 2
        jz      .Ldone_u16

        .balign 64
.Lloop_u16:
        // Two tiles, e6: eight vectors, b0 k2 k1: e6|k0 e5 e4 e3|e2 e1 e0.
        load_halves 0, 4, tiles, tiles + stride
        load_halves 1, 5, tiles + 32, tiles + stride + 32
        load_halves 2, 6, tiles + 64, tiles + stride + 64
        load_halves 3, 7, tiles + 96, tiles + stride + 96
        exchange 4, 0, 1, 4, 5, 2, 3, 6, 7                             // b0 e2 k1: e6|k0 e5 e4 e3|k2 e1 e0
        interleave bw, 8, 0, 1, 4, 5, 2, 3, 6, 7                       // b0 k0 k1: e6|e5 e4 e3 e2|k2 e1 e0
        exchange 1, 8, 1, 0, 5, 4, 3, 2, 7                             // b0 e0 k1: e6|e5 e4 e3 e2|k2 e1 k0
        exchange 2, 8, 0, 1, 5, 4, 2, 3, 7                             // b0 e0 e1: e6|e5 e4 e3 e2|k2 k1 k0
        interleave bw, 6, 8, 0, 1, 5, 4, 2, 3, 7                       // b0 e0 e5: e6|e4 e3 e2 e1|k2 k1 k0
        interleave bw, 3, 6, 8, 0, 5, 1, 4, 2, 7                       // b0 e4 e5: e6|e3 e2 e1 e0|k2 k1 k0
        interleave bw, 2, 3, 0, 6, 1, 8, 4, 5, 7                       // e3 e4 e5: e6|e2 e1 e0 b0|k2 k1 k0
        halves  5, 2, 0, 3, 1, 6, 4, 8, 7                              // e6 e4 e5: e3|e2 e1 e0 b0|k2 k1 k0

        // Store 128 elements, 16 a vector.
        put     vmovdqu, dst, 5, 3, 2, 6, 0, 4, 1, 7
        lea     tiles, [tiles + 2*stride]
        add     dst, 256
        sub     left, 1
        jnz     .Lloop_u16

.Ldone_u16:
        vzeroupper
        ret
END(hl_bitslice_untile_u16_avx2)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u32.
//
//   void hl_bitslice_untile_u32_avx2(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst         Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, ymm0..ymm8, ymm10..ymm15      Stack  none
// Loop    64 elements; 8 vectors of 14 operations, 28 cycles on four pipes; 42 on Zen 3 (two for
//         shuffles and shifts)
// Bound   28 cycles for 64 elements on Zen 3
// Tail    none
FUNC(hl_bitslice_untile_u32_avx2)
        constants
        shl     left, 3
        jz      .Ldone_u32

        .balign 64
.Lloop_u32:
        // Eight vectors, k2 b1 b0: k1|k0 e5 e4 e3|e2 e1 e0.
        vmovdqu ymm0, [tiles]
        vmovdqu ymm1, [tiles + 64]
        vmovdqu ymm2, [tiles + 128]
        vmovdqu ymm3, [tiles + 192]
        vmovdqu ymm4, [tiles + 32]
        vmovdqu ymm5, [tiles + 96]
        vmovdqu ymm6, [tiles + 160]
        vmovdqu ymm7, [tiles + 224]
        exchange 4, 0, 4, 1, 5, 2, 6, 3, 7                             // e2 b1 b0: k1|k0 e5 e4 e3|k2 e1 e0
        halves  8, 0, 4, 1, 5, 2, 6, 3, 7                              // k1 b1 b0: e2|k0 e5 e4 e3|k2 e1 e0
        interleave bw, 3, 8, 1, 0, 2, 4, 6, 5, 7                       // k1 k0 b0: e2|e5 e4 e3 b1|k2 e1 e0
        exchange 2, 3, 0, 8, 4, 1, 6, 2, 7                             // e1 k0 b0: e2|e5 e4 e3 b1|k2 k1 e0
        interleave bw, 5, 3, 8, 1, 2, 0, 4, 6, 7                       // e1 k0 e5: e2|e4 e3 b1 b0|k2 k1 e0
        exchange 1, 5, 3, 8, 2, 1, 0, 4, 7                             // e1 e0 e5: e2|e4 e3 b1 b0|k2 k1 k0
        interleave dq, 6, 5, 1, 8, 4, 3, 0, 2, 7                       // e4 e0 e5: e2|e3 e1 b1 b0|k2 k1 k0
        interleave dq, 2, 6, 8, 5, 3, 1, 0, 4, 7                       // e4 e3 e5: e2|e1 e0 b1 b0|k2 k1 k0

        // Store 64 elements, 8 a vector.
        vmovdqu [dst], ymm2
        vmovdqu [dst + 128], ymm6
        vmovdqu [dst + 32], ymm8
        vmovdqu [dst + 160], ymm3
        vmovdqu [dst + 64], ymm5
        vmovdqu [dst + 192], ymm1
        vmovdqu [dst + 96], ymm0
        vmovdqu [dst + 224], ymm7
        add     tiles, stride
        add     dst, 256
        sub     left, 1
        jnz     .Lloop_u32

.Ldone_u32:
        vzeroupper
        ret
END(hl_bitslice_untile_u32_avx2)

        constant_data
