// Where planes are: rows, `stride` bytes apart. p points to the bytes at hand in plane 0 of eight.

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

// To the next 64 elements.
#define tile_step 8

        .macro strides
        lea     stride3, [stride + 2*stride]
        lea     stride5, [stride + 4*stride]
        lea     stride7, [stride3 + 4*stride]
        .endm

// The 8 bytes at hand of sixteen planes, eight from p on in the lower halves and eight from q on in the upper ones.
        .macro put_halves p, q, r0, r1, r2, r3, r4, r5, r6, r7, t
        movlps  plane0(\p), xmm\r0
        movhps  plane0(\q), xmm\r0
        movlps  plane1(\p), xmm\r1
        movhps  plane1(\q), xmm\r1
        movlps  plane2(\p), xmm\r2
        movhps  plane2(\q), xmm\r2
        movlps  plane3(\p), xmm\r3
        movhps  plane3(\q), xmm\r3
        movlps  plane4(\p), xmm\r4
        movhps  plane4(\q), xmm\r4
        movlps  plane5(\p), xmm\r5
        movhps  plane5(\q), xmm\r5
        movlps  plane6(\p), xmm\r6
        movhps  plane6(\q), xmm\r6
        movlps  plane7(\p), xmm\r7
        movhps  plane7(\q), xmm\r7
        .endm

// The 16 bytes at hand of eight planes; to the next 128 elements.
        .macro put r0, r1, r2, r3, r4, r5, r6, r7
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
