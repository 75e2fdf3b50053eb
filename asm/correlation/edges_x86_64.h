// Counts the pairs of points beyond each of several distances and adds up their products: the walk
// over both sets, shared by SSE2, AVX2 and AVX-512.
//
// A product of orientations is a sum over the points of one set: the others stay in lanes, and the
// orientations of up to 16 points are added up in each lane. Their parts are split into 128 times a
// high number and a low one below 128. Of two sums of an edge, `low` counts the points above the
// real low numbers, and `high` starts at 2^15, so that its lower half borrows nothing from its upper
// half.
//
// An including file defines BYTES, the bytes of a vector; GROUP, the number of edges at once; ROOM,
// the number of vectors of others whose products, of at most 2^26 a lane, fit into a sum of 32 bits; OWN, the
// bytes of the 16 points at `own`; and these macros. `edges` is then the body of its function:
//
//   constants      loads the constants that stay in registers; rax points to the shift
//   near_edge      broadcasts max(bits of the edge at rax, 0) - 1 to [at]
//   zero to        stores a vector of zeros
//   clear          sets the sums of all edges to their start
//   own_points     prepares `rows` points at [own]; may change rax, r11 and `at`
//   others         loads the other points from j on, min(`at`, LANES) of them; may change rax and
//                  `at`
//   meet           computes r2 of the others and point i, counted from 0
//   beyond e       adds the orientation of point i to the sums of edge e where r2 is not less than it
//   empty e        adds the points and the products of edge e to its three totals, or, if there is
//                  room for one vector, stores them
//   quad from, to  adds the lanes of four vectors at `from`, and stores the four numbers
//
// Squared distances are compared by their bits, since the bits of non-negative floats have the
// order of the floats. A lane whose x has all bits set is a NaN, and its r2 too: as an integer, it
// is -1 and beyond no edge.

#define LANES       (BYTES / 4)
#define MAX_POINTS  16

#define x           rdi
#define y           rsi
#define psi         rdx
#define n           rcx
#define other_x     r8
#define other_y     r9
#define other_psi   r14
#define m           qword ptr [rbp + 64]
#define at          r13
// LANES other points from j on are paired with `rows` points. The totals have room for the products
// of `room` more vectors.
#define i           rax
#define begin       rbx
#define rows        r10
#define j           r12
#define room        r15

// For each edge the number of points in units of 2^11, and the sums of the low and of the high
// products.
#define totals      rsp
#define near        rsp + 3*GROUP*BYTES
#define numbers     rsp + 4*GROUP*BYTES
#define here        qword ptr [rsp + 4*GROUP*BYTES + 12*GROUP]
#define done        qword ptr [rsp + 4*GROUP*BYTES + 12*GROUP + 8]
#define last        rsp + 4*GROUP*BYTES + 16*GROUP
#define own         rsp + 4*GROUP*BYTES + 16*GROUP + 4*BYTES
#define FRAME       (4*GROUP*BYTES + 16*GROUP + 4*BYTES + OWN)
#define shift       qword ptr [rbp + 72]
#define edges_from  qword ptr [rbp + 80]
#define k           qword ptr [rbp + 88]
#define words       qword ptr [rbp + 96]

        // Zeros the totals of the edges here; changes rax and r11. `where` is a part of a label. Totals with
        // room for one vector are overwritten instead.
        .macro clear_totals where
        .if     ROOM > 1
        mov     rax, here
        lea     r11, [totals]
.Lzero_\where:
        zero    [r11]
        zero    [r11 + BYTES]
        zero    [r11 + 2*BYTES]
        add     r11, 3*BYTES
        sub     rax, 1
        jnz     .Lzero_\where
        .endif
        .endm

        // The other points against the points i, for the first `edges_here` edges.
        .macro points edges_here
        .if     \edges_here <= GROUP
        .balign 32
.Lpoint\edges_here:
        meet
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \e < \edges_here
        beyond  \e
        .endif
        .endr
        add     i, 1
        cmp     i, rows
        jne     .Lpoint\edges_here
        jmp     .Lnext
        .endif
        .endm

        .macro edges finish:vararg
        .irp    register, rbp, rbx, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        and     rsp, -64
        lea     rsp, [rsp - FRAME]
        mov     other_psi, [rbp + 56]
        mov     rax, shift
        constants
        xor     eax, eax
        mov     done, rax
        test    n, n
        jz      .Ldone
        cmp     m, 0
        je      .Ldone

        // Up to GROUP edges.
.Ledges:
        mov     rax, done
        mov     r11, edges_from
        mov     r10, k
        sub     r10, rax
        jz      .Ldone
        lea     rax, [r11 + 4*rax]
        mov     r11d, GROUP
        cmp     r10, r11
        cmova   r10, r11
        mov     here, r10
        lea     at, [near]
.Lnear:
        near_edge
        add     rax, 4
        add     at, BYTES
        sub     r10, 1
        jnz     .Lnear
        clear_totals first
        mov     room, ROOM
        xor     begin, begin

        // Up to 16 points against all others.
.Lrows:
        mov     rows, n
        sub     rows, begin
        mov     eax, MAX_POINTS
        cmp     rows, rax
        cmova   rows, rax
        own_points
        xor     j, j
.Lothers:
        mov     at, m
        sub     at, j
        others
        clear
        xor     eax, eax
        .irp    edges_here, 1, 2, 3, 4, 5, 6, 7
        .if     \edges_here < GROUP
        cmp     here, \edges_here
        je      .Lpoint\edges_here
        .endif
        .endr
        .irp    edges_here, 8, 7, 6, 5, 4, 3, 2, 1
        points  \edges_here
        .endr

.Lnext:
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \e < GROUP
        .if     \e
        cmp     here, \e
        je      .Lempty
        .endif
        empty   \e
        .endif
        .endr
.Lempty:
        sub     room, 1
        jz      .Ltotals
.Lroom:
        add     j, LANES
        cmp     j, m
        jb      .Lothers
        lea     x, [x + 4*rows]
        lea     y, [y + 4*rows]
        lea     psi, [psi + 4*rows]
        add     begin, rows
        cmp     begin, n
        jb      .Lrows
        shl     begin, 2
        sub     x, begin
        sub     y, begin
        sub     psi, begin
        mov     rax, here
        cmp     room, ROOM
        je      .Lgroup
        xor     rows, rows

        // Adds the totals to the words. After the last of the points, `rows` is 0.
.Ltotals:
        .irp    four, 0, 1, 2, 3, 4, 5
        .if     4*\four < 3*GROUP
        .if     \four
        cmp     here, 4*\four / 3
        jbe     .Lsums
        .endif
        quad    totals + 4*BYTES*\four, numbers + 16*\four
        .endif
        .endr
.Lsums:
        xor     eax, eax
        mov     room, words
        mov     at, done
        lea     room, [room + 8*at]
        lea     at, [numbers]
.Lword:
        mov     r11d, [at]
        shl     r11, 36
        add     [room + 8*rax], r11
        movsxd  r11, dword ptr [at + 4]
        add     [room + 8*rax], r11
        movsxd  r11, dword ptr [at + 8]
        shl     r11, 7
        add     [room + 8*rax], r11
        add     at, 12
        add     rax, 1
        cmp     rax, here
        jne     .Lword
        test    rows, rows
        jz      .Lgroup
        clear_totals again
        mov     room, ROOM
        jmp     .Lroom
.Lgroup:
        add     done, rax
        jmp     .Ledges

.Ldone:
        lea     rsp, [rbp]
        .cfi_def_cfa_register rsp
        .irp    register, r15, r14, r13, r12, rbx, rbp
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        \finish
        ret
        .endm
