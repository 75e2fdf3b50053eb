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

// The bytes of planes k of eight from p on and from q on in turn: bytes [e5 e4 e3 b0] of register k, one bit exchanged at once.
// In the end they are bytes [e3 e1 e0 b0] of registers [e2 e5 e4]: r0, r7, r8, r1, r4, r2, r3, r5; r6 is free.
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
        join    wd, 1, \r0, \r1, \r7
        join    wd, 1, \r8, \r2, \r1
        join    wd, 1, \r4, \r5, \r2
        join    wd, 1, \r3, \r6, \r5
        .endm

// Lower and upper halves of elements; e3 is what interleaving takes out.
        .macro store at, lower, upper
        interleave wd, \lower, \upper, 6
        movups  [dst + \at], xmm\lower
        movups  [dst + \at + 32], xmm6
        .endm

FUNC(NAME)
        shl     tiles, 3
        jz      .Ldone
        strides

        // The upper halves of elements wait in seven registers and the red zone.
        .balign 32
.Lloop:
        lea     second, plane8(planes)
        lea     third, plane8(second)
        lea     second, plane8(third)
        load    third, second, 9, 12, 14, 15, 13, 0, 1, 10, 11
        movaps  [rsp - 24], xmm0
        lea     second, plane8(planes)
        load    planes, second, 0, 1, 2, 3, 4, 5, 6, 7, 8

        store   0, 0, 9
        movaps  xmm0, [rsp - 24]
        store   64, 7, 10
        store   128, 8, 11
        store   192, 1, 12
        store   16, 4, 13
        store   80, 2, 14
        store   144, 3, 15
        store   208, 5, 0

        add     planes, tile_step
        add     dst, 256
        sub     tiles, 1
        jnz     .Lloop

.Ldone:
        ret
END(NAME)

        mask_constants
