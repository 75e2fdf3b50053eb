// Slicing with AVX2 and GFNI, half a chunk at a time, into planes (`layout` is rows) or tiles.

#include "hl.h"

#define src         rdi
#define halves      rsi
#define dst         rdx
#define stride      rcx
#define stride3     r8
#define row         rax
#define scratch     r9
#define order       ymm14

#include "network_avx2gfni.h"

// Loads 16 bytes from `at` for both lanes, reordered by `order`.
        .macro load to, at
        vbroadcasti128 \to, [src + 128*BYTES + \at]
        vpblendd \to, \to, [src + \at], 0x0f
        vpshufb \to, \to, order
        .endm

// Group [e6 e5] = g: vectors for both k2, with lanes [k1 k0 e4 e3].
        .macro cut_u8 g, low, high
        load    \low, 32*\g
        load    \high, 32*\g+16
        vgf2p8affineqb \low, diagonal, \low, 0
        vgf2p8affineqb \high, diagonal, \high, 0
        unpack  bw, ymm12, ymm13, \low, \high
        unpack  bw, \low, \high, ymm12, ymm13
        .endm

// Group [e6 e5] = g: vectors for [b0 k2] = 0..3, with lanes [k1 k0 e4 e3].
        .macro cut_u16 g, x, y, z, w
        load    \x, 64*\g
        load    \y, 64*\g+16
        load    \z, 64*\g+32
        load    \w, 64*\g+48
        .irp    to, \x, \y, \z, \w
        vgf2p8affineqb \to, diagonal, \to, 0
        .endr
        exchange \x, \y, \z, \w
        .endm

// Elements e1 e0 for both e2: vectors for both b1, with lanes [b0 k2 k1 k0].
        .macro octets low, high, at
        load    ymm8, \at+16
        load    ymm9, \at
        unpack  dq, \low, \high, ymm8, ymm9
        vgf2p8affineqb \low, diagonal, \low, 0
        vgf2p8affineqb \high, diagonal, \high, 0
        .endm

// Vectors for [e4 e3] = 0..3 with lanes [b0 k2 k1 k0] become vectors for [b0 k2] = 0..3 with lanes [k1 k0 e4 e3].
        .macro exchange x, y, z, w
        unpack  bw, ymm8, ymm9, \x, \y
        unpack  bw, ymm10, ymm11, \z, \w
        unpack  wd, \x, \y, ymm8, ymm10
        unpack  wd, \z, \w, ymm9, ymm11
        .endm

// Stores rows 4 q .. 4 q + 3, that is [b1 b0 k2] = q, from vectors for [e6 e5] = 0..3 with lanes
// [k1 k0 e4 e3]; y and w may be memory. In the layout tiles, [e6 e5] are the tiles.
        .macro put layout, q, x, y, z, w
        unpack  dq, ymm10, ymm11, \x, \y
        .ifc    \layout, rows
        unpack  dq, ymm12, ymm13, \z, \w
        unpack  qdq, ymm8, ymm9, ymm10, ymm12
        vmovdqu [row], ymm8
        vmovdqu [row + stride], ymm9
        unpack  qdq, ymm8, ymm9, ymm11, ymm13
        vmovdqu [row + 2*stride], ymm8
        vmovdqu [row + stride3], ymm9
        lea     row, [row + 4*stride]
        .else
        vperm2i128 ymm12, ymm10, ymm11, 0x20
        vperm2i128 ymm13, ymm10, ymm11, 0x31
        vmovdqu [row + 32*(\q)], ymm12
        vmovdqu [row + 2*stride + 32*(\q)], ymm13
        unpack  dq, ymm10, ymm11, \z, \w
        vperm2i128 ymm12, ymm10, ymm11, 0x20
        vperm2i128 ymm13, ymm10, ymm11, 0x31
        vmovdqu [row + stride + 32*(\q)], ymm12
        vmovdqu [row + stride3 + 32*(\q)], ymm13
        .endif
        .endm

        .macro walk name, bytes, layout
        enter   \name, \bytes
        vbroadcasti128 order, [rip + .Lorder_\bytes]
        vpbroadcastq diagonal, [rip + .Ldiagonal]

        .balign 64
.Lloop_\name:
        mov     row, dst
        .if     BYTES == 1
        cut_u8  0, ymm0, ymm1
        cut_u8  1, ymm2, ymm3
        cut_u8  2, ymm4, ymm5
        cut_u8  3, ymm6, ymm7
        put     \layout, 0, ymm0, ymm2, ymm4, ymm6
        put     \layout, 1, ymm1, ymm3, ymm5, ymm7
        .elseif BYTES == 2
        .irp    g, 0, 1
        cut_u16 \g, ymm0, ymm1, ymm2, ymm3
        .irp    q, 0, 1, 2, 3
        vmovdqa [scratch + 128*\g + 32*\q], ymm\q
        .endr
        .endr
        cut_u16 2, ymm0, ymm1, ymm2, ymm3
        cut_u16 3, ymm4, ymm5, ymm6, ymm7
        vmovdqa ymm8, [scratch]
        put     \layout, 0, ymm8, [scratch + 128], ymm0, ymm4
        vmovdqa ymm8, [scratch + 32]
        put     \layout, 1, ymm8, [scratch + 160], ymm1, ymm5
        vmovdqa ymm8, [scratch + 64]
        put     \layout, 2, ymm8, [scratch + 192], ymm2, ymm6
        vmovdqa ymm8, [scratch + 96]
        put     \layout, 3, ymm8, [scratch + 224], ymm3, ymm7
        .elseif BYTES == 8
        // Group [e6 e5 e4] = g: vectors of both e3 for [b2 b1] = 0..3, with lanes [b0 k2 k1 k0], become vectors for
        // [b2 b1 b0] with lanes [k2 k1 k0 e3], which go to the stack.
        .irp    g, 0, 1, 2, 3, 4, 5, 6, 7
        load    ymm8, 128*\g+16
        load    ymm9, 128*\g
        unpack  wd, ymm10, ymm11, ymm8, ymm9
        load    ymm8, 128*\g+48
        load    ymm9, 128*\g+32
        unpack  wd, ymm12, ymm13, ymm8, ymm9
        unpack  dq, ymm0, ymm1, ymm12, ymm10
        unpack  dq, ymm2, ymm3, ymm13, ymm11
        .irp    to, ymm0, ymm1, ymm2, ymm3
        vgf2p8affineqb \to, diagonal, \to, 0
        .endr
        load    ymm8, 128*\g+80
        load    ymm9, 128*\g+64
        unpack  wd, ymm10, ymm11, ymm8, ymm9
        load    ymm8, 128*\g+112
        load    ymm9, 128*\g+96
        unpack  wd, ymm12, ymm13, ymm8, ymm9
        unpack  dq, ymm4, ymm5, ymm12, ymm10
        unpack  dq, ymm6, ymm7, ymm13, ymm11
        .irp    to, ymm4, ymm5, ymm6, ymm7
        vgf2p8affineqb \to, diagonal, \to, 0
        .endr
        unpack  bw, ymm8, ymm9, ymm0, ymm4
        unpack  bw, ymm10, ymm11, ymm1, ymm5
        unpack  bw, ymm12, ymm13, ymm2, ymm6
        unpack  bw, ymm0, ymm1, ymm3, ymm7
        .set    AT, 0
        .irp    r, 8, 9, 10, 11, 12, 13, 0, 1
        vmovdqa [scratch + AT + 32*\g], ymm\r
        .set    AT, AT + 256
        .endr
        .endr

        // Byte b: vectors for [e6 e5] = 0..3 and both k2, with lanes [k1 k0 e4 e3].
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm8, [scratch + 256*\b]
        unpack  wd, ymm0, ymm4, ymm8, [scratch + 256*\b + 32]
        vmovdqa ymm8, [scratch + 256*\b + 64]
        unpack  wd, ymm1, ymm5, ymm8, [scratch + 256*\b + 96]
        vmovdqa ymm8, [scratch + 256*\b + 128]
        unpack  wd, ymm2, ymm6, ymm8, [scratch + 256*\b + 160]
        vmovdqa ymm8, [scratch + 256*\b + 192]
        unpack  wd, ymm3, ymm7, ymm8, [scratch + 256*\b + 224]
        put     \layout, 2*\b, ymm0, ymm1, ymm2, ymm3
        put     \layout, 2*\b+1, ymm4, ymm5, ymm6, ymm7
        .endr
        .else
        // Group [e6 e5] = g: vectors for [b1 b0 k2] = 0..7, with lanes [k1 k0 e4 e3]. Groups 0 to 2 go
        // to the stack.
        .irp    g, 0, 1, 2, 3
        octets  ymm0, ymm4, 128*\g
        octets  ymm1, ymm5, 128*\g+32
        octets  ymm2, ymm6, 128*\g+64
        octets  ymm3, ymm7, 128*\g+96
        exchange ymm0, ymm1, ymm2, ymm3
        exchange ymm4, ymm5, ymm6, ymm7
        .if     \g < 3
        .irp    q, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa [scratch + 256*\g + 32*\q], ymm\q
        .endr
        .endif
        .endr
        .irp    q, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm8, [scratch + 32*\q]
        vmovdqa ymm9, [scratch + 512 + 32*\q]
        put     \layout, \q, ymm8, [scratch+256+32*\q], ymm9, ymm\q
        .endr
        .endif
        add     src, 256*BYTES
        .ifc    \layout, rows
        add     dst, 32
        .else
        lea     dst, [dst + 4*stride]
        .endif
        dec     halves
        jnz     .Lloop_\name

        leave   \name
        .endm

// Cuts 512 `chunks` elements into 8 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u8_avx2gfni(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8, ymm0..ymm15     Stack  none
// Loop    256 elements; 6 shuffles and a blend for each of 8 vectors; bound by the shuffle pipes,
//         three on Zen 4 (16 cycles), two on Alder Lake (20; modelled at 23)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_slice_u8_avx2gfni)
        walk    slice_u8, 1, rows
END(hl_bitslice_slice_u8_avx2gfni)

// Cuts 512 `chunks` elements into 16 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u16_avx2gfni(const uint16_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8, r9, ymm0..ymm15     Stack  288 bytes
// Loop    256 elements; 6 shuffles and a blend for each of 16 vectors; bound by the shuffle pipes,
//         three on Zen 4 (32 cycles), two on Alder Lake (48)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_slice_u16_avx2gfni)
        walk    slice_u16, 2, rows
END(hl_bitslice_slice_u16_avx2gfni)

// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u32_avx2gfni(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8, r9, ymm0..ymm15     Stack  800 bytes
// Loop    256 elements; 7 shuffles and a blend for each of 32 vectors; bound by the shuffle pipes,
//         three on Zen 4 (75 cycles), two on Alder Lake (96; modelled at 110)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_slice_u32_avx2gfni)
        walk    slice_u32, 4, rows
END(hl_bitslice_slice_u32_avx2gfni)

// Cuts 512 `chunks` elements into 64 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u64_avx2gfni(const uint64_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8, r9, ymm0..ymm15     Stack  2080 bytes
// Loop    256 elements; 8 shuffles and a blend for each of 64 vectors; bound by the shuffle pipes,
//         three on Zen 4 (171 cycles), two on Alder Lake (256)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the planes, none of the gaps
FUNC(hl_bitslice_slice_u64_avx2gfni)
        walk    slice_u64, 8, rows
END(hl_bitslice_slice_u64_avx2gfni)

// Cuts 512 `chunks` elements into tiles of 64: the 64 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 8 planes in turn.
//
//   void hl_bitslice_tile_u8_avx2gfni(const uint8_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, r8, ymm0..ymm7, ymm10..ymm15     Stack  none
// Loop    256 elements; 6 shuffles and a blend for each of 8 vectors; bound by the shuffle pipes,
//         three on Zen 4 (16 cycles), two on Alder Lake (20; modelled at 23)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_tile_u8_avx2gfni)
        walk    tile_u8, 1, tiles
END(hl_bitslice_tile_u8_avx2gfni)

// Cuts 512 `chunks` elements into tiles of 64: the 128 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 16 planes in turn.
//
//   void hl_bitslice_tile_u16_avx2gfni(const uint16_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, r8, r9, ymm0..ymm15     Stack  288 bytes
// Loop    256 elements; 6 shuffles and a blend for each of 16 vectors; bound by the shuffle pipes,
//         three on Zen 4 (32 cycles), two on Alder Lake (48)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_tile_u16_avx2gfni)
        walk    tile_u16, 2, tiles
END(hl_bitslice_tile_u16_avx2gfni)

// Cuts 512 `chunks` elements into tiles of 64: the 256 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 32 planes in turn.
//
//   void hl_bitslice_tile_u32_avx2gfni(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, r8, r9, ymm0..ymm15     Stack  800 bytes
// Loop    256 elements; 7 shuffles and a blend for each of 32 vectors; bound by the shuffle pipes,
//         three on Zen 4 (75 cycles), two on Alder Lake (96; modelled at 105)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_tile_u32_avx2gfni)
        walk    tile_u32, 4, tiles
END(hl_bitslice_tile_u32_avx2gfni)

// Cuts 512 `chunks` elements into tiles of 64: the 512 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 64 planes in turn.
//
//   void hl_bitslice_tile_u64_avx2gfni(const uint64_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, r8, r9, ymm0..ymm15     Stack  2080 bytes
// Loop    256 elements; 8 shuffles and a blend for each of 64 vectors; bound by the shuffle pipes,
//         three on Zen 4 (171 cycles), two on Alder Lake (256)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the tiles, none of the gaps
FUNC(hl_bitslice_tile_u64_avx2gfni)
        walk    tile_u64, 8, tiles
END(hl_bitslice_tile_u64_avx2gfni)

        RODATA
        .balign 16
.Lorder_1:                              // bytes of a lane from [e3 e2 e1 e0] to [e3 7-(e2 e1 e0)]
        .byte   7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8
.Lorder_2:                              // or from [e2 e1 e0 b0] to [b0 7-(e2 e1 e0)]
        .byte   14, 12, 10, 8, 6, 4, 2, 0, 15, 13, 11, 9, 7, 5, 3, 1
.Lorder_8:                              // or from [e0 b2 b1 b0] to [b2 b1 b0 1-e0]
        .byte   8, 0, 9, 1, 10, 2, 11, 3, 12, 4, 13, 5, 14, 6, 15, 7
.Lorder_4:                              // or from [e1 e0 b1 b0] to [b1 b0 3-(e1 e0)]
        .byte   12, 8, 4, 0, 13, 9, 5, 1, 14, 10, 6, 2, 15, 11, 7, 3
.Ldiagonal:                             // bit i in byte i
        .quad   0x8040201008040201
