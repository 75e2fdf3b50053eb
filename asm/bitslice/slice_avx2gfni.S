// Slicing with AVX2 and GFNI, 256 elements (half a chunk) at a time, into planes or tiles.
//
// `layout` is rows (planes) or tiles. Each has these macros:
//
//   put_<layout> q, x, y, z, w    stores rows 4 q .. 4 q + 3, that is [b1 b0 k2] = q, from vectors
//                                 for [e6 e5] = 0..3 with lanes [k1 k0 e4 e3]; y and w may be
//                                 memory; overwrites ymm8..ymm13
//   next_<layout>        advances dst to the next half
//
// e8 .. e0 is an element's index in its chunk, b1 b0 a byte's index in the element, k2 k1 k0 a
// bit's index in the byte. The two lanes of a vector are e7 = 0 and 1. Brackets list the index bits
// of the bytes of a lane, highest first. Unpacking two vectors by bytes makes the bit in which they
// differ the lowest byte bit; the highest byte bit then distinguishes the two results.

#include "hl.h"

#define src         rdi
#define halves      rsi
#define dst         rdx
#define stride      rcx
#define stride3     r8
#define row         rax
#define scratch     r9
#define order       ymm14
#define diagonal    ymm15

        .macro unpack unit, low, high, x, y
        vpunpckl\unit \low, \x, \y
        vpunpckh\unit \high, \x, \y
        .endm

// Loads 16 bytes from `at` for both lanes, reordered by `order`.
        .macro load to, at
        vbroadcasti128 \to, [src + 128*BYTES + \at]
        vpblendd \to, \to, [src + \at], 0x0f
        vpshufb \to, \to, order
        .endm

// Bit k of byte 7 - e becomes bit e of byte k, in each 8 bytes.
        .macro transpose to
        vgf2p8affineqb \to, diagonal, \to, 0
        .endm

// Group [e6 e5] = g: vectors for both k2, with lanes [k1 k0 e4 e3].
        .macro cut_u8 g, low, high
        load    \low, 32*\g
        load    \high, 32*\g+16
        transpose \low
        transpose \high
        unpack  bw, ymm12, ymm13, \low, \high
        unpack  bw, \low, \high, ymm12, ymm13
        .endm

// Group [e6 e5] = g: vectors for [b0 k2] = 0..3, with lanes [k1 k0 e4 e3].
        .macro cut_u16 g, x, y, z, w
        load    \x, 64*\g
        load    \y, 64*\g+16
        load    \z, 64*\g+32
        load    \w, 64*\g+48
        .irp to, \x, \y, \z, \w
        transpose \to
        .endr
        exchange \x, \y, \z, \w
        .endm

// Elements e1 e0 for both e2: vectors for both b1, with lanes [b0 k2 k1 k0].
        .macro octets low, high, at
        load    ymm8, \at+16
        load    ymm9, \at
        unpack  dq, \low, \high, ymm8, ymm9
        transpose \low
        transpose \high
        .endm

// Vectors for [e4 e3] = 0..3 with lanes [b0 k2 k1 k0] become vectors for [b0 k2] = 0..3 with lanes
// [k1 k0 e4 e3].
        .macro exchange x, y, z, w
        unpack  bw, ymm8, ymm9, \x, \y
        unpack  bw, ymm10, ymm11, \z, \w
        unpack  wd, \x, \y, ymm8, ymm10
        unpack  wd, \z, \w, ymm9, ymm11
        .endm

// Group [e6 e5] = g: vectors for [b1 b0 k2] = 0..7, with lanes [k1 k0 e4 e3], in ymm0..ymm7.
        .macro cut_u32 g
        octets  ymm0, ymm4, 128*\g
        octets  ymm1, ymm5, 128*\g+32
        octets  ymm2, ymm6, 128*\g+64
        octets  ymm3, ymm7, 128*\g+96
        exchange ymm0, ymm1, ymm2, ymm3
        exchange ymm4, ymm5, ymm6, ymm7
        .endm

// Elements e2 e1 e0 of eight bytes: vectors for [b2 b1] = 0..3, with lanes [b0 k2 k1 k0].
        .macro octets_u64 x, y, z, w, at
        load    ymm8, \at+16
        load    ymm9, \at
        unpack  wd, ymm10, ymm11, ymm8, ymm9
        load    ymm8, \at+48
        load    ymm9, \at+32
        unpack  wd, ymm12, ymm13, ymm8, ymm9
        unpack  dq, \x, \y, ymm12, ymm10
        unpack  dq, \z, \w, ymm13, ymm11
        .irp to, \x, \y, \z, \w
        transpose \to
        .endr
        .endm

// Group [e6 e5 e4] = g: vectors for [b2 b1 b0], with lanes [k2 k1 k0 e3], go to the stack.
        .macro cut_u64 g
        octets_u64 ymm0, ymm1, ymm2, ymm3, 128*\g
        octets_u64 ymm4, ymm5, ymm6, ymm7, 128*\g+64
        unpack  bw, ymm8, ymm9, ymm0, ymm4
        unpack  bw, ymm10, ymm11, ymm1, ymm5
        unpack  bw, ymm12, ymm13, ymm2, ymm6
        unpack  bw, ymm0, ymm1, ymm3, ymm7
        vmovdqa [scratch + 32*\g], ymm8
        vmovdqa [scratch + 256 + 32*\g], ymm9
        vmovdqa [scratch + 512 + 32*\g], ymm10
        vmovdqa [scratch + 768 + 32*\g], ymm11
        vmovdqa [scratch + 1024 + 32*\g], ymm12
        vmovdqa [scratch + 1280 + 32*\g], ymm13
        vmovdqa [scratch + 1536 + 32*\g], ymm0
        vmovdqa [scratch + 1792 + 32*\g], ymm1
        .endm

// Byte b of a group [e6 e5] = g: vectors for both k2, with lanes [k1 k0 e4 e3].
        .macro two_fours b, g, x, y
        vmovdqa ymm8, [scratch + 256*\b + 64*\g]
        unpack  wd, \x, \y, ymm8, [scratch + 256*\b + 64*\g + 32]
        .endm

        .macro put_rows q, x, y, z, w
        unpack  dq, ymm10, ymm11, \x, \y
        unpack  dq, ymm12, ymm13, \z, \w
        unpack  qdq, ymm8, ymm9, ymm10, ymm12
        vmovdqu [row], ymm8
        vmovdqu [row + stride], ymm9
        unpack  qdq, ymm8, ymm9, ymm11, ymm13
        vmovdqu [row + 2*stride], ymm8
        vmovdqu [row + stride3], ymm9
        lea     row, [row + 4*stride]
        .endm

        .macro next_rows
        add     dst, 32
        .endm

// Stores rows 4 q .. 4 q + 3 of the two tiles of one e6, from vectors for both e5.
        .macro pair near, far, x, y
        unpack  dq, ymm10, ymm11, \x, \y
        vperm2i128 ymm12, ymm10, ymm11, 0x20
        vperm2i128 ymm13, ymm10, ymm11, 0x31
        vmovdqu \near, ymm12
        vmovdqu \far, ymm13
        .endm

        .macro put_tiles q, x, y, z, w
        pair    [row+32*(\q)], [row+2*stride+32*(\q)], \x, \y
        pair    [row+stride+32*(\q)], [row+stride3+32*(\q)], \z, \w
        .endm

        .macro next_tiles
        lea     dst, [dst + 4*stride]
        .endm

        .macro last_u16 layout, q, z, w
        vmovdqa ymm8, [scratch + 32*\q]
        put_\layout \q, ymm8, [scratch+128+32*\q], \z, \w
        .endm

        .macro walk name, bytes, layout
        .set    BYTES, \bytes
        .if     BYTES > 1
        // The frame holds 8, 24 or 64 vectors, aligned to 32 bytes.
        .if     BYTES == 8
        .set    FRAME, 2080
        .else
        .set    FRAME, 256*BYTES - 224
        .endif
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME
        lea     scratch, [rsp + 31]
        and     scratch, -32
        .endif
        add     halves, halves
        jz      .Ldone_\name
        lea     stride3, [stride + 2*stride]
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
        put_\layout 0, ymm0, ymm2, ymm4, ymm6
        put_\layout 1, ymm1, ymm3, ymm5, ymm7
        .elseif BYTES == 2
        .irp    g, 0, 1
        cut_u16 \g, ymm0, ymm1, ymm2, ymm3
        .irp    q, 0, 1, 2, 3
        vmovdqa [scratch + 128*\g + 32*\q], ymm\q
        .endr
        .endr
        cut_u16 2, ymm0, ymm1, ymm2, ymm3
        cut_u16 3, ymm4, ymm5, ymm6, ymm7
        last_u16 \layout, 0, ymm0, ymm4
        last_u16 \layout, 1, ymm1, ymm5
        last_u16 \layout, 2, ymm2, ymm6
        last_u16 \layout, 3, ymm3, ymm7
        .elseif BYTES == 8
        .irp    g, 0, 1, 2, 3, 4, 5, 6, 7
        cut_u64 \g
        .endr
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        two_fours \b, 0, ymm0, ymm4
        two_fours \b, 1, ymm1, ymm5
        two_fours \b, 2, ymm2, ymm6
        two_fours \b, 3, ymm3, ymm7
        put_\layout 2*\b, ymm0, ymm1, ymm2, ymm3
        put_\layout 2*\b+1, ymm4, ymm5, ymm6, ymm7
        .endr
        .else
        .irp    g, 0, 1, 2
        cut_u32 \g
        .irp    q, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa [scratch + 256*\g + 32*\q], ymm\q
        .endr
        .endr
        cut_u32 3
        .irp    q, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm8, [scratch + 32*\q]
        vmovdqa ymm9, [scratch + 512 + 32*\q]
        put_\layout \q, ymm8, [scratch+256+32*\q], ymm9, ymm\q
        .endr
        .endif
        add     src, 256*BYTES
        next_\layout
        dec     halves
        jnz     .Lloop_\name

.Ldone_\name:
        .if     BYTES > 1
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -FRAME
        .endif
        vzeroupper
        ret
        .endm

// Cuts 512 `chunks` elements into 8 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u8_avx2gfni(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8, ymm0..ymm15     Stack  none
// Loop    256 elements; 6 shuffles and a blend for each of 8 vectors; bound by the shuffle pipes,
//         three on Zen 4 (16 cycles), two on Alder Lake (20; modelled at 23)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the planes,
//         none of the gaps
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
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the planes,
//         none of the gaps
FUNC(hl_bitslice_slice_u16_avx2gfni)
        walk    slice_u16, 2, rows
END(hl_bitslice_slice_u16_avx2gfni)

// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element
// 8 o + i.
//
//   void hl_bitslice_slice_u32_avx2gfni(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8, r9, ymm0..ymm15     Stack  800 bytes
// Loop    256 elements; 7 shuffles and a blend for each of 32 vectors; bound by the shuffle pipes,
//         three on Zen 4 (75 cycles), two on Alder Lake (96; modelled at 110)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the planes,
//         none of the gaps
FUNC(hl_bitslice_slice_u32_avx2gfni)
        walk    slice_u32, 4, rows
END(hl_bitslice_slice_u32_avx2gfni)

// Cuts 512 `chunks` elements into 64 planes: bit i of byte o of plane j is bit j of element
// 8 o + i.
//
//   void hl_bitslice_slice_u64_avx2gfni(const uint64_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8, r9, ymm0..ymm15     Stack  2080 bytes
// Loop    256 elements; 8 shuffles and a blend for each of 64 vectors; bound by the shuffle pipes,
//         three on Zen 4 (171 cycles), two on Alder Lake (256)
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the planes,
//         none of the gaps
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
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the tiles,
//         none of the gaps
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
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the tiles,
//         none of the gaps
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
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the tiles,
//         none of the gaps
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
// Tail    none, a chunk is two iterations; reads and writes exactly the elements and the tiles,
//         none of the gaps
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
