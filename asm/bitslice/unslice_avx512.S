// Unslicing with AVX-512 BW, a chunk of 512 elements at a time, from planes (`layout` is rows) or tiles.

#include "hl.h"

#define src         rdi
#define stride      rsi
#define chunks      rdx
#define dst         rcx
#define stride3     r8
#define row         rax
#define scratch     r9

#include "network_avx512.h"

// Stores 32 bytes for each lane, from `at` on: 16 of x, then 16 of y.
        .macro put at, x, y
        vmovdqa64 zmm8, [rip + .Llow]
        vmovdqa64 zmm9, [rip + .Lhigh]
        vpermi2q zmm8, \x, \y
        vpermi2q zmm9, \x, \y
        vmovdqu64 [dst+\at], ymm8
        vextracti64x4 [dst+128*BYTES+\at], zmm8, 1
        vmovdqu64 [dst+256*BYTES+\at], ymm9
        vextracti64x4 [dst+384*BYTES+\at], zmm9, 1
        .endm

// Loads rows 4 k2 .. 4 k2 + 3 of the tiles from `base` on: lanes [k0 e5 e4 e3] for both k1, x and y.
        .macro load x, y, base, at
        vmovdqu64 ymm8, [\base+\at]
        vmovdqu64 ymm9, [\base+4*stride+\at]
        vinserti64x4 zmm8, zmm8, [\base+2*stride+\at], 1
        vinserti64x4 zmm9, zmm9, [\base+2*stride3+\at], 1
        vshufi32x4 \x, zmm8, zmm9, 0x88
        vshufi32x4 \y, zmm8, zmm9, 0xdd
        .endm

// Loads byte b of the elements into A, [k2 k1 k0] with lanes [e6 e5 e4 e3]; may overwrite C.
        .macro fetch layout, b
        .ifc    \layout, rows
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqu64 zmm\k, [row]
        add     row, stride
        .endr
        .else
        load    zmm20, zmm21, src, 64*\b
        load    zmm22, zmm23, src, 64*\b+32
        load    zmm24, zmm25, row, 64*\b
        load    zmm26, zmm27, row, 64*\b+32
        unpack  qdq, zmm0, zmm1, zmm20, zmm24
        unpack  qdq, zmm2, zmm3, zmm21, zmm25
        unpack  qdq, zmm4, zmm5, zmm22, zmm26
        unpack  qdq, zmm6, zmm7, zmm23, zmm27
        .endif
        .endm

// Byte b: [e2 e6 e5] with lanes [e4 e3 e1 e0].
        .macro byte layout, b, x0, x1, x2, x3, x4, x5, x6, x7
        fetch   \layout, \b
        transpose_bits A
        interleave zmm0, zmm4, zmm1, zmm5, zmm2, zmm6, zmm3, zmm7, C
        interleave C, \x0, \x1, \x2, \x3, \x4, \x5, \x6, \x7
        .endm

// Stores the elements of [e6 e5] = i, first those of e4 = 0; j is i + 4, the vector with e2 = 1.
        .macro elements i, j
        unpack  bw, zmm20, zmm21, zmm1\i, zmm\i
        unpack  bw, zmm22, zmm23, zmm1\j, zmm\j
        vmovdqa64 zmm8, [scratch + 64*\i]
        vmovdqa64 zmm9, [scratch + 64*\j]
        unpack  wd, zmm\i, zmm1\i, zmm8, zmm20
        unpack  wd, zmm\j, zmm1\j, zmm9, zmm22
        put     128*\i, zmm\i, zmm\j
        put     128*\i+32, zmm1\i, zmm1\j
        vmovdqa64 zmm8, [scratch + 512 + 64*\i]
        vmovdqa64 zmm9, [scratch + 512 + 64*\j]
        unpack  wd, zmm\i, zmm1\i, zmm8, zmm21
        unpack  wd, zmm\j, zmm1\j, zmm9, zmm23
        put     128*\i+64, zmm\i, zmm\j
        put     128*\i+96, zmm1\i, zmm1\j
        .endm

// A frame of `frame` bytes holds vectors, aligned to 64 bytes. On Windows, a frame larger than a page is
// touched page by page.
        .macro unslice name, bytes, layout, frame=0
        .set    BYTES, \bytes
        .set    FRAME, \frame
        .if     FRAME
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME
        lea     scratch, [rsp + 63]
        and     scratch, -64
        .endif
        .if     FRAME > 4096
        mov     [scratch + 2048], rsp
        .endif
        test    chunks, chunks
        jz      .Ldone_\name
        lea     stride3, [stride + 2*stride]
        vpbroadcastd even, [rip + .Leven]
        vpbroadcastd couples, [rip + .Lcouples]
        vpbroadcastd nibbles, [rip + .Lnibbles]

        .balign 64
.Lloop_\name:
        .ifc    \layout, rows
        mov     row, src
        .else
        lea     row, [src + stride]
        .endif
        .if     BYTES == 1
        fetch   \layout, 0
        transpose_bits A
        interleave A, B
        interleave B, A
        interleave A, B
        put     0, zmm10, zmm11
        put     32, zmm12, zmm13
        put     64, zmm14, zmm15
        put     96, zmm16, zmm17
        .elseif BYTES == 2
        // The bytes 0 and 1, [e6 e5 e4] with lanes [e3 e2 e1 e0], come together.
        fetch   \layout, 0
        transpose_bits A
        interleave A, B
        interleave B, A
        interleave A, B
        fetch   \layout, 1
        transpose_bits A
        interleave A, C
        interleave C, A
        interleave A, C
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        unpack  bw, zmm18, zmm19, zmm1\i, zmm2\i
        put     32*\i, zmm18, zmm19
        .endr
        .elseif BYTES == 4
        // Bytes 0 and 1 go to the stack: [e4][e2 e6 e5] with lanes [e3 e1 e0 b0].
        byte    \layout, 0, B
        byte    \layout, 1, A
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        unpack  bw, zmm8, zmm9, zmm1\i, zmm\i
        vmovdqa64 [scratch + 64*\i], zmm8
        vmovdqa64 [scratch + 512 + 64*\i], zmm9
        .endr

        // With bytes 2 and 3, the lanes [e1 e0 b1 b0] of both e2 are 32 consecutive bytes.
        byte    \layout, 2, B
        byte    \layout, 3, A
        elements 0, 4
        elements 1, 5
        elements 2, 6
        elements 3, 7
        .else
        // Byte b goes to the stack: [e2 e1 e6] with lanes [e5 e4 e3 e0].
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        fetch   \layout, \b
        transpose_bits A
        interleave zmm0, zmm2, zmm4, zmm6, zmm1, zmm3, zmm5, zmm7, C
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa64 [scratch + 512*\b + 64*\i], zmm2\i
        .endr
        .endr

        // The elements of e1 = 0 in B, of e1 = 1 in C: [e5 e4 e3] with lanes [e0 b2 b1 b0]. The lanes of
        // both e1 are 32 consecutive bytes.
        .irp    e6, 0, 1
        .irp    e2, 0, 1
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa64 zmm\b, [scratch + 512*\b + 64*(4*\e2+\e6)]
        .endr
        interleave A, C
        interleave C, A
        interleave A, B
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa64 zmm\b, [scratch + 512*\b + 64*(4*\e2+2+\e6)]
        .endr
        interleave A, C
        interleave C, A
        interleave A, C
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        put     512*\e6+64*\i+32*\e2, zmm1\i, zmm2\i
        .endr
        .endr
        .endr
        .endif

        .ifc    \layout, rows
        add     src, 64
        .else
        lea     src, [src + 8*stride]
        .endif
        add     dst, 512*BYTES
        dec     chunks
        jnz     .Lloop_\name

.Ldone_\name:
        .if     FRAME
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -FRAME
        .endif
        vzeroupper
        ret
        .endm

// Puts 512 `chunks` elements together from 8 planes: the inverse of slice_u8.
//
//   void hl_bitslice_unslice_u8_avx512(const uint8_t *planes, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, zmm0..zmm17, zmm29..zmm31     Stack  none
// Loop    512 elements; 10 operations for each of 8 vectors; bound by the two 512-bit ports of
//         Skylake-X (40 cycles); modelled at 42 on Zen 4
// Bound   40 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_unslice_u8_avx512)
        unslice unslice_u8, 1, rows
END(hl_bitslice_unslice_u8_avx512)

// Puts 512 `chunks` elements together from 16 planes: the inverse of slice_u16.
//
//   void hl_bitslice_unslice_u16_avx512(const uint8_t *planes, size_t stride, size_t chunks, uint16_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, zmm0..zmm27, zmm29..zmm31     Stack  none
// Loop    512 elements; 12 operations for each of 16 vectors; bound by the two 512-bit ports of
//         Skylake-X (96 cycles)
// Bound   96 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_unslice_u16_avx512)
        unslice unslice_u16, 2, rows
END(hl_bitslice_unslice_u16_avx512)

// Puts 512 `chunks` elements together from 32 planes: the inverse of slice_u32.
//
//   void hl_bitslice_unslice_u32_avx512(const uint8_t *planes, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, r9, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  1088 bytes
// Loop    512 elements; 11 operations for each of 32 vectors; bound by the two 512-bit ports of
//         Skylake-X (176 cycles); modelled at 202 on Zen 4
// Bound   176 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_unslice_u32_avx512)
        unslice unslice_u32, 4, rows, 1088
END(hl_bitslice_unslice_u32_avx512)

// Puts 512 `chunks` elements together from 64 planes: the inverse of slice_u64.
//
//   void hl_bitslice_unslice_u64_avx512(const uint8_t *planes, size_t stride, size_t chunks, uint64_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, r9, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  4160 bytes
// Loop    512 elements; 12 operations for each of 64 vectors; bound by the two 512-bit ports of
//         Skylake-X (384 cycles)
// Bound   384 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_unslice_u64_avx512)
        unslice unslice_u64, 8, rows, 4160
END(hl_bitslice_unslice_u64_avx512)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u8.
//
//   void hl_bitslice_untile_u8_avx512(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  none
// Loop    512 elements; 13 operations for each of 8 vectors; bound by the two 512-bit ports of
//         Skylake-X (52 cycles); modelled at 75 on Zen 4
// Bound   52 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_untile_u8_avx512)
        unslice untile_u8, 1, tiles
END(hl_bitslice_untile_u8_avx512)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u16.
//
//   void hl_bitslice_untile_u16_avx512(const uint8_t *tiles, size_t stride, size_t chunks, uint16_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, zmm0..zmm27, zmm29..zmm31     Stack  none
// Loop    512 elements; 15 operations for each of 16 vectors; bound by the two 512-bit ports of
//         Skylake-X (120 cycles)
// Bound   120 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_untile_u16_avx512)
        unslice untile_u16, 2, tiles
END(hl_bitslice_untile_u16_avx512)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u32.
//
//   void hl_bitslice_untile_u32_avx512(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, r9, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  1088 bytes
// Loop    512 elements; 14 operations for each of 32 vectors; bound by the two 512-bit ports of
//         Skylake-X (224 cycles); modelled at 337 on Zen 4
// Bound   224 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_untile_u32_avx512)
        unslice untile_u32, 4, tiles, 1088
END(hl_bitslice_untile_u32_avx512)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u64.
//
//   void hl_bitslice_untile_u64_avx512(const uint8_t *tiles, size_t stride, size_t chunks, uint64_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, r9, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  4160 bytes
// Loop    512 elements; 15 operations for each of 64 vectors; bound by the two 512-bit ports of
//         Skylake-X (480 cycles)
// Bound   480 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_untile_u64_avx512)
        unslice untile_u64, 8, tiles, 4160
END(hl_bitslice_untile_u64_avx512)

        network_constants
