// Products and sandwich products of the common algebras, for the vectors of SSE2, AVX2 and
// AVX-512, of ROW bytes. The file that includes this defines what `common.h` and `common_places.h` need, and
//
//   prepare t                   sets up constants
//   even_lanes t, i, other      eax = the lanes where register i is 0 or -0, for `blend`
//   move_16 to, from            moves 16 bytes
//   leave_vectors               vzeroupper, if there are ymm registers

#define x       rsi
#define y       rdx
#define count   rcx
#define z       r8
#define whole   r9
#define at      r10
#define index   r11
#define x_at    x+at
#define y_at    y+at
#define z_at    z+at

#include "common_places.h"

// Copies `whole` bytes, those of fewer multivectors than lanes.
        .macro move to, from, name
        xor     eax, eax
.Lmove_\name:
        move_16 \to + rax, \from + rax
        add     rax, 16
        cmp     rax, whole
        jne     .Lmove_\name
        .endm

// Copies them to rows, with zeros after them.
        .macro copy to, from, name
        clear   0
        .altmacro
        .irp    i, TO_15
        .if     \i < BLADES
        put     0, %((\to - ROWS) + \i)
        .endif
        .endr
        .noaltmacro
        lea     index, [rsp + (\to - ROWS)*ROW]
        move    index, \from, \name
        mov     \from, index
        .endm

        .macro enter_frame
        push    rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        .endm

        .macro make_rows bytes
        lea     rsp, [rsp - \bytes]
        and     rsp, -ROW
        mov     [rsp + \bytes/2], rsp   // touches the first page
        .endm

        .macro leave_frame
        mov     rsp, rbp
        .cfi_def_cfa_register rsp
        pop     rbp
        .cfi_def_cfa_offset 8
        leave_vectors
        ret
        .endm

        .macro product_block name, t
        store_sums \t, product
        .endm

// If some r are even and others not, both products are computed.
        .macro sandwich_block name, t
        sandwich_places
        load    \t, x_at, R_AT
        load    \t, y_at, X_LOADED
        odd_bits \t, R_AT
        .altmacro
        even_lanes \t, %(SUM), %(PRODUCT)
        .noaltmacro
        cmp     eax, (1 << LANES) - 1
        je      .Leven_\name
        copy_vectors X_LOADED, X_AT
        test    eax, eax
        jz      .Lfull_\name
        copy_vectors X_AT, SECOND
.Leven_\name:
        even_sandwich_products \t
        cmp     eax, (1 << LANES) - 1
        je      .Lstore_\name
        copy_vectors Z_AT, EVENS
        copy_vectors SECOND, X_AT
.Lfull_\name:
        sandwich_products \t, 0
        test    eax, eax
        jz      .Lstore_\name
        blend_vectors \t, Z_AT, EVENS
.Lstore_\name:
        store   \t, Z_AT, z_at
        .endm

// All multivectors of an algebra.
        .macro blocks name, operation, t, blades
        algebra \blades
        places
        .set    BYTES, \blades << LOG
        sub     count, LANES
        jae     .Lblock_\name\()_\blades

        // Fewer than lanes are copied.
        lea     whole, [count + LANES]
        imul    whole, whole, BYTES
        xor     count, count
        copy    MIDDLE, x, x_\name\()_\blades
        copy    RESULT, y, y_\name\()_\blades
        mov     [rsp + SAVED], z
        lea     z, [rsp]

.Lblock_\name\()_\blades:
        \operation \name\()_\blades, \t
        add     at, LANES*BYTES
        sub     count, LANES
        jae     .Lblock_\name\()_\blades

        // The last block begins early enough to be whole.
        add     count, LANES
        jz      .Lend_\name
        sub     count, LANES
        imul    count, count, BYTES
        add     at, count
        xor     count, count
        jmp     .Lblock_\name\()_\blades
        .endm

// A kernel without weights, for elements of 2^log bytes.
        .macro common name, operation, t, log
        .set    LOG, \log
        .set    LANES, ROW >> \log
        .set    GROUP, 16 >> \log
        enter_frame
        make_rows FRAME
        xor     at, at
        xor     whole, whole
        test    count, count
        jz      .Ldone_\name
        prepare \t
        cmp     rdi, 1
        je      .Lspace_\name
        ja      .Lmotions_\name
        blocks  \name, \operation, \t, 4
.Lspace_\name:
        blocks  \name, \operation, \t, 8
.Lmotions_\name:
        blocks  \name, \operation, \t, 16
.Lend_\name:
        test    whole, whole
        jz      .Ldone_\name
        mov     z, [rsp + SAVED]
        move    z, rsp, z_\name
.Ldone_\name:
        leave_frame
        .endm
