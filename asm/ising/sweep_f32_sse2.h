// The gather sweep with SSE2, but for the acceptance.
//
// A file includes this one, defines `weigh` (replaces v in the `sum` of each column by what the random numbers are compared
// with) and `accept` (from there to the mask t, for column c), in both of which J, t, u and xmm9, xmm14, xmm15 are free, and
// writes `sweep` as the body of its function.
//
// The columns of a row go through each step together: a register is taken when an instruction is issued, and
// what waits long for its operands holds too many.

#define spins       rdi
#define index       rsi
#define last        rdx
#define below       rcx
#define above       r8
#define links       r9
#define random      r10
#define left        r11d

// Column c of a row.
#define sum         xmm\c
#define flips       xmm1\c

#define J           xmm4
#define t           xmm5
#define u           xmm6
#define space       xmm7
#define tau         xmm8

        .macro each statement:vararg
        .irp    c, 0, 1, 2, 3
        \statement
        .endr
        .endm

        // An instruction with an operand in memory, which must be aligned.
        .macro with instruction, register, address:vararg
        .if     aligned
        \instruction \register, \address
        .else
        movups  u, \address
        \instruction \register, u
        .endif
        .endm

        .macro couple at
        mov     eax, [links + \at]
        movss   J, dword ptr [links + \at + 4]
        shufps  J, J, 0
        each    add_product \c
        .endm

        .macro add_product c
        movaps  t, J
        with    mulps, t, [spins + rax + 16 * \c]
        addps   sum, t
        .endm

        .macro add_tau c
        movups  t, [below + index + 16 * \c]
        with    addps, t, [above + index + 16 * \c]
        mulps   t, tau
        mulps   sum, space
        addps   sum, t
        .endm

        // Less than `sum`, the probability times 2^24.
        .macro metropolis c
        movups  t, [random + index + 16 * \c]
        psrld   t, 8
        cvtdq2ps t, t
        cmpltps t, sum
        .endm

        // x, an odd number below 2^24, in t; 2^24 - x in u.
        .macro odds c
        movups  t, [random + index + 16 * \c]
        psrld   t, 8
        por     t, [rip + .Llowest_bit]
        cvtdq2ps t, t
        movaps  u, [rip + .Lrange]
        subps   u, t
        .endm

        // `sum` becomes 2^sum: s ((f + a) f + b)^2 ((f + c) f + d)^2 times the power of two at the nearest integer; f is the rest.
        .macro exp2 c
        cvtps2dq u, sum
        cvtdq2ps t, u
        subps   sum, t
        movaps  t, sum
        addps   t, [rip + .La]
        mulps   t, sum
        addps   t, [rip + .Lb]
        movaps  J, sum
        addps   J, [rip + .Lc]
        mulps   sum, J
        addps   sum, [rip + .Ld]
        mulps   sum, t
        mulps   sum, sum
        mulps   sum, [rip + .Ls]
        pslld   u, 23
        paddd   sum, u
        .endm

        // Four times a value of 32 bits.
        .macro four name, value
\name:
        .rept   4
        .long   \value
        .endr
        .endm

        .macro decide c
        accept  \c
        psubd   flips, t
        pslld   t, 31
        with    xorps, t, [spins + index + 16 * \c]
        movups  [spins + index + 16 * \c], t
        .endm

        .macro sites name
        .balign 32
.Lsite_\name:
        mov     left, [links]
        movss   xmm0, dword ptr [links + 4]
        shufps  xmm0, xmm0, 0
        movaps  xmm1, xmm0
        movaps  xmm2, xmm0
        movaps  xmm3, xmm0
        add     links, 8
        sub     left, 4
        jb      .Lfew_\name
.Lfour_\name:
        .irp    at, 0, 8, 16, 24
        couple  \at
        .endr
        add     links, 32
        sub     left, 4
        jae     .Lfour_\name
.Lfew_\name:
        add     left, 4
        jz      .Lvisit_\name
.Lone_\name:
        couple  0
        add     links, 8
        dec     left
        jnz     .Lone_\name
.Lvisit_\name:
        each    add_tau \c
        each    with mulps, sum, [spins + index + 16 * \c]
        weigh
        each    decide \c
        cmp     index, last
        je      .Ldone
        add     index, 64
        jmp     .Lsite_\name
        .endm

        .macro sweep
        mov     random, [rsp + 8]
        mov     rax, [rsp + 16]
        test    rdx, rdx
        jz      .Lnone

        // `index` is the offset of a row in its group, for all arrays.
        shl     rsi, 6
        shl     rdx, 6
        sub     below, index
        sub     above, index
        sub     random, index
        lea     last, [index + rdx - 64]

        // tau is cut at 2^126: its product with -2, 0 or 2 is exact, and variants may fuse it.
        movss   space, dword ptr [rip + .Lfactor]
        mulss   xmm0, space
        mulss   xmm1, space
        movss   t, dword ptr [rip + .Llargest]
        minss   t, xmm1
        movss   tau, dword ptr [rip + .Lleast]
        maxss   tau, t
        movaps  space, xmm0
        shufps  space, space, 0
        shufps  tau, tau, 0
        each    movups flips, [rax + 16 * \c]

        // Memory operands need aligned rows.
        mov     eax, edi
        or      eax, ecx
        or      eax, r8d
        test    al, 15
        jnz     .Lsite_unaligned
        .set    aligned, 1
        sites   aligned
        .set    aligned, 0
        sites   unaligned

.Ldone:
        mov     rax, [rsp + 16]
        each    movups [rax + 16 * \c], flips
.Lnone:
        ret
        .endm
