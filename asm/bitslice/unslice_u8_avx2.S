// Puts 512 chunks bytes together from 8 planes: the inverse of slice_u8.
//
//   void hl_bitslice_unslice_u8_avx2(const uint8_t *planes, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst         Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, ymm0..ymm8, ymm10..ymm15      Stack  none
// Loop    256 elements; 8 vectors of 13 operations, 26 cycles on four pipes; 33 on Zen 3 (two for shuffles and shifts)
// Bound   26 cycles for 256 elements on Zen 3
// Tail    none

#include "hl.h"
#include "network_avx2.h"

#define planes  rdi
#define stride  rsi
#define pieces  rdx
#define dst     rcx
#define stride3 r8
#define high    rax

FUNC(hl_bitslice_unslice_u8_avx2)
        constants
        lea     stride3, [stride + 2*stride]
        add     pieces, pieces
        jz      .Ldone

        // A piece is 256 elements: eight vectors, k0 k2 k1: e7|e6 e5 e4 e3|e2 e1 e0.
        .balign 64
.Lpiece:
        lea     high, [planes + 4*stride]
        vmovdqu ymm0, [planes]
        vmovdqu ymm1, [planes + 2*stride]
        vmovdqu ymm2, [high]
        vmovdqu ymm3, [high + 2*stride]
        vmovdqu ymm4, [planes + stride]
        vmovdqu ymm5, [planes + stride3]
        vmovdqu ymm6, [high + stride]
        vmovdqu ymm7, [high + stride3]
        exchange 2, 0, 1, 2, 3, 4, 5, 6, 7                             // k0 k2 e1: e7|e6 e5 e4 e3|e2 k1 e0
        interleave bw, 8, 0, 1, 2, 3, 4, 5, 6, 7                       // k0 k2 e6: e7|e5 e4 e3 e1|e2 k1 e0
        exchange 4, 8, 0, 1, 3, 2, 4, 5, 7                             // k0 e2 e6: e7|e5 e4 e3 e1|k2 k1 e0
        interleave wd, 6, 8, 0, 1, 3, 2, 4, 5, 7                       // k0 e5 e6: e7|e4 e3 e2 e1|k2 k1 e0
        exchange 1, 6, 1, 8, 2, 0, 4, 3, 7                             // e0 e5 e6: e7|e4 e3 e2 e1|k2 k1 k0
        interleave bw, 5, 6, 1, 8, 2, 0, 4, 3, 7                       // e4 e5 e6: e7|e3 e2 e1 e0|k2 k1 k0
        halves  3, 5, 1, 6, 2, 8, 4, 0, 7                              // e7 e5 e6: e4|e3 e2 e1 e0|k2 k1 k0

        // 32 elements a vector.
        vmovdqu [dst], ymm3
        vmovdqu [dst + 64], ymm5
        vmovdqu [dst + 32], ymm6
        vmovdqu [dst + 96], ymm8
        vmovdqu [dst + 128], ymm1
        vmovdqu [dst + 192], ymm2
        vmovdqu [dst + 160], ymm4
        vmovdqu [dst + 224], ymm7
        add     planes, 32
        add     dst, 256
        sub     pieces, 1
        jnz     .Lpiece

.Ldone:
        vzeroupper
        ret
END(hl_bitslice_unslice_u8_avx2)

        constant_data
