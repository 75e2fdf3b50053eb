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
// bytes of the 16 points at `own`; and the registers. The low sum of edge e is in register e, its high sum
// in register e + GROUP. `edges` is then the body of its function.
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

#include "edges_steps_x86_64.h"

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
        .if     BYTES == 16
        spread  xmm0, rax
        spread  xmm1, rax + 4
        movdqa  [own + 1024], xmm0
        movdqa  [own + 1040], xmm1
        .elseif BYTES == 32
        vbroadcastss shift_x, [rax]
        vbroadcastss free, [rax + 4]
        vmovaps shift_y, free
        .else
        vbroadcastss shift_x, [rax]
        vbroadcastss shift_y, [rax + 4]
        vpbroadcastd start, [rip + .Lstart]
        .endif
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

        // max(bits of the edge, 0) - 1 in all lanes.
        lea     at, [near]
.Lnear:
        .if     BYTES == 16
        spread  xmm0, rax
        movdqa  xmm1, xmm0
        psrad   xmm1, 31
        pandn   xmm1, xmm0
        pcmpeqd xmm0, xmm0
        paddd   xmm1, xmm0
        movdqa  [at], xmm1
        .elseif BYTES == 32
        vpbroadcastd ymm0, [rax]
        vpxor   xmm1, xmm1, xmm1
        vpmaxsd ymm0, ymm0, ymm1
        vpcmpeqd ymm1, ymm1, ymm1
        vpaddd  ymm0, ymm0, ymm1
        vmovdqa [at], ymm0
        .else
        vpbroadcastd zmm0, [rax]
        vpxor   xmm1, xmm1, xmm1
        vpmaxsd zmm0, zmm0, zmm1
        vpternlogd zmm1, zmm1, zmm1, 0xff
        vpaddd  zmm0, zmm0, zmm1
        vmovdqa32 [at], zmm0
        .endif
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

        // The sums of all edges start.
        .if     BYTES == 16
        movdqa  xmm4, [rip + .Lstart]
        .elseif BYTES == 32
        vmovdqa ymm4, [rip + .Lstart]
        .endif
        .irp    sum, 0, 1, 2, 3
        .if     BYTES == 16
        pxor    xmm\sum, xmm\sum
        .else
        vpxor   xmm\sum, xmm\sum, xmm\sum
        .endif
        .endr
        .if     BYTES == 64
        .irp    sum, 4, 5, 6, 7
        vpxor   xmm\sum, xmm\sum, xmm\sum
        .endr
        .irp    sum, 8, 9, 10, 11, 12, 13, 14, 15
        vmovdqa32 zmm\sum, start
        .endr
        .else
        .irp    sum, 5, 6, 7
        .if     BYTES == 16
        movdqa  xmm\sum, xmm4
        .else
        vmovdqa ymm\sum, ymm4
        .endif
        .endr
        .endif
        xor     eax, eax
        .irp    edges_here, 1, 2, 3, 4, 5, 6, 7
        .if     \edges_here < GROUP
        cmp     here, \edges_here
        je      .Lpoint\edges_here
        .endif
        .endr

        // The other points against the points i, for the first `edges_here` edges: r2, counted from 0.
        .irp    edges_here, 8, 7, 6, 5, 4, 3, 2, 1
        .if     \edges_here <= GROUP
        .balign 32
.Lpoint\edges_here:
        .if     BYTES == 16
        // Differences have the opposite sign, which squaring removes.
        movaps  r2, [at]
        movaps  free, [at + 16]
        movdqa  low, [at + 32]
        movdqa  high, [at + 48]
        add     at, 64
        subps   r2, xj
        subps   free, yj
        subps   r2, [own + 1024]
        subps   free, [own + 1040]
        mulps   r2, r2
        mulps   free, free
        addps   r2, free
        .else
        vbroadcastss r2, [x + 4*i]
        vbroadcastss free, [y + 4*i]
        vpbroadcastd low, [own + 4*i]
        vpbroadcastd high, [own + 64 + 4*i]
        vsubps  r2, xj, r2
        vsubps  free, yj, free
        vaddps  r2, r2, shift_x
        vaddps  free, free, shift_y
        vmulps  r2, r2, r2
        vmulps  free, free, free
        vaddps  r2, r2, free
        .endif
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \e < \edges_here
        .altmacro
        beyond  \e, %(\e + GROUP)
        .noaltmacro
        .endif
        .endr
        add     i, 1
        cmp     i, rows
        jne     .Lpoint\edges_here
        jmp     .Lnext
        .endif
        .endr

.Lnext:
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \e < GROUP
        .if     \e
        cmp     here, \e
        je      .Lempty
        .endif
        .altmacro
        empty   \e, %(\e + GROUP)
        .noaltmacro
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
        .if     BYTES == 16
        movdqa  xmm0, [totals + 4*BYTES*\four]
        movdqa  xmm1, [totals + 4*BYTES*\four + 16]
        movdqa  xmm2, [totals + 4*BYTES*\four + 32]
        movdqa  xmm3, [totals + 4*BYTES*\four + 48]
        movdqa  xmm4, xmm0
        movdqa  xmm5, xmm2
        punpckldq xmm0, xmm1
        punpckhdq xmm4, xmm1
        punpckldq xmm2, xmm3
        punpckhdq xmm5, xmm3
        paddd   xmm0, xmm4
        paddd   xmm2, xmm5
        movdqa  xmm1, xmm0
        punpcklqdq xmm0, xmm2
        punpckhqdq xmm1, xmm2
        paddd   xmm0, xmm1
        movdqa  [numbers + 16*\four], xmm0
        .elseif BYTES == 32
        vmovdqa ymm0, [totals + 4*BYTES*\four]
        vmovdqa ymm1, [totals + 4*BYTES*\four + 64]
        vphaddd ymm0, ymm0, [totals + 4*BYTES*\four + 32]
        vphaddd ymm1, ymm1, [totals + 4*BYTES*\four + 96]
        vphaddd ymm0, ymm0, ymm1
        vextracti128 xmm1, ymm0, 1
        vpaddd  xmm0, xmm0, xmm1
        vmovdqa [numbers + 16*\four], xmm0
        .else
        .irp    vector, 0, 1, 2, 3
        vmovdqa ymm\vector, [totals + 4*BYTES*\four + 64*\vector]
        vpaddd  ymm\vector, ymm\vector, [totals + 4*BYTES*\four + 64*\vector + 32]
        .endr
        vphaddd ymm0, ymm0, ymm1
        vphaddd ymm2, ymm2, ymm3
        vphaddd ymm0, ymm0, ymm2
        vextracti128 xmm1, ymm0, 1
        vpaddd  xmm0, xmm0, xmm1
        vmovdqa [numbers + 16*\four], xmm0
        .endif
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
