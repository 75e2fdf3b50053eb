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
#define group       r11
#define group_low   r11b
#define upper       rax
#define end         rax
#define frame       r10

// Interleaves the bytes b1 b0 of 32 bytes of four planes, which go to four groups, e5 e4, from `at`
// on. t, u, v and w are overwritten, then a to d.
        .macro four_groups at, a, b, c, d, t, u, v, w
        vpunpcklbw \t, \a, \c
        vpunpckhbw \u, \a, \c
        vpunpcklbw \v, \b, \d
        vpunpckhbw \w, \b, \d
        vpunpcklbw \a, \t, \v
        vpunpckhbw \b, \t, \v
        vpunpcklbw \c, \u, \w
        vpunpckhbw \d, \u, \w
        vmovdqa [group + \at], \a
        vmovdqa [group + \at + 256], \b
        vmovdqa [group + \at + 512], \c
        vmovdqa [group + \at + 768], \d
        .endm

// Interleaves byte b2.
        .macro pair_of_planes low, high, at
        vmovdqu ymm8, [planes + \at]
        vmovdqu ymm9, [upper + \at]
        vpunpcklbw \low, ymm8, ymm9
        vpunpckhbw \high, ymm8, ymm9
        .endm

// Puts elements of two bytes or more together, 256 at a time. A group is 128 / BYTES of them in
// either half. Its eight vectors, k2 k1 k0: e7|e b|e2 e1 e0, are on the stack, where the low byte of
// the address is 0 at the first vector of a group.
        .macro unslice type, bytes
        .set    BYTES, \bytes
        mov     frame, rsp
        constants
        add     pieces, pieces
        jz      .Ldone_\type
        sub     rsp, 256*BYTES
        .cfi_def_cfa_register frame
        and     rsp, -256
        lea     stride8, [8*stride]
        lea     stride24, [stride8 + 2*stride8]

        .balign 64
.Lpiece_\type:
        // The planes 8 b + k of one k make a vector of each group.
        mov     group, rsp
.Lplane_\type:
        .if     BYTES == 2
        vmovdqu ymm0, [planes]
        vmovdqu ymm1, [planes + stride8]
        vpunpcklbw ymm2, ymm0, ymm1
        vpunpckhbw ymm3, ymm0, ymm1
        vmovdqa [group], ymm2
        vmovdqa [group + 256], ymm3
        .elseif BYTES == 4
        vmovdqu ymm0, [planes]
        vmovdqu ymm1, [planes + stride8]
        vmovdqu ymm2, [planes + 2*stride8]
        vmovdqu ymm3, [planes + stride24]
        four_groups 0, ymm0, ymm1, ymm2, ymm3, ymm4, ymm5, ymm6, ymm7
        .else
        lea     upper, [planes + 4*stride8]
        pair_of_planes ymm0, ymm4, 0
        pair_of_planes ymm1, ymm5, stride8
        pair_of_planes ymm2, ymm6, 2*stride8
        pair_of_planes ymm3, ymm7, stride24
        four_groups 0, ymm0, ymm1, ymm2, ymm3, ymm8, ymm9, ymm10, ymm11
        four_groups 1024, ymm4, ymm5, ymm6, ymm7, ymm8, ymm9, ymm10, ymm11
        .endif
        add     planes, stride
        add     group, 32
        test    group_low, group_low
        jnz     .Lplane_\type

        mov     group, rsp
        lea     end, [rsp + 256*BYTES]
.Lgroup_\type:
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm\k, [group + 32*\k]
        .endr
        .if     BYTES == 2
        exchange 4, 0, 4, 1, 5, 2, 6, 3, 7                             // e2 k1 k0: e7|e5 e4 e3 b0|k2 e1 e0
        interleave wd, 8, 0, 4, 1, 5, 2, 6, 3, 7                       // e5 k1 k0: e7|e4 e3 e2 b0|k2 e1 e0
        exchange 2, 8, 1, 0, 2, 4, 6, 5, 7                             // e5 e1 k0: e7|e4 e3 e2 b0|k2 k1 e0
        interleave wd, 3, 8, 1, 0, 2, 4, 6, 5, 7                       // e5 e4 k0: e7|e3 e2 e1 b0|k2 k1 e0
        exchange 1, 3, 8, 1, 2, 0, 4, 6, 7                             // e5 e4 e0: e7|e3 e2 e1 b0|k2 k1 k0
        interleave wd, 5, 3, 8, 1, 2, 0, 4, 6, 7                       // e5 e4 e3: e7|e2 e1 e0 b0|k2 k1 k0
        halves  6, 5, 8, 3, 2, 1, 4, 0, 7                              // e5 e4 e7: e3|e2 e1 e0 b0|k2 k1 k0
        put     vmovdqu, dst, 6, 5, 3, 1
        put     vmovdqu, dst + 256, 8, 2, 4, 7
        .elseif BYTES == 4
        exchange 2, 0, 2, 1, 3, 4, 6, 5, 7                             // k2 e1 k0: e7|e4 e3 b1 b0|e2 k1 e0
        interleave dq, 8, 0, 2, 1, 3, 4, 6, 5, 7                       // k2 e4 k0: e7|e3 e1 b1 b0|e2 k1 e0
        exchange 1, 8, 0, 2, 3, 1, 4, 6, 7                             // k2 e4 e0: e7|e3 e1 b1 b0|e2 k1 k0
        interleave dq, 5, 8, 0, 2, 3, 1, 4, 6, 7                       // k2 e4 e3: e7|e1 e0 b1 b0|e2 k1 k0
        exchange 4, 5, 2, 0, 4, 8, 1, 3, 7                             // e2 e4 e3: e7|e1 e0 b1 b0|k2 k1 k0
        halves  6, 5, 2, 0, 4, 8, 1, 3, 7                              // e7 e4 e3: e2|e1 e0 b1 b0|k2 k1 k0
        put     vmovdqu, dst, 6, 5, 0, 8
        put     vmovdqu, dst + 512, 2, 4, 1, 7
        .else
        exchange 1, 0, 1, 2, 3, 4, 5, 6, 7                             // k2 k1 e0: e7|e3 b2 b1 b0|e2 e1 k0
        interleave qdq, 8, 0, 1, 2, 3, 4, 5, 6, 7                      // k2 k1 e3: e7|e0 b2 b1 b0|e2 e1 k0
        exchange 2, 8, 0, 1, 3, 2, 4, 5, 7                             // k2 e1 e3: e7|e0 b2 b1 b0|e2 k1 k0
        exchange 4, 8, 2, 1, 5, 0, 4, 3, 7                             // e2 e1 e3: e7|e0 b2 b1 b0|k2 k1 k0
        halves  6, 8, 0, 1, 3, 2, 4, 5, 7                              // e2 e7 e3: e1|e0 b2 b1 b0|k2 k1 k0
        put     vmovdqu, dst, 6, 1, 8, 2
        put     vmovdqu, dst + 1024, 0, 4, 3, 7
        .endif
        sub     dst, -128
        add     group, 256
        cmp     group, end
        jb      .Lgroup_\type

        sub     planes, stride8
        add     planes, 32
        add     dst, 128*BYTES
        sub     pieces, 1
        jnz     .Lpiece_\type

.Ldone_\type:
        mov     rsp, frame
        vzeroupper
        ret
        .endm

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

// Puts 512 `chunks` elements together from 16 planes: the inverse of slice_u16.
//
//   void hl_bitslice_unslice_u16_avx2(const uint8_t *planes, size_t stride, size_t chunks, uint16_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst         Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8..r11, ymm0..ymm8, ymm10..ymm15     Stack  760 bytes at most
// Loop    256 elements; 16 vectors of 14 operations, 56 cycles on four pipes
// Tail    none
FUNC(hl_bitslice_unslice_u16_avx2)
        unslice u16, 2
END(hl_bitslice_unslice_u16_avx2)

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
        unslice u32, 4
END(hl_bitslice_unslice_u32_avx2)

// Puts 512 `chunks` elements together from 64 planes: the inverse of slice_u64.
//
//   void hl_bitslice_unslice_u64_avx2(const uint8_t *planes, size_t stride, size_t chunks, uint64_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst         Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8..r11, ymm0..ymm15     Stack  2296 bytes at most
// Loop    256 elements; 64 vectors of 14 operations, 224 cycles on four pipes
// Tail    none
FUNC(hl_bitslice_unslice_u64_avx2)
        unslice u64, 8
END(hl_bitslice_unslice_u64_avx2)

        constant_data
