// Puts 512 chunks 32-bit elements together from tiles: the inverse of tile_u32.
//
//   void hl_bitslice_untile_u32_avx2(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst         Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, ymm0..ymm8, ymm10..ymm15      Stack  none
// Loop    64 elements; 8 vectors of 14 operations, 28 cycles on four pipes; 42 on Zen 3 (two for shuffles and shifts)
// Bound   28 cycles for 64 elements on Zen 3
// Tail    none

#include "hl.h"
#include "network_avx2.h"

#define tile    rdi
#define stride  rsi
#define tiles   rdx
#define dst     rcx

FUNC(hl_bitslice_untile_u32_avx2)
        constants
        shl     tiles, 3
        jz      .Ldone

        .balign 64
.Lloop:
        // Eight vectors, k2 b1 b0: k1|k0 e5 e4 e3|e2 e1 e0.
        vmovdqu ymm0, [tile]
        vmovdqu ymm1, [tile + 64]
        vmovdqu ymm2, [tile + 128]
        vmovdqu ymm3, [tile + 192]
        vmovdqu ymm4, [tile + 32]
        vmovdqu ymm5, [tile + 96]
        vmovdqu ymm6, [tile + 160]
        vmovdqu ymm7, [tile + 224]
        exchange 4, 0, 4, 1, 5, 2, 6, 3, 7                             // e2 b1 b0: k1|k0 e5 e4 e3|k2 e1 e0
        halves  8, 0, 4, 1, 5, 2, 6, 3, 7                              // k1 b1 b0: e2|k0 e5 e4 e3|k2 e1 e0
        interleave bw, 3, 8, 1, 0, 2, 4, 6, 5, 7                       // k1 k0 b0: e2|e5 e4 e3 b1|k2 e1 e0
        exchange 2, 3, 0, 8, 4, 1, 6, 2, 7                             // e1 k0 b0: e2|e5 e4 e3 b1|k2 k1 e0
        interleave bw, 5, 3, 8, 1, 2, 0, 4, 6, 7                       // e1 k0 e5: e2|e4 e3 b1 b0|k2 k1 e0
        exchange 1, 5, 3, 8, 2, 1, 0, 4, 7                             // e1 e0 e5: e2|e4 e3 b1 b0|k2 k1 k0
        interleave dq, 6, 5, 1, 8, 4, 3, 0, 2, 7                       // e4 e0 e5: e2|e3 e1 b1 b0|k2 k1 k0
        interleave dq, 2, 6, 8, 5, 3, 1, 0, 4, 7                       // e4 e3 e5: e2|e1 e0 b1 b0|k2 k1 k0

        // 64 elements, 8 a vector.
        vmovdqu [dst], ymm2
        vmovdqu [dst + 128], ymm6
        vmovdqu [dst + 32], ymm8
        vmovdqu [dst + 160], ymm3
        vmovdqu [dst + 64], ymm5
        vmovdqu [dst + 192], ymm1
        vmovdqu [dst + 96], ymm0
        vmovdqu [dst + 224], ymm7
        add     tile, stride
        add     dst, 256
        sub     tiles, 1
        jnz     .Lloop

.Ldone:
        vzeroupper
        ret
END(hl_bitslice_untile_u32_avx2)

        constant_data
