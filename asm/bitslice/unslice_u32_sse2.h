// Puts 32-bit elements together, 64 at a time, from the layout that LAYOUT names; e5 .. e0, b1 b0 and k2 .. k0 as in
// slice_u32_sse2.h.

#define planes  rdi
#define stride  rsi
#define tiles   rdx
#define dst     rcx
#define second  rax
#define third   r11

#include LAYOUT
#include "network_sse2.h"

// A byte of plane k of eight from p on and one of those from q on in turn: bytes [e5 e4 e3 b0] of register k. They become bytes
// [e4 e3 e1 b0] of registers [e2 e5 k0]: r0, r1, r8, r2, r4, r5, r3, r6; r7 is free.
        .macro load p, q, r0, r1, r2, r3, r4, r5, r6, r7, r8
        movq    xmm\r0, plane0(\p)
        movq    xmm\r8, plane0(\q)
        punpcklbw xmm\r0, xmm\r8
        movq    xmm\r4, plane4(\p)
        movq    xmm\r8, plane4(\q)
        punpcklbw xmm\r4, xmm\r8
        exchange 4, \r0, \r4, \r8
        movq    xmm\r1, plane1(\p)
        movq    xmm\r8, plane1(\q)
        punpcklbw xmm\r1, xmm\r8
        movq    xmm\r5, plane5(\p)
        movq    xmm\r8, plane5(\q)
        punpcklbw xmm\r5, xmm\r8
        exchange 4, \r1, \r5, \r8
        movq    xmm\r2, plane2(\p)
        movq    xmm\r8, plane2(\q)
        punpcklbw xmm\r2, xmm\r8
        movq    xmm\r6, plane6(\p)
        movq    xmm\r8, plane6(\q)
        punpcklbw xmm\r6, xmm\r8
        exchange 4, \r2, \r6, \r8
        movq    xmm\r3, plane3(\p)
        movq    xmm\r8, plane3(\q)
        punpcklbw xmm\r3, xmm\r8
        movq    xmm\r7, plane7(\p)
        movq    xmm\r8, plane7(\q)
        punpcklbw xmm\r7, xmm\r8
        exchange 4, \r3, \r7, \r8
        join    wd, 2, \r0, \r2, \r8
        join    wd, 2, \r1, \r3, \r2
        join    wd, 2, \r4, \r6, \r3
        join    wd, 2, \r5, \r7, \r6
        .endm

// The lower and upper halves of elements in turn: e3 comes out.
        .macro store at, lower, upper, t
        interleave wd, \lower, \upper, \t
        movups  [dst + \at], xmm\lower
        movups  [dst + \at + 32], xmm\t
        .endm

FUNC(NAME)
        sub     rsp, 24
        .cfi_adjust_cfa_offset 24
        shl     tiles, 3
        jz      .Ldone
        strides

        .balign 32
.Lloop:
        // Planes 16 .. 32 wait as bytes [e3 e1 e0 b0] of registers [e2 e5 e4]: 9 .. 15 and the stack.
        lea     second, plane8(planes)
        lea     third, plane8(second)
        lea     second, plane8(third)
        load    third, second, 9, 12, 14, 15, 13, 0, 1, 10, 11
        join    wd, 1, 9, 12, 10
        join    wd, 1, 11, 14, 12
        join    wd, 1, 13, 0, 14
        join    wd, 1, 15, 1, 0
        movaps  [rsp], xmm0

        // Planes 0 .. 16 as well; each pair is stored at once.
        lea     second, plane8(planes)
        load    planes, second, 0, 1, 2, 3, 4, 5, 6, 7, 8
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

        add     planes, tile_step
        add     dst, 256
        sub     tiles, 1
        jnz     .Lloop

.Ldone:
        add     rsp, 24
        .cfi_adjust_cfa_offset -24
        ret
END(NAME)

        mask_constants
