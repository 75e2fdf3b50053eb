// What the bit-plane kernels with AVX-512 VBMI and GFNI have in common.
//
// An element's number in its chunk is 9 bits, e8 .. e0, a plane's 5: the byte of the element, b1 b0, and the bit of that byte,
// k2 k1 k0. Each step exchanges a bit that numbers the vectors with one that numbers the bytes in a vector, for two vectors
// in place. `spare` is overwritten; its moves are renamed away.

#define spare       zmm16
#define spare_half  ymm16

// The bytes where the mask is 1 change places.
        .macro exchange a, b, mask
        vpblendmb spare{\mask}, \a, \b
        vpblendmb \b{\mask}, \b, \a
        vmovdqa64 \a, spare
        .endm

// The bytes of each lower half of 16, by turns, and those of each upper half: bit 3 of a byte's number comes out at the vectors, whose
// own bit becomes bit 0; the bits between move up.
        .macro interleave a, b
        vmovdqa64 spare, \a
        vpunpcklbw \a, \a, \b
        vpunpckhbw \b, spare, \b
        .endm

// Any 64 bytes of the 128, and any others; for the second index the vectors stand in the other order.
        .macro choose a, b, index_a, index_b
        vmovdqa64 spare, \a
        vpermt2b \a, \index_a, \b
        vpermt2b \b, \index_b, spare
        .endm

// Bit j of byte i of each qword becomes bit 7 - i of its byte j; a unit other than the identity permutes the j.
        .macro diagonal a, unit
        vgf2p8affineqb \a, \unit, \a, 0
        .endm

// 64 numbers of bytes, linear in the bits of the place but for the first: a 1 in bit j of the place flips the bits w_j.
        .macro index first, w5, w4, w3, w2, w1, w0
        .irp    i5, 0, \w5
        .irp    i4, 0, \w4
        .irp    i3, 0, \w3
        .irp    i2, 0, \w2
        .irp    i1, 0, \w1
        .byte   \first ^ \i5 ^ \i4 ^ \i3 ^ \i2 ^ \i1, \first ^ \i5 ^ \i4 ^ \i3 ^ \i2 ^ \i1 ^ \w0
        .endr
        .endr
        .endr
        .endr
        .endr
        .endm
