// Cuts 512 chunks 32-bit elements into tiles: bytes 8 t .. 8 t + 8 of each of the 32 planes in turn.
//
//   void hl_bitslice_tile_u32_avx2(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride         Out  8 chunks tiles
// Uses    rdx, rsi, rdi, ymm0..ymm8, ymm10..ymm15      Stack  none
// Loop    64 elements; 8 vectors of 14 operations, 28 cycles on four pipes; 39 on Zen 3 (two for shuffles and shifts)
// Bound   28 cycles for 64 elements on Zen 3
// Tail    none

#include "hl.h"
#include "network_avx2.h"

#define src     rdi
#define tiles   rsi
#define tile    rdx
#define stride  rcx

FUNC(hl_bitslice_tile_u32_avx2)
        constants
        shl     tiles, 3
        jz      .Ldone

        .balign 64
.Lloop:
        // Eight vectors, e5 e4 e3: e2|e1 e0 b1 b0|k2 k1 k0.
        vmovdqu ymm0, [src]
        vmovdqu ymm1, [src + 32]
        vmovdqu ymm2, [src + 64]
        vmovdqu ymm3, [src + 96]
        vmovdqu ymm4, [src + 128]
        vmovdqu ymm5, [src + 160]
        vmovdqu ymm6, [src + 192]
        vmovdqu ymm7, [src + 224]
        interleave bw, 8, 0, 2, 1, 3, 4, 6, 5, 7                       // e5 e1 e3: e2|e0 b1 b0 e4|k2 k1 k0
        interleave bw, 5, 8, 0, 2, 3, 1, 4, 6, 7                       // e5 e1 e0: e2|b1 b0 e4 e3|k2 k1 k0
        exchange 1, 5, 0, 8, 3, 2, 4, 1, 7                             // e5 e1 k0: e2|b1 b0 e4 e3|k2 k1 e0
        exchange 2, 5, 8, 0, 3, 2, 1, 4, 7                             // e5 k1 k0: e2|b1 b0 e4 e3|k2 e1 e0
        halves  6, 5, 8, 0, 3, 2, 1, 4, 7                              // e5 e2 k0: k1|b1 b0 e4 e3|k2 e1 e0
        interleave dq, 4, 6, 0, 5, 2, 8, 1, 3, 7                       // b1 e2 k0: k1|b0 e5 e4 e3|k2 e1 e0
        exchange 4, 4, 5, 6, 8, 0, 1, 2, 7                             // b1 k2 k0: k1|b0 e5 e4 e3|e2 e1 e0
        interleave qdq, 3, 4, 6, 5, 8, 0, 2, 1, 7                      // b1 k2 b0: k1|k0 e5 e4 e3|e2 e1 e0

        // The bits of byte 0, 1, 2 and 3 of the elements.
        vmovdqu [tile], ymm3
        vmovdqu [tile + 64], ymm6
        vmovdqu [tile + 32], ymm4
        vmovdqu [tile + 96], ymm8
        vmovdqu [tile + 128], ymm5
        vmovdqu [tile + 192], ymm2
        vmovdqu [tile + 160], ymm0
        vmovdqu [tile + 224], ymm7
        add     src, 256
        add     tile, stride
        sub     tiles, 1
        jnz     .Lloop

.Ldone:
        vzeroupper
        ret
END(hl_bitslice_tile_u32_avx2)

        constant_data
