// Puts elements together from bit planes with AVX2, by the levels of network_avx2.h.

#include "hl.h"
#include "network_avx2.h"

#define planes      rdi
#define stride      rsi
#define pieces      rdx
#define dst         rcx
#define stride3     r8
#define high        rax
#define stride8     r8
#define stride24    r9
#define quarter     r11
#define quarter_low r11b
#define plane       rax
#define end         rax
#define frame       r10

// Puts 512 `chunks` elements together from 8 planes: the inverse of slice_u8.
//
//   void hl_bitslice_unslice_u8_avx2(const uint8_t *planes, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst         Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8, ymm0..ymm8, ymm10..ymm15      Stack  none
// Loop    256 elements; 8 vectors of 13 operations, 26 cycles on four pipes; 33 on Zen 3 (two for
//         shuffles and shifts)
// Bound   26 cycles for 256 elements on Zen 3
// Tail    none
FUNC(hl_bitslice_unslice_u8_avx2)
        constants
        lea     stride3, [stride + 2*stride]
        add     pieces, pieces
        jz      .Ldone_u8

        // A piece is 256 elements: eight vectors, k0 k2 k1: e7|e6 e5 e4 e3|e2 e1 e0.
        .balign 64
.Lpiece_u8:
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

        // Store 32 elements a vector.
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
        jnz     .Lpiece_u8

.Ldone_u8:
        vzeroupper
        ret
END(hl_bitslice_unslice_u8_avx2)

// Puts 512 `chunks` elements together from 32 planes: the inverse of slice_u32.
//
//   void hl_bitslice_unslice_u32_avx2(const uint8_t *planes, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst         Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8..r11, ymm0..ymm8, ymm10..ymm15     Stack  1272 bytes at most
// Loop    256 elements; 32 vectors of 14 operations, 112 cycles on four pipes; 157 on Zen 3 (two
//         for shuffles and shifts)
// Bound   112 cycles for 256 elements on Zen 3
// Tail    none
FUNC(hl_bitslice_unslice_u32_avx2)
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

        // A piece is 256 elements. For each k, 32 bytes of four planes, b1 b0: e7|e6 e5 e4 e3,
        // become e7|e4 e3 b1 b0 of four quarters of the piece, e6 e5. They go to the stack, where
        // the low byte of the address is 0 at the first vector of a quarter.
        .balign 64
.Lpiece_u32:
        mov     plane, planes
.Lplane_u32:
        vmovdqu ymm0, [plane]
        vmovdqu ymm1, [plane + stride8]
        vmovdqu ymm2, [plane + 2*stride8]
        vmovdqu ymm3, [plane + stride24]
        vpunpcklbw ymm4, ymm0, ymm2
        vpunpckhbw ymm5, ymm0, ymm2
        vpunpcklbw ymm6, ymm1, ymm3
        vpunpckhbw ymm7, ymm1, ymm3
        vpunpcklbw ymm0, ymm4, ymm6
        vpunpckhbw ymm1, ymm4, ymm6
        vpunpcklbw ymm2, ymm5, ymm7
        vpunpckhbw ymm3, ymm5, ymm7
        vmovdqa [quarter], ymm0
        vmovdqa [quarter + 256], ymm1
        vmovdqa [quarter + 512], ymm2
        vmovdqa [quarter + 768], ymm3
        add     plane, stride
        add     quarter, 32
        test    quarter_low, quarter_low
        jnz     .Lplane_u32

        // A quarter is eight vectors, k2 k1 k0: e7|e4 e3 b1 b0|e2 e1 e0.
        mov     quarter, rsp
        lea     end, [rsp + 1024]
.Lquarter_u32:
        vmovdqa ymm0, [quarter]
        vmovdqa ymm1, [quarter + 32]
        vmovdqa ymm2, [quarter + 64]
        vmovdqa ymm3, [quarter + 96]
        vmovdqa ymm4, [quarter + 128]
        vmovdqa ymm5, [quarter + 160]
        vmovdqa ymm6, [quarter + 192]
        vmovdqa ymm7, [quarter + 224]
        exchange 2, 0, 2, 1, 3, 4, 6, 5, 7                             // k2 e1 k0: e7|e4 e3 b1 b0|e2 k1 e0
        interleave dq, 8, 0, 2, 1, 3, 4, 6, 5, 7                       // k2 e4 k0: e7|e3 e1 b1 b0|e2 k1 e0
        exchange 1, 8, 0, 2, 3, 1, 4, 6, 7                             // k2 e4 e0: e7|e3 e1 b1 b0|e2 k1 k0
        interleave dq, 5, 8, 0, 2, 3, 1, 4, 6, 7                       // k2 e4 e3: e7|e1 e0 b1 b0|e2 k1 k0
        exchange 4, 5, 2, 0, 4, 8, 1, 3, 7                             // e2 e4 e3: e7|e1 e0 b1 b0|k2 k1 k0
        halves  6, 5, 2, 0, 4, 8, 1, 3, 7                              // e7 e4 e3: e2|e1 e0 b1 b0|k2 k1 k0
        vmovdqu [dst], ymm6
        vmovdqu [dst + 32], ymm5
        vmovdqu [dst + 64], ymm0
        vmovdqu [dst + 96], ymm8
        vmovdqu [dst + 512], ymm2
        vmovdqu [dst + 544], ymm4
        vmovdqu [dst + 576], ymm1
        vmovdqu [dst + 608], ymm7
        sub     dst, -128
        add     quarter, 256
        cmp     quarter, end
        jb      .Lquarter_u32

        mov     quarter, rsp
        add     planes, 32
        add     dst, 512
        sub     pieces, 1
        jnz     .Lpiece_u32

.Ldone_u32:
        mov     rsp, frame
        vzeroupper
        ret
END(hl_bitslice_unslice_u32_avx2)

        constant_data
