#include "hl.h"

#define ROW     16
#define REGISTERS 16

#include "common_x86_64.h"
#include "common_weighted_x86_64.h"
#include "common_groups.h"

        .macro get i, r
        movaps  xmm\i, [rsp + ROW*(\r)]
        .endm

        .macro put i, r
        movaps  [rsp + ROW*(\r)], xmm\i
        .endm

        .macro multiply t, i, a, b
        movaps  xmm\i, xmm\a
        mul\t   xmm\i, xmm\b
        .endm

        .macro multiply_row t, i, a, b
        .if     \i != \a
        movaps  xmm\i, xmm\a
        .endif
        mul\t   xmm\i, [rsp + ROW*(\b)]
        .endm

        .macro plus t, i, a
        add\t   xmm\i, xmm\a
        .endm

        .macro minus t, i, a
        sub\t   xmm\i, xmm\a
        .endm

        .macro minus_from t, i, a
        sub\t   xmm\a, xmm\i
        movaps  xmm\i, xmm\a
        .endm

        .macro negate t, i
        xorps   xmm\i, [rsp + ROW*MINUS]
        .endm

        .macro clear i
        xorps   xmm\i, xmm\i
        .endm

        .macro move_16 to, from
        movups  xmm0, [\from]
        movups  [\to], xmm0
        .endm

        .macro move_weight t, to, from
        .if     LOG == 2
        movss  xmm0, dword ptr [\from]
        movss  dword ptr [\to], xmm0
        .else
        movsd  xmm0, qword ptr [\from]
        movsd  qword ptr [\to], xmm0
        .endif
        .endm

        .macro leave_vectors
        .endm

        .macro prepare t
        movsd   xmm0, [rip + .Lminus_\t]
        unpcklpd xmm0, xmm0
        put     0, MINUS
        .endm

// Transposes 4 x 4 floats.
        .macro transpose_ps a, b, c, d, other
        movaps  xmm\other, xmm\a
        unpcklps xmm\other, xmm\b
        unpckhps xmm\a, xmm\b
        movaps  xmm\b, xmm\c
        unpcklps xmm\b, xmm\d
        unpckhps xmm\c, xmm\d
        movaps  xmm\d, xmm\a
        unpckhpd xmm\d, xmm\c
        unpcklpd xmm\a, xmm\c
        movaps  xmm\c, xmm\a
        movaps  xmm\a, xmm\other
        unpcklpd xmm\a, xmm\b
        unpckhpd xmm\other, xmm\b
        movaps  xmm\b, xmm\other
        .endm

// Transposes 2 x 2 doubles.
        .macro transpose_pd a, b, c, d, other
        movaps  xmm\other, xmm\a
        movlhps xmm\a, xmm\b
        movhlps xmm\b, xmm\other
        .endm

        .macro load_ps from, g, a, b, c, d, other
        movups  xmm\a, [\from + 4*\g]
        movups  xmm\b, [\from + 4*\g + BYTES]
        movups  xmm\c, [\from + 4*\g + 2*BYTES]
        movups  xmm\d, [\from + 4*\g + 3*BYTES]
        transpose_ps \a, \b, \c, \d, \other
        .endm

        .macro store_ps to, g, a, b, c, d, other
        transpose_ps \a, \b, \c, \d, \other
        movups  [\to + 4*\g], xmm\a
        movups  [\to + 4*\g + BYTES], xmm\b
        movups  [\to + 4*\g + 2*BYTES], xmm\c
        movups  [\to + 4*\g + 3*BYTES], xmm\d
        .endm

        .macro load_pd from, g, a, b, c, d, other
        movups  xmm\a, [\from + 8*\g]
        movups  xmm\b, [\from + 8*\g + BYTES]
        transpose_pd \a, \b, \c, \d, \other
        .endm

        .macro store_pd to, g, a, b, c, d, other
        transpose_pd \a, \b, \c, \d, \other
        movups  [\to + 8*\g], xmm\a
        movups  [\to + 8*\g + BYTES], xmm\b
        .endm

        .macro order_lanes t
        .set    LANES_IN_ORDER, 0x3210
        .endm

        .macro load_weights t, from
        movups  xmm0, [\from]
        movaps  [row], xmm0
        .endm

// Products of multivectors of a common algebra with a weight for each path: a triple of grades of
// x, z and y that occurs in products of blades.
//
//   void hl_clifford_common_weighted_f32_sse2(size_t algebra, size_t channels,
//       const float *weights, const float *x, const float *y, size_t count, float *z);
//
// In      rdi = algebra, rsi = channels, rdx = weights, rcx = x, r8 = y, r9 = count,
//         [rsp + 8] = z      Out  z
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, xmm0..xmm15     Stack  2016 bytes
// Loop    4 multivectors of 8 blades: 108 multiplications, each after a copy, 56 additions and
//         the transpositions; bound by the front end
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_common_weighted_f32_sse2)
        weighted weighted_f32, ps, 2
END(hl_clifford_common_weighted_f32_sse2)

// Weighted products of multivectors of doubles: common_weighted_f32 for f64.
//
//   void hl_clifford_common_weighted_f64_sse2(size_t algebra, size_t channels,
//       const double *weights, const double *x, const double *y, size_t count, double *z);
//
// In      rdi = algebra, rsi = channels, rdx = weights, rcx = x, r8 = y, r9 = count,
//         [rsp + 8] = z      Out  z
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, xmm0..xmm15     Stack  2016 bytes
// Loop    2 multivectors of 8 blades: 108 multiplications, each after a copy, 56 additions and
//         the transpositions; bound by the front end
// Tail    as for f32
FUNC(hl_clifford_common_weighted_f64_sse2)
        weighted weighted_f64, pd, 3
END(hl_clifford_common_weighted_f64_sse2)

        RODATA
        .balign 8
.Lminus_ps:                             // -0
        .float  -0.0, -0.0
.Lminus_pd:
        .double -0.0
