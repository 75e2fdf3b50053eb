// Elements of BYTES bytes from bit planes, or with TILES from tiles, 128 elements a step.

#include "network_neon.h"

#define planes  x0
#define stride  x1
#define steps   x2
#define dst     x3
#define plane   x4
#define next    x5
#define again   x6

        // Brings e2 into the lanes in place of their highest bit, k2 telling i and j apart before and that bit after;
        // t is i, read twice, which spares a move.
        .macro open i, j
        sli     t, r(j), #4
        sri     r(j), r(i), #4
        zip1    r(i), t, r(j)
        zip2    r(j), t, r(j)
        .endm

        // Exchanges bit 1 of the place in a byte with the choice between i and j.
        .macro exchange1 i, j
        add     t, r(j), r(j)
        ushr    u, r(i), #1
        bif     r(i), t, even
        bit     r(j), u, even
        .endm

        // The same for bit 2.
        .macro exchange2 i, j
        shl     t, r(j), #2
        ushr    u, r(i), #2
        bif     r(i), t, pairs
        bit     r(j), u, pairs
        .endm

        // Exchanges k1 k0 with e1 e0.
        .macro exchange i, j, k, l
        exchange1 \i, \j
        exchange1 \k, \l
        exchange2 \i, \k
        exchange2 \j, \l
        .endm

        // i, j, k, l = the registers m, n, o, p with e1 e0 in the lanes, and e5 e4 for the registers.
        .macro join i, j, k, l, m, n, o, p
        zip1    t, r(m), r(o)
        zip1    u, r(n), r(p)
        zip2    r(i), r(m), r(o)
        zip2    r(j), r(n), r(p)
        zip1    r(k), r(i), r(j)
        zip2    r(l), r(i), r(j)
        zip1    r(i), t, u
        zip2    r(j), t, u
        .endm

#ifdef TILES
#define tile    plane

        // A step reads two tiles.
        .macro begin
        mov     tile, planes
        add     next, planes, stride
        add     planes, next, stride
        .endm

        .macro fetch_tile place, i, j, k, l
        ldp     q\i, q\k, [\place]
        ldp     q\j, q\l, [\place, #32]
        ldr     q28, [\place]
        open    \i, \j
        ldr     q28, [\place, #16]
        open    \k, \l
        add     \place, \place, #64
        .endm

        // Reads the eight planes of a byte: the low 64 elements to i, j, k, l, the high ones to m, n, o, p.
        .macro fetch i, j, k, l, m, n, o, p
        fetch_tile tile, \i, \j, \k, \l
        fetch_tile next, \m, \n, \o, \p
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

        .macro open_planes i, j
        ld1     {t}, [again], stride
        open    \i, \j
        .endm

        // Reads the eight planes of a byte: the low 64 elements to i, j, k, l, the high ones to m, n, o, p.
        .macro fetch i, j, k, l, m, n, o, p
        mov     again, plane
        .irp    bits, \i, \j, \k, \l, \m, \n, \o, \p
        read    \bits
        .endr
        open_planes \i, \m
        open_planes \j, \n
        open_planes \k, \o
        open_planes \l, \p
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
