// Slices 32-bit elements, 64 at a time, into the layout that LAYOUT names. In the comments e5 .. e0 are the bits of an element's
// place, b1 and b0 those of a byte's place in it, k2 .. k0 those of a bit's place in the byte.

#define src     rdi
#define tiles   rsi
#define planes  rdx
#define stride  rcx
#define second  rax
#define third   r11

#include LAYOUT
#include "network_sse2.h"

// Elements 8 i + 4 half .. + 4 in register i = [e5 e4 e3], their bytes at [e1 e0 b1 b0], become bytes [b0 e5 e4 e3] of registers
// [k1 k0 b1], in the order of `eight`.
        .macro load half, r0, r1, r2, r3, r4, r5, r6, r7, r8
        movdqu  xmm\r0, [src + 16*\half]
        movdqu  xmm\r4, [src + 16*\half + 128]
        movdqu  xmm\r1, [src + 16*\half + 32]
        movdqu  xmm\r5, [src + 16*\half + 160]
        movdqu  xmm\r2, [src + 16*\half + 64]
        movdqu  xmm\r6, [src + 16*\half + 192]
        movdqu  xmm\r3, [src + 16*\half + 96]
        movdqu  xmm\r7, [src + 16*\half + 224]
        eight   cut, 2, 1, 0, \r0, \r1, \r2, \r3, \r4, \r5, \r6, \r7, \r8
        .endm

// Registers [e2 k1 k0] become [k2 k1 k0]: planes from p on in their lower halves, from q on in the upper ones.
        .macro store p, q, r0, r1, r2, r3, r4, r5, r6, r7, t
        exchange 4, \r0, \r4, \t
        exchange 4, \r1, \r5, \t
        put_halves 0, \p, \q, \r0, \r1, \t
        put_halves 4, \p, \q, \r4, \r5, \t
        exchange 4, \r2, \r6, \t
        exchange 4, \r3, \r7, \t
        put_halves 2, \p, \q, \r2, \r3, \t
        put_halves 6, \p, \q, \r6, \r7, \t
        .endm

FUNC(NAME)
        sub     rsp, 24
        .cfi_adjust_cfa_offset 24
        shl     tiles, 3
        jz      .Ldone
        strides

        // The elements with e2 = 0 wait in seven registers and on the stack.
        .balign 32
.Lloop:
        load    0, 9, 13, 14, 12, 15, 1, 0, 10, 11
        movaps  [rsp], xmm0
        load    1, 0, 1, 2, 3, 4, 5, 6, 7, 8

        // Planes 0 .. 16, then 16 .. 32.
        lea     second, plane8(planes)
        store   planes, second, 9, 10, 11, 12, 0, 7, 8, 3, 5
        movaps  xmm0, [rsp]
        lea     third, plane8(second)
        lea     second, plane8(third)
        store   third, second, 0, 13, 14, 15, 6, 1, 2, 4, 5

        add     src, 256
        add     planes, tile_step
        sub     tiles, 1
        jnz     .Lloop

.Ldone:
        add     rsp, 24
        .cfi_adjust_cfa_offset -24
        ret
END(NAME)

        mask_constants
