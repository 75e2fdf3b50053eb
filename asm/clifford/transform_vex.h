// Vectors of AVX2 and AVX-512, whose instructions have three operands, for transform_x86_64.h.

        .macro  load_xmm a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, offset=0
        .if     BYTES == 4
        vmovups xmm\a, [part + \offset]
        vmovups xmm\b, [part + stride + \offset]
        vmovups xmm\c, [part + 2*stride + \offset]
        vmovups xmm\d, [part + three + \offset]
        transpose xmm, \a, \b, \c, \d, \e, \f, \g, \h
        .else
        vmovupd xmm\e, [part + \offset]
        vmovupd xmm\f, [part + stride + \offset]
        vmovupd xmm\g, [part + 16 + \offset]
        vmovupd xmm\h, [part + stride + 16 + \offset]
        pairs   xmm, \e, \f, \a, \b
        pairs   xmm, \g, \h, \c, \d
        .endif
        .endm

        .macro  store_xmm a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, offset=0
        pairs   xmm, \a, \b, \e, \f
        pairs   xmm, \c, \d, \g, \h
        vmovupd [part + \offset], xmm\e
        vmovupd [part + stride + \offset], xmm\f
        vmovupd [part + 16 + \offset], xmm\g
        vmovupd [part + stride + 16 + \offset], xmm\h
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
        pairs   xmm, 0, 1, 2, 3
        vmovupd [from_at], xmm2
        vmovupd [from_at + stride], xmm3
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

// Products with signs are exact. QEMU 7.2 reads a whole vector for the operand in memory of a scalar
// instruction that fuses.
        .macro  term w, i, at
        .ifc    \w, one
        get     one, 9, \at
        .if     BYTES == 8
        vfmadd231sd xmm\i, xmm8, xmm9
        .else
        vfmadd231ss xmm\i, xmm8, xmm9
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

// The straight code of an algebra, or the tiles of any, of at most `most` vectors w.
        .macro  vectors kernel, name, w, log_lanes, most
        .irp    a, 1, 2, 3, 4, 5, 6
        cmp     rdi, \a
        je      .Lstraight_\name\()_\w\()_\a
        .endr
        cmp     rdi, 7
        jne     .Lany_\name\()_\w
        cmp     byte ptr ROWS, 4
        je      .Lstraight_\name\()_\w\()_7
.Lany_\name\()_\w:
        tiles   \kernel\()_tile, \name, \w, \log_lanes, \most
        .set    WIDTH, BYTES << (\log_lanes)
        straight_\kernel \name, \w
        .endm

// AVX-512 leaves short dimensions to AVX2.
        .macro  choose kernel, name
        .if     ROW == 64
        vectors \kernel, \name, WIDEST, LOG_WIDEST, 4
        .else
        cmp     rdx, LANES
        jb      .Lshort_\name
        vectors \kernel, \name, WIDEST, LOG_WIDEST, 4
.Lshort_\name:
        cmp     rdx, 16/BYTES
        jb      .Lones_\name
        vectors \kernel, \name, xmm, 4-LOG, 1
.Lones_\name:
        tiles   \kernel\()_tile, \name, one, 0, 1
        .endif
        .endm
