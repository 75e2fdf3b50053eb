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

// The weighted product, as `product` sums it. For each grade of the first factor, whose
// coefficients are fetched together, and each coefficient j, the terms are summed by the grade of
// the second factor; each of these sums has a path.
        .macro  weighted_product t, first, second, to
        .set    BEGUN, 0
        .set    PENDING, 0
        .irp    a, 0, 1, 2, 3, 4

        // The coefficients of the grade that have terms in the half, if they are in rows.
        .set    N, 0
        .irp    p, TO_15
        .if     (\p < BLADES) && (\first >= ROWS)
        .set    P, (BLADES_IN_ORDER >> (4*\p)) & 15
        .if     (((GRADES >> (4*P)) & 15) == \a) && ((P & ZERO) <= HALF)
        set_place (FACTORS + N), (\first + \p)
        .set    N, N + 1
        .endif
        .endif
        .endr
        .set    K, 0
        .irp    b, 0, 1, 2, 3, 4
        .irp    j, TO_15
        select  \j
        .if     (((GRADES >> (4*J)) & 15) == \b) && IS_SELECTED
        .set    TOTAL, SUMS + K
        .if     \to < ROWS
        .set    TOTAL, \to + \j
        .endif
        .irp    c, 0, 1, 2, 3, 4
        .if     PATH_\a\b\c >= 0

        // Register SUM = the sum of the terms of blade J with factors of grades a and c, if IS_BEGUN.
        .set    IS_BEGUN, 0
        .set    N, 0
        .irp    p, TO_15
        .if     \p < BLADES
        .set    P, (BLADES_IN_ORDER >> (4*\p)) & 15
        .if     (((GRADES >> (4*P)) & 15) == \a) && ((P & ZERO) <= HALF)
        .set    FACTOR, FACTORS + N
        .if     \first < ROWS
        .set    FACTOR, \first + \p
        .endif
        .set    N, N + 1
        .set    Q, P ^ J
        .if     (((GRADES >> (4*Q)) & 15) == \c) && ((P & Q & ZERO) == 0)
        sign    P, Q
        .set    SECOND_AT, \second + ((COEFFICIENTS >> (4*Q)) & 15)
        accumulate \t, SUM, FACTOR, SECOND_AT, (IS_BEGUN == 0), PRODUCT
        .set    IS_BEGUN, 1
        .endif
        .endif
        .endif
        .endr
        .if     IS_BEGUN
        .set    IS_NEGATIVE, IS_PENDING
        .set    IS_PENDING, (PENDING >> K) & 1
        accumulate \t, TOTAL, SUM, (WEIGHTS + PATH_\a\b\c), (((BEGUN >> K) & 1) == 0), SUM
        .set    BEGUN, BEGUN | (1 << K)
        .set    PENDING, (PENDING & ~(1 << K)) | (IS_PENDING << K)
        .endif
        .endif
        .endr
        .set    K, K + 1
        .endif
        .endr
        .endr
        .endr
        .if     PENDING != 0
        .error  "a sum is still to be negated"
        .endif
        .endm

// A kernel with weights, for elements of 2^log bytes.
        .macro  weighted name, t, log
        .set    LOG, \log
        .set    SIZE, 1 << \log
        .set    LANES, ROW >> \log
        .set    GROUP, 16 >> \log
        save_registers
        lea     rsp, [rsp - WEIGHTED_FRAME]
        and     rsp, -ROW
        mov     [rsp + WEIGHTED_FRAME/2], rsp   // touches the first page
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
        je      .Lalgebra_\name\()_8
        ja      .Lalgebra_\name\()_16

        // All multivectors of an algebra.
        .irp    blades, 4, 8, 16
        algebra \blades
        .if     BLADES == 16
        .set    TO, RESULT
        .endif
        .set    BYTES, \blades << LOG

        // The paths of weighted products: PATH_abc for the grades of x, z and y. Such blades share
        // (a + c - b) / 2 generators, whose squares are not 0. PATHS is their number.
        .set    GENERATORS, (GRADES >> (4*(BLADES - 1))) & 15
        .set    PATHS, 0
        .irp    a, 0, 1, 2, 3, 4
        .irp    b, 0, 1, 2, 3, 4
        .irp    c, 0, 1, 2, 3, 4
        .set    PATH_\a\b\c, -1
        .set    SHARED, \a + \c - \b
        .if     (SHARED >= 0) && ((SHARED & 1) == 0) && (SHARED <= 2*\a) && (SHARED <= 2*\c)
        .if     (SHARED <= 2 * (GENERATORS - ZERO)) && (2*\a + 2*\c - SHARED <= 2*GENERATORS)
        .set    PATH_\a\b\c, PATHS
        .set    PATHS, PATHS + 1
        .endif
        .endif
        .endr
        .endr
        .endr
.Lalgebra_\name\()_\blades:
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

        // Rows of the weights of the multivectors from number `begin` on, a row for each path.
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
        .if     ROW == 16
        movups  xmm0, [index + column*SIZE]
        movaps  [row], xmm0
        .elseif ROW == 32
        vmovups ymm0, [index + column*SIZE]
        .if     BYTES == 16
        vmovaps ymm1, [rip + .Lorder_4]
        vpermps ymm0, ymm1, ymm0
        .endif
        vmovaps [row], ymm0
        .else
        .if     BLADES == 8
        vmovapd zmm0, [rip + .Lorder_of_pairs_\t]
        .else
        vmovapd zmm0, [rip + .Lorder_\t]
        .endif
        vperm\t zmm0, zmm0, [index + column*SIZE]
        vmovapd [row], zmm0
        .endif
        lea     index, [index + channels*SIZE]
        add     row, ROW
        sub     at, 1
        jnz     .Lpath_\name\()_\blades
        jmp     .Lfirst_\name\()_\blades

        // Column 0 follows the last one. The columns are listed in the order of lanes.
.Lwrap_\name\()_\blades:
        .set    LANES_IN_ORDER, 0x76543210
        .if     ROW == 64 && BLADES == 8
        .set    LANES_IN_ORDER, 0xf7b3e6a2d591c480
        .elseif ROW == 64
        .set    LANES_IN_ORDER, 0xfb73ea62d951c840
        .elseif ROW == 32 && BYTES == 16
        .set    LANES_IN_ORDER, 0x73625140
        .endif
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
        .if     ROW == 16 && LOG == 2
        movss   xmm0, dword ptr [index + rax*SIZE]
        movss   dword ptr [row + \i*SIZE], xmm0
        .elseif ROW == 16
        movsd   xmm0, qword ptr [index + rax*SIZE]
        movsd   qword ptr [row + \i*SIZE], xmm0
        .elseif LOG == 2
        vmovss  xmm0, dword ptr [index + rax*SIZE]
        vmovss  dword ptr [row + \i*SIZE], xmm0
        .else
        vmovsd  xmm0, qword ptr [index + rax*SIZE]
        vmovsd  qword ptr [row + \i*SIZE], xmm0
        .endif
        .endif
        .endr
        lea     index, [index + channels*SIZE]
        add     row, ROW
        sub     at, 1
        jnz     .Lgather_\name\()_\blades
        mov     count, [rsp + SAVED + 8]
.Lfirst_\name\()_\blades:
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
        .endr
.Lend_\name:
        test    whole, whole
        jz      .Ldone_\name
        mov     z, [rsp + SAVED]
        copy_whole z, rsp, z_\name
.Ldone_\name:
        restore_registers
        .if     ROW > 16
        vzeroupper
        .endif
        ret
        .endm
