// Rows of a matrix times a vector with AVX-512, for both types of elements.
//
// A sum has a row in each lane. One line of each row is read, whole and only once, because lines of
// rows a power of two apart share sets of L1 and evict each other. The lines are transposed in
// registers, then multiplied. A chain of multiply-adds per sum advances every fourth cycle, so one
// sum alone takes 16 bytes a cycle and two sums are bound by shuffles.

#include "hl.h"

#define m           rdi
#define k           rsi
#define a           rdx
#define row         rcx
#define x           r8
#define c           r9
#define row3        rax
#define row5        r10
#define row7        rbx
#define at          r11
#define half        r12                         // bytes from the first half of the rows of a sum to the second
#define last        r13                         // the same of the last sum; 0 if it has only a half
#define skip        k                           // columns of the last line that are done
#define rest        k1                          // lanes of the last sum in use

#define ROWS        (64 >> SHIFT)               // of a sum
#define COLUMNS     (64 >> SHIFT)               // of a line
#define AHEAD       1024

// Reads a line of two rows, and joins its lower halves in the first register, its upper halves in
// the second.
        .macro join lower, upper, first, second:vararg
        vmovups ymm\lower, [\first]
        vmovups ymm\upper, [\first + 32]
        vinsertf64x4 zmm\lower, zmm\lower, [\second], 1
        vinsertf64x4 zmm\upper, zmm\upper, [\second + 32], 1
        prefetcht1 [\first + AHEAD]
        prefetcht1 [\second + AHEAD]
        .endm

// Transposes half a line of four pairs of rows, first the 128-bit lanes of four registers each; column j
// goes to zmm2j.
        .macro square_f32 r0, r1, r2, r3, r4, r5, r6, r7
        vunpcklps zmm20, zmm\r0, zmm\r1
        vunpckhps zmm21, zmm\r0, zmm\r1
        vunpcklps zmm22, zmm\r2, zmm\r3
        vunpckhps zmm23, zmm\r2, zmm\r3
        vunpcklpd zmm\r0, zmm20, zmm22
        vunpckhpd zmm\r1, zmm20, zmm22
        vunpcklpd zmm\r2, zmm21, zmm23
        vunpckhpd zmm\r3, zmm21, zmm23
        vunpcklps zmm24, zmm\r4, zmm\r5
        vunpckhps zmm25, zmm\r4, zmm\r5
        vunpcklps zmm26, zmm\r6, zmm\r7
        vunpckhps zmm27, zmm\r6, zmm\r7
        vunpcklpd zmm\r4, zmm24, zmm26
        vunpckhpd zmm\r5, zmm24, zmm26
        vunpcklpd zmm\r6, zmm25, zmm27
        vunpckhpd zmm\r7, zmm25, zmm27
        vshuff32x4 zmm20, zmm\r0, zmm\r4, 0x88
        vshuff32x4 zmm21, zmm\r1, zmm\r5, 0x88
        vshuff32x4 zmm22, zmm\r2, zmm\r6, 0x88
        vshuff32x4 zmm23, zmm\r3, zmm\r7, 0x88
        vshuff32x4 zmm24, zmm\r0, zmm\r4, 0xdd
        vshuff32x4 zmm25, zmm\r1, zmm\r5, 0xdd
        vshuff32x4 zmm26, zmm\r2, zmm\r6, 0xdd
        vshuff32x4 zmm27, zmm\r3, zmm\r7, 0xdd
        .endm

// Adds the products of COLUMNS / 2 columns from `first` on to a sum, but not of the last line's
// columns that are done.
        .macro multiply sum, is_last, first
        .irp    j, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \j < COLUMNS / 2
        .if     \is_last
        cmp     skip, \first + \j
        ja      .Ldone_\@_\j
        .endif
        .if     SHIFT == 2
        vfmadd231ps zmm\sum, zmm2\j, dword ptr [x + 4*(\first + \j)]{1to16}
        .else
        vfmadd231pd zmm\sum, zmm2\j, qword ptr [x + 8*(\first + \j)]{1to8}
        .endif
.Ldone_\@_\j:
        .endif
        .endr
        .endm

// Multiplies a line of the rows of a sum, the second half of which begins `second` bytes below the
// first.
        .macro line sum, second, is_last=0
        .if     SHIFT == 2
        join    2, 10, at, at + 4*row
        join    3, 11, at + row, at + row5
        join    4, 12, at + 2*row, at + 2*row3
        join    5, 13, at + row3, at + row7
        add     at, \second
        join    6, 14, at, at + 4*row
        join    7, 15, at + row, at + row5
        join    8, 16, at + 2*row, at + 2*row3
        join    9, 17, at + row3, at + row7
        add     at, half
        square_f32 2, 3, 4, 5, 6, 7, 8, 9
        multiply \sum, \is_last, 0
        square_f32 10, 11, 12, 13, 14, 15, 16, 17
        multiply \sum, \is_last, 8
        .else
        join    2, 10, at, at + 2*row
        join    3, 11, at + row, at + row3
        add     at, \second
        join    4, 12, at, at + 2*row
        join    5, 13, at + row, at + row3
        add     at, half
        vunpcklpd zmm24, zmm2, zmm3
        vunpckhpd zmm25, zmm2, zmm3
        vunpcklpd zmm26, zmm4, zmm5
        vunpckhpd zmm27, zmm4, zmm5
        vshuff64x2 zmm20, zmm24, zmm26, 0x88
        vshuff64x2 zmm21, zmm25, zmm27, 0x88
        vshuff64x2 zmm22, zmm24, zmm26, 0xdd
        vshuff64x2 zmm23, zmm25, zmm27, 0xdd
        multiply \sum, \is_last, 0
        vunpcklpd zmm24, zmm10, zmm11
        vunpckhpd zmm25, zmm10, zmm11
        vunpcklpd zmm26, zmm12, zmm13
        vunpckhpd zmm27, zmm12, zmm13
        vshuff64x2 zmm20, zmm24, zmm26, 0x88
        vshuff64x2 zmm21, zmm25, zmm27, 0x88
        vshuff64x2 zmm22, zmm24, zmm26, 0xdd
        vshuff64x2 zmm23, zmm25, zmm27, 0xdd
        multiply \sum, \is_last, 4
        .endif
        .endm

        .macro move operands:vararg
        .if     SHIFT == 2
        vmovups \operands
        .else
        vmovupd \operands
        .endif
        .endm

        .macro rows type, shift
        .set    SHIFT, \shift
        .irp    register, rbx, r12, r13
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        shl     row, SHIFT
        lea     row3, [row + 2*row]
        lea     row5, [row + 4*row]
        lea     row7, [row3 + 4*row]
        mov     half, row
        shl     half, 5 - SHIFT
        // A sum with half of its rows reads them twice.
        xor     r11d, r11d
        test    m, ROWS / 2
        mov     last, half
        cmovnz  last, r11
        mov     r11d, (1 << ROWS) - 1
        jz      .Lwhole_\type
        mov     r11d, (1 << (ROWS / 2)) - 1
.Lwhole_\type:
        kmovw   rest, r11d
        cmp     m, ROWS
        ja      .Ltwo_\type

        move    zmm0{rest}{z}, [c]
        .balign 16
.Lone_loop_\type:
        mov     at, a
        line    0, last
        add     a, 64
        add     x, 64
        sub     k, COLUMNS
        cmp     k, COLUMNS
        jae     .Lone_loop_\type
        test    k, k
        jz      .Lone_\type

        // Step back to the last line; `skip` of its columns are done.
        neg     k
        add     skip, COLUMNS
        mov     at, skip
        shl     at, SHIFT
        sub     a, at
        sub     x, at
        mov     at, a
        line    0, last, 1
.Lone_\type:
        move    [c]{rest}, zmm0
        jmp     .Lend_\type

.Ltwo_\type:
        move    zmm0, [c]
        move    zmm1{rest}{z}, [c + 64]
        .balign 16
.Ltwo_loop_\type:
        mov     at, a
        line    0, half
        line    1, last
        add     a, 64
        add     x, 64
        sub     k, COLUMNS
        cmp     k, COLUMNS
        jae     .Ltwo_loop_\type
        test    k, k
        jz      .Lboth_\type

        // Step back to the last line; `skip` of its columns are done.
        neg     k
        add     skip, COLUMNS
        mov     at, skip
        shl     at, SHIFT
        sub     a, at
        sub     x, at
        mov     at, a
        line    0, half, 1
        line    1, last, 1
.Lboth_\type:
        move    [c], zmm0
        move    [c + 64]{rest}, zmm1
.Lend_\type:
        vzeroupper
        .irp    register, r13, r12, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        ret
        .endm

// Up to 32 rows of a matrix times a vector: each element of C becomes a chain of fused multiply-adds
// over ascending k, which begins at the element.
//
//   void hl_matmul_vector_f32_avx512(size_t m, size_t k, const float *a, ptrdiff_t a_row,
//       const float *x, float *c);
//
// In      rdi = m, rsi = k, rdx = a, rcx = a_row, r8 = x, r9 = c
//         Out  c
// Uses    rax, rbx, rcx, rdx, rsi, r8, r10..r13, zmm0..zmm17, zmm20..zmm27, k1      Stack  24 bytes
// Loop    16 columns of 16 or 32 rows; bound by the chain of 16 multiply-adds (64 cycles) for 16
//         rows, by 96 shuffles on one port (two of 256 bits) for 32
// Bound   96 cycles for 512 elements on Zen 4
// Tail    the last 16 columns, without those that were multiplied before
FUNC(hl_matmul_vector_f32_avx512)
        rows    f32, 2
END(hl_matmul_vector_f32_avx512)

// Up to 16 rows of a matrix of doubles times a vector, like vector_f32.
//
//   void hl_matmul_vector_f64_avx512(size_t m, size_t k, const double *a, ptrdiff_t a_row,
//       const double *x, double *c);
//
// In      rdi = m, rsi = k, rdx = a, rcx = a_row, r8 = x, r9 = c
//         Out  c
// Uses    rax, rbx, rcx, rdx, rsi, r8, r10..r13, zmm0..zmm5, zmm10..zmm13, zmm20..zmm27, k1      Stack  24 bytes
// Loop    8 columns of 8 or 16 rows; bound by the chain of 8 multiply-adds (32 cycles) for 8 rows,
//         by 32 shuffles on one port (two of 256 bits) for 16
// Bound   32 cycles for 128 elements on Zen 4
// Tail    the last 8 columns, without those that were multiplied before
FUNC(hl_matmul_vector_f64_avx512)
        rows    f64, 3
END(hl_matmul_vector_f64_avx512)
