// Unslicing with AVX2 and GFNI, half a chunk at a time, from planes (`layout` is rows) or tiles.

#include "hl.h"

#define src         rdi
#define stride      rsi
#define halves      rdx
#define dst         rcx
#define stride3     r8
#define row         rax
#define upper       r10
#define scratch     r9

#include "network_avx2gfni.h"

// Stores 32 bytes for each e7: 16 of x, then 16 of y.
        .macro store at, x, y
        vperm2i128 ymm8, \x, \y, 0x20
        vperm2i128 ymm9, \x, \y, 0x31
        vmovdqu [dst + \at], ymm8
        vmovdqu [dst + 128*BYTES + \at], ymm9
        .endm

// Byte b of the two tiles of one e6, which are the lanes.
        .macro pair b, tile, other, x, y, z, w
        vbroadcasti128 ymm8, [\other + 64*\b]
        vpblendd ymm8, ymm8, [\tile + 64*\b], 0x0f
        vbroadcasti128 ymm9, [\tile + 64*\b + 16]
        vpblendd ymm9, ymm9, [\other + 64*\b], 0xf0
        vbroadcasti128 ymm10, [\other + 64*\b + 32]
        vpblendd ymm10, ymm10, [\tile + 64*\b + 32], 0x0f
        vbroadcasti128 ymm11, [\tile + 64*\b + 48]
        vpblendd ymm11, ymm11, [\other + 64*\b + 32], 0xf0
        unpack  bw, \x, \y, ymm10, ymm8
        unpack  bw, \z, \w, ymm11, ymm9
        .endm

        .macro walk name, bytes, layout
        enter   \name, \bytes
        vpbroadcastq diagonal, [rip + .Ldiagonal]

        .balign 64
.Lloop_\name:
        mov     row, src

        // The bytes b of the elements, in ymm0..ymm7. They go to the stack, except for the last one of up to four.
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \b < BYTES
        .ifc    \layout, rows
        lea     upper, [row + 4*stride]
        vmovdqu ymm8, [upper]
        unpack  bw, ymm0, ymm4, ymm8, [row]
        vmovdqu ymm8, [upper+stride]
        unpack  bw, ymm1, ymm5, ymm8, [row+stride]
        vmovdqu ymm8, [upper+2*stride]
        unpack  bw, ymm2, ymm6, ymm8, [row+2*stride]
        vmovdqu ymm8, [upper+stride3]
        unpack  bw, ymm3, ymm7, ymm8, [row+stride3]
        lea     row, [row + 8*stride]
        .else
        pair    \b, row, row+2*stride, ymm0, ymm1, ymm2, ymm3
        pair    \b, row+stride, row+stride3, ymm4, ymm5, ymm6, ymm7
        .endif

        // Vectors for [e6 k1 k0] with lanes [e5 e4 e3 1-k2] become vectors for [e6 e5 e4] with lanes [e3 e2 e1 e0].
        unpack  bw, ymm8, ymm9, ymm2, ymm0
        unpack  bw, ymm10, ymm11, ymm3, ymm1
        unpack  bw, ymm0, ymm1, ymm10, ymm8
        unpack  bw, ymm2, ymm3, ymm11, ymm9
        .irp    to, ymm0, ymm1, ymm2, ymm3
        vgf2p8affineqb \to, diagonal, \to, 0
        .endr
        unpack  bw, ymm8, ymm9, ymm6, ymm4
        unpack  bw, ymm10, ymm11, ymm7, ymm5
        unpack  bw, ymm4, ymm5, ymm10, ymm8
        unpack  bw, ymm6, ymm7, ymm11, ymm9
        .irp    to, ymm4, ymm5, ymm6, ymm7
        vgf2p8affineqb \to, diagonal, \to, 0
        .endr
        .if     BYTES == 8 || \b < BYTES - 1
        .irp    g, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa [scratch + 256*\b + 32*\g], ymm\g
        .endr
        .endif
        .endif
        .endr
        .if     BYTES == 1
        store   0, ymm0, ymm1
        store   32, ymm2, ymm3
        store   64, ymm4, ymm5
        store   96, ymm6, ymm7
        .elseif BYTES == 2
        // Lanes [e3 e2 e1 e0] of both bytes become [e2 e1 e0 b0] of both e3.
        .irp    g, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm8, [scratch + 32*\g]
        unpack  bw, ymm10, ymm11, ymm8, ymm\g
        store   32*\g, ymm10, ymm11
        .endr
        .elseif BYTES == 8
        // Lanes [e3 e2 e1 e0] of the eight bytes become [e2 e1 e0 b0] of both e3, for both bytes of
        // each b2 b1, then [e0 b2 b1 b0] of the eight e3 e2 e1.
        .irp    g, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm8, [scratch + 32*\g]
        unpack  bw, ymm0, ymm1, ymm8, [scratch + 256 + 32*\g]
        vmovdqa ymm8, [scratch + 512 + 32*\g]
        unpack  bw, ymm2, ymm3, ymm8, [scratch + 768 + 32*\g]
        vmovdqa ymm8, [scratch + 1024 + 32*\g]
        unpack  bw, ymm4, ymm5, ymm8, [scratch + 1280 + 32*\g]
        vmovdqa ymm8, [scratch + 1536 + 32*\g]
        unpack  bw, ymm6, ymm7, ymm8, [scratch + 1792 + 32*\g]
        unpack  wd, ymm10, ymm11, ymm0, ymm2
        unpack  wd, ymm12, ymm13, ymm4, ymm6
        unpack  dq, ymm0, ymm2, ymm10, ymm12
        unpack  dq, ymm4, ymm6, ymm11, ymm13
        store   128*\g, ymm0, ymm2
        store   128*\g+32, ymm4, ymm6
        unpack  wd, ymm10, ymm11, ymm1, ymm3
        unpack  wd, ymm12, ymm13, ymm5, ymm7
        unpack  dq, ymm1, ymm3, ymm10, ymm12
        unpack  dq, ymm5, ymm7, ymm11, ymm13
        store   128*\g+64, ymm1, ymm3
        store   128*\g+96, ymm5, ymm7
        .endr
        .else
        // Lanes [e3 e2 e1 e0] of the four bytes become [e1 e0 b1 b0] of the four e3 e2.
        .irp    g, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm8, [scratch + 32*\g]
        vmovdqa ymm9, [scratch + 512 + 32*\g]
        unpack  bw, ymm10, ymm11, ymm8, [scratch+256+32*\g]
        unpack  bw, ymm8, ymm9, ymm9, ymm\g
        unpack  wd, ymm12, ymm13, ymm10, ymm8
        unpack  wd, ymm10, ymm11, ymm11, ymm9
        store   64*\g, ymm12, ymm13
        store   64*\g+32, ymm10, ymm11
        .endr
        .endif
        add     dst, 256*BYTES
        .ifc    \layout, rows
        add     src, 32
        .else
        lea     src, [src + 4*stride]
        .endif
        dec     halves
        jnz     .Lloop_\name

        leave   \name
        .endm

// Puts 512 `chunks` elements together from 16 planes: the inverse of slice_u16.
//
//   void hl_bitslice_unslice_u16_avx2gfni(const uint8_t *planes, size_t stride, size_t chunks,
//       uint16_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8..r10, ymm0..ymm11, ymm15     Stack  288 bytes
// Loop    256 elements; 6 shuffles for each of 16 vectors; bound by the shuffle pipes, three on
//         Zen 4 (32 cycles), two on Alder Lake (48)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_unslice_u16_avx2gfni)
        walk    unslice_u16, 2, rows
END(hl_bitslice_unslice_u16_avx2gfni)

// Puts 512 `chunks` elements together from 32 planes: the inverse of slice_u32.
//
//   void hl_bitslice_unslice_u32_avx2gfni(const uint8_t *planes, size_t stride, size_t chunks,
//       uint32_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8..r10, ymm0..ymm13, ymm15     Stack  800 bytes
// Loop    256 elements; 7 shuffles for each of 32 vectors; bound by the shuffle pipes, three on
//         Zen 4 (75 cycles), two on Alder Lake (96; modelled at 108)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_unslice_u32_avx2gfni)
        walk    unslice_u32, 4, rows
END(hl_bitslice_unslice_u32_avx2gfni)

// Puts 512 `chunks` elements together from 64 planes: the inverse of slice_u64.
//
//   void hl_bitslice_unslice_u64_avx2gfni(const uint8_t *planes, size_t stride, size_t chunks,
//       uint64_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8..r10, ymm0..ymm13, ymm15     Stack  2080 bytes
// Loop    256 elements; 8 shuffles for each of 64 vectors; bound by the shuffle pipes, three on
//         Zen 4 (171 cycles), two on Alder Lake (256)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_unslice_u64_avx2gfni)
        walk    unslice_u64, 8, rows
END(hl_bitslice_unslice_u64_avx2gfni)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u8.
//
//   void hl_bitslice_untile_u8_avx2gfni(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, ymm0..ymm11, ymm15     Stack  none
// Loop    256 elements; 5 shuffles and a blend for each of 8 vectors; bound by the shuffle pipes,
//         three on Zen 4 (13 cycles), two on Alder Lake (16; modelled at 22)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_untile_u8_avx2gfni)
        walk    untile_u8, 1, tiles
END(hl_bitslice_untile_u8_avx2gfni)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u16.
//
//   void hl_bitslice_untile_u16_avx2gfni(const uint8_t *tiles, size_t stride, size_t chunks, uint16_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, r9, ymm0..ymm11, ymm15     Stack  288 bytes
// Loop    256 elements; 6 shuffles and a blend for each of 16 vectors; bound by the shuffle pipes, three on
//         Zen 4 (32 cycles), two on Alder Lake (48)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_untile_u16_avx2gfni)
        walk    untile_u16, 2, tiles
END(hl_bitslice_untile_u16_avx2gfni)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u32.
//
//   void hl_bitslice_untile_u32_avx2gfni(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, r9, ymm0..ymm13, ymm15     Stack  800 bytes
// Loop    256 elements; 7 shuffles and a blend for each of 32 vectors; bound by the shuffle pipes,
//         three on Zen 4 (75 cycles), two on Alder Lake (96; modelled at 107)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_untile_u32_avx2gfni)
        walk    untile_u32, 4, tiles
END(hl_bitslice_untile_u32_avx2gfni)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u64.
//
//   void hl_bitslice_untile_u64_avx2gfni(const uint8_t *tiles, size_t stride, size_t chunks, uint64_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, r9, ymm0..ymm13, ymm15     Stack  2080 bytes
// Loop    256 elements; 8 shuffles and a blend for each of 64 vectors; bound by the shuffle pipes, three on
//         Zen 4 (171 cycles), two on Alder Lake (256)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_untile_u64_avx2gfni)
        walk    untile_u64, 8, tiles
END(hl_bitslice_untile_u64_avx2gfni)

        RODATA
        .balign 8
.Ldiagonal:                             // bit i in byte i
        .quad   0x8040201008040201
