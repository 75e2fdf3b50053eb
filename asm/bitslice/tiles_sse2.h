// Where planes are: in tiles, 8 bytes each, tiles `stride` bytes apart. p points to plane 0 of eight in a tile.

#define plane0(p) [p]
#define plane1(p) [p + 8]
#define plane2(p) [p + 16]
#define plane3(p) [p + 24]
#define plane4(p) [p + 32]
#define plane5(p) [p + 40]
#define plane6(p) [p + 48]
#define plane7(p) [p + 56]
#define plane8(p) [p + 64]

// To the next 64 elements.
#define tile_step stride

        .macro strides
        .endm

// As for rows, but two planes at a time, which are neighbours.
        .macro put_halves p, q, r0, r1, r2, r3, r4, r5, r6, r7, t
        movdqa  xmm\t, xmm\r0
        punpcklqdq xmm\r0, xmm\r1
        punpckhqdq xmm\t, xmm\r1
        movups  plane0(\p), xmm\r0
        movups  plane0(\q), xmm\t
        movdqa  xmm\t, xmm\r2
        punpcklqdq xmm\r2, xmm\r3
        punpckhqdq xmm\t, xmm\r3
        movups  plane2(\p), xmm\r2
        movups  plane2(\q), xmm\t
        movdqa  xmm\t, xmm\r4
        punpcklqdq xmm\r4, xmm\r5
        punpckhqdq xmm\t, xmm\r5
        movups  plane4(\p), xmm\r4
        movups  plane4(\q), xmm\t
        movdqa  xmm\t, xmm\r6
        punpcklqdq xmm\r6, xmm\r7
        punpckhqdq xmm\t, xmm\r7
        movups  plane6(\p), xmm\r6
        movups  plane6(\q), xmm\t
        .endm

// The 8 bytes of eight planes in each of two tiles; to the next 128 elements.
        .macro put r0, r1, r2, r3, r4, r5, r6, r7
        lea     second, [planes + stride]
        movlps  plane0(planes), xmm\r0
        movhps  plane0(second), xmm\r0
        movlps  plane1(planes), xmm\r1
        movhps  plane1(second), xmm\r1
        movlps  plane2(planes), xmm\r2
        movhps  plane2(second), xmm\r2
        movlps  plane3(planes), xmm\r3
        movhps  plane3(second), xmm\r3
        movlps  plane4(planes), xmm\r4
        movhps  plane4(second), xmm\r4
        movlps  plane5(planes), xmm\r5
        movhps  plane5(second), xmm\r5
        movlps  plane6(planes), xmm\r6
        movhps  plane6(second), xmm\r6
        movlps  plane7(planes), xmm\r7
        movhps  plane7(second), xmm\r7
        lea     planes, [planes + 2*stride]
        .endm

        .macro get r0, r1, r2, r3, r4, r5, r6, r7
        lea     second, [planes + stride]
        movq    xmm\r0, plane0(planes)
        movhps  xmm\r0, plane0(second)
        movq    xmm\r1, plane1(planes)
        movhps  xmm\r1, plane1(second)
        movq    xmm\r2, plane2(planes)
        movhps  xmm\r2, plane2(second)
        movq    xmm\r3, plane3(planes)
        movhps  xmm\r3, plane3(second)
        movq    xmm\r4, plane4(planes)
        movhps  xmm\r4, plane4(second)
        movq    xmm\r5, plane5(planes)
        movhps  xmm\r5, plane5(second)
        movq    xmm\r6, plane6(planes)
        movhps  xmm\r6, plane6(second)
        movq    xmm\r7, plane7(planes)
        movhps  xmm\r7, plane7(second)
        lea     planes, [planes + 2*stride]
        .endm
