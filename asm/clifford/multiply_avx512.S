#include "hl.h"

#define ROW     64
#define LOG_ROW 6
#define SCALE   8
#define V(i)    zmm##i

#include "multiply_x86_64.h"

        .macro  load
        .if     LOG == 2
        // Part j of vector i is of multivector 4 j + i.
        vmovups xmm0, [part]
        vmovups xmm1, [part + stride]
        vmovups xmm2, [part + 2*stride]
        vmovups xmm3, [part + three]
        lea     upper, [part + 4*stride]
        .irp    j, 1, 2, 3
        vinsertf32x4 zmm0, zmm0, [upper], \j
        vinsertf32x4 zmm1, zmm1, [upper + stride], \j
        vinsertf32x4 zmm2, zmm2, [upper + 2*stride], \j
        vinsertf32x4 zmm3, zmm3, [upper + three], \j
        .if     \j < 3
        lea     upper, [upper + 4*stride]
        .endif
        .endr
        transpose
        .else
        // Part j of vectors 4 and 5 is of multivectors 2 j and 2 j + 1.
        lea     upper, [part + 4*stride]
        .irp    offset, 0, 16
        vmovupd xmm4, [part + \offset]
        vmovupd xmm5, [part + stride + \offset]
        vinsertf64x2 zmm4, zmm4, [part + 2*stride + \offset], 1
        vinsertf64x2 zmm5, zmm5, [part + three + \offset], 1
        vinsertf64x2 zmm4, zmm4, [upper + \offset], 2
        vinsertf64x2 zmm5, zmm5, [upper + stride + \offset], 2
        vinsertf64x2 zmm4, zmm4, [upper + 2*stride + \offset], 3
        vinsertf64x2 zmm5, zmm5, [upper + three + \offset], 3
        .if     \offset == 0
        vunpcklpd zmm0, zmm4, zmm5
        vunpckhpd zmm1, zmm4, zmm5
        .else
        vunpcklpd zmm2, zmm4, zmm5
        vunpckhpd zmm3, zmm4, zmm5
        .endif
        .endr
        .endif
        .endm

        .macro  store
        .if     LOG == 2
        transpose
        vmovups [part], xmm0
        vmovups [part + stride], xmm1
        vmovups [part + 2*stride], xmm2
        vmovups [part + three], xmm3
        lea     upper, [part + 4*stride]
        .irp    j, 1, 2, 3
        vextractf32x4 [upper], zmm0, \j
        vextractf32x4 [upper + stride], zmm1, \j
        vextractf32x4 [upper + 2*stride], zmm2, \j
        vextractf32x4 [upper + three], zmm3, \j
        .if     \j < 3
        lea     upper, [upper + 4*stride]
        .endif
        .endr
        .else
        lea     upper, [part + 4*stride]
        .irp    offset, 0, 16
        .if     \offset == 0
        vunpcklpd zmm4, zmm0, zmm1
        vunpckhpd zmm5, zmm0, zmm1
        .else
        vunpcklpd zmm4, zmm2, zmm3
        vunpckhpd zmm5, zmm2, zmm3
        .endif
        vmovupd [part + \offset], xmm4
        vmovupd [part + stride + \offset], xmm5
        vextractf64x2 [part + 2*stride + \offset], zmm4, 1
        vextractf64x2 [part + three + \offset], zmm5, 1
        vextractf64x2 [upper + \offset], zmm4, 2
        vextractf64x2 [upper + stride + \offset], zmm5, 2
        vextractf64x2 [upper + 2*stride + \offset], zmm4, 3
        vextractf64x2 [upper + three + \offset], zmm5, 3
        .endr
        .endif
        .endm

// Products of multivectors: each coefficient of z is a sum of terms, each the product of a
// coefficient of x and one of y.
//
//   void hl_clifford_multiply_f32_avx512(const uint16_t *terms, size_t blades, const float *x,
//       const float *y, size_t count, float *z);
//
// In      rdi = terms, rsi = blades, rdx = x, rcx = y, r8 = count, r9 = z      Out  z
// Uses    rax, rbx, rcx, rdx, rsi, rbp, r8..r15, zmm0..zmm9, zmm15     Stack  5264 bytes
// Loop    x[p] times 8 coefficients of y, for 16 multivectors: 8 multiplications and 8 additions,
//         which bound it (8 cycles), and 17 loads
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_multiply_f32_avx512)
        multiply f32, ps, 2
END(hl_clifford_multiply_f32_avx512)

// Products of multivectors of doubles: multiply_f32 for f64.
//
//   void hl_clifford_multiply_f64_avx512(const uint16_t *terms, size_t blades, const double *x,
//       const double *y, size_t count, double *z);
//
// In      rdi = terms, rsi = blades, rdx = x, rcx = y, r8 = count, r9 = z      Out  z
// Uses    rax, rbx, rcx, rdx, rsi, rbp, r8..r15, zmm0..zmm9, zmm15     Stack  5264 bytes
// Loop    as for f32, for 8 multivectors
// Tail    as for f32
FUNC(hl_clifford_multiply_f64_avx512)
        multiply f64, pd, 3
END(hl_clifford_multiply_f64_avx512)

        RODATA
        .balign 8
.Lminus_f32:                            // -0
        .float  -0.0, -0.0
.Lminus_f64:
        .double -0.0
