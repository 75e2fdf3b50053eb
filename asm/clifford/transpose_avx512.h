// Four blades of one multivector per lane, `stride` bytes apart: to vectors a..d from
// `part` + `offset` on, and back. `three` is three times `stride`. Vectors e..h and `upper` are
// overwritten.

// Transposes four floats of each 128 bits.
        .macro  transpose v, a, b, c, d, e, f, g, h
        vunpcklps \v\e, \v\a, \v\b
        vunpcklps \v\f, \v\c, \v\d
        vunpckhps \v\g, \v\a, \v\b
        vunpckhps \v\h, \v\c, \v\d
        vunpcklpd \v\a, \v\e, \v\f
        vunpckhpd \v\b, \v\e, \v\f
        vunpcklpd \v\c, \v\g, \v\h
        vunpckhpd \v\d, \v\g, \v\h
        .endm

// The lower doubles of each 128 bits of a and b, and the upper ones.
        .macro  pairs v, a, b, low, high
        vunpcklpd \v\low, \v\a, \v\b
        vunpckhpd \v\high, \v\a, \v\b
        .endm

        .macro  load_zmm a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, offset=0
        lea     upper, [part + 4*stride]
        .if     BYTES == 4
        // Part j of vector i is of multivector 4 j + i.
        vmovups xmm\a, [part + \offset]
        vmovups xmm\b, [part + stride + \offset]
        vmovups xmm\c, [part + 2*stride + \offset]
        vmovups xmm\d, [part + three + \offset]
        .irp    j, 1, 2, 3
        vinsertf32x4 zmm\a, zmm\a, [upper + \offset], \j
        vinsertf32x4 zmm\b, zmm\b, [upper + stride + \offset], \j
        vinsertf32x4 zmm\c, zmm\c, [upper + 2*stride + \offset], \j
        vinsertf32x4 zmm\d, zmm\d, [upper + three + \offset], \j
        .if     \j < 3
        lea     upper, [upper + 4*stride]
        .endif
        .endr
        transpose zmm, \a, \b, \c, \d, \e, \f, \g, \h
        .else
        // Part j of the vectors is of multivectors 2 j and 2 j + 1.
        half    \e, \f, \offset
        half    \g, \h, \offset + 16
        pairs   zmm, \e, \f, \a, \b
        pairs   zmm, \g, \h, \c, \d
        .endif
        .endm

        .macro  half e, f, offset
        vmovupd xmm\e, [part + \offset]
        vmovupd xmm\f, [part + stride + \offset]
        vinsertf64x2 zmm\e, zmm\e, [part + 2*stride + \offset], 1
        vinsertf64x2 zmm\f, zmm\f, [part + three + \offset], 1
        vinsertf64x2 zmm\e, zmm\e, [upper + \offset], 2
        vinsertf64x2 zmm\f, zmm\f, [upper + stride + \offset], 2
        vinsertf64x2 zmm\e, zmm\e, [upper + 2*stride + \offset], 3
        vinsertf64x2 zmm\f, zmm\f, [upper + three + \offset], 3
        .endm

        .macro  store_zmm a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, offset=0
        lea     upper, [part + 4*stride]
        .if     BYTES == 4
        transpose zmm, \a, \b, \c, \d, \e, \f, \g, \h
        vmovups [part + \offset], xmm\a
        vmovups [part + stride + \offset], xmm\b
        vmovups [part + 2*stride + \offset], xmm\c
        vmovups [part + three + \offset], xmm\d
        .irp    j, 1, 2, 3
        vextractf32x4 [upper + \offset], zmm\a, \j
        vextractf32x4 [upper + stride + \offset], zmm\b, \j
        vextractf32x4 [upper + 2*stride + \offset], zmm\c, \j
        vextractf32x4 [upper + three + \offset], zmm\d, \j
        .if     \j < 3
        lea     upper, [upper + 4*stride]
        .endif
        .endr
        .else
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
        .endif
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
        .if     BYTES == 8
        store_zmm \a, \b, \c, \d, \e, \f, \g, \h, \offset
        store_zmm \i, \j, \k, \l, \e, \f, \g, \h, \offset + 32
        .else
        transpose zmm, \a, \b, \c, \d, \e, \f, \g, \h
        transpose zmm, \i, \j, \k, \l, \e, \f, \g, \h
        lea     upper, [part + 4*stride]
        lea     third, [part + 8*stride]
        lea     fourth, [upper + 8*stride]
        store_four \a, \i, \e, \f, 0, \offset
        store_four \b, \j, \g, \h, stride, \offset
        store_four \c, \k, \e, \f, 2*stride, \offset
        store_four \d, \l, \g, \h, three, \offset
        .endif
        .endm

// Eight blades of multivectors `first`, and 4, 8 and 12 later, in a and i.
        .macro  store_four a, i, c, d, first, offset
        alternate \a, \i, \c, \d
        vmovups [part + \first + \offset], ymm\c
        vextractf64x4 [upper + \first + \offset], zmm\c, 1
        vmovups [third + \first + \offset], ymm\d
        vextractf64x4 [fourth + \first + \offset], zmm\d, 1
        .endm
