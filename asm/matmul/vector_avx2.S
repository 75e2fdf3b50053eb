// Rows of a matrix times a vector with AVX2 and FMA, for both types of elements.
//
// A group of rows has a row in each lane of a sum. A piece of its rows is transposed into a buffer,
// whose vectors are then multiplied. Up to four groups share the elements of x, so that four chains
// of multiply-adds are under way; while these work through the pieces in one buffer, the next pieces
// are transposed into the other one.
//
// A piece is one line of each row, read at once, or four where rows are about a multiple of 2048
// bytes apart: their lines share sets of L1, and those of 32 rows evict each other before the next
// lines, which the CPU fetches ahead, are used. Longer rows come from memory, which delivers single
// lines faster.

#include "hl.h"

#define m           rdi
#define k           rsi
#define a           rdx
#define row         rcx
#define x           r8
#define c           r9
#define row3        rax
#define row5        r10
#define row7        r11
#define put         rbx                         // buffer of the lines that are transposed
#define get         rbp                         // buffer of the lines that are multiplied
#define at          r12
#define group       r13                         // bytes from the end of a piece to the next group's
#define left        r14
#define column      r15                         // first column in use of a piece, 32 bytes each
#define lines       r9                          // of each row in a piece

// On the stack, below the buffers.
#define C           qword ptr [rsp]
#define BYTES       qword ptr [rsp + 8]         // of the transposed piece of a group
#define FRAME       16464                       // and two buffers of 8192 bytes, at a line

// Transposes 32 bytes from `disp` on of the rows of a group; the vectors go to `to` in a buffer.
        .macro square disp, to
        .if     SHIFT == 2
        vmovups ymm4, [at + \disp]
        vmovups ymm5, [at + 4*row + \disp]
        vmovups ymm6, [at + row + \disp]
        vmovups ymm7, [at + row5 + \disp]
        vmovups ymm8, [at + 2*row + \disp]
        vmovups ymm9, [at + 2*row3 + \disp]
        vmovups ymm10, [at + row3 + \disp]
        vmovups ymm11, [at + row7 + \disp]
        halves  4, 5, 12
        halves  6, 7, 13
        halves  8, 9, 12
        halves  10, 11, 13
        quarter 4, 6, 8, 10, \to
        quarter 5, 7, 9, 11, (\to + 128)
        .else
        vmovups ymm4, [at + \disp]
        vmovups ymm5, [at + 2*row + \disp]
        vmovups ymm6, [at + row + \disp]
        vmovups ymm7, [at + row3 + \disp]
        halves  4, 5, 12
        halves  6, 7, 13
        vunpcklpd ymm8, ymm4, ymm6
        vunpckhpd ymm9, ymm4, ymm6
        vunpcklpd ymm10, ymm5, ymm7
        vunpckhpd ymm11, ymm5, ymm7
        vmovaps [put + \to], ymm8
        vmovaps [put + \to + 32], ymm9
        vmovaps [put + \to + 64], ymm10
        vmovaps [put + \to + 96], ymm11
        .endif
        .endm

// Joins the lower halves of two registers in the first, the upper halves in the second. A single
// port moves halves, so two of three steps are blends.
        .macro halves first, second, t
        vperm2f128 ymm\t, ymm\first, ymm\second, 0x21
        vblendps ymm\first, ymm\first, ymm\t, 0xf0
        vblendps ymm\second, ymm\t, ymm\second, 0xf0
        .endm

// Transposes both halves of four registers.
        .macro quarter r0, r1, r2, r3, to
        vunpcklps ymm12, ymm\r0, ymm\r1
        vunpckhps ymm\r0, ymm\r0, ymm\r1
        vunpcklps ymm13, ymm\r2, ymm\r3
        vunpckhps ymm\r2, ymm\r2, ymm\r3
        vshufps ymm\r1, ymm12, ymm13, 0x44
        vshufps ymm13, ymm12, ymm13, 0xee
        vshufps ymm\r3, ymm\r0, ymm\r2, 0x44
        vshufps ymm\r2, ymm\r0, ymm\r2, 0xee
        vmovaps [put + \to], ymm\r1
        vmovaps [put + \to + 32], ymm13
        vmovaps [put + \to + 64], ymm\r3
        vmovaps [put + \to + 96], ymm\r2
        .endm

// Adds the products of the column at `from`, bytes from `get` on, in the pieces of all groups.
        .macro multiply element, from:vararg
        .if     SHIFT == 2
        vbroadcastss ymm14, [x + \element]
        vfmadd231ps ymm0, ymm14, [get + \from]
        vfmadd231ps ymm1, ymm14, [get + \from + ROOM]
        vfmadd231ps ymm2, ymm14, [get + \from + 2*ROOM]
        vfmadd231ps ymm3, ymm14, [get + \from + 3*ROOM]
        .else
        vbroadcastsd ymm14, [x + \element]
        vfmadd231pd ymm0, ymm14, [get + \from]
        vfmadd231pd ymm1, ymm14, [get + \from + ROOM]
        vfmadd231pd ymm2, ymm14, [get + \from + 2*ROOM]
        vfmadd231pd ymm3, ymm14, [get + \from + 3*ROOM]
        .endif
        .endm

        .macro columns from, to
        .if     \from < \to
        multiply \from << SHIFT, 32*\from
        columns (\from+1), \to
        .endif
        .endm

        .macro rows type, shift
        .set    SHIFT, \shift
        .set    COLUMNS, 64 >> SHIFT            // of a line
        .set    GROUP, 32 >> SHIFT              // rows
        .set    LINE, 32 * COLUMNS              // bytes of a transposed line of a group
        .set    ROOM, 4 * LINE                  // of a group in a buffer
        .irp    register, rbx, rbp, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        .rept   6
        sub     rsp, FRAME / 6
        .cfi_adjust_cfa_offset FRAME / 6
        test    byte ptr [rsp], al              // each page in turn
        .endr
        mov     C, c
        vxorps  xmm1, xmm1, xmm1
        vxorps  xmm2, xmm2, xmm2
        vxorps  xmm3, xmm3, xmm3

        // The sums of m rows.
        .irp    i, 0, 1, 2, 3
        vmovups ymm\i, [c + 32*\i]
        .if     \i < 3
        cmp     m, (\i + 1) * GROUP
        je      .Lloaded_\type
        .endif
        .endr
.Lloaded_\type:
        lea     put, [rsp + 16 + 63]
        and     put, -64
        lea     get, [put + 8192]
        shl     row, SHIFT
        lea     row3, [row + 2*row]
        lea     row5, [row + 4*row]
        lea     row7, [row3 + 4*row]
        lea     at, [row + 63]
        and     at, 2047
        mov     lines, 1
        cmp     at, 126
        ja      .Lbuffers_\type
        cmp     row, 8192 + 63
        jg      .Lbuffers_\type
        cmp     k, 4 * COLUMNS
        jb      .Lbuffers_\type
        mov     lines, 4
.Lbuffers_\type:
        // Groups that are not there are multiplied too. Their elements are ones, so that they raise no
        // exception that the others do not raise.
        vpcmpeqd ymm4, ymm4, ymm4
        .if     SHIFT == 2
        vpsrld  ymm4, ymm4, 25
        vpslld  ymm4, ymm4, 23
        .else
        vpsrlq  ymm4, ymm4, 54
        vpsllq  ymm4, ymm4, 52
        .endif
        imul    left, lines, LINE
        .irp    i, 1, 2, 3
        cmp     m, \i * GROUP
        ja      .Lused_\type\()_\i
        mov     at, left
.Lones_\type\()_\i:
        vmovaps [put + at + ROOM * \i - 32], ymm4
        vmovaps [get + at + ROOM * \i - 32], ymm4
        sub     at, 32
        jnz     .Lones_\type\()_\i
.Lused_\type\()_\i:
        .endr
.Lbegin_\type:
        xor     column, column

        // Transpose the first pieces, at `a`, of all groups.
.Lfirst_\type:
        imul    at, lines, LINE
        mov     BYTES, at
        imul    group, row, GROUP
        mov     at, lines
        shl     at, 6
        sub     group, at
        mov     at, a
        .irp    i, 0, 1, 2, 3
        mov     left, lines
.Lsquare_\type\()_\i:
        square  0, (ROOM * \i)
        square  32, (ROOM * \i + LINE / 2)
        add     at, 64
        add     put, LINE
        dec     left
        jnz     .Lsquare_\type\()_\i
        sub     put, BYTES
        .if     \i < 3
        cmp     m, (\i + 1) * GROUP
        je      .Lfilled_\type
        add     at, group
        .endif
        .endr
.Lfilled_\type:
        xchg    put, get
        test    column, column
        jnz     .Lpart_\type
        imul    left, lines, COLUMNS
        sub     k, left
.Lloop_\type:
        imul    left, lines, COLUMNS
        sub     k, left
        jb      .Llast_\type
        mov     at, lines
        shl     at, 6
        add     a, at
        mov     at, a

        // Transpose the piece of group i, whose rows are prefetched two lines ahead, and multiply a
        // quarter of the columns of the pieces before.
        .irp    i, 0, 1, 2, 3
        mov     left, lines
.Lline_\type\()_\i:
        prefetcht0 [at + 128]
        prefetcht0 [at + row + 128]
        prefetcht0 [at + 2*row + 128]
        prefetcht0 [at + row3 + 128]
        .if     SHIFT == 2
        prefetcht0 [at + 4*row + 128]
        prefetcht0 [at + row5 + 128]
        prefetcht0 [at + 2*row3 + 128]
        prefetcht0 [at + row7 + 128]
        .endif
        square  0, (ROOM * \i)
        columns 0, COLUMNS / 8
        square  32, (ROOM * \i + LINE / 2)
        columns COLUMNS / 8, COLUMNS / 4
        add     at, 64
        add     put, LINE
        add     x, 16
        add     get, 8 * COLUMNS
        dec     left
        jnz     .Lline_\type\()_\i
        sub     put, BYTES
        .if     \i < 3
        cmp     m, (\i + 1) * GROUP
        je      .Lalone_\type\()_\i
        add     at, group
        .endif
        .endr
.Lnext_\type:
        sub     get, BYTES
        xchg    put, get
        jmp     .Lloop_\type

        // The columns that have no other group to transpose beside them.
        .irp    i, 0, 1, 2
.Lalone_\type\()_\i:
        imul    left, lines, 3 - \i
        jmp     .Lalone_\type
        .endr
.Lalone_\type:
        columns 0, COLUMNS / 4
        add     x, 16
        add     get, 8 * COLUMNS
        dec     left
        jnz     .Lalone_\type
        jmp     .Lnext_\type

        // The pieces before the last, then the columns of the last that they have not.
.Llast_\type:
        add     k, left
.Lpart_\type:
        multiply 0, column
        add     x, 1 << SHIFT
        add     column, 32
        cmp     column, BYTES
        jb      .Lpart_\type
        test    k, k
        jz      .Lsums_\type
        mov     at, lines
        shl     at, 6
        add     a, at
        mov     lines, 1
        cmp     k, COLUMNS
        jae     .Lbegin_\type
        mov     at, k
        shl     at, SHIFT
        lea     a, [a + at - 64]
        mov     column, COLUMNS
        sub     column, k
        xor     k, k
        shl     column, 5
        jmp     .Lfirst_\type

.Lsums_\type:
        mov     c, C
        .irp    i, 0, 1, 2, 3
        vmovups [c + 32*\i], ymm\i
        .if     \i < 3
        cmp     m, (\i + 1) * GROUP
        je      .Lstored_\type
        .endif
        .endr
.Lstored_\type:
        vzeroupper
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -FRAME
        .irp    register, r15, r14, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        ret
        .endm

// Up to 32 rows of a matrix times a vector: each element of C becomes a chain of fused multiply-adds
// over ascending k, which begins at the element.
//
//   void hl_matmul_vector_f32_avx2(size_t m, size_t k, const float *a, ptrdiff_t a_row, const float *x,
//       float *c);
//
// In      rdi = m, rsi = k, rdx = a, rcx = a_row, r8 = x, r9 = c
//         Out  c
// Uses    rax, rbx, rcx, rdx, rsi, rbp, r8..r15, ymm0..ymm14      Stack  16512 bytes
// Loop    8 rows of 16 columns, and 4 columns of 32 rows; bound by the 48 shuffles on two ports (24
//         cycles), of which the multiply-adds want one
// Bound   24 cycles for 128 elements on Zen 3
// Tail    the last 16 columns, without those that were multiplied before
FUNC(hl_matmul_vector_f32_avx2)
        rows    f32, 2
END(hl_matmul_vector_f32_avx2)

// Up to 16 rows of a matrix of doubles times a vector, like vector_f32.
//
//   void hl_matmul_vector_f64_avx2(size_t m, size_t k, const double *a, ptrdiff_t a_row, const double *x,
//       double *c);
//
// In      rdi = m, rsi = k, rdx = a, rcx = a_row, r8 = x, r9 = c
//         Out  c
// Uses    rax, rbx, rcx, rdx, rsi, rbp, r8..r15, ymm0..ymm14      Stack  16512 bytes
// Loop    4 rows of 8 columns, and 2 columns of 16 rows; bound by the 20 loads (10 cycles)
// Bound   10 cycles for 32 elements on Zen 3
// Tail    the last 8 columns, without those that were multiplied before
FUNC(hl_matmul_vector_f64_avx2)
        rows    f64, 3
END(hl_matmul_vector_f64_avx2)
