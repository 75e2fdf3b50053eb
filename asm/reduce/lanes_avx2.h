// Fixed lanes and their tree with AVX2: 8 vectors.
//
// A load that crosses cache lines costs two. So long arrays are read from the aligned address before x, as if -0 stood there: then
// lane l is where lane l + shift belongs, and all lanes are rotated before the tree.

#include "lanes_x86_64.h"

#define bytes       n
#define at          rax
#define signs       rcx
#define shift       r8

// Bytes from which on a rotation pays.
#define LONG        2048

#define last        ymm8
#define term        ymm9
#define mask        ymm10

        // Vector i begins, or goes on.
        .macro begin i
        P(vmovu) ymm\i, [x + 32*\i]
#ifdef DOT
        P(vmul) ymm\i, ymm\i, [y + 32*\i]
#endif
        .endm

        .macro next i
#ifdef DOT
        P(vmovu) term, [x + 32*\i]
        P(vmul) term, term, [y + 32*\i]
        P(vadd) ymm\i, ymm\i, term
#else
        P(vadd) ymm\i, ymm\i, [x + 32*\i]
#endif
        .endm

        .macro each instruction:vararg
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        \instruction
        .endr
        .endm

        // The elements behind the last whole vector, and -0. A mask of nothing could still touch a page that is not there, slowly.
        .macro load_last none
        lea     signs, [rip + .Lsigns]
        P(vmova) last, [signs]
        mov     at, bytes
        and     eax, 31
        jz      \none
        sub     signs, at
        xor     at, bytes
        P(vmovu) mask, [signs + 32]
        P(vmaskmov) term, mask, [x + at]
#ifdef DOT
        P(vmaskmov) mask, mask, [y + at]
        P(vmul) term, term, mask
#endif
        P(vor)  last, term, [signs + 64]
\none:
        .endm

        .macro add_to to, from
        P(vadd) ymm\to, ymm\to, ymm\from
        .endm

        .macro add_last to
        P(vadd) ymm\to, ymm\to, last
        .endm

        // The end of vector i from the next.
        .macro rotate i, next
        P(vblendv) ymm\i, ymm\next, ymm\i, mask
        .endm

        .macro lanes
        shl     bytes, BYTES / 4 + 1
        cmp     bytes, 256
        jb      .Lfew

        xor     r8d, r8d
        cmp     bytes, LONG
        jae     .Lalign
.Lbegin:
        begin   0
.Lbegin_behind:
        .irp    i, 1, 2, 3, 4, 5, 6, 7
        begin   \i
        .endr
        step
        sub     bytes, 512
        jb      .Lrest
        .balign 32
.Lloop:
        each    next \i
        step
        sub     bytes, 256
        jae     .Lloop

        // The rest: whole vectors, then a part.
.Lrest:
        add     bytes, 256
        jz      .Lfull
        load_last .Lwhole
        .irp    i, 0, 1, 2, 3, 4, 5, 6
        cmp     bytes, 32*\i + 32
        jb      .Lrest\i
        next    \i
        .endr
        P(vadd) ymm7, ymm7, last
.Lfull:
        test    r8d, r8d
        jnz     .Lrotate

        // The upper half of the lanes onto the lower half, until one is left.
        halve_8
        vextractf128 xmm1, ymm0, 1
        P(vadd) xmm0, xmm0, xmm1
        vunpckhpd xmm1, xmm0, xmm0
#if BYTES == 4
        vaddps  xmm0, xmm0, xmm1
        vmovshdup xmm1, xmm0
#endif
        S(vadd) xmm0, xmm0, xmm1
        S(vucomi) xmm0, xmm0
        vzeroupper
        jp      .Lnan
        ret
.Lnan:
        S(vmov) xmm0, [rip + .Lquiet]
        ret

        .irp    i, 0, 1, 2, 3, 4, 5, 6
.Lrest\i:
        P(vadd) ymm\i, ymm\i, last
        jmp     .Lfull
        .endr

        // The first vector, from the aligned address, if elements are not split by it.
.Lalign:
        test    dil, BYTES - 1
        jnz     .Lbegin
        mov     r8d, edi
        and     r8d, 31
        jz      .Lbegin
        lea     signs, [rip + .Lsigns]
        sub     signs, shift
        sub     x, shift
        add     bytes, shift
        P(vmovu) mask, [signs + 64]
        P(vmaskmov) ymm0, mask, [x]
#ifdef DOT
        sub     y, shift
        P(vmaskmov) term, mask, [y]
        P(vmul) ymm0, ymm0, term
#endif
        P(vor)  ymm0, ymm0, [signs + 32]
        jmp     .Lbegin_behind

        // Lanes begin `shift` bytes into a vector: turn each by that much, and take the end of each from the next.
.Lrotate:
        lea     signs, [rip + .Lsigns]
        P(vmovu) mask, [signs + shift]
        lea     signs, [rip + .Lnumbers]
        vmovups term, [signs + shift]
        each    vpermps ymm\i, term, ymm\i
        P(vmova) last, ymm0
        rotate  0, 1
        rotate  1, 2
        rotate  2, 3
        rotate  3, 4
        rotate  4, 5
        rotate  5, 6
        rotate  6, 7
        rotate  7, 8
        jmp     .Ltree8

        // Fewer elements than lanes.
.Lfew:
        test    bytes, bytes
        jz      .Lnothing
        load_last .Lfew_whole
        .irp    i, 0, 1, 2, 3, 4, 5, 6
        cmp     bytes, 32*\i + 32
        jb      .Lfew\i
        begin   \i
        .endr
        halve_last_8
        P(vmova) ymm0, last
        jmp     .Ltree1
.Lnothing:
        vxorps  xmm0, xmm0, xmm0
        ret
        .endm

        .macro lanes_constants
        .balign 32
.Lsigns:                                // of -0, of +0, of -0: a window of them is a mask, or what fills it up
        zeros   1, 32 / BYTES
        zeros   0, 32 / BYTES
        zeros   1, 32 / BYTES
.Lnumbers:                              // of the elements of 4 bytes, modulo 8
        .long   0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7
.Lquiet:                                // NaN
        quiet
        .endm
