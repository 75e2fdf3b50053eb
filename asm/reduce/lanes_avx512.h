// Fixed lanes and their tree with AVX-512: 4 vectors.
//
// A load that crosses cache lines costs two. So long arrays are read from the aligned address before x, as if -0 stood there: then
// lane l is where lane l + shift belongs, and all lanes are rotated before the tree.

#include "lanes_x86_64.h"

#define at          rax
#define shift       r9
#define last        zmm4
#define term        zmm5

// Bytes from which on a rotation pays.
#define LONG        2048

#define LANES       (256 / BYTES)
#define VECTOR      (64 / BYTES)

        // Vector i begins, or goes on.
        .macro begin i
        P(vmovu) zmm\i, [x + 64*\i]
#ifdef DOT
        P(vmul) zmm\i, zmm\i, [y + 64*\i]
#endif
        .endm

        .macro next i
#ifdef DOT
        P(vmovu) term, [x + 64*\i]
        P(vmul) term, term, [y + 64*\i]
        P(vadd) zmm\i, zmm\i, term
#else
        P(vadd) zmm\i, zmm\i, [x + 64*\i]
#endif
        .endm

        .macro each instruction:vararg
        .irp    i, 0, 1, 2, 3
        \instruction
        .endr
        .endm

        // The elements behind the last whole vector, and -0. A mask of nothing could still touch a page that is not there, slowly.
        .macro load_last none
        S(vbroadcast) last, [rip + .Lminus]
        mov     ecx, VECTOR - 1
        and     rcx, n
        jz      \none
        mov     at, n
        sub     at, rcx
        mov     r8d, -1
        bzhi    r8d, r8d, ecx
        kmovw   k1, r8d
#ifdef DOT
        P(vmovu) term{k1}{z}, [x + BYTES*at]
        P(vmul) last{k1}, term, [y + BYTES*at]
#else
        P(vmovu) last{k1}, [x + BYTES*at]
#endif
\none:
        .endm

        .macro add_to to, from
        P(vadd) zmm\to, zmm\to, zmm\from
        .endm

        .macro add_last to
        P(vadd) zmm\to, zmm\to, last
        .endm

        .macro lanes
        cmp     n, LANES
        jb      .Lfew

        xor     r9d, r9d
        cmp     n, LONG / BYTES
        jae     .Lalign
.Lbegin:
        begin   0
.Lbegin_behind:
        begin   1
        begin   2
        begin   3
        step
        sub     n, 2*LANES
        jb      .Lrest
        .balign 32
.Lloop:
        each    next \i
        step
        sub     n, LANES
        jae     .Lloop

        // The rest: whole vectors, then a part.
.Lrest:
        add     n, LANES
        jz      .Lfull
        load_last .Lwhole
        .irp    i, 0, 1, 2
        cmp     n, VECTOR*\i + VECTOR
        jb      .Lrest\i
        next    \i
        .endr
        P(vadd) zmm3, zmm3, last
.Lfull:
        test    r9d, r9d
        jnz     .Lrotate

        // The upper half of the lanes onto the lower half, until one is left.
        halve_4
        vextractf64x4 ymm1, zmm0, 1
        P(vadd) ymm0, ymm0, ymm1
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

        .irp    i, 0, 1, 2
.Lrest\i:
        P(vadd) zmm\i, zmm\i, last
        jmp     .Lfull
        .endr

        // The first vector, from the aligned address, if elements are not split by it.
.Lalign:
        test    dil, BYTES - 1
        jnz     .Lbegin
        mov     r9d, edi
        and     r9d, 63
        jz      .Lbegin
        sub     x, shift
        mov     ecx, r9d
        shr     ecx, BYTES / 4 + 1
        add     n, rcx
        mov     eax, -1
        shlx    eax, eax, ecx
        kmovw   k1, eax
        S(vbroadcast) zmm0, [rip + .Lminus]
#ifdef DOT
        sub     y, shift
        P(vmovu) term{k1}{z}, [x]
        P(vmul) zmm0{k1}, term, [y]
#else
        P(vmovu) zmm0{k1}, [x]
#endif
        jmp     .Lbegin_behind

        // Lanes begin `shift` bytes into a vector and end in the next; both types are units of 4 bytes here.
.Lrotate:
        shr     r9d, 2
        vpbroadcastd last, r9d
        vpaddd  last, last, [rip + .Lnumbers]
        vmovaps term, zmm0
        vpermt2ps zmm0, last, zmm1
        vpermt2ps zmm1, last, zmm2
        vpermt2ps zmm2, last, zmm3
        vpermt2ps zmm3, last, term
        jmp     .Ltree4

        // Fewer elements than lanes.
.Lfew:
        test    n, n
        jz      .Lnothing
        load_last .Lfew_whole
        .irp    i, 0, 1, 2
        cmp     n, VECTOR*\i + VECTOR
        jb      .Lfew\i
        begin   \i
        .endr
        halve_last_4
        P(vmova) zmm0, last
        jmp     .Ltree1
.Lnothing:
        vxorps  xmm0, xmm0, xmm0
        ret
        .endm

        .macro lanes_constants
        .balign 64
.Lnumbers:                              // of units
        .long   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.Lminus:                                // -0
        zeros   1, 1
.Lquiet:                                // NaN
        quiet
        .endm
