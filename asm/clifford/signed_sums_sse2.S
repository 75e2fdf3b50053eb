#include "hl.h"

#include "signed_sums_x86_64.h"

        .macro zero w, i
        xorps   xmm\i, xmm\i
        .endm

        .macro get w, e, i, at
        .ifc    \w, s
        movs\e xmm\i, [\at]
        .else
        movup\e xmm\i, [\at]
        .endif
        .endm

        .macro put w, e, i, at
        .ifc    \w, s
        movs\e [\at], xmm\i
        .else
        movup\e [\at], xmm\i
        .endif
        .endm

        .macro sign w, e
        shl     eax, 4
        movaps  xmm8, [signs + number]
        .endm

        .macro term w, e, i, at
        get     \w, \e, 9, \at
        .ifc    \w, s
        muls\e xmm9, xmm8
        adds\e xmm\i, xmm9
        .else
        mulp\e xmm9, xmm8
        addp\e xmm\i, xmm9
        .endif
        .endm

        .macro parts name, e, log
        part    \name, x, \e, 16, 4
        part    \name, x, \e, 16, 2
        part    \name, x, \e, 16, 1
        part    \name, s, \e, 1 << \log, 1
        .endm

        .macro leave_vectors
        .endm

// Signed sums of vectors of `n` numbers: sum f of row r goes to `y + r * y_row + f * n`.
//
//   void hl_clifford_signed_sums_f32_sse2(size_t rows, size_t n, const float *x, size_t x_row, float *y,
//       size_t y_row, const uint32_t *terms, const uint32_t *ends, size_t sums, uint32_t accumulate);
//
// In      rdi = rows, rsi = n, rdx = x, rcx = x_row, r8 = y, r9 = y_row; on the stack: terms, ends,
//         sums, accumulate                                                     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, xmm0..xmm3, xmm8, xmm9     Stack  72 bytes
// Loop    16 numbers of a term: 4 loads, 4 multiplications by 1 or -1, 4 additions; bound by the front end
//         (21 micro-operations)
// Tail    vectors of 16 bytes, and single numbers
FUNC(hl_clifford_signed_sums_f32_sse2)
        signed_sums f32, s, 2
END(hl_clifford_signed_sums_f32_sse2)

// Signed sums of vectors of `n` doubles, like signed_sums_f32.
//
//   void hl_clifford_signed_sums_f64_sse2(size_t rows, size_t n, const double *x, size_t x_row, double *y,
//       size_t y_row, const uint32_t *terms, const uint32_t *ends, size_t sums, uint32_t accumulate);
//
// In      rdi = rows, rsi = n, rdx = x, rcx = x_row, r8 = y, r9 = y_row; on the stack: terms, ends,
//         sums, accumulate                                                     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, xmm0..xmm3, xmm8, xmm9     Stack  72 bytes
// Loop    8 numbers of a term: 4 loads, 4 multiplications by 1 or -1, 4 additions; bound by the front end
//         (21 micro-operations)
// Tail    vectors of 16 bytes, and single numbers
FUNC(hl_clifford_signed_sums_f64_sse2)
        signed_sums f64, d, 3
END(hl_clifford_signed_sums_f64_sse2)

        RODATA
        .balign 16
.Lsigns_f32:                            // the factors of the terms' numbers
        .float  1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0
.Lsigns_f64:
        .double 1.0, 1.0, -1.0, -1.0
