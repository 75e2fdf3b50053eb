#include "hl.h"

#include "signed_sums_x86_64.h"

        .macro zero w, i
        vxorps  xmm\i, xmm\i, xmm\i
        .endm

        .macro get w, e, i, at
        .ifc    \w, s
        vmovs\e xmm\i, [\at]
        .else
        vmovup\e \w\()mm\i, [\at]
        .endif
        .endm

        .macro put w, e, i, at
        .ifc    \w, s
        vmovs\e [\at], xmm\i
        .else
        vmovup\e [\at], \w\()mm\i
        .endif
        .endm

        .macro sign w, e
        .ifc    \e, s
        vbroadcastss ymm8, [signs + 4*number]
        .else
        vbroadcastsd ymm8, [signs + 8*number]
        .endif
        .endm

        // QEMU 7.2 reads a whole vector for the operand in memory of a scalar FMA, beyond the array.
        .macro term w, e, i, at
        .ifc    \w, s
        vmovs\e xmm9, [\at]
        vfmadd231s\e xmm\i, xmm8, xmm9
        .else
        vfmadd231p\e \w\()mm\i, \w\()mm8, [\at]
        .endif
        .endm

        .macro parts name, e, log
        part    \name, y, \e, 32, 4
        part    \name, y, \e, 32, 2
        part    \name, y, \e, 32, 1
        part    \name, x, \e, 16, 1
        part    \name, s, \e, 1 << \log, 1
        .endm

        .macro leave_vectors
        vzeroupper
        .endm

// Signed sums of vectors of `n` numbers: sum f of row r goes to `y + r * y_row + f * n`.
//
//   void hl_clifford_signed_sums_f32_avx2(size_t rows, size_t n, const float *x, size_t x_row, float *y,
//       size_t y_row, const uint32_t *terms, const uint32_t *ends, size_t sums, uint32_t accumulate);
//
// In      rdi = rows, rsi = n, rdx = x, rcx = x_row, r8 = y, r9 = y_row; on the stack: terms, ends,
//         sums, accumulate                                                     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, ymm0..ymm3, ymm8, ymm9  Stack  72 bytes
// Loop    32 numbers of a term: 4 loads and 4 fused multiply-adds by 1 or -1; bound by the front end
//         (16 micro-operations)
// Tail    vectors of 32 and 16 bytes, and single numbers
FUNC(hl_clifford_signed_sums_f32_avx2)
        signed_sums f32, s, 2
END(hl_clifford_signed_sums_f32_avx2)

// Signed sums of vectors of `n` doubles, like signed_sums_f32.
//
//   void hl_clifford_signed_sums_f64_avx2(size_t rows, size_t n, const double *x, size_t x_row, double *y,
//       size_t y_row, const uint32_t *terms, const uint32_t *ends, size_t sums, uint32_t accumulate);
//
// In      rdi = rows, rsi = n, rdx = x, rcx = x_row, r8 = y, r9 = y_row; on the stack: terms, ends,
//         sums, accumulate                                                     Out  y
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, ymm0..ymm3, ymm8, ymm9  Stack  72 bytes
// Loop    16 numbers of a term: 4 loads and 4 fused multiply-adds by 1 or -1; bound by the front end
//         (16 micro-operations)
// Tail    vectors of 32 and 16 bytes, and single numbers
FUNC(hl_clifford_signed_sums_f64_avx2)
        signed_sums f64, d, 3
END(hl_clifford_signed_sums_f64_avx2)

        RODATA
        .balign 16
.Lsigns_f32:                            // the factors of the terms' numbers
        .float  1.0, -1.0
.Lsigns_f64:
        .double 1.0, -1.0
