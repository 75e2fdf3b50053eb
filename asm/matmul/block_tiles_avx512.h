// Tiles of one vector and up to 28 rows, and of two vectors and up to 14 rows, for block_avx512.S.

// entry = `end` minus the code of `number` rows.
        .macro enter number, bytes, end
        imul    rcx, \number, \bytes
        lea     entry, [rip + \end]
        sub     entry, rcx
        .endm

// Calls `do` for each row with its index, the address of its element of A and the register of its
// second vector.
        .macro rows1 do
        \do     27, [a4+4*back1]
        \do     26, [a4+1*back3]
        \do     25, [a4+2*back1]
        \do     24, [a4+1*back1]
        \do     23, [a3+2*back3]
        \do     22, [a3+1*back5]
        \do     21, [a3+4*back1]
        \do     20, [a3+1*back3]
        \do     19, [a3+2*back1]
        \do     18, [a3+1*back1]
        \do     17, [a2+2*back3]
        \do     16, [a2+1*back5]
        \do     15, [a2+4*back1]
        \do     14, [a2+1*back3]
        rows2   "\do"
        .endm

        .macro rows2 do
        \do     13, [a2+2*back1], 27
        \do     12, [a2+1*back1], 26
        \do     11, [a1+2*back3], 25
        \do     10, [a1+1*back5], 24
        \do     9, [a1+4*back1], 23
        \do     8, [a1+1*back3], 22
        \do     7, [a1+2*back1], 21
        \do     6, [a1+1*back1], 20
        \do     5, [a0+2*back3], 19
        \do     4, [a0+1*back5], 18
        \do     3, [a0+4*back1], 17
        \do     2, [a0+1*back3], 16
        \do     1, [a0+2*back1], 15
        \do     0, [a0+1*back1], 14
        .endm

// The stages of a row of one vector.
        .macro zero1 p, address, q
        vpxord  zmm\p, zmm\p, zmm\p
        .endm
        .macro load1 register, mask, p, address, q
        MOVE    \register\p\mask, [b]
        add     b, c_row
        .endm
        .macro step1 register, lanes, p, address, q
        FMA     \register\p, \register\()28, \address{1to\lanes}
        .endm
        .macro store1 register, mask, p, address, q
        MOVE    [c]\mask, \register\p
        add     c, c_row
        .endm

// The stages of a row of two vectors.
        .macro zero2 p, address, q
        vpxord  zmm\p, zmm\p, zmm\p
        vpxord  zmm\q, zmm\q, zmm\q
        .endm
        .macro load2 mask, p, address, q
        MOVE    zmm\p, [b]
        MOVE    zmm\q\mask, [b + 64]
        add     b, c_row
        .endm
        .macro step2 p, address, q
        BROADCAST zmm30, \address
        FMA     zmm\p, zmm28, zmm30
        FMA     zmm\q, zmm29, zmm30
        .endm
        .macro store2 mask, p, address, q
        MOVE    [c], zmm\p
        MOVE    [c + 64]\mask, zmm\q
        add     c, c_row
        .endm

// The start of a step: loads B.
        .macro begin1 register, mask
        LOAD    \register\()28\mask, [b]
        .endm
        .macro begin2 mask
        LOAD    zmm28, [b]
        LOAD    zmm29\mask, [b + 64]
        .endm
        .macro begin2_pack
        begin2
        LOAD    [packed], zmm28
        LOAD    [packed + 64], zmm29
        prefetcht0 [b + ahead]
        prefetcht0 [b + ahead + 64]
        add     packed, 128
        .endm

// All panels of a sliver if `next` is the name of this tile. Otherwise only the first panel, which
// packs B; the others are those of the tile `next`.
        .macro tile type, name, next, vectors, zero_bytes, move_bytes, step_bytes, begin, zero, load, step, store
.L\type\()_\name:
        mov     count, [ROWS]
        mov     a0, [PANEL]
        mov     rcx, count
        imul    rcx, back1
        sub     a0, rcx
        mov     [PANEL], a0

        // Start with zeros or C.
        cmp     dword ptr [ACCUMULATE], 0
        jne     .L\type\()_load_\name
        enter   count, \zero_bytes, .L\type\()_zeroed_\name
        notrack jmp entry
        rows\vectors "\zero"
.L\type\()_zeroed_\name:
        jmp     .L\type\()_loaded_\name
.L\type\()_load_\name:
        mov     b, c
        enter   count, \move_bytes, .L\type\()_loaded_\name
        notrack jmp entry
        rows\vectors "\load"
.L\type\()_loaded_\name:

        // Prefetch C of the next panel, after the last panel C of the next sliver.
        cmp     qword ptr [K], 64
        jb      .L\type\()_ready_\name
        lea     b, [c + 64*\vectors]
        cmp     qword ptr [PANELS], 1
        je      .L\type\()_right_\name
        mov     b, c_row
        imul    b, count
        add     b, c
.L\type\()_right_\name:
        mov     rcx, count
.L\type\()_nearer_\name:
        prefetcht0 [b]
        .if \vectors == 2
        prefetcht0 [b + 64]
        .endif
        prefetcht0 [b + 64*\vectors - 1]
        add     b, c_row
        dec     rcx
        jnz     .L\type\()_nearer_\name
.L\type\()_ready_\name:

        // One step for each column of A.
        enter   count, \step_bytes, .L\type\()_stepped_\name
        lea     a1, [a0 + 2*back3]
        lea     a2, [a1 + 2*back3]
        .if \vectors == 1
        lea     a3, [a2 + 2*back3]
        lea     a4, [a3 + 2*back3]
        .endif
        .ifnc \name, \next
        mov     packed, [PACK]
        lea     ahead, [b_row + 2*b_row]
        shl     ahead, 2
        .endif
        mov     b, [B]
        mov     steps, [K]
        test    steps, steps
        jz      .L\type\()_summed_\name
        .balign 32
.L\type\()_step_\name:
        \begin
        notrack jmp entry
        rows\vectors "\step"
.L\type\()_stepped_\name:
        add     a0, a_column
        add     a1, a_column
        add     a2, a_column
        .if \vectors == 1
        add     a3, a_column
        add     a4, a_column
        .endif
        add     b, b_row
        dec     steps
        jnz     .L\type\()_step_\name

        // Store the tile; the next panel is below it.
.L\type\()_summed_\name:
        mov     count, [ROWS]
        enter   count, \move_bytes, .L\type\()_stored_\name
        notrack jmp entry
        rows\vectors "\store"
.L\type\()_stored_\name:
        .ifnc \name, \next
        mov     rax, [PACK]
        mov     [B], rax
        mov     b_row, 128
        .endif
        mov     rax, [PANELS]
        dec     rax
        jz      .L\type\()_next
        mov     [PANELS], rax
        cmp     rax, [SHORTER]
        jne     .L\type\()_\next
        dec     qword ptr [ROWS]
        jmp     .L\type\()_\next
        .endm

        .macro one type, name, register, lanes, mask, zeroing
        tile    \type, \name, \name, 1, 6, 9, 7, "begin1 \register, \zeroing", zero1, "load1 \register, \zeroing,", "step1 \register, \lanes,", "store1 \register, \mask,"
        .endm

        .macro two type, name, next, begin, mask, zeroing
        tile    \type, \name, \next, 2, 12, 16, 19, "\begin", zero2, "load2 \zeroing,", step2, "store2 \mask,"
        .endm
