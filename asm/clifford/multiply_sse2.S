#include "hl.h"

#define ROW     16
#define LOG_ROW 4
#define SCALE   2
#define V(i)    xmm##i

#include "multiply_x86_64.h"

        .macro  load
        .if     LOG == 2
        movups  xmm0, [part]
        movups  xmm1, [part + stride]
        movups  xmm2, [part + 2*stride]
        movups  xmm3, [part + three]
        transpose
        .else
        movupd  xmm0, [part]
        movupd  xmm4, [part + stride]
        movupd  xmm2, [part + 16]
        movupd  xmm5, [part + stride + 16]
        movapd  xmm1, xmm0
        movapd  xmm3, xmm2
        unpcklpd xmm0, xmm4
        unpckhpd xmm1, xmm4
        unpcklpd xmm2, xmm5
        unpckhpd xmm3, xmm5
        .endif
        .endm

        .macro  store
        .if     LOG == 2
        transpose
        movups  [part], xmm0
        movups  [part + stride], xmm1
        movups  [part + 2*stride], xmm2
        movups  [part + three], xmm3
        .else
        movapd  xmm4, xmm0
        movapd  xmm5, xmm2
        unpcklpd xmm4, xmm1
        unpcklpd xmm5, xmm3
        unpckhpd xmm0, xmm1
        unpckhpd xmm2, xmm3
        movupd  [part], xmm4
        movupd  [part + stride], xmm0
        movupd  [part + 16], xmm5
        movupd  [part + stride + 16], xmm2
        .endif
        .endm

// Products of multivectors: each coefficient of z is a sum of terms, each the product of a
// coefficient of x and one of y.
//
//   void hl_clifford_multiply_f32_sse2(const uint16_t *terms, size_t blades, const float *x,
//       const float *y, size_t count, float *z);
//
// In      rdi = terms, rsi = blades, rdx = x, rcx = y, r8 = count, r9 = z      Out  z
// Uses    rax, rbx, rcx, rdx, rsi, rbp, r8..r15, xmm0..xmm9, xmm15     Stack  1376 bytes
// Loop    x[p] times 8 coefficients of y, for 4 multivectors: 8 multiplications, 8 additions, 17
//         loads; bound by the front end (38 micro-operations, 6.3 cycles with Golden Cove)
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_multiply_f32_sse2)
        multiply f32, ps, 2
END(hl_clifford_multiply_f32_sse2)

// Products of multivectors of doubles: multiply_f32 for f64.
//
//   void hl_clifford_multiply_f64_sse2(const uint16_t *terms, size_t blades, const double *x,
//       const double *y, size_t count, double *z);
//
// In      rdi = terms, rsi = blades, rdx = x, rcx = y, r8 = count, r9 = z      Out  z
// Uses    rax, rbx, rcx, rdx, rsi, rbp, r8..r15, xmm0..xmm9, xmm15     Stack  1376 bytes
// Loop    as for f32, for 2 multivectors
// Tail    as for f32
FUNC(hl_clifford_multiply_f64_sse2)
        multiply f64, pd, 3
END(hl_clifford_multiply_f64_sse2)

        RODATA
        .balign 8
.Lminus_f32:                            // -0
        .float  -0.0, -0.0
.Lminus_f64:
        .double -0.0
