#include "hl.h"

#define ROW     64
#define WIDEST  zmm
#define LOG_WIDEST (6-LOG)
#define LANES   (64/BYTES)

#define acc     zmm0
#define b0      zmm8
#define b1      zmm9
#define b2      zmm10
#define b3      zmm11
#define b4      zmm12
#define b5      zmm13
#define b6      zmm14
#define b7      zmm15
#define p0      zmm16
#define p1      zmm17
#define p2      zmm18
#define p3      zmm19
#define p4      zmm20
#define p5      zmm21
#define p6      zmm22
#define p7      zmm23
#define q0      zmm16
#define q1      zmm17
#define q2      zmm18
#define q3      zmm19
#define q4      zmm20
#define q5      zmm21
#define q6      zmm22
#define q7      zmm23
#define q8      zmm24
#define q9      zmm25
#define q10    zmm26
#define q11    zmm27
#define q12    zmm28
#define q13    zmm29
#define q14    zmm30
#define q15    zmm31
#define c0      zmm0
#define c1      zmm1
#define c2      zmm2
#define c3      zmm3
#define c4      zmm4
#define c5      zmm5
#define c6      zmm6
#define c7      zmm7
#define c8      zmm8
#define c9      zmm9
#define c10    zmm10
#define c11    zmm11
#define c12    zmm12
#define c13    zmm13
#define c14    zmm14
#define c15    zmm15
#define d0      zmm0
#define d1      zmm1
#define d2      zmm2
#define d3      zmm3
#define d4      zmm4
#define d5      zmm5
#define d6      zmm6
#define d7      zmm7
#define d8      zmm8
#define d9      zmm9
#define d10     zmm10
#define d11     zmm11
#define d12     zmm12
#define d13     zmm13
#define d14     zmm14
#define d15     zmm15

#define third   r8
#define fourth  r9

#include "transform_x86_64.h"
#include "transpose_avx512.h"
#include "transform_vex.h"
#include "transform_straight_vex.h"

        .macro  read_4
        load_zmm 8, 9, 10, 11, 28, 29, 30, 31
        .endm

        .macro  read_8
        load_zmm 8, 9, 10, 11, 28, 29, 30, 31
        load_zmm 12, 13, 14, 15, 28, 29, 30, 31, 4*BYTES
        .endm

        .macro  read_16
        load_zmm 0, 1, 2, 3, 28, 29, 30, 31
        load_zmm 4, 5, 6, 7, 28, 29, 30, 31, 4*BYTES
        load_zmm 8, 9, 10, 11, 28, 29, 30, 31, 8*BYTES
        load_zmm 12, 13, 14, 15, 28, 29, 30, 31, 12*BYTES
        .endm

        .macro  write_4
        store_zmm 8, 9, 10, 11, 4, 5, 6, 7
        .endm

        .macro  write_8
        store_two 8, 9, 10, 11, 12, 13, 14, 15, 28, 29, 30, 31
        .endm

        .macro  write_half
        .endm

        .macro  write_16
        store_two 0, 1, 2, 3, 4, 5, 6, 7, 28, 29, 30, 31
        store_two 8, 9, 10, 11, 12, 13, 14, 15, 28, 29, 30, 31, 8*BYTES
        .endm

// Inner dimensions shorter than a vector are another function's.
        .macro  short lanes, function
        cmp     rdx, \lanes
        jb      \function
        .endm

// Signed sums of the blades of `m` x `n` multivectors.
//
//   void hl_clifford_forms_f32_avx512(size_t algebra, size_t m, size_t n, size_t blades,
//       const float *x, size_t x_outer, size_t x_inner, float *y, size_t y_outer, size_t y_plane,
//       const uint32_t *terms, const uint32_t *ends, size_t kept, size_t sums);
//
// In      rdi = algebra, rsi = m, rdx = n, rcx = blades, r8 = x, r9 = x_outer; on the stack: x_inner,
//         y, y_outer, y_plane, terms, ends, kept, sums     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, zmm0..zmm31     Stack  8464 bytes
// Loop    algebras 1 to 7: straight code for 16 multivectors, bound by the stores to planes;
//         others: a term of a sum for 4 vectors, bound by 4 loads (4 cycles with Zen 4)
// Tail    the last tile overlaps the one before; n < 16: the function for AVX2
FUNC(hl_clifford_forms_f32_avx512)
        short   16, SYMBOL(hl_clifford_forms_f32_avx2)
        forms   forms_f32, 2
END(hl_clifford_forms_f32_avx512)

// Blades of `m` x `n` multivectors from signed sums of numbers.
//
//   void hl_clifford_blades_f32_avx512(size_t algebra, size_t m, size_t n, size_t blades,
//       const float *x, size_t x_outer, size_t x_plane, const float *start, uint32_t inner,
//       float *y, size_t y_outer, size_t y_inner, const uint32_t *terms, const uint32_t *ends,
//       size_t kept);
//
// In      rdi = algebra, rsi = m, rdx = n, rcx = blades, r8 = x, r9 = x_outer; on the stack: x_plane,
//         start, inner, y, y_outer, y_inner, terms, ends, kept     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, zmm0..zmm31     Stack  8464 bytes
// Loop    algebras 1 to 7: straight code for 16 multivectors, bound by shuffles and stores;
//         others: a term of a sum for 4 vectors, bound by 4 loads (4 cycles with Zen 4)
// Tail    the last tile overlaps the one before; n < 16: the function for AVX2
FUNC(hl_clifford_blades_f32_avx512)
        short   16, SYMBOL(hl_clifford_blades_f32_avx2)
        blades  blades_f32, 2
END(hl_clifford_blades_f32_avx512)

// Signed sums of the blades of multivectors of doubles, like forms_f32.
//
//   void hl_clifford_forms_f64_avx512(size_t algebra, size_t m, size_t n, size_t blades,
//       const double *x, size_t x_outer, size_t x_inner, double *y, size_t y_outer, size_t y_plane,
//       const uint32_t *terms, const uint32_t *ends, size_t kept, size_t sums);
//
// In      rdi = algebra, rsi = m, rdx = n, rcx = blades, r8 = x, r9 = x_outer; on the stack: x_inner,
//         y, y_outer, y_plane, terms, ends, kept, sums     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, zmm0..zmm31     Stack  8464 bytes
// Loop    as for f32, with half the numbers in a vector
// Tail    as for f32; n < 8: the function for AVX2
FUNC(hl_clifford_forms_f64_avx512)
        short   8, SYMBOL(hl_clifford_forms_f64_avx2)
        forms   forms_f64, 3
END(hl_clifford_forms_f64_avx512)

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
// Loop    as for f32, with half the numbers in a vector
// Tail    as for f32; n < 8: the function for AVX2
FUNC(hl_clifford_blades_f64_avx512)
        short   8, SYMBOL(hl_clifford_blades_f64_avx2)
        blades  blades_f64, 3
END(hl_clifford_blades_f64_avx512)

        RODATA
        signs   forms_f32, float
        signs   blades_f32, float
        signs   forms_f64, double
        signs   blades_f64, double
        .balign 64
.Lminus_f32:                            // -0 in all lanes
        .rept   16
        .float  -0.0
        .endr
.Lminus_f64:
        .rept   8
        .double -0.0
        .endr
.Lalternate:                            // doubles of the first vector, and from 8 on of the second
        .quad   0, 1, 8, 9, 2, 3, 10, 11
        .quad   4, 5, 12, 13, 6, 7, 14, 15
