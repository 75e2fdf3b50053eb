// Blocks of a product in AVX-512; a file says of its type
//
//   SIZE, SHIFT                bytes of an element, and their logarithm
//   ZMM, YMM, XMM              lanes of a vector; VECTOR_SHIFT, the logarithm of those of a zmm
//   ELEMENT                    the memory operand of one
//   LOAD, MOVE                 vmovups or vmovupd; vmovdqu32 or vmovdqu64, which are EVEX, so of one length, in any register
//   BROADCAST, FMA             vbroadcastss or sd, vfmadd231ps or pd
//
// Columns go in slivers, the rows of a sliver in panels, as equal as can be: a panel is a tile of C in registers, of up to 28 rows and
// one vector or 14 and two. Up to 3 rows take wide tiles of up to 28 or 9 vectors, so that enough sums are under way.
//
// The code of each stage of a tile stands once, for the most rows (wide: vectors): a tile of fewer enters it further down. So all rows of
// a stage have the same length in bytes, which `enter` is told. The jump needs no landing pad: its target is computed from a count that is
// in range by construction.

// Row p of the panel, counted from its end, is (p + 1) rows back from a0, the row after the panel; a1 to a4 are 6 rows further back
// each. So no row has the short address of a bare register, and the panel's rows of C pass in ascending order.
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
#define SHORTER rsp + 16                // the last panels, of one row less
#define COLUMNS rsp + 8                 // of the sliver
#define PACK    rsp                     // where the first panel stores B, or 0
#define ARG_B   rsp + 152
#define ARG_B_ROW rsp + 160
#define ARG_PACKED rsp + 168
#define ARG_C   rsp + 176
#define ARG_C_ROW rsp + 184
#define ACCUMULATE rsp + 192

#include "block_tiles_avx512.h"
#include "block_wide_avx512.h"

// k1 = the lowest `number` lanes. Uses rax.
        .macro mask number
        mov     eax, -1
        bzhi    eax, eax, \number
        kmovd   k1, eax
        .endm

// Panels, of at most `most` rows; `reciprocal` is 2^64 / most, rounded up. Uses rax, rcx, rdx, r14.
        .macro split most, reciprocal
        mov     r14, [M]
        mov     ecx, 1
        xor     edx, edx
        cmp     r14, \most
        jbe     .Lsplit_\most

        // Each panel lacks as many rows of the most: for many panels none, which needs no division.
        lea     rax, [r14 + \most - 1]
        movabs  rcx, \reciprocal
        mul     rcx
        mov     rcx, rdx
        imul    rdx, rdx, \most
        sub     rdx, r14
        mov     r14d, \most
        cmp     rdx, rcx
        jb      .Lsplit_\most
        mov     eax, edx
        xor     edx, edx
        div     ecx
        sub     r14, rax
.Lsplit_\most:
        mov     [ROWS], r14
        mov     [PANELS], rcx
        mov     [SHORTER], rdx
        mov     rax, [A]
        mov     [PANEL], rax
        .endm

        .macro block
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
        jz      .Ldone
        mov     r14, [ARG_PACKED]
        mov     [PACK], r14
        test    r14, r14
        jnz     .Lpack
.Lpacked:
        cmp     qword ptr [M], 0
        je      .Ldone

        // How the columns that are left begin: a second vector less than half full is left to a narrower one, unless the rows are few.
.Lsliver:
        mov     rax, [N]
        mov     rcx, [M]
        cmp     rax, ZMM
        jbe     .Lone
        cmp     rcx, 3
        jbe     .Lwide
        cmp     rcx, 8
        jb      .Ltwo
        cmp     rax, ZMM + YMM
        ja      .Ltwo
        mov     eax, ZMM

        // One vector, no wider than needed: narrow ones may run two at a time.
.Lone:
        mov     r10, rax
        mov     [COLUMNS], rax
        mask    r10d
        split   28, 0x924924924924925
        cmp     r10, YMM
        ja      .Lone_zmm
        je      .Lymm
        cmp     r10, XMM
        ja      .Lymm_part
        je      .Lxmm
        jmp     .Lxmm_part
.Lone_zmm:
        cmp     r10, ZMM
        jne     .Lzmm_part
        one     zmm, zmm, ZMM
        one     zmm_part, zmm, ZMM, {k1}, {k1}{z}
        one     ymm, ymm, YMM
        one     ymm_part, ymm, YMM, {k1}, {k1}{z}
        one     xmm, xmm, XMM
        one     xmm_part, xmm, XMM, {k1}, {k1}{z}

        // Two.
.Ltwo:
        mov     r10d, 2*ZMM
        cmp     r10, rax
        cmova   r10, rax
        mov     [COLUMNS], r10
        sub     r10, ZMM
        mask    r10d
        split   14, 0x124924924924924a
        cmp     qword ptr [PACK], 0
        jne     .Ltwo_pack
        cmp     r10, ZMM
        jne     .Ltwo_part
        two     two_full, two_full, begin2
        two     two_pack, two_full, begin2_pack
        two     two_part, two_part, "begin2 {k1}{z}", {k1}, {k1}{z}

        // Few rows. All vectors, or the most in a tile, or half of what is less than two tiles.
.Lwide:
        lea     r14, [rax + ZMM - 1]
        shr     r14, VECTOR_SHIFT
        mov     r10d, 9
        mov     edx, 28
        cmp     rcx, 1
        cmove   r10d, edx
        cmp     r14, r10
        jbe     .Lwidth
        inc     r14
        shr     r14
        cmp     r14, r10
        cmova   r14, r10
.Lwidth:
        mov     r10, r14
        shl     r10, VECTOR_SHIFT
        cmp     r10, rax
        cmova   r10, rax
        mov     [COLUMNS], r10

        // The last vector.
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
        jb      .Lwide_1
        je      .Lwide_2
        wide    3, 18, 23, 25, 8, 7, 6, 5, 4, 3, 2, 1
        wide    2, 12, 15, 19, 8, 7, 6, 5, 4, 3, 2, 1
        wide    1, 6, 7, 13, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1

        // The columns to the right.
.Lnext:
        mov     rax, [COLUMNS]
        sub     [N], rax
        jz      .Ldone
        shl     rax, SHIFT
        add     [B], rax
        add     [C], rax
        mov     c, [C]
        jmp     .Lsliver

        // The first panel of a single full sliver packs B; otherwise it is packed here.
.Lpack:
        cmp     rsi, 2*ZMM
        jne     .Lcopy
        cmp     qword ptr [M], 3
        ja      .Lpacked
.Lcopy:
        mov     qword ptr [PACK], 0
        lea     r10d, [rsi - 1]
        and     r10d, ZMM - 1
        inc     r10d
        mask    r10d
        mov     rax, [B]
        mov     [B], r14
        test    rdx, rdx
        jz      .Lcopied
.Lcopy_row:
        mov     rcx, rsi
        mov     r10, rax
.Lcopy_vector:
        sub     rcx, ZMM
        jbe     .Lcopy_last
        LOAD    zmm0, [r10]
        LOAD    [r14], zmm0
        add     r10, 64
        add     r14, 64
        jmp     .Lcopy_vector
.Lcopy_last:
        MOVE    zmm0{k1}{z}, [r10]
        MOVE    [r14]{k1}, zmm0
        lea     r14, [r14 + SIZE*rcx + 64]
        add     rax, b_row
        dec     rdx
        jnz     .Lcopy_row
.Lcopied:
        mov     b_row, rsi
        shl     b_row, SHIFT
        jmp     .Lpacked

.Ldone:
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
