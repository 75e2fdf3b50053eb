#include "hl.h"

#define ROW     64
#define WIDTHS  zmm
#define V(i)    zmm##i
#define LOG_WIDEST (6-LOG)

#define b0      \v\()8
#define b1      \v\()9
#define b2      \v\()10
#define b3      \v\()11
#define b4      \v\()12
#define b5      \v\()13
#define b6      \v\()14
#define b7      \v\()15
#define p0      \v\()16
#define p1      \v\()17
#define p2      \v\()18
#define p3      \v\()19
#define p4      \v\()20
#define p5      \v\()21
#define p6      \v\()22
#define p7      \v\()23
#define q0      \v\()16
#define q1      \v\()17
#define q2      \v\()18
#define q3      \v\()19
#define q4      \v\()20
#define q5      \v\()21
#define q6      \v\()22
#define q7      \v\()23
#define q8      \v\()24
#define q9      \v\()25
#define q10    \v\()26
#define q11    \v\()27
#define q12    \v\()28
#define q13    \v\()29
#define q14    \v\()30
#define q15    \v\()31
#define d0      \v\()0
#define d1      \v\()1
#define d2      \v\()2
#define d3      \v\()3
#define d4      \v\()4
#define d5      \v\()5
#define d6      \v\()6
#define d7      \v\()7
#define d8      \v\()8
#define d9      \v\()9
#define d10     \v\()10
#define d11     \v\()11
#define d12     \v\()12
#define d13     \v\()13
#define d14     \v\()14
#define d15     \v\()15

#include "transform_x86_64.h"

// Stores four blades of one multivector per lane, `stride` bytes apart, from vectors a..d to `part` + `offset` on.
// `three` is three times `stride`. Vectors e..h and `upper` are overwritten.
        .macro  store w, a=0, b=1, c=2, d=3, e=4, f=5, g=6, h=7, offset=0
        lea     upper, [part + 4*stride]
        vunpcklpd zmm\e, zmm\a, zmm\b
        vunpckhpd zmm\f, zmm\a, zmm\b
        vunpcklpd zmm\g, zmm\c, zmm\d
        vunpckhpd zmm\h, zmm\c, zmm\d

        // The 128 bits of e and g by turns, and those of f and h.
        vmovapd zmm\a, [rip + .Lalternate]
        vmovapd zmm\b, [rip + .Lalternate + 64]
        vpermi2pd zmm\a, zmm\e, zmm\g
        vpermi2pd zmm\b, zmm\e, zmm\g
        vmovapd zmm\c, [rip + .Lalternate]
        vmovapd zmm\d, [rip + .Lalternate + 64]
        vpermi2pd zmm\c, zmm\f, zmm\h
        vpermi2pd zmm\d, zmm\f, zmm\h
        vmovupd [part + \offset], ymm\a
        vmovupd [part + stride + \offset], ymm\c
        vextractf64x4 [part + 2*stride + \offset], zmm\a, 1
        vextractf64x4 [part + three + \offset], zmm\c, 1
        vmovupd [upper + \offset], ymm\b
        vmovupd [upper + stride + \offset], ymm\d
        vextractf64x4 [upper + 2*stride + \offset], zmm\b, 1
        vextractf64x4 [upper + three + \offset], zmm\d, 1
        .endm

        .macro  write_blades v, blades
        .if     \blades == 4
        store   \v, 8, 9, 10, 11, 4, 5, 6, 7
        .elseif \blades == 8
        store   \v, 8, 9, 10, 11, 28, 29, 30, 31
        store   \v, 12, 13, 14, 15, 28, 29, 30, 31, 4*BYTES
        .else
        store   \v, 0, 1, 2, 3, 28, 29, 30, 31
        store   \v, 4, 5, 6, 7, 28, 29, 30, 31, 4*BYTES
        store   \v, 8, 9, 10, 11, 28, 29, 30, 31, 8*BYTES
        store   \v, 12, 13, 14, 15, 28, 29, 30, 31, 12*BYTES
        .endif
        .endm

// Blades of multivectors of doubles from signed sums, like blades_f32.
//
//   void hl_clifford_blades_f64_avx512(size_t algebra, size_t m, size_t n, size_t blades,
//       const double *x, size_t x_outer, size_t x_plane, const double *start, uint32_t inner,
//       double *y, size_t y_outer, size_t y_inner, const uint32_t *terms, const uint32_t *ends,
//       size_t kept);
//
// In      rdi = algebra, rsi = m, rdx = n, rcx = blades, r8 = x, r9 = x_outer; on the stack: x_plane,
//         start, inner, y, y_outer, y_inner, terms, ends, kept     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, zmm0..zmm31     Stack  8464 bytes
// Loop    algebras 1 to 7: straight code for 8 multivectors, bound by shuffles and stores;
//         others: a term of a sum for 4 vectors, bound by 4 loads (4 cycles with Zen 4)
// Tail    the last tile overlaps the one before; n < 8: the function for AVX2
FUNC(hl_clifford_blades_f64_avx512)
        // Inner dimensions shorter than a vector are the function's for AVX2.
        cmp     rdx, 8
        jb      SYMBOL(hl_clifford_blades_f64_avx2)
        transform blades, blades_f64, 3
END(hl_clifford_blades_f64_avx512)

        RODATA
        signs   blades_f64, double
        .balign 64
.Lminus_f64:                            // -0 in all lanes
        .rept   8
        .double -0.0
        .endr
.Lalternate:                            // doubles of the first vector, and from 8 on of the second
        .quad   0, 1, 8, 9, 2, 3, 10, 11
        .quad   4, 5, 12, 13, 6, 7, 14, 15
