#include "hl.h"

#define ROW     32
#define WIDTHS  ymm, xmm, one
#define V(i)    ymm##i
#define LOG_WIDEST (5-LOG)

#define b0      \v\()8
#define b1      \v\()9
#define b2      \v\()10
#define b3      \v\()11
#define b4      \v\()12
#define b5      \v\()13
#define b6      \v\()14
#define b7      \v\()15
#define p0      \v\()1
#define p1      \v\()2
#define p2      \v\()3
#define p3      \v\()4
#define p4      \v\()5
#define p5      \v\()6
#define p6      \v\()7
#define p7      row,[rsp]
#define q0      \v\()4
#define q1      \v\()5
#define q2      \v\()6
#define q3      \v\()7
#define q4      row,[rsp+0]
#define q5      row,[rsp+32]
#define q6      row,[rsp+64]
#define q7      row,[rsp+96]
#define q8      row,[rsp+128]
#define q9      row,[rsp+160]
#define q10     row,[rsp+192]
#define q11     row,[rsp+224]
#define q12     row,[rsp+256]
#define q13     row,[rsp+288]
#define q14     row,[rsp+320]
#define q15     row,[rsp+352]
#define UPPER   (4*ROW)             // rows of c8..c15 are at ROW*i + UPPER
#define c0      \v\()8
#define c1      \v\()9
#define c2      \v\()10
#define c3      \v\()11
#define c4      \v\()12
#define c5      \v\()13
#define c6      \v\()14
#define c7      \v\()15
#define c8      row,[rsp+384]
#define c9      row,[rsp+416]
#define c10     row,[rsp+448]
#define c11     row,[rsp+480]
#define c12     row,[rsp+512]
#define c13     row,[rsp+544]
#define c14     row,[rsp+576]
#define c15     row,[rsp+608]
#define d0      \v\()8
#define d1      \v\()9
#define d2      \v\()10
#define d3      \v\()11
#define d4      \v\()12
#define d5      \v\()13
#define d6      \v\()14
#define d7      \v\()15
#define d8      \v\()8
#define d9      \v\()9
#define d10     \v\()10
#define d11     \v\()11
#define d12     \v\()12
#define d13     \v\()13
#define d14     \v\()14
#define d15     \v\()15

#include "transform_x86_64.h"

// Four blades of one multivector per lane of vectors w, `stride` bytes apart: to vectors a..d from `part` + `offset`
// on, and, of doubles, back. `three` is three times `stride`. Vectors e..h and `upper` are overwritten.
        .macro  load w, a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, offset=0
        .ifc    \w, ymm
        lea     upper, [part + 4*stride]
        .endif
        .if     BYTES == 4

        // Part j of vector i is of multivector 4 j + i.
        vmovups xmm\a, [part + \offset]
        vmovups xmm\b, [part + stride + \offset]
        vmovups xmm\c, [part + 2*stride + \offset]
        vmovups xmm\d, [part + three + \offset]
        .ifc    \w, ymm
        vinsertf128 ymm\a, ymm\a, [upper + \offset], 1
        vinsertf128 ymm\b, ymm\b, [upper + stride + \offset], 1
        vinsertf128 ymm\c, ymm\c, [upper + 2*stride + \offset], 1
        vinsertf128 ymm\d, ymm\d, [upper + three + \offset], 1
        .endif
        vunpcklps \w\e, \w\a, \w\b
        vunpcklps \w\f, \w\c, \w\d
        vunpckhps \w\g, \w\a, \w\b
        vunpckhps \w\h, \w\c, \w\d
        vunpcklpd \w\a, \w\e, \w\f
        vunpckhpd \w\b, \w\e, \w\f
        vunpcklpd \w\c, \w\g, \w\h
        vunpckhpd \w\d, \w\g, \w\h
        .else

        // Part j of the vectors is of multivectors 2 j and 2 j + 1.
        vmovupd xmm\e, [part + \offset]
        vmovupd xmm\f, [part + stride + \offset]
        .ifc    \w, ymm
        vinsertf128 ymm\e, ymm\e, [part + 2*stride + \offset], 1
        vinsertf128 ymm\f, ymm\f, [part + three + \offset], 1
        .endif
        vmovupd xmm\g, [part + 16 + \offset]
        vmovupd xmm\h, [part + stride + 16 + \offset]
        .ifc    \w, ymm
        vinsertf128 ymm\g, ymm\g, [part + 2*stride + 16 + \offset], 1
        vinsertf128 ymm\h, ymm\h, [part + three + 16 + \offset], 1
        .endif
        vunpcklpd \w\a, \w\e, \w\f
        vunpckhpd \w\b, \w\e, \w\f
        vunpcklpd \w\c, \w\g, \w\h
        vunpckhpd \w\d, \w\g, \w\h
        .endif
        .endm

        .macro  store w, a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, offset=0
        vunpcklpd \w\e, \w\a, \w\b
        vunpckhpd \w\f, \w\a, \w\b
        vunpcklpd \w\g, \w\c, \w\d
        vunpckhpd \w\h, \w\c, \w\d
        .ifc    \w, ymm
        vinsertf128 ymm\a, ymm\e, xmm\g, 1
        vperm2f128 ymm\g, ymm\e, ymm\g, 0x31
        vmovups [part + \offset], ymm\a
        vmovups [part + 2*stride + \offset], ymm\g
        vinsertf128 ymm\b, ymm\f, xmm\h, 1
        vperm2f128 ymm\h, ymm\f, ymm\h, 0x31
        vmovups [part + stride + \offset], ymm\b
        vmovups [part + three + \offset], ymm\h
        .else
        vmovupd [part + \offset], xmm\e
        vmovupd [part + stride + \offset], xmm\f
        vmovupd [part + 16 + \offset], xmm\g
        vmovupd [part + stride + 16 + \offset], xmm\h
        .endif
        .endm

        .macro  read_blades v, blades
        .if     \blades == 16
        load    \v, 8, 9, 10, 11, 4, 5, 6, 7, 8*BYTES
        load    \v, 12, 13, 14, 15, 4, 5, 6, 7, 12*BYTES
        .irp    i, 8, 9, 10, 11, 12, 13, 14, 15
        vmovaps [rsp + ROW*\i + UPPER], \v\i
        .endr
        .endif
        load    \v, 8, 9, 10, 11, 4, 5, 6, 7
        .if     \blades > 4
        load    \v, 12, 13, 14, 15, 4, 5, 6, 7, 4*BYTES
        .endif
        .endm

        .macro  write_blades v, blades
        .if     \blades == 4
        store   \v, 8, 9, 10, 11, 4, 5, 6, 7
        .else
        .set    WRITTEN, (\blades - 8)*BYTES
        store   \v, 8, 9, 10, 11, 0, 1, 2, 3, WRITTEN
        store   \v, 12, 13, 14, 15, 0, 1, 2, 3, WRITTEN + 4*BYTES
        .endif
        .endm

// Signed sums of the blades of `m` x `n` multivectors.
//
//   void hl_clifford_forms_f32_avx2(size_t algebra, size_t m, size_t n, size_t blades,
//       const float *x, size_t x_outer, size_t x_inner, float *y, size_t y_outer, size_t y_plane,
//       const uint32_t *terms, const uint32_t *ends, size_t kept, size_t sums);
//
// In      rdi = algebra, rsi = m, rdx = n, rcx = blades, r8 = x, r9 = x_outer; on the stack: x_inner,
//         y, y_outer, y_plane, terms, ends, kept, sums     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, ymm0..ymm15     Stack  4368 bytes
// Loop    algebras 1 to 7: straight code for 8 multivectors, bound by the stores to planes;
//         others: a term of a sum for 4 vectors, bound by the front end (15 micro-operations)
// Tail    the last tile overlaps the one before; n < 8: vectors of 4 numbers; n < 4: single numbers
FUNC(hl_clifford_forms_f32_avx2)
        transform forms, forms_f32, 2
END(hl_clifford_forms_f32_avx2)

// Signed sums of the blades of multivectors of doubles, like forms_f32.
//
//   void hl_clifford_forms_f64_avx2(size_t algebra, size_t m, size_t n, size_t blades,
//       const double *x, size_t x_outer, size_t x_inner, double *y, size_t y_outer, size_t y_plane,
//       const uint32_t *terms, const uint32_t *ends, size_t kept, size_t sums);
//
// In      rdi = algebra, rsi = m, rdx = n, rcx = blades, r8 = x, r9 = x_outer; on the stack: x_inner,
//         y, y_outer, y_plane, terms, ends, kept, sums     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, ymm0..ymm15     Stack  4368 bytes
// Loop    as for f32, with half the numbers in a vector
// Tail    as for f32
FUNC(hl_clifford_forms_f64_avx2)
        transform forms, forms_f64, 3
END(hl_clifford_forms_f64_avx2)

// Blades of multivectors of doubles from signed sums, like blades_f32.
//
//   void hl_clifford_blades_f64_avx2(size_t algebra, size_t m, size_t n, size_t blades,
//       const double *x, size_t x_outer, size_t x_plane, const double *start, uint32_t inner,
//       double *y, size_t y_outer, size_t y_inner, const uint32_t *terms, const uint32_t *ends,
//       size_t kept);
//
// In      rdi = algebra, rsi = m, rdx = n, rcx = blades, r8 = x, r9 = x_outer; on the stack: x_plane,
//         start, inner, y, y_outer, y_inner, terms, ends, kept     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, ymm0..ymm15     Stack  4368 bytes
// Loop    algebras 1 to 7: straight code for 4 multivectors, bound by shuffles and stores;
//         others: a term of a sum for 4 vectors, bound by the front end (20 micro-operations)
// Tail    the last tile overlaps the one before; n < 4: vectors of 2 numbers; n < 2: single numbers
FUNC(hl_clifford_blades_f64_avx2)
        transform blades, blades_f64, 3
END(hl_clifford_blades_f64_avx2)

        RODATA
        signs   forms_f32, float
        signs   forms_f64, double
        signs   blades_f64, double
        .balign 32
.Lminus_f32:                            // -0 in all lanes
        .rept   8
        .float  -0.0
        .endr
.Lminus_f64:
        .rept   4
        .double -0.0
        .endr
