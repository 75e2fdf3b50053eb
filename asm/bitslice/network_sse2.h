// The network of the SSE2 kernels. A step exchanges a bit of the registers' indices with a bit of the places in them: of bytes by
// interleaving, of bits by `exchange`. Steps of both kinds alternate, since shuffles and shifts have only two pipes.
//
// Registers are given by number. Results stay where they fall, so that their order changes.

// The bytes (bw) or words (wd) of a and b in turn: the lower halves in a, the upper ones in t; b is free.
        .macro interleave unit, a, b, t
        movdqa  xmm\t, xmm\a
        punpckl\unit xmm\a, xmm\b
        punpckh\unit xmm\t, xmm\b
        .endm

// Exchanges the bits of a at places with the bit `shift` with those of b at places without it.
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

// A step of slicing: what interleaving takes out of the bytes' places is exchanged, unless `shift` is 0. Lower, upper in a, t.
        .macro cut shift, a, b, t
        interleave bw, \a, \b, \t
        .if \shift
        exchange \shift, \a, \t, \b
        .endif
        .endm

// A step of the inverse: what the exchange takes out of the bits' places goes into those of the bytes.
        .macro join unit, shift, a, b, t
        exchange \shift, \a, \b, \t
        interleave \unit, \a, \b, \t
        .endm

        .macro join_bytes shift, a, b, t
        join    bw, \shift, \a, \b, \t
        .endm

// Steps over eight registers: pairs by bit 2 of their index, by bit 1, by bit 0, with a shift each. The results are in
// r0, r6, r7, r1, r8, r2, r3, r4; r5 is free.
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

        .macro mask_constants
        RODATA
        .balign 16
.Lmask1:                                // every second bit
        .fill   16, 1, 0x55
.Lmask2:                                // every second two bits
        .fill   16, 1, 0x33
.Lmask4:                                // the lower four bits of bytes
        .fill   16, 1, 0x0f
        .endm
