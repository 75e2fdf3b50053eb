#include "hl.h"

#define ROW     16
#define REGISTERS 16
#define V(i)    xmm##i

#include "common_x86_64.h"
#include "common_weighted_x86_64.h"
#include "common_groups.h"

        .macro  load_group from, g, a, b, c, d, other
        .if     LOG == 2
        movups  xmm\a, [\from + 4*\g]
        movups  xmm\b, [\from + 4*\g + BYTES]
        movups  xmm\c, [\from + 4*\g + 2*BYTES]
        movups  xmm\d, [\from + 4*\g + 3*BYTES]
        .else
        movups  xmm\a, [\from + 8*\g]
        movups  xmm\b, [\from + 8*\g + BYTES]
        .endif
        transpose_parts \a, \b, \c, \d, \other
        .endm

        .macro  store_group to, g, a, b, c, d, other
        transpose_parts \a, \b, \c, \d, \other
        .if     LOG == 2
        movups  [\to + 4*\g], xmm\a
        movups  [\to + 4*\g + BYTES], xmm\b
        movups  [\to + 4*\g + 2*BYTES], xmm\c
        movups  [\to + 4*\g + 3*BYTES], xmm\d
        .else
        movups  [\to + 8*\g], xmm\a
        movups  [\to + 8*\g + BYTES], xmm\b
        .endif
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
