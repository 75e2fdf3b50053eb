// The steps of the kernel edges for SSE2, AVX2 and AVX-512, with the registers and the frame of
// edges_x86_64.h.

        // Broadcasts a number, with SSE2.
        .macro spread v, from
        movd    \v, dword ptr [\from]
        pshufd  \v, \v, 0
        .endm

        // Prepares `rows` points at [own]; changes rax, r11 and `at`. SSE2 also stores x and y of each
        // point, in all lanes.
        .macro own_points
        .if     BYTES == 16
        lea     rax, [own]
        xor     at, at
.Lown:
        spread  r2, x + 4*at
        spread  free, y + 4*at
        spread  high, psi + 4*at
        movdqa  low, high
        movdqa  mask, high
        pand    low, [rip + .Lsevens]
        por     low, [rip + .Lpoint]
        pslld   mask, 16
        psrad   mask, 23
        psrad   high, 7
        pand    high, [rip + .Lupper]
        paddd   high, mask
        movaps  [rax], r2
        movaps  [rax + 16], free
        movdqa  [rax + 32], low
        movdqa  [rax + 48], high
        add     rax, 64
        add     at, 1
        cmp     at, rows
        jne     .Lown
        .elseif BYTES == 32
        .irp    eight, 0, 8
        mov     at, rows
        sub     at, \eight
        jbe     .Lown
        mov     eax, 8
        cmp     at, rax
        cmova   at, rax
        neg     at
        lea     rax, [rip + .Lpresent + 32]
        vmovdqu mask, [rax + 4*at]
        vpmaskmovd r2, mask, [psi + 4*\eight]
        vpand   low, r2, [rip + .Lsevens]
        vpor    low, low, [rip + .Lpoint]
        vpslld  free, r2, 16
        vpsrad  free, free, 23
        vpsrad  high, r2, 7
        vpand   high, high, [rip + .Lupper]
        vpaddd  high, high, free
        vmovdqa [own + 4*\eight], low
        vmovdqa [own + 64 + 4*\eight], high
        .endr
.Lown:
        .else
        mov     eax, -1
        bzhi    eax, eax, r10d
        kmovd   present, eax
        vmovdqu32 r2{present}{z}, [psi]
        vpandd  low, r2, [rip + .Lsevens]{1to16}
        vpord   low, low, [rip + .Lpoint]{1to16}
        vpslld  free, r2, 16
        vpsrad  free, free, 23
        vpsrad  high, r2, 7
        vpandd  high, high, [rip + .Lupper]{1to16}
        vpaddd  high, high, free
        vmovdqa32 [own], low
        vmovdqa32 [own + 64], high
        .endif
        .endm

        // Loads the other points from j on, min(`at`, LANES) of them; changes rax and `at`. Lanes without
        // another point have all bits of x set, and so of r2. With SSE2, `at` then points to the first of
        // the points.
        .macro others
        .if     BYTES == 16
        cmp     at, 4
        jb      .Lfew
        movups  xj, [other_x + 4*j]
        movups  yj, [other_y + 4*j]
        movdqu  psij, [other_psi + 4*j]
        jmp     .Lloaded
.Lfew:
        pcmpeqd r2, r2
        pxor    free, free
        movdqa  [last], r2
        movdqa  [last + 16], free
        movdqa  [last + 32], free
        mov     at, j
        lea     i, [last]
.Lcopy:
        movss   r2, dword ptr [other_x + 4*at]
        movss   [i], r2
        movss   r2, dword ptr [other_y + 4*at]
        movss   [i + 16], r2
        movss   r2, dword ptr [other_psi + 4*at]
        movss   [i + 32], r2
        add     i, 4
        add     at, 1
        cmp     at, m
        jne     .Lcopy
        movaps  xj, [last]
        movaps  yj, [last + 16]
        movdqa  psij, [last + 32]
.Lloaded:
        lea     at, [own]
        .elseif BYTES == 32
        mov     eax, 8
        cmp     at, rax
        cmova   at, rax
        neg     at
        lea     rax, [rip + .Lpresent + 32]
        vmovdqu mask, [rax + 4*at]
        vmaskmovps xj, mask, [other_x + 4*j]
        vmaskmovps yj, mask, [other_y + 4*j]
        vpmaskmovd low, mask, [other_psi + 4*j]
        vpcmpeqd r2, r2, r2
        vpxor   mask, mask, r2
        vorps   xj, xj, mask
        vmovdqa psij, low
        .else
        mov     eax, 16
        cmp     at, rax
        cmova   at, rax
        mov     eax, -1
        bzhi    eax, eax, r13d
        kmovd   present, eax
        vpternlogd xj, xj, xj, 0xff
        vmovups xj{present}, [other_x + 4*j]
        vmovups yj{present}{z}, [other_y + 4*j]
        vmovdqu32 psij{present}{z}, [other_psi + 4*j]
        .endif
        .endm

        // Zeros the totals of the edges here; changes rax and r11. `where` is a part of a label. Totals with
        // room for one vector are overwritten instead.
        .macro clear_totals where
        .if     ROOM > 1
        mov     rax, here
        lea     r11, [totals]
.Lzero_\where:
        .irp    part, 0, 1, 2
        .if     BYTES == 16
        pxor    xmm0, xmm0
        movdqa  [r11 + BYTES*\part], xmm0
        .else
        vpxor   xmm0, xmm0, xmm0
        vmovdqa [r11 + BYTES*\part], ymm0
        .endif
        .endr
        add     r11, 3*BYTES
        sub     rax, 1
        jnz     .Lzero_\where
        .endif
        .endm

        // Adds the orientation of point i to the sums of edge e where r2 is not less than it.
        .macro beyond e, other
        .if     BYTES == 16
        movdqa  mask, r2
        pcmpgtd mask, [near + 16*\e]
        movdqa  free, mask
        pand    free, low
        pand    mask, high
        paddd   xmm\e, free
        paddd   xmm\other, mask
        .elseif BYTES == 32
        vpcmpgtd mask, r2, [near + 32*\e]
        vpand   free, mask, low
        vpand   mask, mask, high
        vpaddd  ymm\e, ymm\e, free
        vpaddd  ymm\other, ymm\other, mask
        .else
        vpcmpgtd far, r2, [near + 64*\e]
        vpaddd  zmm\e{far}, zmm\e, low
        vpaddd  zmm\other{far}, zmm\other, high
        .endif
        .endm

        // Adds the points and the products of edge e to its three totals, or, if there is room for one
        // vector, stores them.
        .macro empty e, other
        .if     BYTES == 16
        movdqa  free, xmm\e
        pand    free, [rip + .Lpoints]
        pxor    xmm\e, free
        pxor    xmm\other, [rip + .Lstart]
        pmaddwd xmm\e, psij
        pmaddwd xmm\other, psij
        paddd   free, [totals + 48*\e]
        paddd   xmm\e, [totals + 48*\e + 16]
        paddd   xmm\other, [totals + 48*\e + 32]
        movdqa  [totals + 48*\e], free
        movdqa  [totals + 48*\e + 16], xmm\e
        movdqa  [totals + 48*\e + 32], xmm\other
        .elseif BYTES == 32
        vpand   free, ymm\e, [rip + .Lpoints]
        vpxor   ymm\e, ymm\e, free
        vpxor   ymm\other, ymm\other, [rip + .Lstart]
        vpmaddwd ymm\e, ymm\e, psij
        vpmaddwd ymm\other, ymm\other, psij
        vpaddd  free, free, [totals + 96*\e]
        vpaddd  ymm\e, ymm\e, [totals + 96*\e + 32]
        vpaddd  ymm\other, ymm\other, [totals + 96*\e + 64]
        vmovdqa [totals + 96*\e], free
        vmovdqa [totals + 96*\e + 32], ymm\e
        vmovdqa [totals + 96*\e + 64], ymm\other
        .else
        vpandd  free, zmm\e, [rip + .Lpoints]{1to16}
        vpxord  zmm\e, zmm\e, free
        vpxord  zmm\other, zmm\other, start
        vpmaddwd zmm\e, zmm\e, psij
        vpmaddwd zmm\other, zmm\other, psij
        vmovdqa32 [totals + 192*\e], free
        vmovdqa32 [totals + 192*\e + 64], zmm\e
        vmovdqa32 [totals + 192*\e + 128], zmm\other
        .endif
        .endm
