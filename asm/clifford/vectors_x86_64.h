// Vectors of SSE2, AVX2 and AVX-512 in one form. The file that includes this defines ROW, the bytes of a vector, and
// V(i), the name of vector i.

// to = a op b. SSE2 works in place: if `to` is b and not a, a changes.
        .macro  op name, to, a, b:vararg
        .if     ROW > 16
        v\name  \to, \a, \b
        .else
        .ifc    \to, \a
        \name   \to, \b
        .else
        .ifc    \to, \b
        \name   \a, \b
        movaps  \to, \a
        .else
        movaps  \to, \a
        \name   \to, \b
        .endif
        .endif
        .endif
        .endm

// to = from, vectors or aligned rows.
        .macro  move to, from:vararg
        .if     ROW > 16
        vmovaps \to, \from
        .else
        movaps  \to, \from
        .endif
        .endm

        .macro  clear i
        .if     ROW > 16
        vxorps  xmm\i, xmm\i, xmm\i
        .else
        xorps   xmm\i, xmm\i
        .endif
        .endm

// Copies 16 bytes, through vector 0.
        .macro  copy_16 to, from:vararg
        .if     ROW > 16
        vmovups xmm0, \from
        vmovups \to, xmm0
        .else
        movups  xmm0, \from
        movups  \to, xmm0
        .endif
        .endm

// Transposes four floats of each 128 bits of vectors 0..3. Vectors 4..7 are overwritten.
        .macro  transpose
        .if     ROW > 16
        vunpcklps V(4), V(0), V(1)
        vunpcklps V(5), V(2), V(3)
        vunpckhps V(6), V(0), V(1)
        vunpckhps V(7), V(2), V(3)
        vunpcklpd V(0), V(4), V(5)
        vunpckhpd V(1), V(4), V(5)
        vunpcklpd V(2), V(6), V(7)
        vunpckhpd V(3), V(6), V(7)
        .else
        movaps  xmm4, xmm0
        movaps  xmm5, xmm2
        unpcklps xmm4, xmm1
        unpcklps xmm5, xmm3
        unpckhps xmm0, xmm1
        unpckhps xmm2, xmm3
        movaps  xmm6, xmm0
        movaps  xmm3, xmm6
        movaps  xmm0, xmm4
        movaps  xmm1, xmm4
        unpcklpd xmm0, xmm5
        unpckhpd xmm1, xmm5
        unpcklpd xmm6, xmm2
        unpckhpd xmm3, xmm2
        movaps  xmm2, xmm6
        .endif
        .endm
