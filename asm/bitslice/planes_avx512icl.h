// Macros of the bit-plane kernels with AVX-512 VBMI and GFNI.
//
// An element's index in its chunk has 9 bits, e8 .. e0. A plane's index has 5: the byte of the
// element, b1 b0, and the bit of that byte, k2 k1 k0. Each step exchanges a bit of the vector index
// with a bit of the byte index, for two vectors in place. `spare` is overwritten; register renaming
// removes its moves. vgf2p8affineqb transposes 8 x 8 bits: bit j of byte i of each qword becomes bit 7 - i
// of its byte j; a matrix other than the identity permutes the j.

#define spare       zmm16
#define spare_half  ymm16

// Swaps the bytes of a and b under the mask.
        .macro exchange a, b, mask
        vpblendmb spare{\mask}, \a, \b
        vpblendmb \b{\mask}, \b, \a
        vmovdqa64 \a, spare
        .endm

// Interleaves the lower halves of each 16 bytes into a, the upper halves into b: bit 3 of the byte
// index becomes the vector bit, the vector bit becomes bit 0, and the bits between move up.
        .macro interleave a, b
        vmovdqa64 spare, \a
        vpunpcklbw \a, \a, \b
        vpunpckhbw \b, spare, \b
        .endm

// Selects any 64 of the 128 bytes into a, and any 64 into b. The second index counts b before a.
        .macro choose a, b, index_a, index_b
        vmovdqa64 spare, \a
        vpermt2b \a, \index_a, \b
        vpermt2b \b, \index_b, spare
        .endm

// 64 byte indices, affine in the bits of the position: position 0 has `first`, and a 1 in bit j of
// the position flips the bits w_j.
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
