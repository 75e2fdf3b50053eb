#include "hl.h"

#define ROW     32
#define LOG_ROW 5
#define SCALE   4
#define V(i)    ymm##i

#include "multiply_x86_64.h"

        .macro  load
        .if     LOG == 2
        lea     upper, [part + 4*stride]
        vmovups xmm0, [part]
        vinsertf128 ymm0, ymm0, [upper], 1
        vmovups xmm1, [part + stride]
        vinsertf128 ymm1, ymm1, [upper + stride], 1
        vmovups xmm2, [part + 2*stride]
        vinsertf128 ymm2, ymm2, [upper + 2*stride], 1
        vmovups xmm3, [part + three]
        vinsertf128 ymm3, ymm3, [upper + three], 1
        transpose
        .else
        .irp    offset, 0, 16
        vmovupd xmm4, [part + \offset]
        vinsertf128 ymm4, ymm4, [part + 2*stride + \offset], 1
        vmovupd xmm5, [part + stride + \offset]
        vinsertf128 ymm5, ymm5, [part + three + \offset], 1
        .if     \offset == 0
        vunpcklpd ymm0, ymm4, ymm5
        vunpckhpd ymm1, ymm4, ymm5
        .else
        vunpcklpd ymm2, ymm4, ymm5
        vunpckhpd ymm3, ymm4, ymm5
        .endif
        .endr
        .endif
        .endm

        .macro  store
        .if     LOG == 2
        transpose
        lea     upper, [part + 4*stride]
        vmovups [part], xmm0
        vextractf128 [upper], ymm0, 1
        vmovups [part + stride], xmm1
        vextractf128 [upper + stride], ymm1, 1
        vmovups [part + 2*stride], xmm2
        vextractf128 [upper + 2*stride], ymm2, 1
        vmovups [part + three], xmm3
        vextractf128 [upper + three], ymm3, 1
        .else
        vunpcklpd ymm4, ymm0, ymm1
        vunpckhpd ymm5, ymm0, ymm1
        vunpcklpd ymm6, ymm2, ymm3
        vunpckhpd ymm7, ymm2, ymm3
        vmovupd [part], xmm4
        vextractf128 [part + 2*stride], ymm4, 1
        vmovupd [part + stride], xmm5
        vextractf128 [part + three], ymm5, 1
        vmovupd [part + 16], xmm6
        vextractf128 [part + 2*stride + 16], ymm6, 1
        vmovupd [part + stride + 16], xmm7
        vextractf128 [part + three + 16], ymm7, 1
        .endif
        .endm

// Products of multivectors: each coefficient of z is a sum of terms, each the product of a
// coefficient of x and one of y.
//
//   void hl_clifford_multiply_f32_avx2(const uint16_t *terms, size_t blades, const float *x,
//       const float *y, size_t count, float *z);
//
// In      rdi = terms, rsi = blades, rdx = x, rcx = y, r8 = count, r9 = z      Out  z
// Uses    rax, rbx, rcx, rdx, rsi, rbp, r8..r15, ymm0..ymm9, ymm15     Stack  2672 bytes
// Loop    x[p] times 8 coefficients of y, for 8 multivectors: 8 multiplications, 8 additions, 17
//         loads; bound by the front end (38 micro-operations, 6.3 cycles with Golden Cove)
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_multiply_f32_avx2)
        multiply f32, ps, 2
END(hl_clifford_multiply_f32_avx2)

// Products of multivectors of doubles: multiply_f32 for f64.
//
//   void hl_clifford_multiply_f64_avx2(const uint16_t *terms, size_t blades, const double *x,
//       const double *y, size_t count, double *z);
//
// In      rdi = terms, rsi = blades, rdx = x, rcx = y, r8 = count, r9 = z      Out  z
// Uses    rax, rbx, rcx, rdx, rsi, rbp, r8..r15, ymm0..ymm9, ymm15     Stack  2672 bytes
// Loop    as for f32, for 4 multivectors
// Tail    as for f32
FUNC(hl_clifford_multiply_f64_avx2)
        multiply f64, pd, 3
END(hl_clifford_multiply_f64_avx2)

        RODATA
        .balign 8
.Lminus_f32:                            // -0
        .float  -0.0, -0.0
.Lminus_f64:
        .double -0.0
