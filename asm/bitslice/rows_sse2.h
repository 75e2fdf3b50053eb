// Where planes are: rows, `stride` bytes apart. p points to the bytes at hand in the first of eight planes.

#define stride3 r8
#define stride5 r9
#define stride7 r10

#define plane0(p) [p]
#define plane1(p) [p + stride]
#define plane2(p) [p + 2*stride]
#define plane3(p) [p + stride3]
#define plane4(p) [p + 4*stride]
#define plane5(p) [p + stride5]
#define plane6(p) [p + 2*stride3]
#define plane7(p) [p + stride7]
#define plane8(p) [p + 8*stride]

// From 64 elements to the next.
#define tile_step 8

        .macro strides
        lea     stride3, [stride + 2*stride]
        lea     stride5, [stride + 4*stride]
        lea     stride7, [stride3 + 4*stride]
        .endm

// Two planes of eight, k and k + 1, in a and b: their lower halves go to p, the upper ones to q.
        .macro put_halves k, p, q, a, b, t
        .if \k == 0
        movlps  plane0(\p), xmm\a
        movhps  plane0(\q), xmm\a
        movlps  plane1(\p), xmm\b
        movhps  plane1(\q), xmm\b
        .elseif \k == 2
        movlps  plane2(\p), xmm\a
        movhps  plane2(\q), xmm\a
        movlps  plane3(\p), xmm\b
        movhps  plane3(\q), xmm\b
        .elseif \k == 4
        movlps  plane4(\p), xmm\a
        movhps  plane4(\q), xmm\a
        movlps  plane5(\p), xmm\b
        movhps  plane5(\q), xmm\b
        .elseif \k == 6
        movlps  plane6(\p), xmm\a
        movhps  plane6(\q), xmm\a
        movlps  plane7(\p), xmm\b
        movhps  plane7(\q), xmm\b
        .endif
        .endm

// 128 elements: 16 bytes of each of eight planes.
        .macro put r0, r1, r2, r3, r4, r5, r6, r7, t
        movups  plane0(planes), xmm\r0
        movups  plane1(planes), xmm\r1
        movups  plane2(planes), xmm\r2
        movups  plane3(planes), xmm\r3
        movups  plane4(planes), xmm\r4
        movups  plane5(planes), xmm\r5
        movups  plane6(planes), xmm\r6
        movups  plane7(planes), xmm\r7
        add     planes, 16
        .endm

        .macro get r0, r1, r2, r3, r4, r5, r6, r7
        movups  xmm\r0, plane0(planes)
        movups  xmm\r1, plane1(planes)
        movups  xmm\r2, plane2(planes)
        movups  xmm\r3, plane3(planes)
        movups  xmm\r4, plane4(planes)
        movups  xmm\r5, plane5(planes)
        movups  xmm\r6, plane6(planes)
        movups  xmm\r7, plane7(planes)
        add     planes, 16
        .endm
