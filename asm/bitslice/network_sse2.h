// The network of the SSE2 kernels. A step exchanges a bit of the register index with a bit of the
// byte index (by interleaving) or of the bit index (by `exchange`). The two kinds alternate, since
// shuffles and shifts have only two pipes.
//
// Arguments are register numbers. Results are not moved back into order.

// Interleaves the bytes (bw) or words (wd) of a and b: the lower halves go to a, the upper halves
// to t; b is free.
        .macro interleave unit, a, b, t
        movdqa  xmm\t, xmm\a
        punpckl\unit xmm\a, xmm\b
        punpckh\unit xmm\t, xmm\b
        .endm

// Exchanges the bits of a whose index has bit `shift` set with the bits of b whose index has it
// clear.
        .macro exchange shift, a, b, t
        movdqa  xmm\t, xmm\a
        psrlw   xmm\t, \shift
        pxor    xmm\t, xmm\b
        pand    xmm\t, [rip + .Lmask\shift]
        pxor    xmm\b, xmm\t
        .if \shift == 1
        paddb   xmm\t, xmm\t
        .else
        psllw   xmm\t, \shift
        .endif
        pxor    xmm\a, xmm\t
        .endm

// A step of slicing: interleaves, then exchanges the bit that left the byte index into the bit
// index, unless `shift` is 0. The results are in a (lower) and t (upper).
        .macro cut shift, a, b, t
        interleave bw, \a, \b, \t
        .if \shift
        exchange \shift, \a, \t, \b
        .endif
        .endm

// A step of the inverse: exchanges, then interleaves the bit that left the bit index into the byte
// index.
        .macro join unit, shift, a, b, t
        exchange \shift, \a, \b, \t
        interleave \unit, \a, \b, \t
        .endm

        .macro join_bytes shift, a, b, t
        join    bw, \shift, \a, \b, \t
        .endm

// Exchanges bits 2 and 1 of the index of registers 0 .. 7 with k2 and k1, or e2 and e1.
        .macro exchange_upper
        exchange 4, 0, 4, 8
        exchange 4, 1, 5, 8
        exchange 4, 2, 6, 8
        exchange 4, 3, 7, 8
        exchange 2, 0, 2, 8
        exchange 2, 1, 3, 8
        exchange 2, 4, 6, 8
        exchange 2, 5, 7, 8
        .endm

// Steps over eight registers: on pairs that differ in bit 2 of the index, then in bit 1, then in
// bit 0, each with its shift. The results are in r0, r6, r7, r1, r8, r2, r3, r4; r5 is free.
        .macro eight step, shift2, shift1, shift0, r0, r1, r2, r3, r4, r5, r6, r7, r8
        \step \shift2, \r0, \r4, \r8
        \step \shift2, \r1, \r5, \r4
        \step \shift2, \r2, \r6, \r5
        \step \shift2, \r3, \r7, \r6
        \step \shift1, \r0, \r2, \r7
        \step \shift1, \r1, \r3, \r2
        \step \shift1, \r8, \r5, \r3
        \step \shift1, \r4, \r6, \r5
        \step \shift0, \r0, \r1, \r6
        \step \shift0, \r7, \r2, \r1
        \step \shift0, \r8, \r4, \r2
        \step \shift0, \r3, \r5, \r4
        .endm

// Layout rows: planes are `stride` bytes apart. p points to the current bytes of the first of eight
// planes.

#define stride3 r8
#define stride5 r9
#define stride7 r10
#define stride8 r8
#define stride24 r9
#define plane   rax

#define plane0(p) [p]
#define plane1(p) [p + stride]
#define plane2(p) [p + 2*stride]
#define plane3(p) [p + stride3]
#define plane4(p) [p + 4*stride]
#define plane5(p) [p + stride5]
#define plane6(p) [p + 2*stride3]
#define plane7(p) [p + stride7]

        .macro strides_rows
        lea     stride3, [stride + 2*stride]
        lea     stride5, [stride + 4*stride]
        lea     stride7, [stride3 + 4*stride]
        .endm

// Stores planes k and k + 1 of eight, in a and b: the lower halves at p, the upper halves at q.
        .macro put_halves_rows k, p, q, a, b, t
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
        .macro put_rows r0, r1, r2, r3, r4, r5, r6, r7, t
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

// Advance to the next eight planes, and to the next 64 elements.
        .macro eight_more_rows to, p
        lea     \to, [\p + 8*stride]
        .endm

        .macro next_rows
        add     planes, 8
        .endm

// The distance of eight planes, and three times that, for kernels with a loop over planes.
        .macro steps_rows
        lea     stride8, [8*stride]
        lea     stride24, [stride8 + 2*stride8]
        .endm

        .macro next_plane_rows
        add     plane, stride
        .endm

// Layout tiles: tiles are `stride` bytes apart and hold 8 bytes of each plane. p points to the
// first of eight planes in a tile.

// Stores planes k and k + 1 of eight, in a and b: the lower halves at p, the upper halves at q.
        .macro put_halves_tiles k, p, q, a, b, t
        movdqa  xmm\t, xmm\a
        punpcklqdq xmm\a, xmm\b
        punpckhqdq xmm\t, xmm\b
        movups  [\p + 8*\k], xmm\a
        movups  [\q + 8*\k], xmm\t
        .endm

// 128 elements: 8 bytes of each of eight planes in two tiles.
        .macro put_tiles r0, r1, r2, r3, r4, r5, r6, r7, t
        lea     second, [planes + stride]
        put_halves_tiles 0, planes, second, \r0, \r1, \t
        put_halves_tiles 2, planes, second, \r2, \r3, \t
        put_halves_tiles 4, planes, second, \r4, \r5, \t
        put_halves_tiles 6, planes, second, \r6, \r7, \t
        lea     planes, [planes + 2*stride]
        .endm

        .macro get_tiles r0, r1, r2, r3, r4, r5, r6, r7
        lea     second, [planes + stride]
        movq    xmm\r0, [planes]
        movhps  xmm\r0, [second]
        movq    xmm\r1, [planes + 8]
        movhps  xmm\r1, [second + 8]
        movq    xmm\r2, [planes + 16]
        movhps  xmm\r2, [second + 16]
        movq    xmm\r3, [planes + 24]
        movhps  xmm\r3, [second + 24]
        movq    xmm\r4, [planes + 32]
        movhps  xmm\r4, [second + 32]
        movq    xmm\r5, [planes + 40]
        movhps  xmm\r5, [second + 40]
        movq    xmm\r6, [planes + 48]
        movhps  xmm\r6, [second + 48]
        movq    xmm\r7, [planes + 56]
        movhps  xmm\r7, [second + 56]
        lea     planes, [planes + 2*stride]
        .endm

        .macro strides_tiles
        .endm

        .macro next_tiles
        add     planes, stride
        .endm

        .macro steps_tiles
        mov     stride8, 64
        mov     stride24, 192
        .endm

        .macro next_plane_tiles
        add     plane, 8
        .endm
