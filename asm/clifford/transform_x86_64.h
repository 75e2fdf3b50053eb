// Applies the change of basis between blades and matrix entries (forms), and its inverse: signed sums, for
// AVX2 and AVX-512.
//
// A tile is 1, 2 or 4 vectors along the inner dimension, side by side, so that a term is decoded once
// for all of them. Its rows are on the stack: the kept sums, then the blades, PITCH bytes each. The
// last tile begins early enough to be whole. An inner dimension that is shorter than a vector takes
// shorter vectors, or single elements. BYTES is the size of an element, 1 << LOG. The file that
// includes this defines LANES and ROW, the elements and the bytes of its vectors, and for vectors w:
//
//   load_w, store_w          vectors 0..3 = four blades at `part` of one multivector per lane, and
//                            back; vectors 4..7 are overwritten
//   read_pairs, write_pairs  16 bytes of two rows at `row_at` = two blades at `from_at`, and back
//   get w, i, at             vector i; the width `one` is a single element
//   put w, i, at
//   spread w, i, at          vector i = the element in all lanes
//   term w, i, at            adds to vector i the product of the vector and the sign in vector 8
//   choose kernel, name      goes to the code for the algebra and the inner dimension
//   leave_vectors

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

        .macro  enter
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
        .endm

        .macro  leave
        restore_registers
        leave_vectors
        ret
        .endm

// All tiles, of at most `most` vectors w, of 1 << `log_lanes` numbers.
        .macro  tiles kernel, name, w, log_lanes, most
        .set    LOG_LANES, \log_lanes
        xor     place, place
.Lnext_\name\()_\w:
        mov     rax, N
        mov     rcx, rax
        sub     rax, place
        .irp    log, 2, 1
        .if     1 << \log <= \most
        cmp     rax, 1 << (\log + LOG_LANES)
        jae     .Ltile_\name\()_\w\()_\log
        .endif
        .endr
        sub     rcx, 1 << LOG_LANES
        cmp     place, rcx
        cmova   place, rcx
        \kernel \name, \w, 0
        .irp    log, 1, 2
        .if     1 << \log <= \most
        \kernel \name, \w, \log
        .endif
        .endr
        .endm

        .macro  next_tile name, w, log
        add     place, 1 << (\log + LOG_LANES)
        cmp     place, N
        jb      .Lnext_\name\()_\w
        jmp     .Ldone_\name
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

// The vectors of a row of a tile.
        .macro  put_all w, at
        .irp    i, 0, 1, 2, 3
        .if     \i < WIDE
        put     \w, \i, \at + \i*(PITCH/WIDE)
        .endif
        .endr
        .endm

        .macro  add_all w, at
        .irp    i, 0, 1, 2, 3
        .if     \i < WIDE
        term    \w, \i, \at + \i*(PITCH/WIDE)
        .endif
        .endr
        .endm

// The rows of tiles of 1 << `log` vectors.
        .macro  sizes log
        .set    WIDE, 1 << \log
        .set    LOG_PITCH, \log + LOG_LANES + LOG
        .set    PITCH, 1 << LOG_PITCH
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
        \way    \w
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
        \way\()_pairs
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
        \way    number
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

        .macro  move_number into, source
        .if     BYTES == 8
        mov     rcx, [\source]
        mov     [\into], rcx
        .else
        mov     ecx, [\source]
        mov     [\into], ecx
        .endif
        .endm

        .macro  read w
        .ifc    \w, number
        move_number some_at, part
        .else
        load_\w
        .irp    i, 0, 1, 2, 3
        put     \w, \i, some_at + \i*PITCH
        .endr
        .endif
        .endm

        .macro  write w
        .ifc    \w, number
        move_number part, some_at
        .else
        .irp    i, 0, 1, 2, 3
        get     \w, \i, some_at + \i*PITCH
        .endr
        store_\w
        .endif
        .endm

// ROWS = the blades that are read or written together: those of a multivector, or of two of two blades
// each that are adjacent in the outer dimension, where they are `outer` bytes apart.
        .macro  together name, outer, number_kept
        mov     ROWS, rcx
        cmp     ecx, 2
        jne     .Lapart_\name
        cmp     qword ptr \outer, 2 << LOG
        jne     .Lapart_\name
        test    byte ptr M, 1
        jnz     .Lapart_\name
        cmp     qword ptr \number_kept, 0
        jne     .Lapart_\name
        mov     qword ptr ROWS, 4
.Lapart_\name:
        .endm

// The signs of terms, and what a sum with terms and one without begin with.
        .macro  signs name, size
        .balign 8
.Lsigns_\name:
        .\size  1.0, -1.0, -0.0, 0.0
        .endm

#include "transform_tiles_x86_64.h"

        .macro  forms name, log
        .set    LOG, \log
        .set    BYTES, 1 << \log
        enter
        test    rsi, rsi
        jz      .Ldone_\name
        test    rdx, rdx
        jz      .Ldone_\name
        shl     qword ptr F_STRIDE, LOG
        shl     qword ptr F_Y_OUTER, LOG
        shl     qword ptr F_PLANE, LOG
        together \name, X_OUTER, F_KEPT
        choose  forms, \name
.Ldone_\name:
        leave
        .endm

        .macro  blades name, log
        .set    LOG, \log
        .set    BYTES, 1 << \log
        enter
        test    rsi, rsi
        jz      .Ldone_\name
        test    rdx, rdx
        jz      .Ldone_\name
        shl     qword ptr B_PLANE, LOG
        shl     qword ptr B_Y_OUTER, LOG
        shl     qword ptr B_STRIDE, LOG
        together \name, B_Y_OUTER, B_KEPT

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
        choose  blades, \name
.Ldone_\name:
        leave
        .endm
