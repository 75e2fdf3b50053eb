// Counts the pairs of points beyond each of several distances and adds up their products: the walk
// over both sets, shared by SSE2, AVX2 and AVX-512.
//
// An including file defines LANES, FRAME and these macros; `edges` is then the body of its
// function:
//
//   constants      loads the constants that stay in registers; rax points to the shift
//   nears          prepares the `at` edges at [r10]; may change `at`, r10 and rax
//   clear_words    zeros the 8 words at `sums`
//   clear          sets sums 0 to 7 to their start
//   empty_four e   adds sums e to e + 3 to the words at `sums`
//   rows_begin     prepares new `rows`; may change rax and `at`
//   others         loads the other points from j on, min(`at`, LANES) of them; may change rax and
//                  `at`
//   points_begin   sets i to the first of the points; `at` is free from then on
//   next_point     sets i to the next, and the zero flag if there is none
//   meet           computes r2 and product of the others and point i
//   beyond e       adds the product to sum e where r2 is not less than the edge
//
// A lane of an edge's sum counts pairs in its upper 5 bits and adds up products, of at most 2^21,
// in the lower bits: 31 pairs fit.

#define MAX_PAIRS        31
#define COUNT_SHIFT 27

#define x           rdi
#define y           rsi
#define psi         rdx
#define n           rcx
#define other_x     r8
#define other_y     r9
#define other_psi   r14
#define m           qword ptr [rbp + 64]
#define at          r13
// LANES other points from j on are paired with the points from `begin` to `end`, `rows` in number.
// The lanes have room for `room` more pairs.
#define i           rax
#define begin       rbx
#define end         r10
#define rows        r11
#define j           r12
#define room        r15

#define sums        rsp
#define here        qword ptr [rsp + 64]
#define done        qword ptr [rsp + 72]
// The stack from rsp + 128 on belongs to the including file.
#define shift       qword ptr [rbp + 72]
#define edges_from  qword ptr [rbp + 80]
#define k           qword ptr [rbp + 88]
#define words       qword ptr [rbp + 96]

        // The other points against the points i, for the first `edges_here` edges.
        .macro points edges_here
        .balign 32
.Lpoint\edges_here:
        meet
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \e < \edges_here
        beyond  \e
        .endif
        .endr
        next_point
        jne     .Lpoint\edges_here
        jmp     .Lnext
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
        xor     begin, begin
        mov     done, begin
        test    n, n
        jz      .Ldone
        cmp     m, 0
        je      .Ldone

        // Up to 8 edges.
.Ledges:
        mov     rax, done
        mov     r10, edges_from
        lea     r10, [r10 + 4*rax]
        mov     at, k
        sub     at, rax
        jz      .Ldone
        mov     eax, 8
        cmp     at, rax
        cmova   at, rax
        mov     here, at
        nears
        clear_words
        clear
        mov     room, MAX_PAIRS

        // Up to 31 points against all others; `begin` starts at zero.
.Lrows:
        lea     end, [begin + MAX_PAIRS]
        cmp     end, n
        cmova   end, n
        mov     rows, end
        sub     rows, begin
        rows_begin
        xor     j, j

        // Empty the sums before they can overflow.
.Lblock:
        cmp     room, rows
        jae     .Lroom
        empty_four 0
        cmp     here, 4
        jbe     .Lempty
        empty_four 4
.Lempty:
        clear
        mov     room, MAX_PAIRS
        cmp     rows, MAX_PAIRS
        ja      .Lwords

.Lroom:
        sub     room, rows
        mov     at, m
        sub     at, j
        others
        points_begin
        .irp    edges_here, 1, 2, 3, 4, 5, 6, 7
        cmp     here, \edges_here
        je      .Lpoint\edges_here
        .endr
        .irp    edges_here, 8, 7, 6, 5, 4, 3, 2, 1
        points  \edges_here
        .endr
.Lnext:
        add     j, LANES
        cmp     j, m
        jb      .Lblock
        mov     begin, end
        cmp     begin, n
        jb      .Lrows

        // Empty the sums for the last time: no room is enough, and `rows` marks the end.
        mov     rows, MAX_PAIRS + 1
        jmp     .Lblock

.Lwords:
        xor     eax, eax
        mov     r10, words
        mov     r11, done
        lea     r10, [r10 + 8*r11]
.Lword:
        mov     r11, [sums + 8*rax]
        add     [r10 + 8*rax], r11
        add     rax, 1
        cmp     rax, here
        jne     .Lword
        add     done, rax
        xor     begin, begin
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
