// Counts the pairs of points beyond each of several distances: the walk over both sets, shared by
// SSE2, AVX2 and AVX-512.
//
// An including file defines BYTES, the bytes of a vector, and the registers of the constants; the
// sums are registers 0 to 7. `counts` is then the body of its function.
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

        .macro load to, from
        .if     BYTES == 16
        movups  \to, \from
        .else
        vmovups \to, \from
        .endif
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
        .if     BYTES == 16
        movss   shift_x, [rax]
        shufps  shift_x, shift_x, 0
        movss   shift_y, [rax + 4]
        shufps  shift_y, shift_y, 0
        .else
        vbroadcastss shift_x, [rax]
        vbroadcastss shift_y, [rax + 4]
        .endif
        .if     BYTES == 64
        vpternlogd minus_one, minus_one, minus_one, 0xff
        .endif
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

        // max(bits of the edge, 0) - 1 in all lanes. SSE2 has no maximum of 32-bit integers: the sign
        // clears the bits.
        mov     rbx, rsp
        mov     j, here
.Lnear:
        .if     BYTES == 16
        movd    xmm0, [rax]
        pshufd  xmm0, xmm0, 0
        movdqa  xmm1, xmm0
        psrad   xmm1, 31
        pandn   xmm1, xmm0
        pcmpeqd xmm0, xmm0
        paddd   xmm1, xmm0
        movdqa  [rbx], xmm1
        .elseif BYTES == 32
        vpbroadcastd ymm0, [rax]
        vpxor   xmm1, xmm1, xmm1
        vpcmpeqd ymm2, ymm2, ymm2
        vpmaxsd ymm0, ymm0, ymm1
        vpaddd  ymm0, ymm0, ymm2
        vmovdqa [rbx], ymm0
        .else
        vpbroadcastd zmm0, [rax]
        vpxor   xmm1, xmm1, xmm1
        vpmaxsd zmm0, zmm0, zmm1
        vpaddd  zmm0, zmm0, minus_one
        vmovdqa32 [rbx], zmm0
        .endif
        add     rax, 4
        add     rbx, BYTES
        sub     j, 1
        jnz     .Lnear
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     BYTES == 16
        pxor    xmm\e, xmm\e
        .else
        vpxor   xmm\e, xmm\e, xmm\e
        .endif
        .endr

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

        // The other points against the points i, for the first `edges_here` edges.
        .irp    edges_here, 8, 7, 6, 5, 4, 3, 2, 1
        .balign 32
.Lpoint\edges_here:
        // Differences have the opposite sign, which squaring removes.
        .if     BYTES == 16
        movss   r2, [x + 4*i]
        movss   dy, [y + 4*i]
        shufps  r2, r2, 0
        shufps  dy, dy, 0
        subps   r2, xj
        subps   dy, yj
        subps   r2, shift_x
        subps   dy, shift_y
        mulps   r2, r2
        mulps   dy, dy
        addps   r2, dy
        .else
        vbroadcastss r2, [x + 4*i]
        vbroadcastss dy, [y + 4*i]
        vsubps  r2, r2, xj
        vsubps  dy, dy, yj
        vsubps  r2, r2, shift_x
        vsubps  dy, dy, shift_y
        vmulps  r2, r2, r2
        vmulps  dy, dy, dy
        vaddps  r2, r2, dy
        .endif
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \e < \edges_here
        .if     BYTES == 16
        movdqa  dy, r2
        pcmpgtd dy, [near + BYTES*\e]
        psubd   xmm\e, dy
        .elseif BYTES == 32
        vpcmpgtd dy, r2, [near + BYTES*\e]
        vpsubd  ymm\e, ymm\e, dy
        .else
        vpcmpgtd k1, r2, [near + BYTES*\e]
        vpsubd  zmm\e {k1}, zmm\e, minus_one
        .endif
        .endif
        .endr
        add     i, 1
        jnz     .Lpoint\edges_here
        jmp     .Lnext
        .endr
.Lnext:
        add     j, LANES
        cmp     j, m
        jb      .Lothers

        // Add the lanes of the sums to their words.
        mov     rbx, arg_words
        lea     rbx, [rbx + 8*done]
        add     done, here
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        .if     BYTES == 16
        pshufd  xmm8, xmm\e, 0x4e
        paddd   xmm8, xmm\e
        pshufd  xmm9, xmm8, 0xb1
        paddd   xmm8, xmm9
        movd    eax, xmm8
        .else
        .if     BYTES == 32
        vextracti128 xmm8, ymm\e, 1
        vpaddd  xmm8, xmm8, xmm\e
        .else
        vextracti64x4 ymm8, zmm\e, 1
        vpaddd  ymm8, ymm8, ymm\e
        vextracti128 xmm9, ymm8, 1
        vpaddd  xmm8, xmm8, xmm9
        .endif
        vpshufd xmm9, xmm8, 0x4e
        vpaddd  xmm8, xmm8, xmm9
        vpshufd xmm9, xmm8, 0xb1
        vpaddd  xmm8, xmm8, xmm9
        vmovd   eax, xmm8
        .endif
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
        .if     BYTES == 16
        movups  dy, [rbx + 4*rax]
        orps    xj, dy
        .elseif BYTES == 32
        vorps   xj, xj, [rbx + 4*rax]
        .else
        vpord   xj, xj, [rbx + 4*rax]
        .endif
        jmp     .Lloaded

        // Fewer than a vector in all: a padded copy.
.Lfew:
        lea     rbx, [rip + .Lmarks]
        load    xj, [rbx]
        .if     BYTES == 16
        movaps  [rest_x], xj
        movaps  [rest_y], xj
        .else
        vmovaps [rest_x], xj
        vmovaps [rest_y], xj
        .endif
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
