#include "hl.h"

#define ROW     32
#define REGISTERS 16
#define V(i)    ymm##i

#include "common_x86_64.h"
#include "common_weighted_x86_64.h"
#include "common_sandwich_x86_64.h"
#include "common_groups.h"

// Vector i has coefficients of multivectors i and i + 4 or, of doubles, i and i + 2; or it has two multivectors
// of four floats.
        .macro  load_group from, g, a, b, c, d, other
        .if     LOG == 2
        .if     BLADES == 4
        vmovups ymm\a, [\from]
        vmovups ymm\b, [\from + 32]
        vmovups ymm\c, [\from + 64]
        vmovups ymm\d, [\from + 96]
        .else
        vmovups xmm\a, [\from + 4*\g]
        vmovups xmm\b, [\from + 4*\g + BYTES]
        vmovups xmm\c, [\from + 4*\g + 2*BYTES]
        vmovups xmm\d, [\from + 4*\g + 3*BYTES]
        vinsertf128 ymm\a, ymm\a, [\from + 4*\g + 4*BYTES], 1
        vinsertf128 ymm\b, ymm\b, [\from + 4*\g + 5*BYTES], 1
        vinsertf128 ymm\c, ymm\c, [\from + 4*\g + 6*BYTES], 1
        vinsertf128 ymm\d, ymm\d, [\from + 4*\g + 7*BYTES], 1
        .endif
        .else
        vmovupd xmm\a, [\from + 8*\g]
        vmovupd xmm\b, [\from + 8*\g + BYTES]
        vinsertf128 ymm\a, ymm\a, [\from + 8*\g + 2*BYTES], 1
        vinsertf128 ymm\b, ymm\b, [\from + 8*\g + 3*BYTES], 1
        .endif
        transpose_parts \a, \b, \c, \d, \other
        .endm

        .macro  store_group to, g, a, b, c, d, other
        transpose_parts \a, \b, \c, \d, \other
        .if     LOG == 2
        .if     BLADES == 4
        vmovups [\to], ymm\a
        vmovups [\to + 32], ymm\b
        vmovups [\to + 64], ymm\c
        vmovups [\to + 96], ymm\d
        .else
        vmovups [\to + 4*\g], xmm\a
        vmovups [\to + 4*\g + BYTES], xmm\b
        vmovups [\to + 4*\g + 2*BYTES], xmm\c
        vmovups [\to + 4*\g + 3*BYTES], xmm\d
        vextractf128 [\to + 4*\g + 4*BYTES], ymm\a, 1
        vextractf128 [\to + 4*\g + 5*BYTES], ymm\b, 1
        vextractf128 [\to + 4*\g + 6*BYTES], ymm\c, 1
        vextractf128 [\to + 4*\g + 7*BYTES], ymm\d, 1
        .endif
        .else
        vmovupd [\to + 8*\g], xmm\a
        vmovupd [\to + 8*\g + BYTES], xmm\b
        vextractf128 [\to + 8*\g + 2*BYTES], ymm\a, 1
        vextractf128 [\to + 8*\g + 3*BYTES], ymm\b, 1
        .endif
        .endm

// Products of multivectors of a common algebra: z = x y.
//
//   void hl_clifford_common_product_f32_avx2(size_t algebra, const float *x, const float *y,
//       size_t count, float *z);
//
// In      rdi = algebra, rsi = x, rdx = y, rcx = count, r8 = z      Out  z
// Uses    rax, rcx, rdx, rsi, rbp, r8..r11, ymm0..ymm11, ymm15     Stack  2680 bytes
// Loop    8 multivectors of 8 blades: 64 multiplications, 56 additions and 72 shuffles; bound by
//         the four vector pipes of Zen 4 (48 cycles)
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_common_product_f32_avx2)
        common  product_f32, product_block, ps, 2
END(hl_clifford_common_product_f32_avx2)

// Products of multivectors of doubles: common_product_f32 for f64.
//
//   void hl_clifford_common_product_f64_avx2(size_t algebra, const double *x, const double *y,
//       size_t count, double *z);
//
// In      rdi = algebra, rsi = x, rdx = y, rcx = count, r8 = z      Out  z
// Uses    rax, rcx, rdx, rsi, rbp, r8..r11, ymm0..ymm11, ymm15     Stack  2680 bytes
// Loop    4 multivectors of 8 blades: 64 multiplications, 56 additions and 48 shuffles; bound by
//         the four vector pipes of Zen 4 (42 cycles)
// Tail    as for f32
FUNC(hl_clifford_common_product_f64_avx2)
        common  product_f64, product_block, pd, 3
END(hl_clifford_common_product_f64_avx2)

// Sandwich products of multivectors of a common algebra: z = r x ~r, where ~r is the reverse of r.
//
//   void hl_clifford_common_sandwich_f32_avx2(size_t algebra, const float *r, const float *x,
//       size_t count, float *z);
//
// In      rdi = algebra, rsi = r, rdx = x, rcx = count, r8 = z      Out  z
// Uses    rax, rcx, rdx, rsi, rbp, r8..r11, ymm0..ymm12, ymm14, ymm15     Stack  2680 bytes
// Loop    8 multivectors of 8 blades, not even: 128 multiplications, 112 additions and 72
//         shuffles; bound by the four vector pipes of Zen 4 (78 cycles)
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_common_sandwich_f32_avx2)
        common  sandwich_f32, sandwich_block, ps, 2
END(hl_clifford_common_sandwich_f32_avx2)

// Products of multivectors of a common algebra with a weight for each path: a triple of grades of
// x, z and y that occurs in products of blades.
//
//   void hl_clifford_common_weighted_f32_avx2(size_t algebra, size_t channels,
//       const float *weights, const float *x, const float *y, size_t count, float *z);
//
// In      rdi = algebra, rsi = channels, rdx = weights, rcx = x, r8 = y, r9 = count,
//         [rsp + 8] = z      Out  z
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, ymm0..ymm15     Stack  3952 bytes
// Loop    8 multivectors of 8 blades: 108 multiplications, 56 additions and 72 shuffles; bound by
//         the four vector pipes of Zen 4 (59 cycles)
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_common_weighted_f32_avx2)
        weighted weighted_f32, ps, 2
END(hl_clifford_common_weighted_f32_avx2)

// Weighted products of multivectors of doubles: common_weighted_f32 for f64.
//
//   void hl_clifford_common_weighted_f64_avx2(size_t algebra, size_t channels,
//       const double *weights, const double *x, const double *y, size_t count, double *z);
//
// In      rdi = algebra, rsi = channels, rdx = weights, rcx = x, r8 = y, r9 = count,
//         [rsp + 8] = z      Out  z
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, ymm0..ymm15     Stack  3952 bytes
// Loop    4 multivectors of 8 blades: 108 multiplications, 56 additions and 48 shuffles; bound by
//         the four vector pipes of Zen 4 (53 cycles)
// Tail    as for f32
FUNC(hl_clifford_common_weighted_f64_avx2)
        weighted weighted_f64, pd, 3
END(hl_clifford_common_weighted_f64_avx2)

        RODATA
        .balign 8
.Lminus_ps:                             // -0
        .float  -0.0, -0.0
.Lminus_pd:
        .double -0.0
        .balign 32
.Lorder_4:                              // multivectors in lanes, of 4 floats
        .long   0, 2, 4, 6, 1, 3, 5, 7
