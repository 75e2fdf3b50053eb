// Puts elements together from tiles with AVX2, by the levels of network_avx2.h.

#include "hl.h"
#include "network_avx2.h"

#define tiles       rdi
#define stride      rsi
#define pieces      rdx
#define dst         rcx
#define stride3     r8
#define left        rdx
#define scratch     r8

#define FRAME       544

// The planes of bytes b1 = 0 or 1, from `at` on in the tile, become vectors
// e5 e2 e1: b2|e4 e3 e0 b0|k2 k1 k0, which go to the stack at `to`.
        .macro open_u64 at, to
        load_halves 0, 4, tiles + \at, tiles + \at + 256
        load_halves 1, 5, tiles + \at + 32, tiles + \at + 288
        load_halves 2, 6, tiles + \at + 64, tiles + \at + 320
        load_halves 3, 7, tiles + \at + 96, tiles + \at + 352
        exchange 4, 0, 1, 4, 5, 2, 3, 6, 7                             // b0 e2 k1: b2|k0 e5 e4 e3|k2 e1 e0
        interleave bw, 8, 0, 2, 4, 6, 1, 3, 5, 7                       // k0 e2 k1: b2|e5 e4 e3 b0|k2 e1 e0
        exchange 2, 8, 0, 4, 1, 2, 6, 3, 7                             // k0 e2 e1: b2|e5 e4 e3 b0|k2 k1 e0
        exchange 1, 8, 2, 0, 6, 4, 3, 1, 7                             // e0 e2 e1: b2|e5 e4 e3 b0|k2 k1 k0
        interleave wd, 5, 8, 2, 0, 6, 4, 3, 1, 7                       // e5 e2 e1: b2|e4 e3 e0 b0|k2 k1 k0
        vmovdqa [scratch + \to + 0], ymm5
        vmovdqa [scratch + \to + 32], ymm8
        vmovdqa [scratch + \to + 64], ymm0
        vmovdqa [scratch + \to + 96], ymm4
        vmovdqa [scratch + \to + 128], ymm2
        vmovdqa [scratch + \to + 160], ymm6
        vmovdqa [scratch + \to + 192], ymm3
        vmovdqa [scratch + \to + 224], ymm7
        .endm

// Moves b1 into the bytes and e4 out: of vector i, e4 = 0 goes to the register, e4 = 1 to the stack.
        .macro merge_u64 i
        vmovdqa ymm8, [scratch + 32*\i]
        vpunpcklwd ymm\i, ymm8, [scratch + 256 + 32*\i]
        vpunpckhwd ymm8, ymm8, [scratch + 256 + 32*\i]
        vmovdqa [scratch + 32*\i], ymm8
        .endm

// The last levels for the elements of one e4, which go to `at`. Before, the vectors are
// e5 e2 e1: b2|e3 e0 b1 b0.
        .macro finish_u64 at
        halves  8, 0, 1, 2, 3, 4, 5, 6, 7                              // e5 e2 b2: e1|e3 e0 b1 b0|k2 k1 k0
        interleave dq, 6, 8, 1, 0, 3, 2, 5, 4, 7                       // e5 e2 e3: e1|e0 b2 b1 b0|k2 k1 k0
        vmovdqu [dst + \at + 0], ymm6
        vmovdqu [dst + \at + 32], ymm8
        vmovdqu [dst + \at + 64], ymm1
        vmovdqu [dst + \at + 96], ymm3
        vmovdqu [dst + \at + 256], ymm0
        vmovdqu [dst + \at + 288], ymm2
        vmovdqu [dst + \at + 320], ymm5
        vmovdqu [dst + \at + 352], ymm7
        .endm

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
        vmovdqu [dst], ymm5
        vmovdqu [dst + 32], ymm3
        vmovdqu [dst + 64], ymm2
        vmovdqu [dst + 96], ymm6
        vmovdqu [dst + 128], ymm0
        vmovdqu [dst + 160], ymm4
        vmovdqu [dst + 192], ymm1
        vmovdqu [dst + 224], ymm7
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

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u64.
//
//   void hl_bitslice_untile_u64_avx2(const uint8_t *tiles, size_t stride, size_t chunks, uint64_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst         Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, r8, ymm0..ymm8, ymm10..ymm15      Stack  544 bytes
// Loop    64 elements; 16 vectors of 15 operations, 60 cycles on four pipes
// Tail    none
FUNC(hl_bitslice_untile_u64_avx2)
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME
        lea     scratch, [rsp + 31]
        and     scratch, -32
        constants
        shl     left, 3
        jz      .Ldone_u64

        .balign 64
.Lloop_u64:
        open_u64 0, 0
        open_u64 128, 256
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        merge_u64 \i
        .endr
        finish_u64 0
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm\i, [scratch + 32*\i]
        .endr
        finish_u64 128
        add     tiles, stride
        add     dst, 512
        sub     left, 1
        jnz     .Lloop_u64

.Ldone_u64:
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -FRAME
        vzeroupper
        ret
END(hl_bitslice_untile_u64_avx2)

        constant_data
