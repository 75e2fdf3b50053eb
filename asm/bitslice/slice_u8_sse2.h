// Slices bytes, 128 at a time, into the layout that LAYOUT names; the bits of places as in slice_u32_sse2.h.

#define src     rdi
#define blocks  rsi
#define planes  rdx
#define stride  rcx
#define second  rax

#include LAYOUT
#include "network_sse2.h"

FUNC(NAME)
        shl     blocks, 2
        jz      .Ldone
        strides

        .balign 32
.Lloop:
        // Bytes [e3 e2 e1 e0] of registers [e6 e5 e4] become bytes [e6 e5 e4 e3] of registers [k0 k2 k1], which are
        // 0, 6, 7, 1, 5, 8, 2, 3.
        .irp    i, 0, 4, 1, 5, 2, 6, 3, 7
        movdqu  xmm\i, [src + 16*\i]
        .endr
        eight   cut, 0, 4, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8
        cut     1, 0, 8, 5
        cut     1, 6, 2, 8
        cut     1, 7, 3, 2
        cut     1, 1, 4, 3
        put     0, 5, 6, 8, 7, 2, 1, 3, 4
        add     src, 128
        sub     blocks, 1
        jnz     .Lloop

.Ldone:
        ret
END(NAME)

        mask_constants
