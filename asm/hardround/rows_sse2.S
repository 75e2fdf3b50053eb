// Which domains of cells may hold a case.
//
//   void hl_hardround_rows_sse2(const struct cell *cells, size_t count, uint64_t *hits);
//
// In      rdi = cells, rsi = count, rdx = hits
//                                           Out  hits[2 * c], hits[2 * c + 1]
// Uses    rax, rcx, r8..r10, xmm0..xmm15    Stack  120 bytes of the red zone
// Loop    4 domains, twice: 34 vector operations, a division and copies; bound by the vector pipes (9 cycles with Zen 3, 12 where there
//         are 3)
// Tail    8 domains, whose other bits are cut off
//
// Floats that are not negative compare as the integers of their bits, which more pipes do, and so does a float that may be negative
// with one that is not.

#include "hl.h"

#define cell        rdi
#define count       rsi
#define hits        rdx
#define at          rcx         // the byte of 8 domains
#define last        r8
#define domains     r9

#define z           xmm0
#define z_step      xmm1
#define h           xmm2
#define h_step      xmm3
#define y           xmm4
#define per         xmm5
#define one         xmm6
#define ratio       xmm7
#define least       xmm8
#define reach       [rsp - 120]
#define most        [rsp - 104]
#define width       [rsp - 88]
#define slack       [rsp - 72]
#define z_change    [rsp - 56]
#define h_change    [rsp - 40]
#define y_step      [rsp - 24]

// i d in domain i of the first 4, added to a value.
        .macro indices value, d
        movdqa  xmm12, \d
        pand    xmm12, [rip + .Lodd]
        paddd   \value, xmm12
        movdqa  xmm12, \d
        paddd   xmm12, \d
        pand    xmm12, [rip + .Lupper]
        paddd   \value, xmm12
        .endm

// A quantity and its step at [cell + from], for the first 4 domains, and the change of the step. In domain i the quantity has grown
// by i d + i (i - 1) / 2 dd, and grows up to domain i + 4 by 4 d + (4 i + 6) dd.
        .macro start from, value, step, change
        movdqu  xmm9, [cell + \from]
        pshufd  \value, xmm9, 0x00
        pshufd  xmm10, xmm9, 0x55
        pshufd  xmm11, xmm9, 0xaa
        indices \value, xmm10
        movdqa  xmm12, xmm11
        pand    xmm12, [rip + .Lupper]
        paddd   \value, xmm12
        movdqa  xmm12, xmm11
        pand    xmm12, [rip + .Llast]
        paddd   \value, xmm12
        paddd   \value, xmm12
        movdqa  \step, xmm11
        indices \step, xmm11
        paddd   \step, \step
        paddd   \step, xmm11
        paddd   \step, \step
        pslld   xmm10, 2
        paddd   \step, xmm10
        pslld   xmm11, 4
        movdqa  \change, xmm11
        .endm

// 4 domains; a bit of `mask` is 1 where there is nothing. xmm9: the limit of z; xmm10 and xmm12: z and h; xmm13: the slope.
        .macro vector mask
        cvtdq2ps xmm9, y
        maxps   xmm9, least
        paddd   y, y_step
        movaps  xmm13, per
        divps   xmm13, xmm9
        mulps   xmm9, reach
        addps   xmm9, most
        movdqa  xmm10, z
        psrld   xmm10, 9
        por     xmm10, one
        paddd   z, z_step
        paddd   z_step, z_change
        movaps  xmm11, xmm10
        pcmpgtd xmm11, xmm9
        subps   xmm10, one
        movaps  xmm14, xmm10
        pcmpgtd xmm14, xmm9
        movdqa  xmm12, h
        psrld   xmm12, 9
        por     xmm12, one
        paddd   h, h_step
        paddd   h_step, h_change
        movaps  xmm15, xmm13
        mulps   xmm15, width
        addps   xmm15, slack
        subps   xmm13, ratio
        mulps   xmm10, xmm13
        addps   xmm10, xmm12
        addps   xmm13, xmm10
        cvttps2dq xmm12, xmm10
        cvtdq2ps xmm12, xmm12
        subps   xmm10, xmm12
        cvttps2dq xmm12, xmm13
        cvtdq2ps xmm12, xmm12
        subps   xmm13, xmm12
        pcmpgtd xmm10, xmm15
        pcmpgtd xmm13, xmm15
        por     xmm10, xmm14
        por     xmm13, xmm11
        pand    xmm10, xmm13
        movmskps \mask, xmm10
        .endm

FUNC(hl_hardround_rows_sse2)
        test    count, count
        jz      .Ldone
        movaps  one, [rip + .Lone]

.Lcell:
        start   0, z, z_step, z_change
        start   12, h, h_step, h_change
        movdqu  xmm9, [cell + 24]
        pshufd  y, xmm9, 0x00
        pshufd  xmm10, xmm9, 0x55
        pshufd  per, xmm9, 0xaa
        pshufd  ratio, xmm9, 0xff
        indices y, xmm10
        pslld   xmm10, 2
        movdqa  y_step, xmm10
        movdqu  xmm9, [cell + 40]
        pshufd  least, xmm9, 0x00
        pshufd  xmm10, xmm9, 0x55
        pshufd  xmm11, xmm9, 0xaa
        pshufd  xmm12, xmm9, 0xff
        movss   xmm13, [cell + 56]
        pshufd  xmm13, xmm13, 0x00
        movaps  reach, xmm10
        movaps  most, xmm11
        movaps  width, xmm12
        movaps  slack, xmm13
        mov     r9d, 128
        mov     eax, [cell + 60]
        cmp     rax, domains
        cmovb   domains, rax
        xor     eax, eax
        mov     [hits], rax
        mov     [hits + 8], rax
        mov     at, rax
        lea     last, [domains + 7]
        shr     last, 3

.Lvectors:
        vector  eax
        vector  r10d
        shl     r10d, 4
        or      eax, r10d
        not     eax
        mov     [hits + at], al
        add     at, 1
        cmp     at, last
        jb      .Lvectors

        // The last byte's bits from domains - 8 (at - 1) on.
        lea     last, [hits + at - 1]
        shl     ecx, 3
        sub     ecx, r9d
        shl     eax, cl
        movzx   eax, al
        shr     eax, cl
        mov     [last], al
        add     cell, 64
        add     hits, 16
        sub     count, 1
        jnz     .Lcell

.Ldone:
        ret
END(hl_hardround_rows_sse2)

        RODATA
        .balign 16
.Lodd:
        .long   0, -1, 0, -1
.Lupper:
        .long   0, 0, -1, -1
.Llast:
        .long   0, 0, 0, -1
.Lone:
        .fill   4, 4, 0x3f800000
