// Elements of BYTES bytes from bit planes, or with TILES from tiles, 128 elements a step.

#include "network_neon.h"

#define planes  x0
#define stride  x1
#define steps   x2
#define dst     x3
#define plane   x4
#define next    x5

#ifdef TILES
#define tile    plane

        // A step reads two tiles.
        .macro begin
        mov     tile, planes
        add     next, planes, stride
        add     planes, next, stride
        .endm

        // Reads the eight planes of a byte: the low 64 elements to i, j, k, l, the high ones to m, n, o, p.
        .macro fetch i, j, k, l, m, n, o, p
        ldp     q\i, q\k, [tile], #32
        ldp     q\j, q\l, [tile], #32
        ldp     q\m, q\o, [next], #32
        ldp     q\n, q\p, [next], #32
        open    \i, \j
        open    \k, \l
        open    \m, \n
        open    \o, \p
        .endm
#else
        // A step reads 16 bytes of each plane.
        .macro begin
        mov     plane, planes
        add     planes, planes, #16
        .endm

        .macro read i
        ld1     {r(i)}, [plane], stride
        .endm

        // Reads the eight planes of a byte: the low 64 elements to i, j, k, l, the high ones to m, n, o, p.
        .macro fetch i, j, k, l, m, n, o, p
        .irp    bits, \i, \j, \k, \l, \m, \n, \o, \p
        read   \bits
        .endr
        open    \i, \m
        open    \j, \n
        open    \k, \o
        open    \l, \p
        .endm
#endif

        // Reads the planes of a byte, and makes bytes of them: the low ones in i, j, k, l, the high ones yet to be joined.
        .macro gather i, j, k, l, m, n, o, p
        fetch   \i, \j, \k, \l, \m, \n, \o, \p
        exchange \i, \j, \k, \l
        join    \i, \j, \k, \l, \i, \j, \k, \l
        exchange \m, \n, \o, \p
        .endm

#if BYTES == 4
        // 64 elements from their bytes.
        .macro store
        st4     {v12.16b, v13.16b, v14.16b, v15.16b}, [dst], #64
        st4     {v16.16b, v17.16b, v18.16b, v19.16b}, [dst], #64
        st4     {v20.16b, v21.16b, v22.16b, v23.16b}, [dst], #64
        st4     {v24.16b, v25.16b, v26.16b, v27.16b}, [dst], #64
        .endm
#endif

FUNC(NAME)
#if BYTES == 4
        push_registers
#endif
        lsl     steps, steps, #2
        cbz     steps, .Ldone
        load_masks
.Lloop:
        begin
#if BYTES == 4
        // The low 64 elements; the first byte of the high ones waits on the stack.
        gather  12, 16, 20, 24, 0, 1, 2, 3
        stp     q0, q1, [sp]
        stp     q2, q3, [sp, #32]
        gather  13, 17, 21, 25, 4, 5, 6, 7
        gather  14, 18, 22, 26, 8, 9, 10, 11
        gather  15, 19, 23, 27, 0, 1, 2, 3
        store

        // The high 64 elements.
        ldp     q12, q16, [sp]
        ldp     q20, q24, [sp, #32]
        join    12, 16, 20, 24, 12, 16, 20, 24
        join    13, 17, 21, 25, 4, 5, 6, 7
        join    14, 18, 22, 26, 8, 9, 10, 11
        join    15, 19, 23, 27, 0, 1, 2, 3
        store
#else
        // The planes of both halves, then the bytes.
        gather  0, 1, 2, 3, 4, 5, 6, 7
        join    4, 5, 6, 7, 4, 5, 6, 7
        st1     {v0.16b, v1.16b, v2.16b, v3.16b}, [dst], #64
        st1     {v4.16b, v5.16b, v6.16b, v7.16b}, [dst], #64
#endif
        subs    steps, steps, #1
        b.ne    .Lloop

.Ldone:
#if BYTES == 4
        pop_registers
#endif
        ret
END(NAME)
