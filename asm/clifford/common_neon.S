// Kernels of the common algebras.

#include "hl.h"

#define ROW     16
#define REGISTERS 32

#define x_at    x1
#define y_at    x2
#define count   x3
#define z_at    x4
#define whole   x5
#define index   x7
#define place   x8
#define any_even w9
#define all_even w10
#define frame   x17

#include "common_places.h"
#include "common_groups.h"

        .macro get i, r
        ldr     q\i, [sp, #ROW*(\r)]
        .endm

        .macro put i, r
        str     q\i, [sp, #ROW*(\r)]
        .endm

        .macro multiply t, i, a, b
        fmul    v\i\().\t, v\a\().\t, v\b\().\t
        .endm

        .macro multiply_row t, i, a, b
        get     31, \b
        fmul    v\i\().\t, v\a\().\t, v31.\t
        .endm

        .macro plus t, i, a
        fadd    v\i\().\t, v\i\().\t, v\a\().\t
        .endm

        .macro minus t, i, a
        fsub    v\i\().\t, v\i\().\t, v\a\().\t
        .endm

        .macro minus_from t, i, a
        fsub    v\i\().\t, v\a\().\t, v\i\().\t
        .endm

        .macro negate t, i
        fneg    v\i\().\t, v\i\().\t
        .endm

        .macro clear i
        movi    v\i\().16b, #0
        .endm

        .macro either t, i, a
        orr     v\i\().16b, v\i\().16b, v\a\().16b
        .endm

        .macro either_row t, i, a
        get     31, \a
        orr     v\i\().16b, v\i\().16b, v31.16b
        .endm

        .macro even_lanes t, i, other
        fcmeq   v\i\().\t, v\i\().\t, #0.0
        put     \i, EVEN_LANES
        umaxv   s\other, v\i\().4s
        fmov    any_even, s\other
        uminv   s\other, v\i\().4s
        fmov    all_even, s\other
        .endm

        .macro blend t, i, row, a, b
        get     \a, EVEN_LANES
        get     \b, \row
        bit     v\i\().16b, v\b\().16b, v\a\().16b
        .endm

// Transposes 4 x 4 floats.
        .macro transpose_4s a, b, c, d, other
        zip1    v\other\().4s, v\a\().4s, v\b\().4s
        zip2    v\a\().4s, v\a\().4s, v\b\().4s
        zip1    v\b\().4s, v\c\().4s, v\d\().4s
        zip2    v\c\().4s, v\c\().4s, v\d\().4s
        zip2    v\d\().2d, v\a\().2d, v\c\().2d
        zip1    v\c\().2d, v\a\().2d, v\c\().2d
        zip1    v\a\().2d, v\other\().2d, v\b\().2d
        zip2    v\b\().2d, v\other\().2d, v\b\().2d
        .endm

// Transposes 2 x 2 doubles.
        .macro transpose_2d a, b, c, d, other
        zip2    v\other\().2d, v\a\().2d, v\b\().2d
        zip1    v\a\().2d, v\a\().2d, v\b\().2d
        mov     v\b\().16b, v\other\().16b
        .endm

        .macro load_4s from, g, a, b, c, d, other
        ldr     q\a, [\from, #4*\g]
        ldr     q\b, [\from, #4*\g + BYTES]
        ldr     q\c, [\from, #4*\g + 2*BYTES]
        ldr     q\d, [\from, #4*\g + 3*BYTES]
        transpose_4s \a, \b, \c, \d, \other
        .endm

        .macro store_4s to, g, a, b, c, d, other
        transpose_4s \a, \b, \c, \d, \other
        str     q\a, [\to, #4*\g]
        str     q\b, [\to, #4*\g + BYTES]
        str     q\c, [\to, #4*\g + 2*BYTES]
        str     q\d, [\to, #4*\g + 3*BYTES]
        .endm

        .macro load_2d from, g, a, b, c, d, other
        ldr     q\a, [\from, #8*\g]
        ldr     q\b, [\from, #8*\g + BYTES]
        transpose_2d \a, \b, \c, \d, \other
        .endm

        .macro store_2d to, g, a, b, c, d, other
        transpose_2d \a, \b, \c, \d, \other
        str     q\a, [\to, #8*\g]
        str     q\b, [\to, #8*\g + BYTES]
        .endm

        .macro enter_frame bytes
        // Mach-O accepts CFI only before the first label, so `frame` keeps the old sp to the end.
        mov     frame, sp
        sub     sp, sp, #\bytes + 64
        .cfi_def_cfa frame, 0
        stp     d8, d9, [frame, #-64]
        stp     d10, d11, [frame, #-48]
        stp     d12, d13, [frame, #-32]
        stp     d14, d15, [frame, #-16]
        .cfi_offset d8, -64
        .cfi_offset d9, -56
        .cfi_offset d10, -48
        .cfi_offset d11, -40
        .cfi_offset d12, -32
        .cfi_offset d13, -24
        .cfi_offset d14, -16
        .cfi_offset d15, -8
        .endm

        .macro leave_frame
        ldp     d8, d9, [frame, #-64]
        ldp     d10, d11, [frame, #-48]
        ldp     d12, d13, [frame, #-32]
        ldp     d14, d15, [frame, #-16]
        mov     sp, frame
        ret
        .endm

// Copies the bytes of fewer multivectors than lanes.
        .macro move to, from, name
        mov     place, #0
.Lmove_\name:
        ldr     q0, [\from, place]
        str     q0, [\to, place]
        add     place, place, #16
        cmp     place, whole
        b.ne    .Lmove_\name
        .endm

// Copies them to rows, with zeros after them.
        .macro copy to, from, name
        clear   0
        .irp    i, TO_15
        .if     \i < BLADES
        put     0, (\to - ROWS + \i)
        .endif
        .endr
        add     index, sp, #ROW*(\to - ROWS)
        move    index, \from, \name
        mov     \from, index
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
        cbnz    all_even, .Leven_\name
        cbz     any_even, .Lfull_\name
        copy_vectors X_AT, SECOND
.Leven_\name:
        even_sandwich_products \t
        cbnz    all_even, .Lstore_\name
        copy_vectors Z_AT, EVENS
        copy_vectors SECOND, X_AT
.Lfull_\name:
        sandwich_products \t, 0
        cbz     any_even, .Lstore_\name
        blend_vectors \t, Z_AT, EVENS
.Lstore_\name:
        store   \t, Z_AT, z_at
        .endm

// All multivectors of an algebra.
        .macro blocks name, operation, t, blades
        algebra \blades
        places
        .set    BYTES, \blades << LOG
        subs    count, count, #LANES
        b.hs    .Lblock_\name\()_\blades

        // Fewer than lanes are copied.
        add     whole, count, #LANES
        mov     place, #BYTES
        mul     whole, whole, place
        mov     count, #0
        copy    MIDDLE, x_at, x_\name\()_\blades
        copy    RESULT, y_at, y_\name\()_\blades
        str     z_at, [sp, #SAVED]
        mov     z_at, sp

.Lblock_\name\()_\blades:
        \operation \name\()_\blades, \t
        add     x_at, x_at, #LANES*BYTES
        add     y_at, y_at, #LANES*BYTES
        add     z_at, z_at, #LANES*BYTES
        subs    count, count, #LANES
        b.hs    .Lblock_\name\()_\blades

        // The last block begins early enough to be whole.
        adds    count, count, #LANES
        b.eq    .Lend_\name
        sub     count, count, #LANES
        mov     place, #BYTES
        mul     place, place, count
        add     x_at, x_at, place
        add     y_at, y_at, place
        add     z_at, z_at, place
        mov     count, #0
        b       .Lblock_\name\()_\blades
        .endm

// A kernel without weights, for elements of 2^log bytes.
        .macro common name, operation, t, log
        .set    LOG, \log
        .set    LANES, ROW >> \log
        .set    GROUP, 16 >> \log
        enter_frame FRAME
        mov     whole, #0
        cbz     count, .Ldone_\name
        cmp     x0, #1
        b.eq    .Lspace_\name
        b.hi    .Lmotions_\name
        blocks  \name, \operation, \t, 4
.Lspace_\name:
        blocks  \name, \operation, \t, 8
.Lmotions_\name:
        blocks  \name, \operation, \t, 16
.Lend_\name:
        cbz     whole, .Ldone_\name
        ldr     z_at, [sp, #SAVED]
        mov     index, sp
        move    z_at, index, z_\name
.Ldone_\name:
        leave_frame
        .endm

#include "common_weighted_neon.h"

// Products of multivectors of a common algebra: z = x y.
//
//   void hl_clifford_common_product_f32_neon(size_t algebra, const float *x, const float *y,
//       size_t count, float *z);
//
// In      x0 = algebra, x1 = x, x2 = y, x3 = count, x4 = z      Out  z
// Uses    x1..x5, x7, x8, x17, v0..v31     Stack  1392 bytes
// Loop    4 multivectors of 8 blades: 64 multiplications, 56 additions and 48 shuffles; bound by
//         the two vector pipes of Neoverse N1 (84 cycles)
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_common_product_f32_neon)
        common  product_f32, product_block, 4s, 2
END(hl_clifford_common_product_f32_neon)

// Products of multivectors of doubles: common_product_f32 for f64.
//
//   void hl_clifford_common_product_f64_neon(size_t algebra, const double *x, const double *y,
//       size_t count, double *z);
//
// In      x0 = algebra, x1 = x, x2 = y, x3 = count, x4 = z      Out  z
// Uses    x1..x5, x7, x8, x17, v0..v31     Stack  1392 bytes
// Loop    2 multivectors of 8 blades: 64 multiplications, 56 additions and 36 shuffles; bound by
//         the two vector pipes of Neoverse N1 (78 cycles)
// Tail    as for f32
FUNC(hl_clifford_common_product_f64_neon)
        common  product_f64, product_block, 2d, 3
END(hl_clifford_common_product_f64_neon)

// Sandwich products of multivectors of a common algebra: z = r x ~r, where ~r is the reverse of r.
//
//   void hl_clifford_common_sandwich_f32_neon(size_t algebra, const float *r, const float *x,
//       size_t count, float *z);
//
// In      x0 = algebra, x1 = r, x2 = x, x3 = count, x4 = z      Out  z
// Uses    x1..x5, x7..x10, x17, v0..v31     Stack  1392 bytes
// Loop    4 multivectors of 8 blades, not even: 128 multiplications, 112 additions and 48
//         shuffles; bound by the two vector pipes of Neoverse N1 (144 cycles)
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_common_sandwich_f32_neon)
        common  sandwich_f32, sandwich_block, 4s, 2
END(hl_clifford_common_sandwich_f32_neon)

// Sandwich products of multivectors of doubles: common_sandwich_f32 for f64.
//
//   void hl_clifford_common_sandwich_f64_neon(size_t algebra, const double *r, const double *x,
//       size_t count, double *z);
//
// In      x0 = algebra, x1 = r, x2 = x, x3 = count, x4 = z      Out  z
// Uses    x1..x5, x7..x10, x17, v0..v31     Stack  1392 bytes
// Loop    2 multivectors of 8 blades, not even: 128 multiplications, 112 additions and 36
//         shuffles; bound by the two vector pipes of Neoverse N1 (138 cycles)
// Tail    as for f32
FUNC(hl_clifford_common_sandwich_f64_neon)
        common  sandwich_f64, sandwich_block, 2d, 3
END(hl_clifford_common_sandwich_f64_neon)

// Products of multivectors of a common algebra with a weight for each path: a triple of grades of
// x, z and y that occurs in products of blades.
//
//   void hl_clifford_common_weighted_f32_neon(size_t algebra, size_t channels,
//       const float *weights, const float *x, const float *y, size_t count, float *z);
//
// In      x0 = algebra, x1 = channels, x2 = weights, x3 = x, x4 = y, x5 = count,
//         x6 = z      Out  z
// Uses    x0..x17, v0..v31     Stack  1984 bytes
// Loop    4 multivectors of 8 blades: 108 multiplications, 56 additions and 48 shuffles; bound by
//         the two vector pipes of Neoverse N1 (106 cycles)
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_common_weighted_f32_neon)
        weighted weighted_f32, 4s, 2
END(hl_clifford_common_weighted_f32_neon)

// Weighted products of multivectors of doubles: common_weighted_f32 for f64.
//
//   void hl_clifford_common_weighted_f64_neon(size_t algebra, size_t channels,
//       const double *weights, const double *x, const double *y, size_t count, double *z);
//
// In      x0 = algebra, x1 = channels, x2 = weights, x3 = x, x4 = y, x5 = count,
//         x6 = z      Out  z
// Uses    x0..x17, v0..v31     Stack  1984 bytes
// Loop    2 multivectors of 8 blades: 108 multiplications, 56 additions and 36 shuffles; bound by
//         the two vector pipes of Neoverse N1 (100 cycles)
// Tail    as for f32
FUNC(hl_clifford_common_weighted_f64_neon)
        weighted weighted_f64, 2d, 3
END(hl_clifford_common_weighted_f64_neon)
