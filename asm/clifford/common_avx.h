// Instructions that the common kernels of AVX2 and AVX-512 share. V is ymm or zmm.

        .macro get i, r
        vmovaps V\i, [rsp + ROW*(\r)]
        .endm

        .macro put i, r
        vmovaps [rsp + ROW*(\r)], V\i
        .endm

        .macro multiply t, i, a, b
        vmul\t  V\i, V\a, V\b
        .endm

        .macro multiply_row t, i, a, b
        vmul\t  V\i, V\a, [rsp + ROW*(\b)]
        .endm

        .macro plus t, i, a
        vadd\t  V\i, V\i, V\a
        .endm

        .macro minus t, i, a
        vsub\t  V\i, V\i, V\a
        .endm

        .macro minus_from t, i, a
        vsub\t  V\i, V\a, V\i
        .endm

        .macro negate t, i
        vxor\t  V\i, V\i, [rsp + ROW*MINUS]
        .endm

        .macro clear i
        vxorps  xmm\i, xmm\i, xmm\i
        .endm

        .macro either t, i, a
        vor\t   V\i, V\i, V\a
        .endm

        .macro either_row t, i, a
        vor\t   V\i, V\i, [rsp + ROW*(\a)]
        .endm

        .macro move_16 to, from
        vmovups xmm0, [\from]
        vmovups [\to], xmm0
        .endm

        .macro move_weight t, to, from
        .if     LOG == 2
        vmovss  xmm0, dword ptr [\from]
        vmovss  dword ptr [\to], xmm0
        .else
        vmovsd  xmm0, qword ptr [\from]
        vmovsd  qword ptr [\to], xmm0
        .endif
        .endm

        .macro leave_vectors
        vzeroupper
        .endm

// Transposes 4 x 4 floats of each 128 bits.
        .macro transpose_ps a, b, c, d, other
        vunpcklps V\other, V\a, V\b
        vunpckhps V\a, V\a, V\b
        vunpcklps V\b, V\c, V\d
        vunpckhps V\c, V\c, V\d
        vunpckhpd V\d, V\a, V\c
        vunpcklpd V\c, V\a, V\c
        vunpcklpd V\a, V\other, V\b
        vunpckhpd V\b, V\other, V\b
        .endm

// Transposes 2 x 2 doubles of each 128 bits.
        .macro transpose_pd a, b, c, d, other
        vunpckhpd V\other, V\a, V\b
        vunpcklpd V\a, V\a, V\b
        vmovapd V\b, V\other
        .endm
