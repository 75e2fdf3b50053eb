// Stores four blades of one multivector per lane, `stride` bytes apart, from vectors a..d to `part` + `offset` on.
// `three` is three times `stride`. Vectors e..h and `upper` are overwritten.

// The lower doubles of each 128 bits of a and b, and the upper ones.
        .macro  pairs v, a, b, low, high
        vunpcklpd \v\low, \v\a, \v\b
        vunpckhpd \v\high, \v\a, \v\b
        .endm

        .macro  store_zmm a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, offset=0
        lea     upper, [part + 4*stride]
        pairs   zmm, \a, \b, \e, \f
        pairs   zmm, \c, \d, \g, \h
        alternate \e, \g, \a, \b
        alternate \f, \h, \c, \d
        vmovupd [part + \offset], ymm\a
        vmovupd [part + stride + \offset], ymm\c
        vextractf64x4 [part + 2*stride + \offset], zmm\a, 1
        vextractf64x4 [part + three + \offset], zmm\c, 1
        vmovupd [upper + \offset], ymm\b
        vmovupd [upper + stride + \offset], ymm\d
        vextractf64x4 [upper + 2*stride + \offset], zmm\b, 1
        vextractf64x4 [upper + three + \offset], zmm\d, 1
        .endm

// The 128 bits of a and b by turns, in vectors c and d.
        .macro  alternate a, b, c, d
        vmovapd zmm\c, [rip + .Lalternate]
        vmovapd zmm\d, [rip + .Lalternate + 64]
        vpermi2pd zmm\c, zmm\a, zmm\b
        vpermi2pd zmm\d, zmm\a, zmm\b
        .endm

// Eight blades in a..d and i..l.
        .macro  store_two a, b, c, d, i, j, k, l, e, f, g, h, offset=0
        store_zmm \a, \b, \c, \d, \e, \f, \g, \h, \offset
        store_zmm \i, \j, \k, \l, \e, \f, \g, \h, \offset + 32
        .endm
