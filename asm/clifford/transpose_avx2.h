// Four blades of one multivector per lane, `stride` bytes apart: to vectors a..d from
// `part` + `offset` on, and, of doubles, back. `three` is three times `stride`. Vectors e..h and `upper` are
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

        .macro  load_ymm a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, offset=0
        lea     upper, [part + 4*stride]
        .if     BYTES == 4
        // Part j of vector i is of multivector 4 j + i.
        vmovups xmm\a, [part + \offset]
        vmovups xmm\b, [part + stride + \offset]
        vmovups xmm\c, [part + 2*stride + \offset]
        vmovups xmm\d, [part + three + \offset]
        vinsertf128 ymm\a, ymm\a, [upper + \offset], 1
        vinsertf128 ymm\b, ymm\b, [upper + stride + \offset], 1
        vinsertf128 ymm\c, ymm\c, [upper + 2*stride + \offset], 1
        vinsertf128 ymm\d, ymm\d, [upper + three + \offset], 1
        transpose ymm, \a, \b, \c, \d, \e, \f, \g, \h
        .else
        // Part j of the vectors is of multivectors 2 j and 2 j + 1.
        half    \e, \f, \offset
        half    \g, \h, \offset + 16
        pairs   ymm, \e, \f, \a, \b
        pairs   ymm, \g, \h, \c, \d
        .endif
        .endm

        .macro  half e, f, offset
        vmovupd xmm\e, [part + \offset]
        vmovupd xmm\f, [part + stride + \offset]
        vinsertf128 ymm\e, ymm\e, [part + 2*stride + \offset], 1
        vinsertf128 ymm\f, ymm\f, [part + three + \offset], 1
        .endm

        .macro  store_ymm a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, offset=0
        pairs   ymm, \a, \b, \e, \f
        pairs   ymm, \c, \d, \g, \h
        store_lines \e, \g, \a, part + \offset, part + 2*stride + \offset
        store_lines \f, \h, \b, part + stride + \offset, part + three + \offset
        .endm

// Lines of 32 bytes to two multivectors: the lower 128 bits of a and b, and the upper ones. b and c are
// overwritten.
        .macro  store_lines a, b, c, first, second
        vinsertf128 ymm\c, ymm\a, xmm\b, 1
        vperm2f128 ymm\b, ymm\a, ymm\b, 0x31
        vmovups [\first], ymm\c
        vmovups [\second], ymm\b
        .endm

// Eight blades in a..d and i..l.
        .macro  store_two a, b, c, d, i, j, k, l, e, f, g, h, offset=0
        store_ymm \a, \b, \c, \d, \e, \f, \g, \h, \offset
        store_ymm \i, \j, \k, \l, \e, \f, \g, \h, \offset + 32
        .endm
