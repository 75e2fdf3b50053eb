// Blocks of a product in AVX-512.
//
// Row p of the panel, counted from its end, is p + 1 rows before a0, the row after the panel; each
// of a1 to a4 is 6 rows before the previous one. So no row has the short address of a bare
// register, and the rows of C are visited in ascending order.

#include "hl.h"
#define a0      rax
#define a1      rcx
#define a2      rdx
#define a3      r14
#define a4      r15
#define back1   r8
#define back3   rbp
#define back5   r13
#define a_column r9
#define b       rsi
#define b_row   r11
#define c       rdi
#define c_row   r12
#define steps   r10
#define count   r10
#define entry   rbx
#define packed  r14
#define ahead   r15

// On the stack; the arguments above six saved registers.
#define M       rsp + 88
#define K       rsp + 80
#define N       rsp + 72                // columns left
#define A       rsp + 64
#define PANEL   rsp + 56                // A of the panel
#define B       rsp + 48                // of the sliver
#define C       rsp + 40
#define ROWS    rsp + 32                // of a panel
#define PANELS  rsp + 24                // left
#define SHORTER rsp + 16                // number of last panels, which have one row less
#define COLUMNS rsp + 8                 // of the sliver
#define PACK    rsp                     // where the first panel stores B, or 0
#define ARG_B   rsp + 152
#define ARG_B_ROW rsp + 160
#define ARG_PACKED rsp + 168
#define ARG_C   rsp + 176
#define ARG_C_ROW rsp + 184
#define ACCUMULATE rsp + 192

        .macro LOAD operands:vararg
        .if     SHIFT == 2
        vmovups \operands
        .else
        vmovupd \operands
        .endif
        .endm

// EVEX-encoded, so the length is the same for all registers.
        .macro MOVE operands:vararg
        .if     SHIFT == 2
        vmovdqu32 \operands
        .else
        vmovdqu64 \operands
        .endif
        .endm

        .macro BROADCAST operands:vararg
        .if     SHIFT == 2
        vbroadcastss \operands
        .else
        vbroadcastsd \operands
        .endif
        .endm

        .macro FMA operands:vararg
        .if     SHIFT == 2
        vfmadd231ps \operands
        .else
        vfmadd231pd \operands
        .endif
        .endm

#include "block_tiles_avx512.h"
#include "block_wide_avx512.h"

// k1 = the lowest `number` lanes. Uses rax.
        .macro mask number
        mov     eax, -1
        bzhi    eax, eax, \number
        kmovd   k1, eax
        .endm

// Splits the rows into panels of at most `most` rows; `reciprocal` is 2^64 / most, rounded up. Uses
// rax, rcx, rdx, r14.
        .macro split type, most, reciprocal
        mov     r14, [M]
        mov     ecx, 1
        xor     edx, edx
        cmp     r14, \most
        jbe     .L\type\()_split_\most

        // Take the missing rows off the panels evenly. If fewer rows are missing than there are
        // panels, this needs no division.
        lea     rax, [r14 + \most - 1]
        movabs  rcx, \reciprocal
        mul     rcx
        mov     rcx, rdx
        imul    rdx, rdx, \most
        sub     rdx, r14
        mov     r14d, \most
        cmp     rdx, rcx
        jb      .L\type\()_split_\most
        mov     eax, edx
        xor     edx, edx
        div     ecx
        sub     r14, rax
.L\type\()_split_\most:
        mov     [ROWS], r14
        mov     [PANELS], rcx
        mov     [SHORTER], rdx
        mov     rax, [A]
        mov     [PANEL], rax
        .endm

        .macro block type, shift, zmm, ymm, xmm
        .set    SHIFT, \shift
        .set    SIZE, 1 << SHIFT
        .set    VECTOR_SHIFT, 6 - SHIFT
        .set    ZMM, \zmm
        .set    YMM, \ymm
        .set    XMM, \xmm
        .irp    register, rbx, rbp, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        sub     rsp, 96
        .cfi_adjust_cfa_offset 96

        // Strides in bytes.
        shl     r8, SHIFT
        neg     back1
        shl     a_column, SHIFT
        mov     b_row, [ARG_B_ROW]
        shl     b_row, SHIFT
        mov     c_row, [ARG_C_ROW]
        shl     c_row, SHIFT
        lea     back3, [back1 + 2*back1]
        lea     back5, [back1 + 4*back1]
        mov     [M], rdi
        mov     [N], rsi
        mov     [K], rdx
        mov     [A], rcx
        mov     rax, [ARG_B]
        mov     [B], rax
        mov     c, [ARG_C]
        mov     [C], c
        test    rsi, rsi
        jz      .L\type\()_done
        mov     r14, [ARG_PACKED]
        mov     [PACK], r14
        test    r14, r14
        jnz     .L\type\()_pack
.L\type\()_packed:
        cmp     qword ptr [M], 0
        je      .L\type\()_done

        // Choose the next sliver of the columns left: a second vector at most half full is left to
        // a narrower sliver, unless there are few rows.
.L\type\()_sliver:
        mov     rax, [N]
        mov     rcx, [M]
        cmp     rax, ZMM
        jbe     .L\type\()_one
        cmp     rcx, 3
        jbe     .L\type\()_wide
        cmp     rcx, 8
        jb      .L\type\()_two
        cmp     rax, ZMM + YMM
        ja      .L\type\()_two
        mov     eax, ZMM

        // One vector, no wider than needed: narrow vectors may run two at a time.
.L\type\()_one:
        mov     r10, rax
        mov     [COLUMNS], rax
        mask    r10d
        split   \type, 28, 0x924924924924925
        cmp     r10, YMM
        ja      .L\type\()_one_zmm
        je      .L\type\()_ymm
        cmp     r10, XMM
        ja      .L\type\()_ymm_part
        je      .L\type\()_xmm
        jmp     .L\type\()_xmm_part
.L\type\()_one_zmm:
        cmp     r10, ZMM
        jne     .L\type\()_zmm_part
        one     \type, zmm, zmm, \zmm
        one     \type, zmm_part, zmm, \zmm, {k1}, {k1}{z}
        one     \type, ymm, ymm, \ymm
        one     \type, ymm_part, ymm, \ymm, {k1}, {k1}{z}
        one     \type, xmm, xmm, \xmm
        one     \type, xmm_part, xmm, \xmm, {k1}, {k1}{z}

        // Two vectors.
.L\type\()_two:
        mov     r10d, 2*ZMM
        cmp     r10, rax
        cmova   r10, rax
        mov     [COLUMNS], r10
        sub     r10, ZMM
        mask    r10d
        split   \type, 14, 0x124924924924924a
        cmp     qword ptr [PACK], 0
        jne     .L\type\()_two_pack
        cmp     r10, ZMM
        jne     .L\type\()_two_part
        two     \type, two_full, two_full, begin2
        two     \type, two_pack, two_full, begin2_pack
        two     \type, two_part, two_part, "begin2 {k1}{z}", {k1}, {k1}{z}

        // Few rows: all vectors, or a full tile, or half of the vectors if they are less than two
        // tiles. A single row would have registers for more vectors, but then rows of B take turns
        // so slowly that the prefetchers of L2 lose them.
.L\type\()_wide:
        lea     r14, [rax + ZMM - 1]
        shr     r14, VECTOR_SHIFT
        cmp     r14, 9
        jbe     .L\type\()_width
        inc     r14
        shr     r14
        mov     r10d, 9
        cmp     r14, r10
        cmova   r14, r10
.L\type\()_width:
        mov     r10, r14
        shl     r10, VECTOR_SHIFT
        cmp     r10, rax
        cmova   r10, rax
        mov     [COLUMNS], r10

        // The mask and the addresses of the last vector.
        dec     r14
        mov     rdx, r14
        shl     rdx, VECTOR_SHIFT
        sub     r10, rdx
        mask    r10d
        shl     rdx, SHIFT
        mov     b, [B]
        add     b, rdx
        add     c, rdx
        cmp     rcx, 2
        jb      .L\type\()_wide_1
        je      .L\type\()_wide_2
        wide    \type, 3, 18, 23, 25, 8, 7, 6, 5, 4, 3, 2, 1
        wide    \type, 2, 12, 15, 19, 8, 7, 6, 5, 4, 3, 2, 1
        wide    \type, 1, 6, 7, 13, 8, 7, 6, 5, 4, 3, 2, 1

        // The columns to the right.
.L\type\()_next:
        mov     rax, [COLUMNS]
        sub     [N], rax
        jz      .L\type\()_done
        shl     rax, SHIFT
        add     [B], rax
        add     [C], rax
        mov     c, [C]
        jmp     .L\type\()_sliver

        // The first panel of a single full sliver packs B; otherwise it is packed here.
.L\type\()_pack:
        cmp     rsi, 2*ZMM
        jne     .L\type\()_copy
        cmp     qword ptr [M], 3
        ja      .L\type\()_packed
.L\type\()_copy:
        mov     qword ptr [PACK], 0
        lea     r10d, [rsi - 1]
        and     r10d, ZMM - 1
        inc     r10d
        mask    r10d
        mov     rax, [B]
        mov     [B], r14
        test    rdx, rdx
        jz      .L\type\()_copied
.L\type\()_copy_row:
        mov     rcx, rsi
        mov     r10, rax
.L\type\()_copy_vector:
        sub     rcx, ZMM
        jbe     .L\type\()_copy_last
        LOAD    zmm0, [r10]
        LOAD    [r14], zmm0
        add     r10, 64
        add     r14, 64
        jmp     .L\type\()_copy_vector
.L\type\()_copy_last:
        MOVE    zmm0{k1}{z}, [r10]
        MOVE    [r14]{k1}, zmm0
        lea     r14, [r14 + SIZE*rcx + 64]
        add     rax, b_row
        dec     rdx
        jnz     .L\type\()_copy_row
.L\type\()_copied:
        mov     b_row, rsi
        shl     b_row, SHIFT
        jmp     .L\type\()_packed

.L\type\()_done:
        vzeroupper
        add     rsp, 96
        .cfi_adjust_cfa_offset -96
        .irp    register, r15, r14, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        ret
        .endm

// Block of a product: `m` rows and `n` columns of C become A B, or C + A B if `accumulate` is not
// 0; each element is one chain of fused multiply-adds over ascending k, which begins at +0 or at
// its element of C.
//
//   void hl_matmul_block_f32_avx512(size_t m, size_t n, size_t k, const float *a, ptrdiff_t a_row,
//       ptrdiff_t a_column, const float *b, ptrdiff_t b_row, float *packed, float *c,
//       ptrdiff_t c_row, uint32_t accumulate);
//
// In      rdi = m, rsi = n, rdx = k, rcx = a, r8 = a_row, r9 = a_column, the others on the stack
// Out     c, packed if not null
// Uses    rax, rcx, rdx, rbx, rsi, rdi, rbp, r8..r15, zmm0..zmm31, k1     Stack  144 bytes
// Loop    a column of A: 14 rows of 32 columns in 28 sums; bound by the 28 multiply-adds (14 or
//         28 cycles)
// Bound   14 cycles for 448 elements on Granite Rapids
// Tail    masks; narrower vectors; reads exactly A, B and, if it accumulates, C
FUNC(hl_matmul_block_f32_avx512)
        block   f32, 2, 16, 8, 4
END(hl_matmul_block_f32_avx512)

// Block of a product of doubles, like block_f32.
//
//   void hl_matmul_block_f64_avx512(size_t m, size_t n, size_t k, const double *a, ptrdiff_t a_row,
//       ptrdiff_t a_column, const double *b, ptrdiff_t b_row, double *packed, double *c,
//       ptrdiff_t c_row, uint32_t accumulate);
//
// In      rdi = m, rsi = n, rdx = k, rcx = a, r8 = a_row, r9 = a_column, the others on the stack
// Out     c, packed if not null
// Uses    rax, rcx, rdx, rbx, rsi, rdi, rbp, r8..r15, zmm0..zmm31, k1     Stack  144 bytes
// Loop    a column of A: 14 rows of 16 columns in 28 sums; bound by the 28 multiply-adds (14 or
//         28 cycles)
// Bound   14 cycles for 224 elements on Granite Rapids
// Tail    masks; narrower vectors; reads exactly A, B and, if it accumulates, C
FUNC(hl_matmul_block_f64_avx512)
        block   f64, 3, 8, 4, 2
END(hl_matmul_block_f64_avx512)
