// Elements of BYTES bytes to bit planes, or with TILES to tiles, 128 elements a step.

#include "network_neon.h"

#define src     x0
#define steps   x1
#define planes  x2
#define stride  x3
#define plane   x4
#define next    x5

#ifdef TILES
#define tile    plane

        // A step fills two tiles.
        .macro begin
        mov     tile, planes
        add     next, planes, stride
        add     planes, next, stride
        .endm

        // Writes the eight planes of a byte: i, j, k, l hold the low 64 elements, m, n, o, p the high ones.
        .macro place i, j, k, l, m, n, o, p
        close   \i, \j
        close   \k, \l
        close   \m, \n
        close   \o, \p
        stp     q\i, q\k, [tile], #32
        stp     q\j, q\l, [tile], #32
        stp     q\m, q\o, [next], #32
        stp     q\n, q\p, [next], #32
        .endm
#else
        // A step fills 16 bytes of each plane.
        .macro begin
        mov     plane, planes
        add     planes, planes, #16
        .endm

        .macro write i
        st1     {r(i)}, [plane], stride
        .endm

        // Writes the eight planes of a byte: i, j, k, l hold the low 64 elements, m, n, o, p the high ones.
        .macro place i, j, k, l, m, n, o, p
        close   \i, \m
        close   \j, \n
        close   \k, \o
        close   \l, \p
        .irp    bits, \i, \j, \k, \l, \m, \n, \o, \p
        write   \bits
        .endr
        .endm
#endif

#if BYTES == 4
        // The bytes of 64 elements.
        .macro load
        ld4     {v12.16b, v13.16b, v14.16b, v15.16b}, [src], #64
        ld4     {v16.16b, v17.16b, v18.16b, v19.16b}, [src], #64
        ld4     {v20.16b, v21.16b, v22.16b, v23.16b}, [src], #64
        ld4     {v24.16b, v25.16b, v26.16b, v27.16b}, [src], #64
        .endm
#endif

        // i, j, k, l = m, n, o, p, ready for their planes.
        .macro prepare i, j, k, l, m, n, o, p
        split   \i, \j, \k, \l, \m, \n, \o, \p
        exchange \i, \j, \k, \l
        .endm


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
        // The low 64 elements; their last byte waits on the stack.
        load
        prepare 0, 1, 2, 3, 12, 16, 20, 24
        prepare 4, 5, 6, 7, 13, 17, 21, 25
        prepare 8, 9, 10, 11, 14, 18, 22, 26
        prepare 15, 19, 23, 27, 15, 19, 23, 27
        stp     q15, q19, [sp]
        stp     q23, q27, [sp, #32]

        // The high 64 elements, byte by byte.
        load
        prepare 12, 16, 20, 24, 12, 16, 20, 24
        place   0, 1, 2, 3, 12, 16, 20, 24
        prepare 13, 17, 21, 25, 13, 17, 21, 25
        place   4, 5, 6, 7, 13, 17, 21, 25
        prepare 14, 18, 22, 26, 14, 18, 22, 26
        place   8, 9, 10, 11, 14, 18, 22, 26
        ldp     q0, q1, [sp]
        ldp     q2, q3, [sp, #32]
        prepare 15, 19, 23, 27, 15, 19, 23, 27
        place   0, 1, 2, 3, 15, 19, 23, 27
#else
        // Both halves, then their planes.
        ld1     {v0.16b, v1.16b, v2.16b, v3.16b}, [src], #64
        ld1     {v4.16b, v5.16b, v6.16b, v7.16b}, [src], #64
        prepare 0, 1, 2, 3, 0, 1, 2, 3
        prepare 4, 5, 6, 7, 4, 5, 6, 7
        place   0, 1, 2, 3, 4, 5, 6, 7
#endif
        subs    steps, steps, #1
        b.ne    .Lloop

.Ldone:
#if BYTES == 4
        pop_registers
#endif
        ret
END(NAME)
