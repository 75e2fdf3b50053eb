// Weighted products of the common algebras: products with a row of weights for each path, for SSE2,
// AVX2 and AVX-512. Blocks at a distance of whole rounds of channels take the same weights, so they follow each
// other.

#include "frame_x86_64.h"

#define channels rbx
#define weights r12
#define distance r13
#define begin   r14
#define row     r15
#define column  rdi
#define last    rdi

// Rows of the weights of the multivectors from number `begin` on, a row for each path.
        .macro columns name, t, blades
        mov     rax, begin
        mov     index, y
        xor     edx, edx
        div     channels
        mov     column, rdx
        mov     y, index
        mov     index, weights
        lea     row, [rsp + ROW*(WEIGHTS-ROWS)]
        mov     at, PATHS
        lea     rax, [column + LANES]
        cmp     rax, channels
        ja      .Lwrap_\name\()_\blades
.Lpath_\name\()_\blades:
        load_weights \t, index + column*SIZE
        lea     index, [index + channels*SIZE]
        add     row, ROW
        sub     at, 1
        jnz     .Lpath_\name\()_\blades
        jmp     .Lfirst_\name\()_\blades

        // Column 0 follows the last one. The columns are listed in the order of lanes.
.Lwrap_\name\()_\blades:
        order_lanes \t
        xor     ecx, ecx
        .irp    i, TO_15
        .if     \i < LANES
        mov     [rsp + COLUMNS + 8 * ((LANES_IN_ORDER >> (4*\i)) & 15)], column
        add     column, 1
        cmp     column, channels
        cmove   column, rcx
        .endif
        .endr
.Lgather_\name\()_\blades:
        .irp    i, TO_15
        .if     \i < LANES
        mov     rax, [rsp + COLUMNS + 8*\i]
        move_weight \t, row + \i*SIZE, index + rax*SIZE
        .endif
        .endr
        lea     index, [index + channels*SIZE]
        add     row, ROW
        sub     at, 1
        jnz     .Lgather_\name\()_\blades
        mov     count, [rsp + SAVED + 8]
.Lfirst_\name\()_\blades:
        .endm

// All multivectors of an algebra.
        .macro weighted_blocks name, t, blades
        algebra \blades
        number_paths
        places
        .if     BLADES == 16
        .set    TO, RESULT
        .endif
        .set    BYTES, \blades << LOG
        cmp     count, LANES
        jae     .Lwhole_\name\()_\blades

        // Fewer than lanes are copied.
        imul    whole, count, BYTES
        mov     ecx, LANES
        copy    MIDDLE, x, x_\name\()_\blades
        copy    RESULT, y, y_\name\()_\blades
        mov     [rsp + SAVED], z
        lea     z, [rsp]

.Lwhole_\name\()_\blades:
        mov     [rsp + SAVED + 8], count
        xor     begin, begin
.Lcolumns_\name\()_\blades:
        columns \name, \t, \blades
        imul    row, distance, BYTES
        imul    at, begin, BYTES
        lea     last, [count - LANES]
        imul    last, last, BYTES
.Lblock_\name\()_\blades:
        store_sums \t, weighted_product
        add     at, row
        cmp     at, last
        jbe     .Lblock_\name\()_\blades

        // Other weights, those of the last block at the end. It begins early enough to be whole.
        test    begin, LANES - 1
        jnz     .Lend_\name
        add     begin, LANES
        cmp     begin, distance
        jae     .Llast_\name\()_\blades
        lea     rax, [begin + LANES]
        cmp     rax, count
        jbe     .Lcolumns_\name\()_\blades
.Llast_\name\()_\blades:
        lea     begin, [count - LANES]
        test    begin, LANES - 1
        jnz     .Lcolumns_\name\()_\blades
        jmp     .Lend_\name
        .endm

// A kernel with weights, for elements of 2^log bytes.
        .macro weighted name, t, log
        .set    LOG, \log
        .set    SIZE, 1 << \log
        .set    LANES, ROW >> \log
        .set    GROUP, 16 >> \log
        save_registers
        make_rows WEIGHTED_FRAME
        test    r9, r9
        jz      .Ldone_\name
        prepare \t
        mov     channels, rsi
        mov     weights, rdx
        mov     x, rcx
        mov     y, r8
        mov     z, [rbp + 16]

        // The distance of such blocks: lcm(channels, LANES).
        mov     rax, channels
        or      rax, LANES
        bsf     rcx, rax
        mov     distance, channels
        shr     distance, cl
        imul    distance, distance, LANES
        mov     count, r9
        xor     whole, whole
        cmp     rdi, 1
        je      .Lspace_\name
        ja      .Lmotions_\name
        weighted_blocks \name, \t, 4
.Lspace_\name:
        weighted_blocks \name, \t, 8
.Lmotions_\name:
        weighted_blocks \name, \t, 16
.Lend_\name:
        test    whole, whole
        jz      .Ldone_\name
        mov     z, [rsp + SAVED]
        move    z, rsp, z_\name
.Ldone_\name:
        restore_registers
        leave_vectors
        ret
        .endm
