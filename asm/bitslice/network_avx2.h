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
//
// Arguments are register numbers. `interleave` and `halves` leave the first results of the pairs in
// t and the first three of `a`, the second ones in `b`; the last `a` is free. `exchange` works in
// place.

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

        .macro interleave_pair width, low, a, b
        vpunpckl\width ymm\low, ymm\a, ymm\b
        vpunpckh\width ymm\b, ymm\a, ymm\b
        .endm

        .macro interleave width, t, a0, b0, a1, b1, a2, b2, a3, b3
        interleave_pair \width, \t, \a0, \b0
        interleave_pair \width, \a0, \a1, \b1
        interleave_pair \width, \a1, \a2, \b2
        interleave_pair \width, \a2, \a3, \b3
        .endm

        .macro halves_pair low, a, b
        vperm2i128 ymm\low, ymm\a, ymm\b, 0x20
        vperm2i128 ymm\b, ymm\a, ymm\b, 0x31
        .endm

        .macro halves t, a0, b0, a1, b1, a2, b2, a3, b3
        halves_pair \t, \a0, \b0
        halves_pair \a0, \a1, \b1
        halves_pair \a1, \a2, \b2
        halves_pair \a2, \a3, \b3
        .endm

// The average of a byte and 255 is half the byte plus 128: a shift by one that avoids the shuffle
// pipes.
        .macro shift_right shift, to, from
        .if \shift == 1
        vpavgb  \to, \from, ones
        .else
        vpsrlw  \to, \from, \shift
        .endif
        .endm

        .macro shift_left shift, x
        .if \shift == 1
        vpaddb  \x, \x, \x
        .else
        vpsllw  \x, \x, \shift
        .endif
        .endm

// Two pairs: the bits under the mask in which b differs from a, shifted, are flipped in both. The
// mask also removes bits shifted in from other bytes.
        .macro exchange_pairs shift, mask, a0, b0, a1, b1
        shift_right \shift, differ0, ymm\a0
        shift_right \shift, differ1, ymm\a1
        vpxor   differ0, differ0, ymm\b0
        vpxor   differ1, differ1, ymm\b1
        vpand   differ0, differ0, \mask
        vpand   differ1, differ1, \mask
        vpxor   ymm\b0, ymm\b0, differ0
        vpxor   ymm\b1, ymm\b1, differ1
        shift_left \shift, differ0
        shift_left \shift, differ1
        vpxor   ymm\a0, ymm\a0, differ0
        vpxor   ymm\a1, ymm\a1, differ1
        .endm

        .macro exchange_masked shift, mask, a0, b0, a1, b1, a2, b2, a3, b3
        exchange_pairs \shift, \mask, \a0, \b0, \a1, \b1
        exchange_pairs \shift, \mask, \a2, \b2, \a3, \b3
        .endm

        .macro exchange shift, pairs:vararg
        .if \shift == 1
        exchange_masked 1, mask55, \pairs
        .elseif \shift == 2
        exchange_masked 2, mask33, \pairs
        .else
        exchange_masked 4, mask0f, \pairs
        .endif
        .endm

// Cuts a group of 16 u64 at `from` and one `far` bytes on into eight vectors, k2 k1 k0, which go to
// memory at `to`.
        .macro cut_u64 from, far, to
        load_halves 0, 4, \from, \from + \far
        load_halves 1, 5, \from + 32, \from + \far + 32
        load_halves 2, 6, \from + 64, \from + \far + 64
        load_halves 3, 7, \from + 96, \from + \far + 96
        exchange 4, 0, 1, 4, 5, 2, 3, 6, 7                             // e3 k2 e1: half|e0 b2 b1 b0|e2 k1 k0
        interleave bw, 8, 0, 2, 4, 6, 1, 3, 5, 7                       // e0 k2 e1: half|b2 b1 b0 e3|e2 k1 k0
        exchange 2, 8, 0, 4, 1, 2, 6, 3, 7                             // e0 k2 k1: half|b2 b1 b0 e3|e2 e1 k0
        exchange 1, 8, 2, 0, 6, 4, 3, 1, 7                             // k0 k2 k1: half|b2 b1 b0 e3|e2 e1 e0
        vmovdqa [\to], ymm8
        vmovdqa [\to + 32], ymm2
        vmovdqa [\to + 64], ymm0
        vmovdqa [\to + 96], ymm6
        vmovdqa [\to + 128], ymm4
        vmovdqa [\to + 160], ymm3
        vmovdqa [\to + 192], ymm1
        vmovdqa [\to + 224], ymm7
        .endm
