// Puts bytes together, 128 at a time, from the layout that LAYOUT names; the bits of places as in slice_u32_sse2.h.

#define planes  rdi
#define stride  rsi
#define blocks  rdx
#define dst     rcx
#define second  rax

#include LAYOUT
#include "network_sse2.h"

FUNC(NAME)
        shl     blocks, 2
        jz      .Ldone
        strides

        .balign 32
.Lloop:
        // Bytes [e6 e5 e4 e3] of registers [k2 k1 k0] become bytes [e3 e2 e1 e0] of registers [e6 e5 e4].
        get     0, 1, 2, 3, 4, 5, 6, 7
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
        jnz     .Lloop

.Ldone:
        ret
END(NAME)

        mask_constants
