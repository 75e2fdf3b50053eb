// Counts the pairs of points beyond each of several distances: the walk over both sets, shared by
// SSE2, AVX2 and AVX-512.
//
// An including file defines BYTES, the bytes of a vector; the registers xj and yj; and these
// macros; `counts` is then the body of its function:
//
//   constants      loads the constants that stay in registers; rax points to the shift
//   near_edge      broadcasts max(bits of the edge at rax, 0) - 1 to [rbx]
//   clear          zeros sums 0 to 7
//   load to, from  loads a vector
//   store to, from stores one, aligned
//   mark from      sets all bits of xj where the vector at `from` has them set
//   meet           computes r2 of the others and point i
//   beyond e       adds 1 to sum e where r2 is not less than the edge
//   total e        adds the lanes of sum e; result in eax, rax is zero-extended
//
// Squared distances are compared by their bits, since the bits of non-negative floats have the
// order of the floats. A lane whose x has all bits set is a NaN, and its r2 too: as an integer, it
// is -1 and beyond no edge. The number of pairs fits in 32 bits, and so does any sum of lanes.

#define LANES       (BYTES / 4)
#define x           rdi
#define y           rsi
#define n           rdx
#define other_x     rcx
#define other_y     r8
#define m           r9
#define i           r10
#define j           r11
#define here        r12
#define done        r13
#define arg_shift   [rbp + 40]
#define arg_edges   [rbp + 48]
#define arg_k       [rbp + 56]
#define arg_words   [rbp + 64]

// The edges, each in all lanes, and a padded copy of fewer than LANES others.
#define near        rsp
#define rest_x      rsp + 8*BYTES
#define rest_y      rsp + 9*BYTES
#define FRAME       (10*BYTES)

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
        add     i, 1
        jnz     .Lpoint\edges_here
        jmp     .Lnext
        .endm

        .macro counts finish:vararg
        .irp    register, rbp, rbx, r12, r13
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        and     rsp, -64
        lea     rsp, [rsp - FRAME]
        mov     rax, arg_shift
        constants
        xor     done, done
        test    n, n
        jz      .Ldone
        test    m, m
        jz      .Ldone
        // The index of a point runs from -n to 0.
        lea     x, [x + 4*n]
        lea     y, [y + 4*n]
        neg     n

        // Up to 8 edges.
.Ledges:
        mov     rax, arg_edges
        lea     rax, [rax + 4*done]
        mov     rbx, arg_k
        sub     rbx, done
        jz      .Ldone
        mov     here, 8
        cmp     rbx, here
        cmovb   here, rbx
        mov     rbx, rsp
        mov     j, here
.Lnear:
        near_edge
        add     rax, 4
        add     rbx, BYTES
        sub     j, 1
        jnz     .Lnear
        clear

        // A vector of others from j on, j starting at 0.
.Lothers:
        mov     rax, m
        sub     rax, j
        cmp     rax, LANES
        jb      .Lrest
        load    xj, [other_x + 4*j]
        load    yj, [other_y + 4*j]
.Lloaded:
        mov     i, n
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
        jb      .Lothers

        // Add the sums to their words.
        mov     rbx, arg_words
        lea     rbx, [rbx + 8*done]
        add     done, here
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        total   \e
        add     [rbx + 8*\e], rax
        .if     \e < 7
        sub     here, 1
        jz      .Ledges
        .endif
        .endr
        jmp     .Ledges

        // The last `rax` others: with the ones before them, if there are enough, marked as done.
.Lrest:
        cmp     m, LANES
        jb      .Lfew
        load    xj, [other_x + 4*m - BYTES]
        load    yj, [other_y + 4*m - BYTES]
        lea     rbx, [rip + .Lmarks]
        mark    [rbx + 4*rax]
        jmp     .Lloaded

        // Fewer than a vector in all: a padded copy.
.Lfew:
        lea     rbx, [rip + .Lmarks]
        load    xj, [rbx]
        store   [rest_x], xj
        store   [rest_y], xj
.Lcopy:
        mov     ebx, [other_x + 4*rax - 4]
        mov     [rest_x + 4*rax - 4], ebx
        mov     ebx, [other_y + 4*rax - 4]
        mov     [rest_y + 4*rax - 4], ebx
        sub     eax, 1
        jnz     .Lcopy
        load    xj, [rest_x]
        load    yj, [rest_y]
        jmp     .Lloaded

.Ldone:
        lea     rsp, [rbp]
        .cfi_def_cfa_register rsp
        .irp    register, r13, r12, rbx, rbp
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        \finish
        ret
        .endm

        .macro tables
        .balign 64
.Lmarks:                                // all bits set in a vector, none in the next
        .fill   LANES, 4, -1
        .fill   LANES, 4, 0
        .endm
