// Cuts 512 `chunks` elements into tiles of 64: the 256 bytes at `tiles + t * stride` are bytes 8 t .. 8 t + 8 of
// each of the 32 planes in turn.
//
//   void hl_bitslice_tile_u32_avx512(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, r8, zmm0..zmm17, zmm20..zmm27, zmm29..zmm31     Stack  none
// Loop    512 elements; 13 operations for each of 32 vectors; bound by the two ports of Skylake-X for 64 bytes (208 cycles);
//         modelled at 301 on Zen 4
// Bound   208 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the tiles, none of the gaps

#include "hl.h"

#define BYTES 4
#include "cut_avx512.h"

// Rows 4 k2 .. 4 k2 + 3, with lanes [k0 e5 e4 e3] for both k1, in the tiles from `base` on.
        .macro put base, at, x, y
        store   \x, \y, [\base+\at], [\base+2*stride+\at], [\base+4*stride+\at], [\base+2*stride3+\at]
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

FUNC(hl_bitslice_tile_u32_avx512)
        enter

        .balign 64
.Lloop:
        mov     row, dst
        .irp    e6, 0, 1
        cut     \e6
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        unpack  dq, zmm2\k, zmm1\k, zmm\k, zmm1\k
        .endr
        tile    row, 0, row, 64, C
        tile    row, 128, row, 192, B
        add     row, stride
        .endr
        add     src, 2048
        lea     dst, [dst + 8*stride]
        dec     chunks
        jnz     .Lloop

        leave
END(hl_bitslice_tile_u32_avx512)
