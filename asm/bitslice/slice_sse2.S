// Slices elements into bit planes or tiles with SSE2: 128 u8 or 64 wider elements at a time.

#include "hl.h"

#define src     rdi
#define blocks  rsi
#define planes  rdx
#define stride  rcx
#define second  rax

#include "network_sse2.h"

// Interleaves, then exchanges the bit that left the byte index into the bit index, unless `shift` is 0.
// The results are in a (lower) and t (upper).
        .macro cut shift, a, b, t
        interleave bw, \a, \b, \t
        .if     \shift
        exchange \shift, \a, \t, \b
        .endif
        .endm

// Stores 8 bytes of two planes in each of two tiles.
        .macro put_pair at, a, b, t
        movdqa  xmm\t, xmm\a
        punpcklqdq xmm\a, xmm\b
        punpckhqdq xmm\t, xmm\b
        movups  [planes + \at], xmm\a
        movups  [second + \at], xmm\t
        .endm

// Slices bytes, 128 at a time; `layout` is rows (planes) or tiles. In the comments e6 .. e0 are the bits
// of an element's index, b1 b0 of a byte's index in the element, k2 .. k0 of a bit's index in the byte.
        .macro slice_u8 name, layout
        shl     blocks, 2
        jz      .Ldone_\name
        .ifc    \layout, rows
        lea     stride3, [stride + 2*stride]
        lea     stride5, [stride + 4*stride]
        lea     stride7, [stride3 + 4*stride]
        .endif

        .balign 32
.Lloop_\name:
        // Bytes [e3 e2 e1 e0] of registers [e6 e5 e4] become bytes [e6 e5 e4 e3] of registers
        // [k0 k2 k1], which are 0, 6, 7, 1, 5, 8, 2, 3.
        .irp    i, 0, 4, 1, 5, 2, 6, 3, 7
        movdqu  xmm\i, [src + 16*\i]
        .endr
        eight   cut, 0, 4, 2
        cut     1, 0, 8, 5
        cut     1, 6, 2, 8
        cut     1, 7, 3, 2
        cut     1, 1, 4, 3
        .ifc    \layout, rows
        movups  [planes], xmm0
        movups  [planes + stride], xmm5
        movups  [planes + 2*stride], xmm6
        movups  [planes + stride3], xmm8
        movups  [planes + 4*stride], xmm7
        movups  [planes + stride5], xmm2
        movups  [planes + 2*stride3], xmm1
        movups  [planes + stride7], xmm3
        add     planes, 16
        .else
        lea     second, [planes + stride]
        put_pair 0, 0, 5, 4
        put_pair 16, 6, 8, 4
        put_pair 32, 7, 2, 4
        put_pair 48, 1, 3, 4
        lea     planes, [planes + 2*stride]
        .endif
        add     src, 128
        sub     blocks, 1
        jnz     .Lloop_\name

.Ldone_\name:
        ret
        .endm

#define upper   r11
#define end     r11
#define group   r10

// Slices 64-bit elements, 64 at a time. A group, e5 e4, is 16 elements: bytes [e0 b2 b1 b0] of
// registers [e2 e1 e3] become bytes [b2 b1 b0 e3] of [k2 k1 k0], on the stack.
        .macro slice_u64 name, layout
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
        lea     end, [rsp + 512]
        mov     group, rsp
.Lgroup_\name:
        movdqu  xmm0, [src]
        movdqu  xmm4, [src + 32]
        movdqu  xmm1, [src + 64]
        movdqu  xmm5, [src + 96]
        movdqu  xmm2, [src + 16]
        movdqu  xmm6, [src + 48]
        movdqu  xmm3, [src + 80]
        movdqu  xmm7, [src + 112]

        // Exchange bits 2 and 1 of the register index with k2 and k1.
        exchange 4, 0, 4, 8
        exchange 4, 1, 5, 8
        exchange 4, 2, 6, 8
        exchange 4, 3, 7, 8
        exchange 2, 0, 2, 8
        exchange 2, 1, 3, 8
        exchange 2, 4, 6, 8
        exchange 2, 5, 7, 8
        cut     1, 0, 1, 8
        cut     1, 2, 3, 1
        cut     1, 4, 5, 3
        cut     1, 6, 7, 5
        .set    AT, 0
        .irp    k, 0, 8, 2, 1, 4, 3, 6, 5
        movaps  [group + AT], xmm\k
        .set    AT, AT + 16
        .endr
        sub     src, -128
        sub     group, -128
        cmp     group, end
        jb      .Lgroup_\name

        // For each k, four vectors, e5 e4, become the planes of [b2 b1], each with both b0.
        mov     group, rsp
        mov     plane, planes
.Lplane_\name:
        movaps  xmm0, [group]
        movaps  xmm1, [group + 128]
        movaps  xmm2, [group + 256]
        movaps  xmm3, [group + 384]
        interleave wd, 0, 1, 4
        interleave wd, 2, 3, 1
        interleave dq, 0, 2, 3
        interleave dq, 4, 1, 2
        movlps  [plane], xmm0
        movhps  [plane + stride8], xmm0
        movlps  [plane + 2*stride8], xmm3
        movhps  [plane + stride24], xmm3
        lea     upper, [plane + 4*stride8]
        movlps  [upper], xmm4
        movhps  [upper + stride8], xmm4
        movlps  [upper + 2*stride8], xmm2
        movhps  [upper + stride24], xmm2
        .ifc    \layout, rows
        add     plane, stride
        .else
        add     plane, 8
        .endif
        add     group, 16
        lea     upper, [rsp + 128]
        cmp     group, upper
        jb      .Lplane_\name

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

// Cuts 512 `chunks` elements into 8 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u8_sse2(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rdx, rsi, rdi, r8..r10, xmm0..xmm8     Stack  none
// Loop    128 elements; 8 vectors of 13 operations, 6.5 of them on two pipes; bound by both (26 cycles; Zen 3: 34)
// Bound   26 cycles for 128 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_slice_u8_sse2)
        slice_u8 slice_u8, rows
END(hl_bitslice_slice_u8_sse2)

// Cuts 512 `chunks` elements into tiles of 64: the 64 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 8 planes in turn.
//
//   void hl_bitslice_tile_u8_sse2(const uint8_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, xmm0..xmm8     Stack  none
// Loop    128 elements; 8 vectors of 14 operations, 7.5 of them on two pipes; bound by these (30 cycles; Zen 3: 39)
// Bound   30 cycles for 128 elements on Zen 3
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_tile_u8_sse2)
        slice_u8 tile_u8, tiles
END(hl_bitslice_tile_u8_sse2)

// Cuts 512 `chunks` elements into 16 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u16_sse2(const uint16_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8..r10, xmm0..xmm8     Stack  none
// Loop    64 elements; 8 vectors of 12 operations, 6 of them on two pipes; bound by both (24 cycles)
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_slice_u16_sse2)
        shl     blocks, 3
        jz      .Ldone_u16
        lea     stride3, [stride + 2*stride]
        lea     stride5, [stride + 4*stride]
        lea     stride7, [stride3 + 4*stride]

        .balign 32
.Lloop_u16:
        // Bytes [e2 e1 e0 b0] of registers [e5 e4 e3] become bytes [b0 e5 e4 e3] of registers [k2 k1 k0].
        .irp    i, 0, 4, 1, 5, 2, 6, 3, 7
        movdqu  xmm\i, [src + 16*\i]
        .endr
        eight   cut, 4, 2, 1

        // The lower halves are planes 0 to 7, the upper halves planes 8 to 15.
        lea     second, [planes + 8*stride]
        movlps  [planes], xmm0
        movhps  [second], xmm0
        movlps  [planes + stride], xmm6
        movhps  [second + stride], xmm6
        movlps  [planes + 2*stride], xmm7
        movhps  [second + 2*stride], xmm7
        movlps  [planes + stride3], xmm1
        movhps  [second + stride3], xmm1
        movlps  [planes + 4*stride], xmm8
        movhps  [second + 4*stride], xmm8
        movlps  [planes + stride5], xmm2
        movhps  [second + stride5], xmm2
        movlps  [planes + 2*stride3], xmm3
        movhps  [second + 2*stride3], xmm3
        movlps  [planes + stride7], xmm4
        movhps  [second + stride7], xmm4
        add     src, 128
        add     planes, 8
        sub     blocks, 1
        jnz     .Lloop_u16

.Ldone_u16:
        ret
END(hl_bitslice_slice_u16_sse2)

// Cuts 512 `chunks` elements into 64 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u64_sse2(const uint64_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8..r11, xmm0..xmm8     Stack  520 bytes
// Loop    64 elements; 32 vectors of 13 operations, 6.5 of them on two pipes; bound by both (104 cycles)
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_slice_u64_sse2)
        slice_u64 slice_u64, rows
END(hl_bitslice_slice_u64_sse2)

// Cuts 512 `chunks` elements into tiles of 64: the 512 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 64 planes in turn.
//
//   void hl_bitslice_tile_u64_sse2(const uint64_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = tiles, rcx = stride     Out  the tiles
// Uses    rax, rdx, rsi, rdi, r8..r11, xmm0..xmm8     Stack  520 bytes
// Loop    64 elements; 32 vectors of 13 operations, 6.5 of them on two pipes; bound by both (104 cycles)
// Tail    none: chunks are whole; touches exactly the bytes named
FUNC(hl_bitslice_tile_u64_sse2)
        slice_u64 tile_u64, tiles
END(hl_bitslice_tile_u64_sse2)

        RODATA
        .balign 16
.Lmask1:                                // every second bit
        .fill   16, 1, 0x55
.Lmask2:                                // every second two bits
        .fill   16, 1, 0x33
.Lmask4:                                // the lower four bits of bytes
        .fill   16, 1, 0x0f
