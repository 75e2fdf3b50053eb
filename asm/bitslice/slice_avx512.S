// Slicing with AVX-512 BW, a chunk of 512 elements at a time, into planes (`layout` is rows) or tiles.

#include "hl.h"

#define src         rdi
#define chunks      rsi
#define dst         rdx
#define stride      rcx
#define stride3     r8
#define row         rax
#define scratch     r9
#define stride8     r10
#define stride24    r11

#include "network_avx512.h"

// Loads two vectors from the 32 bytes of each lane, from `at` on: x takes the first 16, y the last 16.
        .macro load2 x, y, at
        vmovdqu64 ymm8, [src+\at]
        vmovdqu64 ymm9, [src+256*BYTES+\at]
        vinserti64x4 zmm8, zmm8, [src+128*BYTES+\at], 1
        vinserti64x4 zmm9, zmm9, [src+384*BYTES+\at], 1
        vshufi32x4 \x, zmm8, zmm9, 0x88
        vshufi32x4 \y, zmm8, zmm9, 0xdd
        .endm

        .macro load8 at, x0, x1, x2, x3, x4, x5, x6, x7
        load2   \x0, \x1, \at
        load2   \x2, \x3, \at+32
        load2   \x4, \x5, \at+64
        load2   \x6, \x7, \at+96
        .endm

// The groups e5 = 0 and 1 of one e6: [k2 k1 k0] with lanes [b1 b0 e4 e3] in A and B.
        .macro cut_u32 e6
        load8   256*\e6, A
        interleave A, B
        interleave B, A
        transpose_bits A
        load8   256*\e6+128, B
        interleave B, C
        interleave C, B
        transpose_bits B
        .endm

// Stores rows 4 k2 .. 4 k2 + 3, with lanes [k0 e5 e4 e3] for both k1, x and y, in the tiles from `base` on.
        .macro put base, at, x, y
        vmovdqa64 zmm8, [rip + .Llow]
        vmovdqa64 zmm9, [rip + .Lhigh]
        vpermi2q zmm8, \x, \y
        vpermi2q zmm9, \x, \y
        vmovdqu64 [\base+\at], ymm8
        vextracti64x4 [\base+2*stride+\at], zmm8, 1
        vmovdqu64 [\base+4*stride+\at], ymm9
        vextracti64x4 [\base+2*stride3+\at], zmm9, 1
        .endm

// Rows with lanes [t e5 e4 e3] go into the tiles from `base` on for t = 0, from `other` on for t = 1.
        .macro tile base, at, other, where, x0, x1, x2, x3, x4, x5, x6, x7
        unpack  qdq, zmm0, zmm4, \x0, \x1
        unpack  qdq, zmm1, zmm5, \x2, \x3
        unpack  qdq, zmm2, zmm6, \x4, \x5
        unpack  qdq, zmm3, zmm7, \x6, \x7
        put     \base, \at, zmm0, zmm1
        put     \base, \at+32, zmm2, zmm3
        put     \other, \where, zmm4, zmm5
        put     \other, \where+32, zmm6, zmm7
        .endm

// Elements of one e6, e2 and e1, [e5 e4 e3] with lanes [e0 b2 b1 b0], go to the stack: for each
// [b2 b1], [e6 e2 e1 e0] with lanes [b0 e5 e4 e3].
        .macro spread at, x0, x1, x2, x3, x4, x5, x6, x7
        interleave \x0, \x1, \x2, \x3, \x4, \x5, \x6, \x7, C
        interleave C, \x0, \x1, \x2, \x3, \x4, \x5, \x6, \x7
        interleave \x0, \x1, \x2, \x3, \x4, \x5, \x6, \x7, C
        .irp i, 0, 1, 2, 3
        vmovdqa64 [scratch + 1024*\i + \at], zmm2\i
        .endr
        vmovdqa64 [scratch + 64 + \at], zmm24
        vmovdqa64 [scratch + 1088 + \at], zmm25
        vmovdqa64 [scratch + 2112 + \at], zmm26
        vmovdqa64 [scratch + 3136 + \at], zmm27
        .endm

// A frame of `frame` bytes holds vectors, aligned to 64 bytes. On Windows, a frame larger than a page is
// touched page by page.
        .macro slice name, bytes, layout, frame=0
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
        .ifc    \layout, rows
        .if     BYTES < 8
        lea     stride8, [8*stride]
        .endif
        .if     BYTES == 4
        lea     stride24, [stride8 + 2*stride8]
        .endif
        .endif

        .balign 64
.Lloop_\name:
        .if     BYTES == 2
        // The tiles e6 = 0 and 1: [k2 k1 k0] with lanes [b0 e5 e4 e3] in B and C.
        load8   0, A
        interleave A, B
        interleave B, A
        interleave A, B
        transpose_bits B
        load8   128, A
        interleave A, C
        interleave C, A
        interleave A, C
        transpose_bits C
        .ifc    \layout, rows
        mov     row, dst
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        unpack  qdq, zmm0, zmm1, zmm1\k, zmm2\k
        vmovdqu64 [row], zmm0
        vmovdqu64 [row + stride8], zmm1
        add     row, stride
        .endr
        .else
        lea     row, [dst + stride]
        tile    dst, 0, dst, 64, B
        tile    row, 0, row, 64, C
        .endif
        .elseif BYTES == 4
        .ifc    \layout, rows
        // The first half of the elements goes to the stack: [b1][k2 k1 k0] with lanes [b0 e5 e4 e3].
        cut_u32 0
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        unpack  dq, zmm8, zmm9, zmm\k, zmm1\k
        vmovdqa64 [scratch + 64*\k], zmm8
        vmovdqa64 [scratch + 512 + 64*\k], zmm9
        .endr

        // Both halves together make whole rows, [b1 b0 k2 k1 k0] with lanes [e6 e5 e4 e3].
        cut_u32 1
        mov     row, dst
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        unpack  dq, zmm8, zmm9, zmm\k, zmm1\k
        vmovdqa64 zmm18, [scratch + 64*\k]
        vmovdqa64 zmm28, [scratch + 512 + 64*\k]
        unpack  qdq, zmm19, zmm18, zmm18, zmm8
        vmovdqu64 [row], zmm19
        vmovdqu64 [row + stride8], zmm18
        unpack  qdq, zmm19, zmm28, zmm28, zmm9
        vmovdqu64 [row + 2*stride8], zmm19
        vmovdqu64 [row + stride24], zmm28
        add     row, stride
        .endr
        .else
        mov     row, dst
        .irp    e6, 0, 1
        cut_u32 \e6
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        unpack  dq, zmm2\k, zmm1\k, zmm\k, zmm1\k
        .endr
        tile    row, 0, row, 64, C
        tile    row, 128, row, 192, B
        add     row, stride
        .endr
        .endif
        .else
        .ifc    \layout, rows
        mov     row, dst
        .else
        lea     row, [dst + stride]
        .endif
        .irp    e6, 0, 1
        .irp    e2, 0, 1
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        load2   zmm\i, zmm1\i, 512*\e6+64*\i+32*\e2
        .endr
        spread  512*\e6+256*\e2, A
        spread  512*\e6+256*\e2+128, B
        .endr
        .endr

        // The bytes [b2 b1] = c of all elements: the planes of b0 = 0 in B, of b0 = 1 in C.
        .irp    c, 0, 1, 2, 3
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa64 zmm8, [scratch + 1024*\c + 64*\i]
        unpack  qdq, zmm1\i, zmm2\i, zmm8, [scratch + 1024*\c + 512 + 64*\i]
        .endr
        transpose_bits B
        .ifc    \layout, rows
        .irp    x, B
        vmovdqu64 [row], \x
        add     row, stride
        .endr
        .else
        tile    dst, 128*\c, row, 128*\c, B
        .endif
        transpose_bits C
        .ifc    \layout, rows
        .irp    x, C
        vmovdqu64 [row], \x
        add     row, stride
        .endr
        .else
        tile    dst, 128*\c+64, row, 128*\c+64, C
        .endif
        .endr
        .endif

        add     src, 512*BYTES
        .ifc    \layout, rows
        add     dst, 64
        .else
        lea     dst, [dst + 8*stride]
        .endif
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

// Cuts 512 `chunks` elements into 16 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u16_avx512(const uint16_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8, r10, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  none
// Loop    512 elements; 12 operations for each of 16 vectors; bound by the two 512-bit ports of
//         Skylake-X (96 cycles)
// Bound   96 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_slice_u16_avx512)
        slice   slice_u16, 2, rows
END(hl_bitslice_slice_u16_avx512)

// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u32_avx512(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8..r11, zmm0..zmm31     Stack  1088 bytes
// Loop    512 elements; 12 operations for each of 32 vectors; bound by the two 512-bit ports of
//         Skylake-X (192 cycles); modelled at 268 on Zen 4
// Bound   192 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_slice_u32_avx512)
        slice   slice_u32, 4, rows, 1088
END(hl_bitslice_slice_u32_avx512)

// Cuts 512 `chunks` elements into 64 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u64_avx512(const uint64_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8, r9, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  4160 bytes
// Loop    512 elements; 12 operations for each of 64 vectors; bound by the two 512-bit ports of
//         Skylake-X (384 cycles)
// Bound   384 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_slice_u64_avx512)
        slice   slice_u64, 8, rows, 4160
END(hl_bitslice_slice_u64_avx512)

// Cuts 512 `chunks` elements into tiles of 64: the 128 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 16 planes in turn.
//
//   void hl_bitslice_tile_u16_avx512(const uint16_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, r8, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  none
// Loop    512 elements; 13 operations for each of 16 vectors; bound by the two 512-bit ports of
//         Skylake-X (104 cycles)
// Bound   104 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_tile_u16_avx512)
        slice   tile_u16, 2, tiles
END(hl_bitslice_tile_u16_avx512)

// Cuts 512 `chunks` elements into tiles of 64: the 256 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 32 planes in turn.
//
//   void hl_bitslice_tile_u32_avx512(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, r8, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  none
// Loop    512 elements; 13 operations for each of 32 vectors; bound by the two 512-bit ports of
//         Skylake-X (208 cycles); modelled at 301 on Zen 4
// Bound   208 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_tile_u32_avx512)
        slice   tile_u32, 4, tiles
END(hl_bitslice_tile_u32_avx512)

// Cuts 512 `chunks` elements into tiles of 64: the 512 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 64 planes in turn.
//
//   void hl_bitslice_tile_u64_avx512(const uint64_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, r8, r9, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  4160 bytes
// Loop    512 elements; 14 operations for each of 64 vectors; bound by the two 512-bit ports of
//         Skylake-X (448 cycles)
// Bound   448 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_tile_u64_avx512)
        slice   tile_u64, 8, tiles, 4160
END(hl_bitslice_tile_u64_avx512)

        network_constants
