// Puts elements together from bit planes or tiles with SSE2: 128 u8 or 64 wider elements at a time.

#include "hl.h"

#define planes  rdi
#define stride  rsi
#define blocks  rdx
#define dst     rcx
#define second  rax

#include "network_sse2.h"

// Exchanges, then interleaves the bit that left the bit index into the byte index.
        .macro join shift, a, b, t, unit=bw
        exchange \shift, \a, \b, \t
        interleave \unit, \a, \b, \t
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
        .ifc    \layout, rows
        lea     stride8, [8*stride]
        lea     stride24, [stride8 + 2*stride8]
        .else
        mov     stride8, 64
        mov     stride24, 192
        .endif

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
        .ifc    \layout, rows
        add     plane, stride
        .else
        add     plane, 8
        .endif
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

        // Exchange bits 2 and 1 of the register index with e2 and e1.
        exchange 4, 0, 4, 8
        exchange 4, 1, 5, 8
        exchange 4, 2, 6, 8
        exchange 4, 3, 7, 8
        exchange 2, 0, 2, 8
        exchange 2, 1, 3, 8
        exchange 2, 4, 6, 8
        exchange 2, 5, 7, 8
        join    1, 0, 1, 8, qdq
        join    1, 2, 3, 1, qdq
        join    1, 4, 5, 3, qdq
        join    1, 6, 7, 5, qdq
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

        .ifc    \layout, rows
        add     planes, 8
        .else
        add     planes, stride
        .endif
        sub     blocks, 1
        jnz     .Lloop_\name

.Ldone_\name:
        add     rsp, 520
        .cfi_adjust_cfa_offset -520
        ret
        .endm

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u8.
//
//   void hl_bitslice_untile_u8_sse2(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rax, rcx, rdx, rdi, xmm0..xmm8     Stack  none
// Loop    128 elements; 8 vectors of 13 operations, 6.5 of them on two pipes; bound by both (26 cycles; Zen 3: 34)
// Bound   26 cycles for 128 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_untile_u8_sse2)
        shl     blocks, 2
        jz      .Ldone_u8

        .balign 32
.Lloop_u8:
        // Bytes [e6 e5 e4 e3] of registers [k2 k1 k0], from two tiles, become bytes [e3 e2 e1 e0] of
        // registers [e6 e5 e4]; index bits are named as in slice_sse2.S.
        lea     second, [planes + stride]
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        movq    xmm\k, [planes + 8*\k]
        movhps  xmm\k, [second + 8*\k]
        .endr
        lea     planes, [planes + 2*stride]
        eight   join, 4, 2, 1
        .set    AT, 0
        .irp    i, 0, 6, 7, 1, 8, 2, 3, 4
        movups  [dst + AT], xmm\i
        .set    AT, AT + 16
        .endr
        add     dst, 128
        sub     blocks, 1
        jnz     .Lloop_u8

.Ldone_u8:
        ret
END(hl_bitslice_untile_u8_sse2)

// Puts 512 `chunks` elements together from 64 planes: the inverse of slice_u64.
//
//   void hl_bitslice_unslice_u64_sse2(const uint8_t *planes, size_t stride, size_t chunks, uint64_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst     Out  dst[0..512*chunks]
// Uses    rax, rcx, rdx, rdi, r8..r11, xmm0..xmm8     Stack  520 bytes
// Loop    64 elements; 32 vectors of 13 operations, 6.5 of them on two pipes; bound by both (104 cycles)
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
// Loop    64 elements; 32 vectors of 13 operations, 6.5 of them on two pipes; bound by both (104 cycles)
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
