// Vectors of the instruction sets with three operands, for transform_x86_64.h.

        .macro  load_xmm
        .if     BYTES == 4
        vmovups xmm0, [part]
        vmovups xmm1, [part + stride]
        vmovups xmm2, [part + 2*stride]
        vmovups xmm3, [part + three]
        transpose xmm, 0, 1, 2, 3, 4, 5, 6, 7
        .else
        vmovupd xmm4, [part]
        vmovupd xmm5, [part + stride]
        vmovupd xmm6, [part + 16]
        vmovupd xmm7, [part + stride + 16]
        pairs   xmm, 4, 5, 0, 1
        pairs   xmm, 6, 7, 2, 3
        .endif
        .endm

        .macro  store_xmm
        .if     BYTES == 4
        transpose xmm, 0, 1, 2, 3, 4, 5, 6, 7
        vmovups [part], xmm0
        vmovups [part + stride], xmm1
        vmovups [part + 2*stride], xmm2
        vmovups [part + three], xmm3
        .else
        pairs   xmm, 0, 1, 4, 5
        pairs   xmm, 2, 3, 6, 7
        vmovupd [part], xmm4
        vmovupd [part + stride], xmm5
        vmovupd [part + 16], xmm6
        vmovupd [part + stride + 16], xmm7
        .endif
        .endm

        .macro  read_pairs
        .if     BYTES == 4
        vmovsd  xmm0, [from_at]
        vmovhps xmm0, xmm0, [from_at + stride]
        vmovsd  xmm1, [from_at + 2*stride]
        vmovhps xmm1, xmm1, [from_at + three]
        vshufps xmm2, xmm0, xmm1, 0b10001000
        vshufps xmm3, xmm0, xmm1, 0b11011101
        .else
        vmovupd xmm0, [from_at]
        vmovupd xmm1, [from_at + stride]
        pairs   xmm, 0, 1, 2, 3
        .endif
        vmovaps [row_at], xmm2
        vmovaps [row_at + PITCH], xmm3
        .endm

        .macro  write_pairs
        vmovaps xmm0, [row_at]
        vmovaps xmm1, [row_at + PITCH]
        .if     BYTES == 4
        vunpcklps xmm2, xmm0, xmm1
        vunpckhps xmm3, xmm0, xmm1
        vmovlps [from_at], xmm2
        vmovhps [from_at + stride], xmm2
        vmovlps [from_at + 2*stride], xmm3
        vmovhps [from_at + three], xmm3
        .else
        pairs   xmm, 0, 1, 2, 3
        vmovupd [from_at], xmm2
        vmovupd [from_at + stride], xmm3
        .endif
        .endm

        .macro  get w, i, at
        .ifnc   \w, one
        vmovups \w\i, [\at]
        .elseif BYTES == 8
        vmovsd  xmm\i, [\at]
        .else
        vmovss  xmm\i, [\at]
        .endif
        .endm

        .macro  put w, i, at
        .ifnc   \w, one
        vmovups [\at], \w\i
        .elseif BYTES == 8
        vmovsd  [\at], xmm\i
        .else
        vmovss  [\at], xmm\i
        .endif
        .endm

        .macro  spread w, i, at
        .ifc    \w, one
        get     one, \i, \at
        .elseif BYTES == 4
        vbroadcastss \w\i, [\at]
        .else
        .ifc    \w, xmm
        vmovddup xmm\i, [\at]
        .else
        vbroadcastsd \w\i, [\at]
        .endif
        .endif
        .endm

// Products with signs are exact.
        .macro  term w, i, at
        .ifc    \w, one
        .if     BYTES == 8
        vfmadd231sd xmm\i, xmm8, [\at]
        .else
        vfmadd231ss xmm\i, xmm8, [\at]
        .endif
        .elseif BYTES == 8
        vfmadd231pd \w\i, \w\()8, [\at]
        .else
        vfmadd231ps \w\i, \w\()8, [\at]
        .endif
        .endm

        .macro  leave_vectors
        vzeroupper
        .endm

// The straight code of an algebra, or the tiles of any. AVX-512 leaves short dimensions to AVX2.
        .macro  choose kernel, name
        .if     ROW < 64
        cmp     rdx, LANES
        jb      .Lshort_\name
        .endif
        .irp    a, 1, 2, 3, 4, 5, 6
        cmp     rdi, \a
        je      .Lstraight_\name\()_\a
        .endr
        cmp     rdi, 7
        jne     .Lany_\name
        cmp     byte ptr ROWS, 4
        je      .Lstraight_\name\()_7
.Lany_\name:
        tiles   \kernel\()_tile, \name, WIDEST, LOG_WIDEST, 4
        .if     ROW < 64
.Lshort_\name:
        cmp     rdx, 16/BYTES
        jb      .Lones_\name
        tiles   \kernel\()_tile, \name, xmm, 4-LOG, 1
.Lones_\name:
        tiles   \kernel\()_tile, \name, one, 0, 1
        .endif
        straight_\kernel \name
        .endm
