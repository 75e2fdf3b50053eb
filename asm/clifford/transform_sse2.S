#include "hl.h"

#define ROW     16
#define LANES   (16/BYTES)

#include "transform_x86_64.h"

// Transposes 4 x 4 floats in vectors 0..3.
        .macro  transpose
        movaps  xmm4, xmm0
        movaps  xmm5, xmm2
        unpcklps xmm4, xmm1
        unpcklps xmm5, xmm3
        unpckhps xmm0, xmm1
        unpckhps xmm2, xmm3
        movaps  xmm6, xmm0
        movaps  xmm3, xmm0
        movaps  xmm0, xmm4
        movaps  xmm1, xmm4
        unpcklpd xmm0, xmm5
        unpckhpd xmm1, xmm5
        unpcklpd xmm6, xmm2
        unpckhpd xmm3, xmm2
        movaps  xmm2, xmm6
        .endm

// Transposes 2 x 2 doubles in vectors a and b.
        .macro  pairs a, b
        movapd  xmm4, xmm\a
        unpcklpd xmm\a, xmm\b
        unpckhpd xmm4, xmm\b
        movapd  xmm\b, xmm4
        .endm

        .macro  load_xmm
        .if     BYTES == 4
        movups  xmm0, [part]
        movups  xmm1, [part + stride]
        movups  xmm2, [part + 2*stride]
        movups  xmm3, [part + three]
        transpose
        .else
        movupd  xmm0, [part]
        movupd  xmm1, [part + stride]
        movupd  xmm2, [part + 16]
        movupd  xmm3, [part + stride + 16]
        pairs   0, 1
        pairs   2, 3
        .endif
        .endm

        .macro  store_xmm
        .if     BYTES == 4
        transpose
        movups  [part], xmm0
        movups  [part + stride], xmm1
        movups  [part + 2*stride], xmm2
        movups  [part + three], xmm3
        .else
        pairs   0, 1
        pairs   2, 3
        movupd  [part], xmm0
        movupd  [part + stride], xmm1
        movupd  [part + 16], xmm2
        movupd  [part + stride + 16], xmm3
        .endif
        .endm

        .macro  read_pairs
        .if     BYTES == 4
        movsd   xmm0, [from_at]
        movhps  xmm0, [from_at + stride]
        movsd   xmm2, [from_at + 2*stride]
        movhps  xmm2, [from_at + three]
        movaps  xmm1, xmm0
        shufps  xmm0, xmm2, 0b10001000
        shufps  xmm1, xmm2, 0b11011101
        .else
        movupd  xmm0, [from_at]
        movupd  xmm1, [from_at + stride]
        pairs   0, 1
        .endif
        movaps  [row_at], xmm0
        movaps  [row_at + PITCH], xmm1
        .endm

        .macro  write_pairs
        movaps  xmm0, [row_at]
        movaps  xmm1, [row_at + PITCH]
        .if     BYTES == 4
        movaps  xmm2, xmm0
        unpcklps xmm0, xmm1
        unpckhps xmm2, xmm1
        movlps  [from_at], xmm0
        movhps  [from_at + stride], xmm0
        movlps  [from_at + 2*stride], xmm2
        movhps  [from_at + three], xmm2
        .else
        pairs   0, 1
        movupd  [from_at], xmm0
        movupd  [from_at + stride], xmm1
        .endif
        .endm

        .macro  get w, i, at
        .ifnc   \w, one
        movups  xmm\i, [\at]
        .elseif BYTES == 8
        movsd   xmm\i, [\at]
        .else
        movss   xmm\i, [\at]
        .endif
        .endm

        .macro  put w, i, at
        .ifnc   \w, one
        movups  [\at], xmm\i
        .elseif BYTES == 8
        movsd   [\at], xmm\i
        .else
        movss   [\at], xmm\i
        .endif
        .endm

        .macro  spread w, i, at
        get     one, \i, \at
        .ifnc   \w, one
        .if     BYTES == 8
        unpcklpd xmm\i, xmm\i
        .else
        shufps  xmm\i, xmm\i, 0
        .endif
        .endif
        .endm

        .macro  term w, i, at
        get     \w, 9, \at
        .if     BYTES == 8
        mulpd   xmm9, xmm8
        addpd   xmm\i, xmm9
        .else
        mulps   xmm9, xmm8
        addps   xmm\i, xmm9
        .endif
        .endm

        .macro  leave_vectors
        .endm

        .macro  choose kernel, name
        cmp     rdx, LANES
        jb      .Lones_\name
        tiles   \kernel\()_tile, \name, xmm, 4-LOG, 4
.Lones_\name:
        tiles   \kernel\()_tile, \name, one, 0, 1
        .endm

// Signed sums of the blades of `m` x `n` multivectors.
//
//   void hl_clifford_forms_f32_sse2(size_t algebra, size_t m, size_t n, size_t blades,
//       const float *x, size_t x_outer, size_t x_inner, float *y, size_t y_outer, size_t y_plane,
//       const uint32_t *terms, const uint32_t *ends, size_t kept, size_t sums);
//
// In      rdi = algebra, rsi = m, rdx = n, rcx = blades, r8 = x, r9 = x_outer; on the stack: x_inner,
//         y, y_outer, y_plane, terms, ends, kept, sums     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, xmm0..xmm6, xmm8..xmm9     Stack  2320 bytes
// Loop    a term of a sum for 4 vectors: bound by the front end (23 micro-operations)
// Tail    the last tile overlaps the one before; n < 4: single numbers
FUNC(hl_clifford_forms_f32_sse2)
        forms   forms_f32, 2
END(hl_clifford_forms_f32_sse2)

// Blades of `m` x `n` multivectors from signed sums of numbers.
//
//   void hl_clifford_blades_f32_sse2(size_t algebra, size_t m, size_t n, size_t blades,
//       const float *x, size_t x_outer, size_t x_plane, const float *start, uint32_t inner,
//       float *y, size_t y_outer, size_t y_inner, const uint32_t *terms, const uint32_t *ends,
//       size_t kept);
//
// In      rdi = algebra, rsi = m, rdx = n, rcx = blades, r8 = x, r9 = x_outer; on the stack: x_plane,
//         start, inner, y, y_outer, y_inner, terms, ends, kept     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, xmm0..xmm6, xmm8..xmm9     Stack  2320 bytes
// Loop    a term of a sum for 4 vectors: bound by the front end (28 micro-operations)
// Tail    the last tile overlaps the one before; n < 4: single numbers
FUNC(hl_clifford_blades_f32_sse2)
        blades  blades_f32, 2
END(hl_clifford_blades_f32_sse2)

// Signed sums of the blades of multivectors of doubles, like forms_f32.
//
//   void hl_clifford_forms_f64_sse2(size_t algebra, size_t m, size_t n, size_t blades,
//       const double *x, size_t x_outer, size_t x_inner, double *y, size_t y_outer, size_t y_plane,
//       const uint32_t *terms, const uint32_t *ends, size_t kept, size_t sums);
//
// In      rdi = algebra, rsi = m, rdx = n, rcx = blades, r8 = x, r9 = x_outer; on the stack: x_inner,
//         y, y_outer, y_plane, terms, ends, kept, sums     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, xmm0..xmm4, xmm8..xmm9     Stack  2320 bytes
// Loop    as for f32, with half the numbers in a vector
// Tail    as for f32
FUNC(hl_clifford_forms_f64_sse2)
        forms   forms_f64, 3
END(hl_clifford_forms_f64_sse2)

// Blades of multivectors of doubles from signed sums, like blades_f32.
//
//   void hl_clifford_blades_f64_sse2(size_t algebra, size_t m, size_t n, size_t blades,
//       const double *x, size_t x_outer, size_t x_plane, const double *start, uint32_t inner,
//       double *y, size_t y_outer, size_t y_inner, const uint32_t *terms, const uint32_t *ends,
//       size_t kept);
//
// In      rdi = algebra, rsi = m, rdx = n, rcx = blades, r8 = x, r9 = x_outer; on the stack: x_plane,
//         start, inner, y, y_outer, y_inner, terms, ends, kept     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, xmm0..xmm4, xmm8..xmm9     Stack  2320 bytes
// Loop    as for f32, with half the numbers in a vector
// Tail    as for f32
FUNC(hl_clifford_blades_f64_sse2)
        blades  blades_f64, 3
END(hl_clifford_blades_f64_sse2)

        RODATA
        signs   forms_f32, float
        signs   blades_f32, float
        signs   forms_f64, double
        signs   blades_f64, double
