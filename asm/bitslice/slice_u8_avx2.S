// Cuts 512 chunks bytes into 8 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u8_avx2(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride         Out  64 chunks bytes of each plane
// Uses    rax, rdx, rsi, rdi, r8, ymm0..ymm8, ymm12..ymm15      Stack  none
// Loop    LOOP
// Tail    none

#include "hl.h"
#include "network_avx2.h"

#define src     rdi
#define pieces  rsi
#define planes    rdx
#define stride  rcx
#define stride3 r8
#define high    rax

FUNC(hl_bitslice_slice_u8_avx2)
        masks
        lea     stride3, [stride + 2*stride]
        add     pieces, pieces
        jz      .Ldone

        // A piece is 256 elements: eight vectors, e6 e5 e4: e7|e3 e2 e1 e0|k2 k1 k0.
        .balign 64
.Lpiece:
        vmovdqu xmm0, [src]
        vinserti128 ymm0, ymm0, [src + 128], 1
        vmovdqu xmm1, [src + 16]
        vinserti128 ymm1, ymm1, [src + 144], 1
        vmovdqu xmm2, [src + 32]
        vinserti128 ymm2, ymm2, [src + 160], 1
        vmovdqu xmm3, [src + 48]
        vinserti128 ymm3, ymm3, [src + 176], 1
        vmovdqu xmm4, [src + 64]
        vinserti128 ymm4, ymm4, [src + 192], 1
        vmovdqu xmm5, [src + 80]
        vinserti128 ymm5, ymm5, [src + 208], 1
        vmovdqu xmm6, [src + 96]
        vinserti128 ymm6, ymm6, [src + 224], 1
        vmovdqu xmm7, [src + 112]
        vinserti128 ymm7, ymm7, [src + 240], 1
        interleave bw, 8, 0, 4, 1, 5, 2, 6, 3, 7                       // e3 e5 e4: e7|e2 e1 e0 e6|k2 k1 k0
        interleave bw, 3, 8, 1, 0, 2, 4, 6, 5, 7                       // e3 e2 e4: e7|e1 e0 e6 e5|k2 k1 k0
        interleave bw, 5, 3, 8, 1, 2, 0, 4, 6, 7                       // e3 e2 e1: e7|e0 e6 e5 e4|k2 k1 k0
        interleave bw, 6, 5, 1, 8, 4, 3, 0, 2, 7                       // e0 e2 e1: e7|e6 e5 e4 e3|k2 k1 k0
        exchange 1, 6, 1, 5, 4, 8, 0, 3, 7                             // k0 e2 e1: e7|e6 e5 e4 e3|k2 k1 e0
        exchange 2, 6, 5, 8, 3, 1, 4, 0, 7                             // k0 e2 k1: e7|e6 e5 e4 e3|k2 e1 e0
        exchange 4, 6, 8, 5, 3, 1, 0, 4, 7                             // k0 k2 k1: e7|e6 e5 e4 e3|e2 e1 e0

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

        mask_data
