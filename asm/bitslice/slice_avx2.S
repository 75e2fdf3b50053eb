// Slices elements into bit planes with AVX2, by the levels of network_avx2.h.

#include "hl.h"

#define src         rdi
#define pieces      rsi
#define planes      rdx
#define stride      rcx
#define stride3     r8
#define high        rax
#define stride8     r8
#define stride24    r9
#define group       r11
#define group_low   r11b
#define upper       rax
#define end         rax
#define frame       r10

#include "network_avx2.h"

// Stores 32 bytes of four planes, b1 b0, from `to` on. They come from the groups e6 e5: a, b, c and
// d; b and d may be memory. t and u are overwritten.
        .macro four_planes to, a, b, c, d, t, u
        vpunpckldq \t, \a, \b
        vpunpckldq \u, \c, \d
        vpunpcklqdq ymm10, \t, \u
        vpunpckhqdq ymm11, \t, \u
        vmovdqu [\to], ymm10
        vmovdqu [\to + stride8], ymm11
        vpunpckhdq \t, \a, \b
        vpunpckhdq \u, \c, \d
        vpunpcklqdq ymm10, \t, \u
        vpunpckhqdq ymm11, \t, \u
        vmovdqu [\to + 2*stride8], ymm10
        vmovdqu [\to + stride24], ymm11
        .endm

// Moves e4 into the bytes of the groups at `at` and the next, and b2 out.
        .macro pair_of_groups low, high, at
        vmovdqa ymm8, [group + \at]
        vpunpcklwd \low, ymm8, [group + \at + 256]
        vpunpckhwd \high, ymm8, [group + \at + 256]
        .endm

// Slices elements of two bytes or more, 256 at a time. A group is 128 / BYTES of them in either
// half. Its eight vectors, k2 k1 k0: e7|b e|e2 e1 e0, go to the stack, where the low byte of the
// address is 0 at the first vector of a group.
        .macro slice type, bytes
        .set    BYTES, \bytes
        mov     frame, rsp
        constants
        add     pieces, pieces
        jz      .Ldone_\type
        sub     rsp, 256*BYTES
        .cfi_def_cfa_register frame
        and     rsp, -256
        mov     group, rsp
        lea     stride8, [8*stride]
        lea     stride24, [stride8 + 2*stride8]

        .balign 64
.Lpiece_\type:
        lea     end, [rsp + 256*BYTES]
.Lgroup_\type:
        load_halves 0, 4, src, src + 128*BYTES
        load_halves 1, 5, src + 32, src + 128*BYTES + 32
        load_halves 2, 6, src + 64, src + 128*BYTES + 64
        load_halves 3, 7, src + 96, src + 128*BYTES + 96
        .if     BYTES == 2
        interleave bw, 8, 0, 2, 4, 6, 1, 3, 5, 7                       // e2 e4 e3: e7|e1 e0 b0 e5|k2 k1 k0
        exchange 4, 8, 2, 0, 6, 4, 3, 1, 7                             // k2 e4 e3: e7|e1 e0 b0 e5|e2 k1 k0
        interleave bw, 5, 8, 4, 0, 1, 2, 3, 6, 7                       // k2 e1 e3: e7|e0 b0 e5 e4|e2 k1 k0
        exchange 2, 5, 4, 8, 1, 0, 3, 2, 7                             // k2 k1 e3: e7|e0 b0 e5 e4|e2 e1 k0
        interleave bw, 6, 5, 8, 4, 1, 0, 2, 3, 7                       // k2 k1 e0: e7|b0 e5 e4 e3|e2 e1 k0
        exchange 1, 6, 8, 5, 1, 4, 2, 0, 7                             // k2 k1 k0: e7|b0 e5 e4 e3|e2 e1 e0
        put     vmovdqa, group, 6, 8, 5, 1, 4, 2, 0, 7
        .elseif BYTES == 4
        exchange 4, 0, 4, 1, 5, 2, 6, 3, 7                             // e4 e3 k2: e7|e1 e0 b1 b0|e2 k1 k0
        interleave bw, 8, 0, 2, 4, 6, 1, 3, 5, 7                       // e1 e3 k2: e7|e0 b1 b0 e4|e2 k1 k0
        exchange 2, 8, 2, 0, 6, 4, 3, 1, 7                             // k1 e3 k2: e7|e0 b1 b0 e4|e2 e1 k0
        interleave bw, 5, 8, 4, 0, 1, 2, 3, 6, 7                       // k1 e0 k2: e7|b1 b0 e4 e3|e2 e1 k0
        exchange 1, 5, 4, 8, 1, 0, 3, 2, 7                             // k1 k0 k2: e7|b1 b0 e4 e3|e2 e1 e0
        put     vmovdqa, group, 5, 4, 0, 3, 8, 1, 2, 7
        .else
        exchange 4, 0, 1, 4, 5, 2, 3, 6, 7                             // e3 k2 e1: e7|e0 b2 b1 b0|e2 k1 k0
        interleave bw, 8, 0, 2, 4, 6, 1, 3, 5, 7                       // e0 k2 e1: e7|b2 b1 b0 e3|e2 k1 k0
        exchange 2, 8, 0, 4, 1, 2, 6, 3, 7                             // e0 k2 k1: e7|b2 b1 b0 e3|e2 e1 k0
        exchange 1, 8, 2, 0, 6, 4, 3, 1, 7                             // k0 k2 k1: e7|b2 b1 b0 e3|e2 e1 e0
        put     vmovdqa, group, 8, 2, 0, 6, 4, 3, 1, 7
        .endif
        sub     src, -128
        add     group, 256
        cmp     group, end
        jb      .Lgroup_\type

        // The vectors of one k from all groups make 32 bytes of the planes 8 b + k.
        mov     group, rsp
.Lplane_\type:
        .if     BYTES == 2
        vmovdqa ymm0, [group]
        vpunpcklqdq ymm1, ymm0, [group + 256]
        vpunpckhqdq ymm2, ymm0, [group + 256]
        vmovdqu [planes], ymm1
        vmovdqu [planes + stride8], ymm2
        .elseif BYTES == 4
        vmovdqa ymm0, [group]
        vmovdqa ymm1, [group + 512]
        four_planes planes, ymm0, [group + 256], ymm1, [group + 768], ymm2, ymm3
        .else
        lea     upper, [planes + 4*stride8]
        pair_of_groups ymm0, ymm4, 0
        pair_of_groups ymm1, ymm5, 512
        pair_of_groups ymm2, ymm6, 1024
        pair_of_groups ymm3, ymm7, 1536
        four_planes planes, ymm0, ymm1, ymm2, ymm3, ymm8, ymm9
        four_planes upper, ymm4, ymm5, ymm6, ymm7, ymm8, ymm9
        .endif
        add     planes, stride
        add     group, 32
        test    group_low, group_low
        jnz     .Lplane_\type

        mov     group, rsp
        add     src, 128*BYTES
        sub     planes, stride8
        add     planes, 32
        sub     pieces, 1
        jnz     .Lpiece_\type

.Ldone_\type:
        mov     rsp, frame
        vzeroupper
        ret
        .endm

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

// Cuts 512 `chunks` elements into 16 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u16_avx2(const uint16_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride         Out  64 chunks bytes of each plane
// Uses    rax, rdx, rsi, rdi, r8..r11, ymm0..ymm8, ymm10..ymm15     Stack  760 bytes at most
// Loop    256 elements; 16 vectors of 14 operations, 56 cycles on four pipes
// Tail    none
FUNC(hl_bitslice_slice_u16_avx2)
        slice   u16, 2
END(hl_bitslice_slice_u16_avx2)

// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element 8 o + i.
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
        slice   u32, 4
END(hl_bitslice_slice_u32_avx2)

// Cuts 512 `chunks` elements into 64 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u64_avx2(const uint64_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride         Out  64 chunks bytes of each plane
// Uses    rax, rdx, rsi, rdi, r8..r11, ymm0..ymm15     Stack  2296 bytes at most
// Loop    256 elements; 64 vectors of 14 operations, 224 cycles on four pipes
// Tail    none
FUNC(hl_bitslice_slice_u64_avx2)
        slice   u64, 8
END(hl_bitslice_slice_u64_avx2)

        constant_data
