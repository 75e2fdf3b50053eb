// The steps of bit planes for AVX-512 BW, the same in both directions.
//
// An element is e8 .. e0 in its chunk, and bit k2 k1 k0 of its byte b1 b0. A vector has lanes [e8 e7] unless another order is
// given; in brackets stand the bits that number the bytes of a lane, or vectors, the highest first. Unpacking two vectors by
// bytes appends below the bit in which they differ, and the highest bit comes to tell the two results apart.

// Three sets of 8 vectors, zmm\i, zmm1\i and zmm2\i. zmm8, zmm9, zmm18, zmm19 and zmm28 are for single steps.
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

// Unpacks the bytes of vectors that differ in the highest bit of their number; the bit that bytes lose becomes the lowest.
        .macro interleave x0, x1, x2, x3, x4, x5, x6, x7, y0, y1, y2, y3, y4, y5, y6, y7
        unpack  bw, \y0, \y1, \x0, \x4
        unpack  bw, \y2, \y3, \x1, \x5
        unpack  bw, \y4, \y5, \x2, \x6
        unpack  bw, \y6, \y7, \x3, \x7
        .endm

// Exchanges the bits of x and y that differ in one bit of their number: x keeps those in the mask.
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

// Bit k of the bytes of vector e becomes bit e of those of vector k.
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

// Loads two vectors from 32 bytes of each lane: x takes the first 16 of them, y the others.
        .macro load x, y, lane0, lane1, lane2, lane3
        vmovdqu64 ymm8, \lane0
        vmovdqu64 ymm9, \lane2
        vinserti64x4 zmm8, zmm8, \lane1, 1
        vinserti64x4 zmm9, zmm9, \lane3, 1
        vshufi32x4 \x, zmm8, zmm9, 0x88
        vshufi32x4 \y, zmm8, zmm9, 0xdd
        .endm

// Stores 32 bytes of each lane: 16 of x, then 16 of y.
        .macro store x, y, lane0, lane1, lane2, lane3
        vmovdqa64 zmm8, [rip + .Llow]
        vmovdqa64 zmm9, [rip + .Lhigh]
        vpermi2q zmm8, \x, \y
        vpermi2q zmm9, \x, \y
        vmovdqu64 \lane0, ymm8
        vextracti64x4 \lane1, zmm8, 1
        vmovdqu64 \lane2, ymm9
        vextracti64x4 \lane3, zmm9, 1
        .endm

// Ends the function if there is no chunk. In `frame` bytes of stack, if any, are 16 vectors at a multiple of 64.
        .macro enter name, bytes, frame=0
        .set    BYTES, \bytes
        .if     \frame
        sub     rsp, \frame
        .cfi_adjust_cfa_offset \frame
        lea     scratch, [rsp + 63]
        and     scratch, -64
        .endif
        test    chunks, chunks
        jz      .Ldone_\name
        lea     stride3, [stride + 2*stride]
        vpbroadcastd even, [rip + .Leven]
        vpbroadcastd couples, [rip + .Lcouples]
        vpbroadcastd nibbles, [rip + .Lnibbles]
        .endm

        .macro leave name, frame=0
.Ldone_\name:
        .if     \frame
        add     rsp, \frame
        .cfi_adjust_cfa_offset -\frame
        .endif
        vzeroupper
        ret
        .endm

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
