// Where planes are: in tiles `stride` bytes apart, 8 bytes each. p points to the first of eight planes in a tile.

#define plane0(p) [p]
#define plane1(p) [p + 8]
#define plane2(p) [p + 16]
#define plane3(p) [p + 24]
#define plane4(p) [p + 32]
#define plane5(p) [p + 40]
#define plane6(p) [p + 48]
#define plane7(p) [p + 56]
#define plane8(p) [p + 64]

// From 64 elements to the next.
#define tile_step stride

        .macro strides
        .endm

// Two planes of eight, k and k + 1, in a and b: their lower halves go to p, the upper ones to q.
        .macro put_halves k, p, q, a, b, t
        movdqa  xmm\t, xmm\a
        punpcklqdq xmm\a, xmm\b
        punpckhqdq xmm\t, xmm\b
        movups  [\p + 8*\k], xmm\a
        movups  [\q + 8*\k], xmm\t
        .endm

// 128 elements: 8 bytes of each of eight planes in two tiles.
        .macro put r0, r1, r2, r3, r4, r5, r6, r7, t
        lea     second, [planes + stride]
        put_halves 0, planes, second, \r0, \r1, \t
        put_halves 2, planes, second, \r2, \r3, \t
        put_halves 4, planes, second, \r4, \r5, \t
        put_halves 6, planes, second, \r6, \r7, \t
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
