// Cuts 512 chunks bytes into 8 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u8_avx2(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride         Out  64 chunks bytes of each plane
// Uses    rax, rdx, rsi, rdi, r8, ymm0..ymm8, ymm10..ymm15      Stack  none
// Loop    256 elements; 8 vectors of 14 operations, 28 cycles on four pipes; 35 on Zen 3 (two for shuffles and shifts)
// Bound   28 cycles for 256 elements on Zen 3
// Tail    none

#include "hl.h"
#include "network_avx2.h"

#define src     rdi
#define pieces  rsi
#define planes  rdx
#define stride  rcx
#define stride3 r8
#define high    rax

FUNC(hl_bitslice_slice_u8_avx2)
        constants
        lea     stride3, [stride + 2*stride]
        add     pieces, pieces
        jz      .Ldone

        // A piece is 256 elements: eight vectors, e6 e5 e4: e7|e3 e2 e1 e0|k2 k1 k0.
        .balign 64
.Lpiece:
        load_halves 0, 1, src, src + 128
        load_halves 2, 3, src + 32, src + 160
        load_halves 4, 5, src + 64, src + 192
        load_halves 6, 7, src + 96, src + 224
        interleave bw, 8, 0, 4, 1, 5, 2, 6, 3, 7                       // e3 e5 e4: e7|e2 e1 e0 e6|k2 k1 k0
        interleave bw, 3, 8, 1, 0, 2, 4, 6, 5, 7                       // e3 e2 e4: e7|e1 e0 e6 e5|k2 k1 k0
        exchange 4, 3, 1, 8, 2, 0, 6, 4, 7                             // e3 k2 e4: e7|e1 e0 e6 e5|e2 k1 k0
        interleave bw, 5, 3, 8, 1, 2, 0, 4, 6, 7                       // e3 k2 e1: e7|e0 e6 e5 e4|e2 k1 k0
        exchange 2, 5, 8, 3, 2, 1, 4, 0, 7                             // e3 k2 k1: e7|e0 e6 e5 e4|e2 e1 k0
        interleave bw, 6, 5, 1, 8, 4, 3, 0, 2, 7                       // e0 k2 k1: e7|e6 e5 e4 e3|e2 e1 k0
        exchange 1, 6, 1, 5, 4, 8, 0, 3, 7                             // k0 k2 k1: e7|e6 e5 e4 e3|e2 e1 e0

        // 32 bytes of each plane.
        lea     high, [planes + 4*stride]
        vmovdqu [planes], ymm6
        vmovdqu [planes + stride], ymm1
        vmovdqu [planes + 2*stride], ymm5
        vmovdqu [planes + stride3], ymm4
        vmovdqu [high], ymm8
        vmovdqu [high + stride], ymm0
        vmovdqu [high + 2*stride], ymm3
        vmovdqu [high + stride3], ymm7
        add     src, 256
        add     planes, 32
        sub     pieces, 1
        jnz     .Lpiece

.Ldone:
        vzeroupper
        ret
END(hl_bitslice_slice_u8_avx2)

        constant_data
