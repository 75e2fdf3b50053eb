// Sums in fixed lanes, added up in a tree, with SSE2: 16 vectors of lanes.
//
// 16 vectors and a term need more than 16 registers, so the last vectors stay in memory. SSE2
// operands in memory must be aligned: if x is aligned (for dot products, y), a term needs one
// register less and one more vector stays in a register.

#include "hl.h"
#include "sums_x86_64.h"

#define at          rax
#define term        xmm15
#define factor      xmm14

// On the stack, aligned: vector i, and the partial vector at the end.
#define memory(i)   [rsp + 16*(i - 13)]
#define last        [rsp]

        .macro load to, i
        P movu, \to, [x + 16*\i]
        .if     DOT
        P movu, factor, [y + 16*\i]
        P mul, \to, factor
        .endif
        .endm

        // Adds the next elements to vector i, in a register or in memory.
        .macro next i
        load    term, \i
        .if     \i < 15 - DOT
        P add, xmm\i, term
        .else
        P add, term, memory(\i)
        P mova, memory(\i), term
        .endif
        .endm

        // Loads the elements after the last whole vector, filled up with -0 (the second factor with
        // +0).
        .macro load_last name, n, low, part
        P mova, term, [rip + .Lminus_\name]
        .if     DOT
        xorps   factor, factor
        .endif
        .if     BYTES == 4
        test    \low, 4
        jz      .Leven_\part\()_\name
        movss   term, [x + \n - 4]
        orps    term, [rip + .Lupper_\name]
        .if     DOT
        movss   factor, [y + \n - 4]
        .endif
.Leven_\part\()_\name:
        test    \low, 8
        jz      .Lwhole_\part\()_\name
        mov     at, \n
        and     at, -16
        movlhps term, term
        movlps  term, [x + at]
        .if     DOT
        movlhps factor, factor
        movlps  factor, [y + at]
        .endif
        .else
        test    \low, 8
        jz      .Lwhole_\part\()_\name
        movlpd  term, [x + \n - 8]
        .if     DOT
        movsd   factor, [y + \n - 8]
        .endif
        .endif
.Lwhole_\part\()_\name:
        .if     DOT
        P mul, term, factor
        .endif
        .endm

        .macro lanes name, bytes, dot, n, low
        .set    BYTES, \bytes
        .set    DOT, \dot
        shl     \n, BYTES / 4 + 1
        cmp     \n, 128
        jb      .Lfew_\name
        sub     rsp, 56
        .cfi_adjust_cfa_offset 56

        P mova, term, [rip + .Lminus_\name]
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        .if     \i < 15 - DOT
        P mova, xmm\i, term
        .else
        P mova, memory(\i), term
        .endif
        .endr
        sub     \n, 256
        jb      .Llast_\name
        .if     DOT
        test    sil, 15
        .else
        test    dil, 15
        .endif
        jz      .Laligned_\name

        .balign 32
.Lloop_\name:
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        next    \i
        .endr
        step
        sub     \n, 256
        jae     .Lloop_\name

        // The rest: whole vectors, then a partial one.
.Llast_\name:
        add     \n, 256
        jz      .Ltree_\name
        load_last \name, \n, \low, rest
        P mova, last, term
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
        cmp     \n, 16*\i + 16
        jb      .Lrest_\name\()_\i
        next    \i
        .endr
        P mova, term, last
        P add, term, memory(15)
        P mova, memory(15), term

        // Add the upper half of the lanes to the lower half until one lane is left. A label ends in the
        // number of vectors left.
.Ltree_\name:
        P add, xmm7, memory(15)
        .if     DOT
        P add, xmm6, memory(14)
        .else
        P add, xmm6, xmm14
        .endif
        .cfi_remember_state
        add     rsp, 56
        .cfi_adjust_cfa_offset -56
        P add, xmm5, xmm13
        P add, xmm4, xmm12
        P add, xmm3, xmm11
        P add, xmm2, xmm10
        P add, xmm1, xmm9
        P add, xmm0, xmm8
        P add, xmm3, xmm7
.Ltree_\name\()_7:
        P add, xmm2, xmm6
.Ltree_\name\()_6:
        P add, xmm1, xmm5
.Ltree_\name\()_5:
        P add, xmm0, xmm4
.Ltree_\name\()_4:
        P add, xmm1, xmm3
.Ltree_\name\()_3:
        P add, xmm0, xmm2
.Ltree_\name\()_2:
        P add, xmm0, xmm1
.Ltree_\name\()_1:
        movhlps xmm1, xmm0
        .if     BYTES == 4
        addps   xmm0, xmm1
        movaps  xmm1, xmm0
        shufps  xmm1, xmm1, 0x55
        .endif
        S add, xmm0, xmm1
        S ucomi, xmm0, xmm0
        jp      .Lnan_\name
        ret
.Lnan_\name:
        S mov, xmm0, [rip + .Lquiet_\name]
        ret
        .cfi_restore_state

        // Aligned operands.
.Laligned_\name:
        .if     DOT
        P mova, factor, term
        .endif
        .balign 32
.Laligned_loop_\name:
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        .if     DOT == 0
        P add, xmm\i, [x + 16*\i]
        .else
        P movu, term, [x + 16*\i]
        P mul, term, [y + 16*\i]
        .if     \i < 15
        P add, xmm\i, term
        .else
        P add, term, memory(15)
        P mova, memory(15), term
        .endif
        .endif
        .endr
        step
        sub     \n, 256
        jae     .Laligned_loop_\name
        .if     DOT
        P mova, memory(14), factor
        .else
        P mova, memory(15), term
        .endif
        jmp     .Llast_\name

        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
.Lrest_\name\()_\i:
        .if     \i < 15 - DOT
        P add, xmm\i, last
        .else
        P mova, term, last
        P add, term, memory(14)
        P mova, memory(14), term
        .endif
        jmp     .Ltree_\name
        .endr

        // Fewer elements than half of the lanes.
.Lfew_\name:
        .cfi_def_cfa_offset 8
        test    \n, \n
        jz      .Lnothing_\name
        load_last \name, \n, \low, few
        .irp    i, 0, 1, 2, 3, 4, 5, 6
        cmp     \n, 16*\i + 16
        jb      .Lfew_\name\()_\i
        load    xmm\i, \i
        .endr
        few     \name, 7, add, xmm3, term
        few     \name, 6, add, xmm2, term
        few     \name, 5, add, xmm1, term
        few     \name, 4, add, xmm0, term
        few     \name, 3, add, xmm1, term
        few     \name, 2, add, xmm0, term
        few     \name, 1, add, xmm0, term
.Lfew_\name\()_0:
        P mova, xmm0, term
        jmp     .Ltree_\name\()_1
.Lnothing_\name:
        xorps   xmm0, xmm0
        ret
        .endm

        .macro lanes_constants name, bytes
        .set    BYTES, \bytes
        .balign 16
.Lminus_\name:                          // -0
        .rept   16 / BYTES
        number  1 << 31, 1 << 63
        .endr
        .if     BYTES == 4
.Lupper_\name:                          // +0, then -0
        .long   0, 1 << 31, 1 << 31, 1 << 31
        .endif
.Lquiet_\name:                          // NaN
        number  0x7fc00000, 0x7ff8000000000000
        .endm

// Sum of `x[0..n]` in 64 lanes and a tree, as the module says.
//
//   float hl_reduce_sum_f32_sse2(const float *x, size_t n);
//
// In      rdi = x, rsi = n                  Out  xmm0 = sum
// Uses    rax, rsi, rdi, xmm0..xmm15      Stack  56 bytes
// Loop    256 bytes, one addition to each of 16 vectors, all in registers; bound by the 16 loads
//         (8 cycles)
// Bound   8 cycles for 64 elements on Zen 3
// Tail    whole vectors, then the remaining elements in one or two loads; reads exactly x[0..n]
FUNC(hl_reduce_sum_f32_sse2)
        lanes   sum_f32, 4, 0, rsi, sil
END(hl_reduce_sum_f32_sse2)

// Sum of `x[0..n]` in 32 lanes and a tree, as the module says.
//
//   double hl_reduce_sum_f64_sse2(const double *x, size_t n);
//
// In      rdi = x, rsi = n                  Out  xmm0 = sum
// Uses    rax, rsi, rdi, xmm0..xmm15      Stack  56 bytes
// Loop    256 bytes, one addition to each of 16 vectors, all in registers; bound by the 16 loads
//         (8 cycles)
// Bound   8 cycles for 32 elements on Zen 3
// Tail    whole vectors, then the remaining elements in one or two loads; reads exactly x[0..n]
FUNC(hl_reduce_sum_f64_sse2)
        lanes   sum_f64, 8, 0, rsi, sil
END(hl_reduce_sum_f64_sse2)

// Sum of the rounded products `x[i] * y[i]` for i < n, in the order of sum_f32.
//
//   float hl_reduce_dot_f32_sse2(const float *x, const float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  xmm0 = sum of products
// Uses    rax, rdx, rsi, rdi, xmm0..xmm15      Stack  56 bytes
// Loop    256 bytes of each, one product added to each of 16 vectors, one in memory; bound by the
//         33 loads (17 cycles)
// Bound   17 cycles for 64 elements on Zen 3
// Tail    whole vectors, then the remaining elements in one or two loads; reads exactly x[0..n] and
//         y[0..n]
FUNC(hl_reduce_dot_f32_sse2)
        lanes   dot_f32, 4, 1, rdx, dl
END(hl_reduce_dot_f32_sse2)

// Sum of the rounded products `x[i] * y[i]` for i < n, in the order of sum_f64.
//
//   double hl_reduce_dot_f64_sse2(const double *x, const double *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  xmm0 = sum of products
// Uses    rdx, rsi, rdi, xmm0..xmm15     Stack  56 bytes
// Loop    256 bytes of each, one product added to each of 16 vectors, one in memory; bound by the
//         33 loads (17 cycles)
// Bound   17 cycles for 32 elements on Zen 3
// Tail    whole vectors, then the remaining elements in one or two loads; reads exactly x[0..n] and
//         y[0..n]
FUNC(hl_reduce_dot_f64_sse2)
        lanes   dot_f64, 8, 1, rdx, dl
END(hl_reduce_dot_f64_sse2)

        RODATA
        lanes_constants sum_f32, 4
        lanes_constants sum_f64, 8
        lanes_constants dot_f32, 4
        lanes_constants dot_f64, 8
