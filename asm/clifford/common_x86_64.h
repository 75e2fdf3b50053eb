// Products of multivectors of the common algebras, for the vectors of SSE2, AVX2 and AVX-512. The file that
// includes this defines ROW, the bytes of a vector, V(i), its name, and what common_places.h needs.

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
        .macro  copy_whole to, from, name
        xor     eax, eax
.Lcopy_\name:
        copy_16 [\to + rax], [\from + rax]
        add     rax, 16
        cmp     rax, whole
        jne     .Lcopy_\name
        .endm

// Copies them to rows, with zeros after them.
        .macro  copy to, from, name
        clear   0
        .irp    i, TO_15
        .if     \i < BLADES
        move    [rsp + ROW*(\to - ROWS + \i)], V(0)
        .endif
        .endr
        lea     index, [rsp + (\to - ROWS)*ROW]
        copy_whole index, \from, \name
        mov     \from, index
        .endm

// A row of -0 and, for AVX-512, masks of parts of 128 bits: parts 1 and 3 (k1), parts 0 and 2 (k2), and the
// upper half (k3).
        .macro  prepare t
        .if     ROW == 16
        movsd   xmm0, [rip + .Lminus_\t]
        unpcklpd xmm0, xmm0
        .else
        vbroadcastsd V(0), [rip + .Lminus_\t]
        .endif
        move    [rsp + ROW*(MINUS-ROWS)], V(0)
        .if     ROW == 64
        mov     eax, 0b11001100
        kmovd   k1, eax
        mov     eax, 0b00110011
        kmovd   k2, eax
        mov     eax, 0b11110000
        kmovd   k3, eax
        .endif
        .endm

        .macro  product_block name, t
        store_sums \t, product
        .endm

// A kernel without weights: `operation` is product_block or sandwich_block. For elements of 2^log bytes.
        .macro  common name, operation, t, log
        .set    LOG, \log
        .set    LANES, ROW >> \log
        .set    GROUP, 16 >> \log
        push    rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        lea     rsp, [rsp - FRAME]
        and     rsp, -ROW
        mov     [rsp + FRAME/2], rsp    // touches the first page
        xor     at, at
        xor     whole, whole
        test    count, count
        jz      .Ldone_\name
        prepare \t
        cmp     rdi, 1
        je      .Lalgebra_\name\()_8
        ja      .Lalgebra_\name\()_16

        // All multivectors of an algebra.
        .irp    blades, 4, 8, 16
        algebra \blades
        .set    BYTES, \blades << LOG
.Lalgebra_\name\()_\blades:
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
        .endr
.Lend_\name:
        test    whole, whole
        jz      .Ldone_\name
        mov     z, [rsp + SAVED]
        copy_whole z, rsp, z_\name
.Ldone_\name:
        mov     rsp, rbp
        .cfi_def_cfa_register rsp
        pop     rbp
        .cfi_def_cfa_offset 8
        .if     ROW > 16
        vzeroupper
        .endif
        ret
        .endm
