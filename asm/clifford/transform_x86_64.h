// Applies the change of basis between blades and matrix entries (forms), and its inverse: signed sums, for
// AVX2 and AVX-512.
//
// A tile is 1, 2 or 4 vectors along the inner dimension, side by side, so that a term is decoded once
// for all of them. Its rows are on the stack: the kept sums, then the blades, PITCH bytes each. The
// last tile begins early enough to be whole. An inner dimension that is shorter than a vector takes
// shorter vectors, or single elements. BYTES is the size of an element, 1 << LOG. The file that
// includes this defines ROW, the bytes of its vectors, LOG_WIDEST, the elements in them as a power of 2,
// WIDTHS, the names of shorter and shorter vectors, and for vectors w:
//
//   load w, store w      vectors 0..3 = four blades at `part` of one multivector per lane, and
//                        back; vectors 4..7 are overwritten

#include "frame_x86_64.h"

#define part    rax
#define upper   rcx
#define stride  r10
#define three   r11
#define place   r14
#define x_at    r8
#define y_at    r9
#define plane   r12

// Moving blades: the multivectors, the rows, and what is left of them.
#define from_at rsi
#define row_at  rdi
#define some_at rdx
#define count   rbx
#define lanes_32 r15d

// Sums: the next term, the end of those of the sum, the ends of the next sums, where the sum goes.
#define term_at rsi
#define terms_end r15
#define terms_end_32 r15d
#define ends_at rdx
#define target  rdi
#define sums_left rbx
#define factors r11

// The frame: copies of arguments, then rows. Arguments on the stack are scaled to bytes in place.
#define M       [rbp-48]
#define N       [rbp-56]
#define BLADES  [rbp-64]
#define ROWS    [rbp-72]
#define X       [rbp-80]
#define X_OUTER [rbp-88]
#define LEFT    [rbp-96]
#define START   [rbp-104]
#define ADVANCE [rbp-112]
#define STEP    [rbp-120]
#define LAST    [rbp-128]
#define TILE    [rbp-136]
#define END_AT  [rbp-144]
#define PLACE   [rbp-152]
#define X_AT    [rbp-160]
#define Y_AT    [rbp-168]
#define FRAME   (32*4*ROW + 128)

// result = base + i numbers.
        .macro  index result, base, i
        .if     BYTES == 8
        lea     \result, [\base + 8*\i]
        .else
        lea     \result, [\base + 4*\i]
        .endif
        .endm

// Vector i and memory; the width `one` is a single element.
        .macro  get w, i, at
        .ifnc   \w, one
        vmovups \w\i, [\at]
        .elseif BYTES == 8
        vmovsd  xmm\i, [\at]
        .else
        vmovss  xmm\i, [\at]
        .endif
        .endm

        .macro  put w, i, at
        .ifnc   \w, one
        vmovups [\at], \w\i
        .elseif BYTES == 8
        vmovsd  [\at], xmm\i
        .else
        vmovss  [\at], xmm\i
        .endif
        .endm

// Vector i = an element in all lanes.
        .macro  spread w, i, at
        .ifc    \w, one
        get     one, \i, \at
        .elseif BYTES == 4
        vbroadcastss \w\i, [\at]
        .else
        .ifc    \w, xmm
        vmovddup xmm\i, [\at]
        .else
        vbroadcastsd \w\i, [\at]
        .endif
        .endif
        .endm

// Adds to vector i the product of a vector and the sign in vector 8, which is exact. QEMU 7.2 reads a whole
// vector for the operand in memory of a scalar instruction that fuses.
        .macro  term w, i, at
        .ifc    \w, one
        get     one, 9, \at
        .if     BYTES == 8
        vfmadd231sd xmm\i, xmm8, xmm9
        .else
        vfmadd231ss xmm\i, xmm8, xmm9
        .endif
        .elseif BYTES == 8
        vfmadd231pd \w\i, \w\()8, [\at]
        .else
        vfmadd231ps \w\i, \w\()8, [\at]
        .endif
        .endm

// The vectors of a sum begin as -0, to which any number can be added, or as +0 if it has no terms.
        .macro  begin w
        lea     rcx, [factors + 2*BYTES]
        lea     rax, [factors + 3*BYTES]
        cmp     term_at, terms_end
        cmove   rcx, rax
        spread  \w, 0, rcx
        .irp    i, 1, 2, 3
        .if     \i < WIDE
        spread  \w, \i, rcx
        .endif
        .endr
        .endm

// Reads or writes the blades of the multivectors of a tile at `from_at`, with rows from `row_at` on.
        .macro  move_blades way, name, w, log
        lea     three, [stride + 2*stride]
        .if     LOG_LANES > 0
        cmp     byte ptr ROWS, 2
        jb      .Lfew_\name\()_\w\()_\log
        je      .Lpairs_\name\()_\w\()_\log
        mov     lanes_32, WIDE
.Lvector_\name\()_\w\()_\log:
        mov     part, from_at
        mov     some_at, row_at
        mov     count, ROWS
.Lfour_\name\()_\w\()_\log:
        .ifc    \way, read
        load    \w
        .irp    i, 0, 1, 2, 3
        put     \w, \i, some_at + \i*PITCH
        .endr
        .else
        .irp    i, 0, 1, 2, 3
        get     \w, \i, some_at + \i*PITCH
        .endr
        store   \w
        .endif
        add     part, 4*BYTES
        add     some_at, 4*PITCH
        sub     count, 4
        jnz     .Lfour_\name\()_\w\()_\log
        mov     some_at, stride
        shl     some_at, LOG_LANES
        add     from_at, some_at
        add     row_at, PITCH/WIDE
        sub     lanes_32, 1
        jnz     .Lvector_\name\()_\w\()_\log
        jmp     .Lmoved_\name\()_\w\()_\log

        // Two blades of 16 bytes of multivectors.
.Lpairs_\name\()_\w\()_\log:
        mov     lanes_32, PITCH/16
        mov     some_at, stride
        shl     some_at, 4 - LOG
.Lpair_\name\()_\w\()_\log:
        .ifc    \way, read
        .if     BYTES == 4
        vmovsd  xmm0, [from_at]
        vmovhps xmm0, xmm0, [from_at + stride]
        vmovsd  xmm1, [from_at + 2*stride]
        vmovhps xmm1, xmm1, [from_at + three]
        vshufps xmm2, xmm0, xmm1, 0b10001000
        vshufps xmm3, xmm0, xmm1, 0b11011101
        .else
        vmovupd xmm0, [from_at]
        vmovupd xmm1, [from_at + stride]
        vunpcklpd xmm2, xmm0, xmm1
        vunpckhpd xmm3, xmm0, xmm1
        .endif
        vmovaps [row_at], xmm2
        vmovaps [row_at + PITCH], xmm3
        .else
        vmovaps xmm0, [row_at]
        vmovaps xmm1, [row_at + PITCH]
        vunpcklpd xmm2, xmm0, xmm1
        vunpckhpd xmm3, xmm0, xmm1
        vmovupd [from_at], xmm2
        vmovupd [from_at + stride], xmm3
        .endif
        add     from_at, some_at
        add     row_at, 16
        sub     lanes_32, 1
        jnz     .Lpair_\name\()_\w\()_\log
        jmp     .Lmoved_\name\()_\w\()_\log
        .endif

        // One number at a time.
.Lfew_\name\()_\w\()_\log:
        mov     lanes_32, PITCH/BYTES
.Llane_\name\()_\w\()_\log:
        mov     part, from_at
        mov     some_at, row_at
        mov     count, ROWS
.Lnumber_\name\()_\w\()_\log:
        .ifc    \way, read
        .if     BYTES == 8
        mov     rcx, [part]
        mov     [some_at], rcx
        .else
        mov     ecx, [part]
        mov     [some_at], ecx
        .endif
        .else
        .if     BYTES == 8
        mov     rcx, [some_at]
        mov     [part], rcx
        .else
        mov     ecx, [some_at]
        mov     [part], ecx
        .endif
        .endif
        add     part, BYTES
        add     some_at, PITCH
        sub     count, 1
        jnz     .Lnumber_\name\()_\w\()_\log
        add     from_at, stride
        add     row_at, BYTES
        sub     lanes_32, 1
        jnz     .Llane_\name\()_\w\()_\log
.Lmoved_\name\()_\w\()_\log:
        .endm

// The signs of terms, and what a sum with terms and one without begin with.
        .macro  signs name, size
        .balign 8
.Lsigns_\name:
        .\size  1.0, -1.0, -0.0, 0.0
        .endm

#include "transform_tiles_x86_64.h"
#include "transform_forms_vex.h"
#include "transform_blades_vex.h"

// The kernels: `forms` or `blades`, of elements of 1 << `log` bytes.
        .macro  transform kernel, name, log
        .set    LOG, \log
        .set    BYTES, 1 << \log
        save_registers
        lea     rsp, [rsp - FRAME]
        and     rsp, -64
        .irp    page, 1, 2              // touches each page; rsp moved by up to 63 bytes more
        .if     FRAME > 4032*\page
        mov     [rsp + FRAME - 4032*\page], rsp
        .endif
        .endr
        mov     M, rsi
        mov     N, rdx
        mov     BLADES, rcx
        mov     X, r8
        shl     r9, LOG
        mov     X_OUTER, r9
        test    rsi, rsi
        jz      .Ldone_\name
        test    rdx, rdx
        jz      .Ldone_\name
        .ifc    \kernel, forms
        shl     qword ptr F_STRIDE, LOG
        shl     qword ptr F_Y_OUTER, LOG
        shl     qword ptr F_PLANE, LOG
        .else
        shl     qword ptr B_PLANE, LOG
        shl     qword ptr B_Y_OUTER, LOG
        shl     qword ptr B_STRIDE, LOG
        .endif

        // ROWS = the blades that are read or written together: those of a multivector, or of two multivectors of two
        // blades each that are adjacent in the outer dimension.
        mov     ROWS, rcx
        cmp     ecx, 2
        jne     .Lapart_\name
        .ifc    \kernel, forms
        cmp     qword ptr X_OUTER, 2 << LOG
        .else
        cmp     qword ptr B_Y_OUTER, 2 << LOG
        .endif
        jne     .Lapart_\name
        test    byte ptr M, 1
        jnz     .Lapart_\name
        .ifc    \kernel, forms
        cmp     qword ptr F_KEPT, 0
        .else
        cmp     qword ptr B_KEPT, 0
        .endif
        jne     .Lapart_\name
        mov     qword ptr ROWS, 4
.Lapart_\name:
        .ifc    \kernel, blades

        // The distances of the starts of multivectors and of blades. Without starts nothing moves.
        mov     eax, BYTES
        xor     ecx, ecx
        cmp     qword ptr B_START, rcx
        jne     .Lstarted_\name
        mov     B_INNER, ecx
        mov     eax, ecx
.Lstarted_\name:
        cmp     dword ptr B_INNER, ecx
        cmovne  rax, rcx
        cmovne  rsi, rdx
        shl     rsi, LOG
        mov     ADVANCE, rax
        mov     STEP, rsi
        .endif

        // Vectors of each width that is not longer than the inner dimension. AVX-512 leaves short ones to AVX2.
        .irp    w, WIDTHS
        .set    LOG_LANES, LOG_WIDEST
        .ifc    \w, xmm
        .set    LOG_LANES, 4 - LOG
        .endif
        .ifc    \w, one
        .set    LOG_LANES, 0
        .endif
        .set    WIDTH, BYTES << LOG_LANES
        .ifnc   \w, one
        .if     ROW == 32
        cmp     rdx, 1 << LOG_LANES
        jb      .Lshorter_\name\()_\w
        .endif

        // The straight code of an algebra.
        .irp    a, 1, 2, 3, 4, 5, 6, 7
        cmp     rdi, \a
        .if     \a == 7
        jne     .Lany_\name\()_\w
        cmp     byte ptr ROWS, 4
        .endif
        je      .Lstraight_\name\()_\w\a
        .endr
.Lany_\name\()_\w:
        .endif

        // The tiles of any algebra, of 1 << i vectors. More than one are of the widest.
        xor     place, place
.Lnext_\name\()_\w:
        mov     rax, N
        mov     rcx, rax
        sub     rax, place
        .irp    i, 2, 1
        .if     LOG_LANES == LOG_WIDEST
        cmp     rax, 1 << (\i + LOG_LANES)
        jae     .Ltile_\name\()_\w\i
        .endif
        .endr
        sub     rcx, 1 << LOG_LANES
        cmp     place, rcx
        cmova   place, rcx
        .irp    i, 0, 1, 2
        .if     \i == 0 || LOG_LANES == LOG_WIDEST
        \kernel\()_tile \name, \w, \i
        .endif
        .endr
        .ifnc   \w, one
        .ifc    \kernel, forms
        forms_of \name, \w, 1, 4
        forms_of \name, \w, 2, 4
        forms_of \name, \w, 3, 8
        forms_of \name, \w, 4, 8
        forms_of \name, \w, 5, 16
        forms_of \name, \w, 6, 16
        forms_of \name, \w, 7, 4
        .else
        blades_of \name, \w, 1, 4, 4
        blades_of \name, \w, 2, 4, 4
        blades_of \name, \w, 3, 8, 12
        blades_of \name, \w, 4, 8, 8
        blades_of \name, \w, 5, 16, 24, X_AT, Y_AT, START, LEFT
        blades_of \name, \w, 6, 16, 32, X_AT, Y_AT, START, LEFT
        blades_of \name, \w, 7, 4, 3
        .endif
.Lshorter_\name\()_\w:
        .endif
        .endr
.Ldone_\name:
        restore_registers
        vzeroupper
        ret
        .endm
