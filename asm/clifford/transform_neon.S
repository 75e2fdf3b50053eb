#include "hl.h"

#include "transform_neon.h"
#include "transform_straight_neon.h"

// Signed sums of the blades of `m` x `n` multivectors.
//
//   void hl_clifford_forms_f32_neon(size_t algebra, size_t m, size_t n, size_t blades,
//       const float *x, size_t x_outer, size_t x_inner, float *y, size_t y_outer, size_t y_plane,
//       const uint32_t *terms, const uint32_t *ends, size_t kept, size_t sums);
//
// In      x0 = algebra, x1 = m, x2 = n, x3 = blades, x4 = x, x5 = x_outer, x6 = x_inner, x7 = y; on the
//         stack: y_outer, y_plane, terms, ends, kept, sums     Out  y
// Uses    x0, x1, x3..x15, x17, x19..x28, v0..v31     Stack  2240 bytes
// Loop    algebras 1 to 7: straight code for 4 multivectors, bound by stores to planes;
//         others: a term of a sum for 4 vectors, bound by 4 products and additions (2 cycles with two
//         pipes)
// Tail    the last tile overlaps the one before; n < 4: single numbers
FUNC(hl_clifford_forms_f32_neon)
        forms   forms_f32, 2
END(hl_clifford_forms_f32_neon)

// Blades of `m` x `n` multivectors from signed sums of numbers.
//
//   void hl_clifford_blades_f32_neon(size_t algebra, size_t m, size_t n, size_t blades,
//       const float *x, size_t x_outer, size_t x_plane, const float *start, uint32_t inner,
//       float *y, size_t y_outer, size_t y_inner, const uint32_t *terms, const uint32_t *ends,
//       size_t kept);
//
// In      x0 = algebra, x1 = m, x2 = n, x3 = blades, x4 = x, x5 = x_outer, x6 = x_plane, x7 = start; on
//         the stack: inner, y, y_outer, y_inner, terms, ends, kept     Out  y
// Uses    x0, x1, x3..x17, x19..x28, v0..v31     Stack  2240 bytes
// Loop    algebras 1 to 7: straight code for 4 multivectors, bound by shuffles and stores;
//         others: a term of a sum for 4 vectors, bound by 4 products and additions (2 cycles with two
//         pipes)
// Tail    the last tile overlaps the one before; n < 4: single numbers
FUNC(hl_clifford_blades_f32_neon)
        blades  blades_f32, 2
END(hl_clifford_blades_f32_neon)

// Signed sums of the blades of multivectors of doubles, like forms_f32.
//
//   void hl_clifford_forms_f64_neon(size_t algebra, size_t m, size_t n, size_t blades,
//       const double *x, size_t x_outer, size_t x_inner, double *y, size_t y_outer, size_t y_plane,
//       const uint32_t *terms, const uint32_t *ends, size_t kept, size_t sums);
//
// In      x0 = algebra, x1 = m, x2 = n, x3 = blades, x4 = x, x5 = x_outer, x6 = x_inner, x7 = y; on the
//         stack: y_outer, y_plane, terms, ends, kept, sums     Out  y
// Uses    x0, x1, x3..x15, x17, x19..x28, v0..v31     Stack  2240 bytes
// Loop    as for f32, with half the numbers in a vector
// Tail    as for f32
FUNC(hl_clifford_forms_f64_neon)
        forms   forms_f64, 3
END(hl_clifford_forms_f64_neon)

// Blades of multivectors of doubles from signed sums, like blades_f32.
//
//   void hl_clifford_blades_f64_neon(size_t algebra, size_t m, size_t n, size_t blades,
//       const double *x, size_t x_outer, size_t x_plane, const double *start, uint32_t inner,
//       double *y, size_t y_outer, size_t y_inner, const uint32_t *terms, const uint32_t *ends,
//       size_t kept);
//
// In      x0 = algebra, x1 = m, x2 = n, x3 = blades, x4 = x, x5 = x_outer, x6 = x_plane, x7 = start; on
//         the stack: inner, y, y_outer, y_inner, terms, ends, kept     Out  y
// Uses    x0, x1, x3..x17, x19..x28, v0..v31     Stack  2240 bytes
// Loop    as for f32, with half the numbers in a vector
// Tail    as for f32
FUNC(hl_clifford_blades_f64_neon)
        blades  blades_f64, 3
END(hl_clifford_blades_f64_neon)
