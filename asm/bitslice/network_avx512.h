// Steps of the bit-plane network for AVX-512 BW, used in both directions.
//
// e8 .. e0 is an element's index in its chunk, b1 b0 a byte's index in the element, k2 k1 k0 a bit's index in the
// byte. The lanes of a vector are [e8 e7] unless another order is given. Brackets list the index bits of the bytes
// of a lane, or of the vectors, highest first. Unpacking two vectors by bytes makes the bit in which they differ
// the lowest byte bit; the highest byte bit then distinguishes the two results.

// Three sets of 8 vectors, zmm\i, zmm1\i and zmm2\i. zmm8, zmm9, zmm18, zmm19 and zmm28 are temporaries.
#define A zmm0, zmm1, zmm2, zmm3, zmm4, zmm5, zmm6, zmm7
#define B zmm10, zmm11, zmm12, zmm13, zmm14, zmm15, zmm16, zmm17
#define C zmm20, zmm21, zmm22, zmm23, zmm24, zmm25, zmm26, zmm27

#define even        zmm29
#define couples     zmm30
#define nibbles     zmm31

        .macro unpack unit, low, high, x, y
        vpunpckl\unit \low, \x, \y
        vpunpckh\unit \high, \x, \y
        .endm

// Unpacks the bytes of vectors that differ in the highest bit of their index; the highest byte bit
// becomes the lowest bit of the vector index.
        .macro interleave x0, x1, x2, x3, x4, x5, x6, x7, y0, y1, y2, y3, y4, y5, y6, y7
        unpack  bw, \y0, \y1, \x0, \x4
        unpack  bw, \y2, \y3, \x1, \x5
        unpack  bw, \y4, \y5, \x2, \x6
        unpack  bw, \y6, \y7, \x3, \x7
        .endm

// Exchanges the bits of x outside the mask with the bits of y under it, `shift` places below.
        .macro exchange x, y, mask, shift
        .if     \shift == 1
        vpaddb  zmm8, \y, \y
        .else
        vpsllw  zmm8, \y, \shift
        .endif
        vpsrlw  zmm9, \x, \shift
        vpternlogd \x, zmm8, \mask, 0xe4
        vpternlogd \y, zmm9, \mask, 0xd8
        .endm

// Bit k of a byte of vector e becomes bit e of the same byte of vector k.
        .macro transpose_bits x0, x1, x2, x3, x4, x5, x6, x7
        exchange \x0, \x1, even, 1
        exchange \x2, \x3, even, 1
        exchange \x4, \x5, even, 1
        exchange \x6, \x7, even, 1
        exchange \x0, \x2, couples, 2
        exchange \x1, \x3, couples, 2
        exchange \x4, \x6, couples, 2
        exchange \x5, \x7, couples, 2
        exchange \x0, \x4, nibbles, 4
        exchange \x1, \x5, nibbles, 4
        exchange \x2, \x6, nibbles, 4
        exchange \x3, \x7, nibbles, 4
        .endm

// The constants, at the foot of a file.
        .macro network_constants
        RODATA
        .balign 64
.Llow:                                  // lanes 0 and 1 of two vectors in turn
        .quad   0, 1, 8, 9, 2, 3, 10, 11
.Lhigh:                                 // lanes 2 and 3
        .quad   4, 5, 12, 13, 6, 7, 14, 15
.Leven:                                 // bits 0, 2, 4, 6 of bytes
        .long   0x55555555
.Lcouples:                              // bits 0, 1, 4, 5
        .long   0x33333333
.Lnibbles:                              // bits 0..3
        .long   0x0f0f0f0f
        .endm
