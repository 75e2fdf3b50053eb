// The levels of the network that slices elements into bit planes and back, for AVX2.
//
// Eight vectors hold 256 bytes. A bit's address is 3 bits for the vector and 8 for the position in
// the vector. A level exchanges a vector bit with a position bit. In the comments of the kernels e
// is a bit of the element's index, b of the byte's index in the element, k of the bit's index in
// the byte. The vector bits stand before the colon, then half | byte in the half | bit.
//
//   constants                                    loads the constants of `exchange`; `constant_data`
//                                                defines them at the end of the file
//   load_halves low, high, first, second         `low` gets the low halves of the vectors at two
//                                                addresses, `high` the high halves
//   interleave bw, t, a, b, a, b, a, b, a, b     bytes of four pairs: the vector bit becomes the
//                                                lowest byte bit in the half, the highest byte bit
//                                                becomes the vector bit; wd, dq and qdq insert it
//                                                one, two and three bits higher
//   halves t, a, b, a, b, a, b, a, b             exchanges the vector bit with the half of the
//                                                vector
//   exchange shift, a, b, a, b, a, b, a, b       exchanges the vector bit with bit 0, 1 or 2 of the
//                                                position: shift 1, 2 or 4
//   put move, at, ..                             stores vectors 32 bytes apart from `at` on, by the
//                                                instruction `move`
//
// Arguments are register numbers. `interleave` and `halves` leave the first results of the pairs in t and the first
// three of `a`, the second ones in `b`; the last `a` is free. `exchange` works in place.

#define mask55    ymm13
#define mask33    ymm14
#define mask0f    ymm15
#define ones      ymm12
#define differ0   ymm11
#define differ1   ymm10

        .macro constants
        vpcmpeqd ones, ones, ones
        vpbroadcastb mask55, [rip + .Lmask55]
        vpbroadcastb mask33, [rip + .Lmask33]
        vpbroadcastb mask0f, [rip + .Lmask0f]
        .endm

        .macro constant_data
        RODATA
.Lmask55:                               // even bits, exchanged at distance 1
        .byte   0x55
.Lmask33:                               // bits 0, 1, 4 and 5, exchanged at distance 2
        .byte   0x33
.Lmask0f:                               // low nibbles, exchanged at distance 4
        .byte   0x0f
        .endm

// Blends with memory run on any vector pipe; vinserti128 has only one pipe on Zen 3.
        .macro load_halves low, high, first, second
        vbroadcasti128 ymm\low, [\second]
        vpblendd ymm\low, ymm\low, [\first], 0x0f
        vbroadcasti128 ymm\high, [\first + 16]
        vpblendd ymm\high, ymm\high, [\second], 0xf0
        .endm

        .macro interleave width, t, a0, b0, a1, b1, a2, b2, a3, b3
        vpunpckl\width ymm\t, ymm\a0, ymm\b0
        vpunpckh\width ymm\b0, ymm\a0, ymm\b0
        vpunpckl\width ymm\a0, ymm\a1, ymm\b1
        vpunpckh\width ymm\b1, ymm\a1, ymm\b1
        vpunpckl\width ymm\a1, ymm\a2, ymm\b2
        vpunpckh\width ymm\b2, ymm\a2, ymm\b2
        vpunpckl\width ymm\a2, ymm\a3, ymm\b3
        vpunpckh\width ymm\b3, ymm\a3, ymm\b3
        .endm

        .macro halves t, a0, b0, a1, b1, a2, b2, a3, b3
        vperm2i128 ymm\t, ymm\a0, ymm\b0, 0x20
        vperm2i128 ymm\b0, ymm\a0, ymm\b0, 0x31
        vperm2i128 ymm\a0, ymm\a1, ymm\b1, 0x20
        vperm2i128 ymm\b1, ymm\a1, ymm\b1, 0x31
        vperm2i128 ymm\a1, ymm\a2, ymm\b2, 0x20
        vperm2i128 ymm\b2, ymm\a2, ymm\b2, 0x31
        vperm2i128 ymm\a2, ymm\a3, ymm\b3, 0x20
        vperm2i128 ymm\b3, ymm\a3, ymm\b3, 0x31
        .endm

// Two pairs: the bits under the mask in which b differs from a, shifted, are flipped in both. The
// mask also removes bits shifted in from other bytes. The average of a byte and 255 is half the byte
// plus 128: a shift by one that avoids the shuffle pipes.
        .macro exchange_pairs shift, mask, a0, b0, a1, b1
        .if     \shift == 1
        vpavgb  differ0, ymm\a0, ones
        vpavgb  differ1, ymm\a1, ones
        .else
        vpsrlw  differ0, ymm\a0, \shift
        vpsrlw  differ1, ymm\a1, \shift
        .endif
        vpxor   differ0, differ0, ymm\b0
        vpxor   differ1, differ1, ymm\b1
        vpand   differ0, differ0, \mask
        vpand   differ1, differ1, \mask
        vpxor   ymm\b0, ymm\b0, differ0
        vpxor   ymm\b1, ymm\b1, differ1
        .if     \shift == 1
        vpaddb  differ0, differ0, differ0
        vpaddb  differ1, differ1, differ1
        .else
        vpsllw  differ0, differ0, \shift
        vpsllw  differ1, differ1, \shift
        .endif
        vpxor   ymm\a0, ymm\a0, differ0
        vpxor   ymm\a1, ymm\a1, differ1
        .endm

        .macro exchange shift, a0, b0, a1, b1, a2, b2, a3, b3
        .if     \shift == 1
        exchange_pairs 1, mask55, \a0, \b0, \a1, \b1
        exchange_pairs 1, mask55, \a2, \b2, \a3, \b3
        .elseif \shift == 2
        exchange_pairs 2, mask33, \a0, \b0, \a1, \b1
        exchange_pairs 2, mask33, \a2, \b2, \a3, \b3
        .else
        exchange_pairs 4, mask0f, \a0, \b0, \a1, \b1
        exchange_pairs 4, mask0f, \a2, \b2, \a3, \b3
        .endif
        .endm

        .macro put move, at, registers:vararg
        .set    AT, 0
        .irp    r, \registers
        \move   [\at + AT], ymm\r
        .set    AT, AT + 32
        .endr
        .endm
