// Which domains of cells may hold a case: bit i mod 64 of `hits[2 c + i / 64]` for domain i of cell
// c; the other bits are 0.
//
//   void hl_hardround_rows_sse2(const hl_hardround_cell *cells, size_t count, uint64_t *hits);
//
// In      rdi = cells, rsi = count, rdx = hits
//                                           Out  hits[2 * c], hits[2 * c + 1]
// Uses    rax, rcx, rdx, rsi, rdi, r8..r10, xmm0..xmm15     Stack  152 bytes
// Loop    4 domains, twice: 33 vector operations, a division, a mask, copies; bound by the vector
//         pipes (9 cycles with the 4 of Zen 3, 15 with the 3 of Skylake). On Zen 3 the schedulers
//         limit it to 12 cycles, as with AVX2
// Bound   9 cycles for 4 elements on Zen 3
// Tail    8 domains, whose excess bits are cut off
//
// Two floats, at most one of them negative, compare like their bits as integers, which more pipes
// can do.

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
#define inverse     xmm7        // per / y
#define limit       xmm8        // of z
#define ratio       [rsp]
#define min_y       [rsp + 16]
#define row_slope       [rsp + 32]
#define row_offset        [rsp + 48]
#define width       [rsp + 64]
#define slack       [rsp + 80]
#define z_change    [rsp + 96]
#define h_change    [rsp + 112]
#define y_step      [rsp + 128]
#define FRAME       152

// Adds i d to a value in domain i of the first 4.
        .macro indices value, d
        movdqa  xmm12, \d
        pand    xmm12, [rip + .Lodd]
        paddd   \value, xmm12
        movdqa  xmm12, \d
        paddd   xmm12, \d
        pand    xmm12, [rip + .Lupper]
        paddd   \value, xmm12
        .endm

// Starts the quantity at [cell + from] for the first 4 domains: value, step and change of the step.
// In domain i the value has grown by i d + i (i - 1) / 2 dd; up to domain i + 4 it grows by
// 4 d + (4 i + 6) dd.
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

// 4 domains; a bit of `mask` is 1 where there is no hit. xmm10 and xmm14: row 0, its position and a
// mask where it is beyond the limit; xmm13 and xmm11: these for row 1; xmm15: the strip. The floats of y
// are for the next 4 domains.
        .macro vector mask
        movaps  xmm9, limit
        movaps  xmm15, inverse
        mulps   xmm15, width
        movaps  xmm13, inverse
        subps   xmm13, ratio
        cvtdq2ps limit, y
        maxps   limit, min_y
        paddd   y, y_step
        movaps  inverse, per
        divps   inverse, limit
        mulps   limit, row_slope
        addps   limit, row_offset
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
        addps   xmm15, slack
        mulps   xmm10, xmm13
        movdqa  xmm12, h
        psrld   xmm12, 9
        por     xmm12, one
        paddd   h, h_step
        paddd   h_step, h_change
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
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME
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
        pshufd  xmm11, xmm9, 0xff
        indices y, xmm10
        pslld   xmm10, 2
        movdqa  y_step, xmm10
        movaps  ratio, xmm11
        movdqu  xmm9, [cell + 40]
        pshufd  xmm10, xmm9, 0x00
        pshufd  xmm11, xmm9, 0x55
        pshufd  xmm12, xmm9, 0xaa
        pshufd  xmm13, xmm9, 0xff
        movss   xmm14, [cell + 56]
        pshufd  xmm14, xmm14, 0x00
        movaps  min_y, xmm10
        movaps  row_slope, xmm11
        movaps  row_offset, xmm12
        movaps  width, xmm13
        movaps  slack, xmm14

        // The floats that depend on y alone, for the first 4 domains.
        cvtdq2ps limit, y
        maxps   limit, min_y
        paddd   y, y_step
        movaps  inverse, per
        divps   inverse, limit
        mulps   limit, row_slope
        addps   limit, row_offset
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

        // Clear the bits of the last byte from domains - 8 (at - 1) on.
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
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -FRAME
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
