// Tiles of 1, 2 or 3 rows, for block_avx512.S. Vectors are counted from the end; vector 0 may be
// partial.

// The stages of vector p.
        .macro wide_zero rows, p
        vpxord  zmm\p, zmm\p, zmm\p
        .if \rows > 1
        vpxord  zmm1\p, zmm1\p, zmm1\p
        .endif
        .if \rows > 2
        vpxord  zmm2\p, zmm2\p, zmm2\p
        .endif
        .endm
        .macro wide_load rows, p, mask
        MOVE    zmm\p\mask, [c - 64*\p]
        .if \rows > 1
        MOVE    zmm1\p\mask, [c + c_row - 64*\p]
        .endif
        .if \rows > 2
        MOVE    zmm2\p\mask, [c + 2*c_row - 64*\p]
        .endif
        .endm
        .macro wide_step rows, p, mask
        LOAD    zmm31\mask, [b - 64*\p]
        FMA     zmm\p, zmm31, zmm30
        .if \rows > 1
        FMA     zmm1\p, zmm31, zmm29
        .endif
        .if \rows > 2
        FMA     zmm2\p, zmm31, zmm19
        .endif
        .endm
        .macro wide_store rows, p, mask
        MOVE    [c - 64*\p]\mask, zmm\p
        .if \rows > 1
        MOVE    [c + c_row - 64*\p]\mask, zmm1\p
        .endif
        .if \rows > 2
        MOVE    [c + 2*c_row - 64*\p]\mask, zmm2\p
        .endif
        .endm

// b and c point to the last vector; r14 vectors precede it.
        .macro wide type, rows, zero_bytes, move_bytes, step_bytes, vectors:vararg
.L\type\()_wide_\rows:
        cmp     dword ptr [ACCUMULATE], 0
        jne     .L\type\()_wide_load_\rows
        enter   r14, \zero_bytes, .L\type\()_wide_zeroed_\rows
        notrack jmp entry
        .irp    p, \vectors
        wide_zero \rows, \p
        .endr
.L\type\()_wide_zeroed_\rows:
        wide_zero \rows, 0
        jmp     .L\type\()_wide_loaded_\rows
.L\type\()_wide_load_\rows:
        enter   r14, \move_bytes, .L\type\()_wide_last_\rows
        notrack jmp entry
        .irp    p, \vectors
        wide_load \rows, \p
        .endr
.L\type\()_wide_last_\rows:
        wide_load \rows, 0, {k1}{z}
.L\type\()_wide_loaded_\rows:

        // One step for each column of A: its rows are a0, a1 and a2.
        enter   r14, \step_bytes, .L\type\()_wide_stepped_\rows
        mov     a0, [A]
        mov     a1, a0
        sub     a1, back1
        mov     a2, a1
        sub     a2, back1
        mov     steps, [K]
        test    steps, steps
        jz      .L\type\()_wide_summed_\rows
        .balign 32
.L\type\()_wide_step_\rows:
        BROADCAST zmm30, [a0]
        .if \rows > 1
        BROADCAST zmm29, [a1]
        .endif
        .if \rows > 2
        BROADCAST zmm19, [a2]
        .endif
        notrack jmp entry
        .irp    p, \vectors
        wide_step \rows, \p
        .endr
.L\type\()_wide_stepped_\rows:
        wide_step \rows, 0, {k1}{z}
        add     a0, a_column
        add     a1, a_column
        add     a2, a_column
        add     b, b_row
        dec     steps
        jnz     .L\type\()_wide_step_\rows

.L\type\()_wide_summed_\rows:
        enter   r14, \move_bytes, .L\type\()_wide_stored_\rows
        notrack jmp entry
        .irp    p, \vectors
        wide_store \rows, \p
        .endr
.L\type\()_wide_stored_\rows:
        wide_store \rows, 0, {k1}
        jmp     .L\type\()_next
        .endm
