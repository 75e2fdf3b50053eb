// Puts elements together from bit planes or tiles with SSE2: 128 u8 or 64 wider elements at a time.

#include "hl.h"

#define planes  rdi
#define stride  rsi
#define blocks  rdx
#define dst     rcx
#define second  rax
#define third   r11

#include "network_sse2.h"

// Puts bytes together, 128 at a time; index bits are named as in slice_sse2.S.
        .macro unslice_u8 name, layout
        shl     blocks, 2
        jz      .Ldone_\name
        strides_\layout

        .balign 32
.Lloop_\name:
        // Bytes [e6 e5 e4 e3] of registers [k2 k1 k0] become bytes [e3 e2 e1 e0] of registers
        // [e6 e5 e4].
        get_\layout 0, 1, 2, 3, 4, 5, 6, 7
        eight   join_bytes, 4, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8
        movups  [dst], xmm0
        movups  [dst + 16], xmm6
        movups  [dst + 32], xmm7
        movups  [dst + 48], xmm1
        movups  [dst + 64], xmm8
        movups  [dst + 80], xmm2
        movups  [dst + 96], xmm3
        movups  [dst + 112], xmm4
        add     dst, 128
        sub     blocks, 1
        jnz     .Lloop_\name

.Ldone_\name:
        ret
        .endm

// Interleaves plane k of the eight from p on with plane k of the eight from q on: bytes
// [e5 e4 e3 b0] of register k. They become bytes [e4 e3 e1 b0] of registers [e2 e5 k0]: r0, r1, r8,
// r2, r4, r5, r3, r6; r7 is free.
        .macro load layout, p, q, r0, r1, r2, r3, r4, r5, r6, r7, r8
        get_half_\layout 0, \r0, \p
        get_half_\layout 0, \r8, \q
        punpcklbw xmm\r0, xmm\r8
        get_half_\layout 4, \r4, \p
        get_half_\layout 4, \r8, \q
        punpcklbw xmm\r4, xmm\r8
        exchange 4, \r0, \r4, \r8
        get_half_\layout 1, \r1, \p
        get_half_\layout 1, \r8, \q
        punpcklbw xmm\r1, xmm\r8
        get_half_\layout 5, \r5, \p
        get_half_\layout 5, \r8, \q
        punpcklbw xmm\r5, xmm\r8
        exchange 4, \r1, \r5, \r8
        get_half_\layout 2, \r2, \p
        get_half_\layout 2, \r8, \q
        punpcklbw xmm\r2, xmm\r8
        get_half_\layout 6, \r6, \p
        get_half_\layout 6, \r8, \q
        punpcklbw xmm\r6, xmm\r8
        exchange 4, \r2, \r6, \r8
        get_half_\layout 3, \r3, \p
        get_half_\layout 3, \r8, \q
        punpcklbw xmm\r3, xmm\r8
        get_half_\layout 7, \r7, \p
        get_half_\layout 7, \r8, \q
        punpcklbw xmm\r7, xmm\r8
        exchange 4, \r3, \r7, \r8
        join    wd, 2, \r0, \r2, \r8
        join    wd, 2, \r1, \r3, \r2
        join    wd, 2, \r4, \r6, \r3
        join    wd, 2, \r5, \r7, \r6
        .endm

// Interleaves the lower and upper halves of elements, which moves e3 out of the byte index, and
// stores them.
        .macro store at, lower, upper, t
        interleave wd, \lower, \upper, \t
        movups  [dst + \at], xmm\lower
        movups  [dst + \at + 32], xmm\t
        .endm

// Puts 32-bit elements together, 64 at a time; index bits are named as in slice_sse2.S.
        .macro unslice_u32 name, layout
        sub     rsp, 24
        .cfi_adjust_cfa_offset 24
        shl     blocks, 3
        jz      .Ldone_\name
        strides_\layout

        .balign 32
.Lloop_\name:
        // Planes 16 .. 32 become bytes [e3 e1 e0 b0] of registers [e2 e5 e4]: 9 .. 15 and the
        // stack.
        eight_more_\layout second, planes
        eight_more_\layout third, second
        eight_more_\layout second, third
        load    \layout, third, second, 9, 12, 14, 15, 13, 0, 1, 10, 11
        join    wd, 1, 9, 12, 10
        join    wd, 1, 11, 14, 12
        join    wd, 1, 13, 0, 14
        join    wd, 1, 15, 1, 0
        movaps  [rsp], xmm0

        // Planes 0 .. 16 likewise; each pair is stored at once.
        eight_more_\layout second, planes
        load    \layout, planes, second, 0, 1, 2, 3, 4, 5, 6, 7, 8
        join    wd, 1, 0, 1, 7
        store   0, 0, 9, 1
        store   64, 7, 10, 1
        join    wd, 1, 8, 2, 1
        store   128, 8, 11, 2
        store   192, 1, 12, 2
        join    wd, 1, 4, 5, 2
        store   16, 4, 13, 5
        store   80, 2, 14, 5
        join    wd, 1, 3, 6, 5
        movaps  xmm0, [rsp]
        store   144, 3, 15, 6
        store   208, 5, 0, 6

        next_\layout
        add     dst, 256
        sub     blocks, 1
        jnz     .Lloop_\name

.Ldone_\name:
        add     rsp, 24
        .cfi_adjust_cfa_offset -24
        ret
        .endm

// Puts 16-bit elements together, 64 at a time; index bits are named as in slice_sse2.S.
        .macro unslice_u16 name, layout
        shl     blocks, 3
        jz      .Ldone_\name
        strides_\layout

        .balign 32
.Lloop_\name:
        // Bytes [e5 e4 e3 b0] of registers [k2 k1 k0] become bytes [e2 e1 e0 b0] of registers
        // [e5 e4 e3].
        eight_more_\layout second, planes
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        get_half_\layout \k, \k, planes
        get_half_\layout \k, 8, second
        punpcklbw xmm\k, xmm8
        .endr
        eight   join_words, 4, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8
        movups  [dst], xmm0
        movups  [dst + 16], xmm6
        movups  [dst + 32], xmm7
        movups  [dst + 48], xmm1
        movups  [dst + 64], xmm8
        movups  [dst + 80], xmm2
        movups  [dst + 96], xmm3
        movups  [dst + 112], xmm4
        next_\layout
        sub     dst, -128
        sub     blocks, 1
        jnz     .Lloop_\name

.Ldone_\name:
        ret
        .endm

#define upper   r11
#define end     r11
#define group   r10

// Two bytes of the elements, b0 = 0 and 1.
        .macro two_planes r, low, high
        movq    xmm\r, \low
        movq    xmm4, \high
        punpcklbw xmm\r, xmm4
        .endm

// Puts 64-bit elements together, 64 at a time. A group, e5 e4, is 16 elements: bytes [e3 b2 b1 b0] of
// registers [k2 k1 k0], on the stack, become bytes [e0 b2 b1 b0] of [e2 e1 e3].
        .macro unslice_u64 name, layout
        sub     rsp, 520
        .cfi_adjust_cfa_offset 520
        shl     blocks, 3
        jz      .Ldone_\name
        steps_\layout

        .balign 32
.Lloop_\name:
        mov     group, rsp
        mov     plane, planes
.Lplane_\name:
        lea     upper, [plane + 4*stride8]
        two_planes 0, [plane], [plane + stride8]
        two_planes 1, [plane + 2*stride8], [plane + stride24]
        two_planes 2, [upper], [upper + stride8]
        two_planes 3, [upper + 2*stride8], [upper + stride24]
        interleave wd, 0, 1, 4
        interleave wd, 2, 3, 1
        interleave dq, 0, 2, 3
        interleave dq, 4, 1, 2
        movaps  [group], xmm0
        movaps  [group + 128], xmm3
        movaps  [group + 256], xmm4
        movaps  [group + 384], xmm2
        next_plane_\layout
        add     group, 16
        lea     upper, [rsp + 128]
        cmp     group, upper
        jb      .Lplane_\name

        lea     end, [rsp + 512]
        mov     group, rsp
.Lgroup_\name:
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        movaps  xmm\k, [group + 16*\k]
        .endr
        exchange_upper
        join    qdq, 1, 0, 1, 8
        join    qdq, 1, 2, 3, 1
        join    qdq, 1, 4, 5, 3
        join    qdq, 1, 6, 7, 5
        movups  [dst], xmm0
        movups  [dst + 64], xmm8
        movups  [dst + 16], xmm2
        movups  [dst + 80], xmm1
        movups  [dst + 32], xmm4
        movups  [dst + 96], xmm3
        movups  [dst + 48], xmm6
        movups  [dst + 112], xmm5
        sub     dst, -128
        sub     group, -128
        cmp     group, end
        jb      .Lgroup_\name

        next_\layout
        sub     blocks, 1
        jnz     .Lloop_\name

.Ldone_\name:
        add     rsp, 520
        .cfi_adjust_cfa_offset -520
        ret
        .endm

// Puts 512 `chunks` elements together from 8 planes: the inverse of slice_u8.
//
//   void hl_bitslice_unslice_u8_sse2(const uint8_t *planes, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rcx, rdx, rdi, r8..r10, xmm0..xmm8     Stack  none
// Loop    128 elements; 8 vectors of 12 operations, 5.5 of them on two pipes; bound by all four
//         (24 cycles; Zen 3: 31)
// Bound   24 cycles for 128 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_unslice_u8_sse2)
        unslice_u8 unslice_u8, rows
END(hl_bitslice_unslice_u8_sse2)

// Puts 512 `chunks` elements together from 32 planes: the inverse of slice_u32.
//
//   void hl_bitslice_unslice_u32_sse2(const uint8_t *planes, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rax, rcx, rdx, rdi, r8..r11, xmm0..xmm15     Stack  24 bytes
// Loop    64 elements; 16 vectors of 13 operations, 6.5 of them on two pipes; bound by both
//         (52 cycles; Zen 3: 70)
// Bound   52 cycles for 64 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_unslice_u32_sse2)
        unslice_u32 unslice_u32, rows
END(hl_bitslice_unslice_u32_sse2)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u8.
//
//   void hl_bitslice_untile_u8_sse2(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rax, rcx, rdx, rdi, xmm0..xmm8     Stack  none
// Loop    128 elements; 8 vectors of 13 operations, 6.5 of them on two pipes; bound by both
//         (26 cycles; Zen 3: 34)
// Bound   26 cycles for 128 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_untile_u8_sse2)
        unslice_u8 untile_u8, tiles
END(hl_bitslice_untile_u8_sse2)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u32.
//
//   void hl_bitslice_untile_u32_sse2(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rax, rcx, rdx, rdi, r11, xmm0..xmm15     Stack  24 bytes
// Loop    64 elements; 16 vectors of 13 operations, 6.5 of them on two pipes; bound by both
//         (52 cycles; Zen 3: 70)
// Bound   52 cycles for 64 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_untile_u32_sse2)
        unslice_u32 untile_u32, tiles
END(hl_bitslice_untile_u32_sse2)

// Puts 512 `chunks` elements together from 16 planes: the inverse of slice_u16.
//
//   void hl_bitslice_unslice_u16_sse2(const uint8_t *planes, size_t stride, size_t chunks, uint16_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rax, rcx, rdx, rdi, r8..r10, xmm0..xmm8     Stack  none
// Loop    64 elements; 8 vectors of 13 operations, 6.5 of them on two pipes; bound by both (26 cycles)
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_unslice_u16_sse2)
        unslice_u16 unslice_u16, rows
END(hl_bitslice_unslice_u16_sse2)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u16.
//
//   void hl_bitslice_untile_u16_sse2(const uint8_t *tiles, size_t stride, size_t chunks, uint16_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rax, rcx, rdx, rdi, xmm0..xmm8     Stack  none
// Loop    64 elements; 8 vectors of 13 operations, 6.5 of them on two pipes; bound by both (26 cycles)
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_untile_u16_sse2)
        unslice_u16 untile_u16, tiles
END(hl_bitslice_untile_u16_sse2)

// Puts 512 `chunks` elements together from 64 planes: the inverse of slice_u64.
//
//   void hl_bitslice_unslice_u64_sse2(const uint8_t *planes, size_t stride, size_t chunks, uint64_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rax, rcx, rdx, rdi, r8..r11, xmm0..xmm8     Stack  520 bytes
// Loop    64 elements; 32 vectors of 13 operations, 6.5 of them on two pipes; bound by both
//         (104 cycles)
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_unslice_u64_sse2)
        unslice_u64 unslice_u64, rows
END(hl_bitslice_unslice_u64_sse2)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u64.
//
//   void hl_bitslice_untile_u64_sse2(const uint8_t *tiles, size_t stride, size_t chunks, uint64_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rax, rcx, rdx, rdi, r8..r11, xmm0..xmm8     Stack  520 bytes
// Loop    64 elements; 32 vectors of 13 operations, 6.5 of them on two pipes; bound by both
//         (104 cycles)
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_untile_u64_sse2)
        unslice_u64 untile_u64, tiles
END(hl_bitslice_untile_u64_sse2)

        RODATA
        .balign 16
.Lmask1:                                // every second bit
        .fill   16, 1, 0x55
.Lmask2:                                // every second two bits
        .fill   16, 1, 0x33
.Lmask4:                                // the lower four bits of bytes
        .fill   16, 1, 0x0f
