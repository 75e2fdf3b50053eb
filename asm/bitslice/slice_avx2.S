// Slices elements into bit planes with AVX2, by the levels of network_avx2.h.

#include "hl.h"
#include "network_avx2.h"

#define src         rdi
#define pieces      rsi
#define planes      rdx
#define stride      rcx
#define stride3     r8
#define high        rax
#define stride8     r8
#define stride24    r9
#define quarter     r11
#define quarter_low r11b
#define plane       rax
#define end         rax
#define frame       r10

// Cuts 512 `chunks` elements into 8 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u8_avx2(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride         Out  64 chunks bytes of each plane
// Uses    rax, rdx, rsi, rdi, r8, ymm0..ymm8, ymm10..ymm15      Stack  none
// Loop    256 elements; 8 vectors of 14 operations, 28 cycles on four pipes; 35 on Zen 3 (two for
//         shuffles and shifts)
// Bound   28 cycles for 256 elements on Zen 3
// Tail    none
FUNC(hl_bitslice_slice_u8_avx2)
        constants
        lea     stride3, [stride + 2*stride]
        add     pieces, pieces
        jz      .Ldone_u8

        // A piece is 256 elements: eight vectors, e6 e5 e4: e7|e3 e2 e1 e0|k2 k1 k0.
        .balign 64
.Lpiece_u8:
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

        // Store 32 bytes of each plane.
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
        jnz     .Lpiece_u8

.Ldone_u8:
        vzeroupper
        ret
END(hl_bitslice_slice_u8_avx2)

// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element
// 8 o + i.
//
//   void hl_bitslice_slice_u32_avx2(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride         Out  64 chunks bytes of each plane
// Uses    rax, rdx, rsi, rdi, r8..r11, ymm0..ymm8, ymm10..ymm15     Stack  1272 bytes at most
// Loop    256 elements; 32 vectors of 14 operations, 112 cycles on four pipes; 150 on Zen 3 (two
//         for shuffles and shifts)
// Bound   112 cycles for 256 elements on Zen 3
// Tail    none
FUNC(hl_bitslice_slice_u32_avx2)
        mov     frame, rsp
        constants
        add     pieces, pieces
        jz      .Ldone_u32
        sub     rsp, 1024
        .cfi_def_cfa_register frame
        and     rsp, -256
        mov     quarter, rsp
        lea     stride8, [8*stride]
        lea     stride24, [stride8 + 2*stride8]

        // A piece is 256 elements. Each quarter, e6 e5, is eight vectors,
        // e2 e4 e3: e7|e1 e0 b1 b0|k2 k1 k0. The results go to the stack, where the low byte of the
        // address is 0 at the first vector of a quarter.
        .balign 64
.Lpiece_u32:
        lea     end, [rsp + 1024]
.Lquarter_u32:
        load_halves 0, 4, src, src + 512
        load_halves 1, 5, src + 32, src + 544
        load_halves 2, 6, src + 64, src + 576
        load_halves 3, 7, src + 96, src + 608
        exchange 4, 0, 4, 1, 5, 2, 6, 3, 7                             // k2 e4 e3: e7|e1 e0 b1 b0|e2 k1 k0
        interleave bw, 8, 0, 2, 1, 3, 4, 6, 5, 7                       // k2 e1 e3: e7|e0 b1 b0 e4|e2 k1 k0
        exchange 2, 8, 2, 0, 3, 1, 6, 4, 7                             // k2 k1 e3: e7|e0 b1 b0 e4|e2 e1 k0
        interleave bw, 5, 8, 0, 2, 3, 1, 4, 6, 7                       // k2 k1 e0: e7|b1 b0 e4 e3|e2 e1 k0
        exchange 1, 5, 0, 8, 3, 2, 4, 1, 7                             // k2 k1 k0: e7|b1 b0 e4 e3|e2 e1 e0
        vmovdqu [quarter], ymm5
        vmovdqu [quarter + 32], ymm0
        vmovdqu [quarter + 64], ymm8
        vmovdqu [quarter + 96], ymm3
        vmovdqu [quarter + 128], ymm2
        vmovdqu [quarter + 160], ymm4
        vmovdqu [quarter + 192], ymm1
        vmovdqu [quarter + 224], ymm7
        sub     src, -128
        add     quarter, 256
        cmp     quarter, end
        jb      .Lquarter_u32

        // For each k, four vectors, e6 e5: e7|b1 b0 e4 e3, become e7|e6 e5 e4 e3: 32 bytes of four
        // planes, b1 b0.
        mov     plane, planes
        mov     quarter, rsp
.Lplane_u32:
        vmovdqa ymm0, [quarter]
        vmovdqa ymm1, [quarter + 512]
        vpunpckldq ymm2, ymm0, [quarter + 256]
        vpunpckhdq ymm3, ymm0, [quarter + 256]
        vpunpckldq ymm4, ymm1, [quarter + 768]
        vpunpckhdq ymm5, ymm1, [quarter + 768]
        vpunpcklqdq ymm0, ymm2, ymm4
        vpunpckhqdq ymm1, ymm2, ymm4
        vpunpcklqdq ymm2, ymm3, ymm5
        vpunpckhqdq ymm3, ymm3, ymm5
        vmovdqu [plane], ymm0
        vmovdqu [plane + stride8], ymm1
        vmovdqu [plane + 2*stride8], ymm2
        vmovdqu [plane + stride24], ymm3
        add     plane, stride
        add     quarter, 32
        test    quarter_low, quarter_low
        jnz     .Lplane_u32

        mov     quarter, rsp
        add     src, 512
        add     planes, 32
        sub     pieces, 1
        jnz     .Lpiece_u32

.Ldone_u32:
        mov     rsp, frame
        vzeroupper
        ret
END(hl_bitslice_slice_u32_avx2)

        constant_data
