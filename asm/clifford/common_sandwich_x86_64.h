// Sandwich products of the common algebras, for AVX2 and AVX-512: see common_places.h.

// The products r x and r x ~r.
        .macro  sandwich_products t, even
        .set    EVEN, \even
        .set    REVERSE, 0
        all_sums \t, product, R_AT, X_AT, RX_AT
        .set    REVERSE, 1
        .if     (BLADES == 16) & (REGISTERS == 32)
        copy_vectors RX_AT, MIDDLE
        copy_vectors R_AT, X_AT
        all_sums \t, product, MIDDLE, X_AT, Z_AT
        .else
        all_sums \t, product, RX_AT, R_AT, Z_AT
        .endif
        .endm

        .macro  begin_side side, reverse
        .set    SIDE, \side
        .set    REVERSE, \reverse
        .set    HALF, 0
        .set    BEGIN, 0
        .set    END, BLADES
        name_registers
        .endm

// Gets the coefficients of the parity SIDE to the first 8 registers.
        .macro  get_side from
        .irp    p, TO_15
        .if     ((PARITIES >> ((BLADES_IN_ORDER >> (4*\p)) & 15)) & 1) == SIDE
        set_place ((RANKS >> (4*\p)) & 15), (\from + \p)
        .endif
        .endr
        .endm

// Copies a multivector to another place, if it is another. One of both places is in rows.
        .macro  copy_vectors from, to
        .if     \from != \to
        .irp    i, TO_15
        .if     \i < BLADES
        .if     (\from < ROWS) || (\to < ROWS)
        set_place (\to + \i), (\from + \i)
        .else
        set_place SUMS, (\from + \i)
        set_place (\to + \i), SUMS
        .endif
        .endif
        .endr
        .endif
        .endm

// Register i = a row in the lanes of even r. AVX2 overwrites SUM.
        .macro  blend t, i, row
        .if     ROW == 32
        vmovaps ymm14, [rsp + ROW*(EVEN_LANES-ROWS)]
        vblendv\t ymm\i, ymm\i, [rsp + ROW*(\row)], ymm14
        .else
        vmova\t zmm\i{k4}, [rsp + ROW*(\row)]
        .endif
        .endm

// If some r are even and others not, both products are computed.
        .macro  sandwich_block name, t
        // The places of sandwich products: of r, x, r x and results. X_LOADED is where x is at first. 32
        // registers hold 16 coefficients of r or x, and those of r x before they are put to rows.
        .set    R_AT, FIRST
        .set    X_AT, SECOND
        .set    RX_AT, MIDDLE
        .set    Z_AT, RESULT
        .set    X_LOADED, SECOND
        .if     (BLADES == 4) | ((BLADES == 8) & (REGISTERS == 32))
        .set    R_AT, 0
        .set    X_AT, BLADES
        .set    X_LOADED, BLADES
        .set    RX_AT, 2*BLADES
        .set    Z_AT, BLADES
        .elseif BLADES == 8
        .set    X_LOADED, 0
        .set    Z_AT, 0
        .elseif REGISTERS == 32
        .set    X_AT, 0
        .set    X_LOADED, 0
        .set    RX_AT, 16
        .set    Z_AT, 16
        .endif
        load    x_at, R_AT
        load    y_at, X_LOADED

        // eax = the lanes of even r, where all odd coefficients are 0 or -0, for `blend`.
        .altmacro
        clear   %(SUM)
        .noaltmacro
        .irp    p, TO_15
        .if     (\p < BLADES) && ((PARITIES >> ((BLADES_IN_ORDER >> (4*\p)) & 15)) & 1)
        op_place or\t, SUM, SUM, (R_AT + \p)
        .endif
        .endr
        .if     ROW == 32
        vxorps  xmm15, xmm15, xmm15
        vcmpeq\t ymm14, ymm14, ymm15
        set_place EVEN_LANES, SUM
        vmovmsk\t eax, ymm14
        .else
        vxorps  xmm31, xmm31, xmm31
        vcmpeq\t k4, zmm30, zmm31
        kmovd   eax, k4
        .endif
        cmp     eax, (1 << LANES) - 1
        je      .Leven_\name
        copy_vectors X_LOADED, X_AT
        test    eax, eax
        jz      .Lfull_\name
        copy_vectors X_AT, SECOND

        // The products of even r: even coefficients of results depend on those of x alone, and odd ones
        // on odd ones. So 16 registers hold 8 coefficients of x, which results replace, and 4 of r x; or 8
        // of the second factor, and 4 sums.
.Leven_\name:
        .if     (REGISTERS == 32) | (BLADES == 4)
        sandwich_products \t, 1
        .else
        .set    EVEN, 1
        .if     BLADES == 8
        .irp    side, 0, 1
        begin_side \side, 0
        product \t, R_AT, X_LOADED, ROWS
        .set    REVERSE, 1
        .set    FIRST_BY_RANK, 1
        product \t, SUMS, R_AT, Z_AT
        .set    FIRST_BY_RANK, 0
        .endr
        .else
        .set    SECOND_BY_RANK, 1
        .irp    side, 0, 1
        begin_side \side, 0
        get_side X_AT
        all_sums \t, product, R_AT, 0, RX_AT
        .endr
        .irp    side, 0, 1
        begin_side \side, 1
        .if     \side == 0
        get_side R_AT
        .endif
        all_sums \t, product, RX_AT, 0, Z_AT
        .endr
        .set    SECOND_BY_RANK, 0
        .endif
        .set    SIDE, -1
        name_registers
        .endif

        cmp     eax, (1 << LANES) - 1
        je      .Lstore_\name
        copy_vectors Z_AT, EVENS
        copy_vectors SECOND, X_AT
.Lfull_\name:
        sandwich_products \t, 0
        test    eax, eax
        jz      .Lstore_\name

        // Results of even r replace others.
        .irp    i, TO_15
        .if     \i < BLADES
        .set    RESULT_AT, Z_AT + \i
        .if     Z_AT >= ROWS
        set_place SUMS, RESULT_AT
        .set    RESULT_AT, SUMS
        .endif
        .altmacro
        blend   \t, %(RESULT_AT), %(EVENS - ROWS + \i)
        .noaltmacro
        .if     Z_AT >= ROWS
        set_place (Z_AT + \i), SUMS
        .endif
        .endif
        .endr
.Lstore_\name:
        store   Z_AT, z_at
        .endm
