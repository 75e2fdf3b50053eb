// The smallest x < `n` with d0 + d1 x + d2 x (x - 1) / 2 + d3 x (x - 1) (x - 2) / 6 mod 2^64 < `w`, or
// `n` if there is none.
//
//   uint64_t hl_hardround_exhaust_sse2(const uint64_t *d, uint64_t n, uint64_t w);
//
// In      rdi = d, rsi = n, rdx = w         Out  rax = the argument, or n
// Uses    rax, rcx, r8..r11, xmm0..xmm15    Stack  312 bytes
// Loop    32 arguments; 8 additions, 8 minima, 8 moves; bound by dispatch, 6 operations a cycle
//         (5.2 cycles; 6.5 where anchors turn)
// Bound   5.2 cycles for 32 elements on Zen 3
// Tail    the last step includes arguments beyond n; reads exactly d[0..4]
//
// Minima are taken of signed 16-bit lanes, so anchors are larger by 2^31, and only the upper 16
// bits of a sum are compared.

#include "hl.h"

#define S           2
#define L           32
#define LOG_L       5
#define TABLE       4*L

#include "exhaust_x86_64.h"

// Anchors in xmm0..xmm7.
#define y           xmm8
#define first       xmm9
#define second      xmm10
#define high        xmm11
#define least       xmm12
#define least_odd   xmm13

        .macro origin
        movdqa  y, [values]
        movdqa  first, [values + 8*S]
        movdqa  second, [values + 16*S]
        psubq   second, first
        psubq   first, y
        psubq   second, first
        pcmpeqd high, high
        psllq   high, 63
        pxor    y, high
        .endm

        // A step of the difference scheme.
        .macro next to, from
        movdqa  \to, \from
        paddq   \to, first
        paddq   first, second
        paddq   second, high
        .endm

        // Broadcasts a word to both lanes.
        .macro both to, word
        movq    \to, qword ptr [\word]
        punpcklqdq \to, \to
        .endm

        .macro turns
        movdqa  y, [values]
        both    first, offset_at
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        movdqa  xmm15, y
        paddq   y, first
        shufps  xmm15, y, 0xdd
        paddq   y, first
        movdqa  [turned_by + 16*\i], xmm15
        .endr
        .endm

        .macro turn
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        paddd   xmm\i, [turned_by + 16*\i]
        .endr
        .endm

        .macro anchors
        both    high, third
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        movdqa  xmm\i, y
        next    xmm14, y
        shufps  xmm\i, xmm14, 0xdd
        next    y, xmm14
        .endr
        movdqa  xmm14, [ahead]
        both    xmm15, ahead_more
        both    high, slope_more
        paddq   y, xmm14
        paddq   xmm14, xmm15
        paddq   first, high
        movdqa  [ahead], xmm14
        .endm

        .macro minima
        pcmpeqd least, least
        psrlw   least, 1
        movdqa  least_odd, least
        .endm

        .macro step
        movd    high, dword ptr [offset_at + 4]
        pshufd  high, high, 0
        .irp    i, 0, 2, 4, 6
        movdqa  xmm14, high
        paddd   xmm14, xmm\i
        pminsw  least, xmm14
        .endr
        .irp    i, 1, 3, 5, 7
        movdqa  xmm15, high
        paddd   xmm15, xmm\i
        pminsw  least_odd, xmm15
        .endr
        .endm

        // The limit, larger by 2^31 like the sums.
        .macro bound
        movd    xmm14, dword ptr [limit]
        pshufd  xmm14, xmm14, 0
        pcmpeqd xmm15, xmm15
        pslld   xmm15, 31
        pxor    xmm14, xmm15
        .endm

        .macro alarm label
        bound
        pminsw  least, least_odd
        pcmpgtw least, xmm14
        movmskps r11d, least
        cmp     r11d, 15
        jne     \label
        .endm

        .macro probe label
        bound
        movd    high, dword ptr [offset_at + 4]
        pshufd  high, high, 0
        pcmpeqd least, least
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        movdqa  xmm15, high
        paddd   xmm15, xmm\i
        pcmpgtd xmm15, xmm14
        pand    least, xmm15
        .endr
        movmskps r11d, least
        cmp     r11d, 15
        jne     \label
        .endm

        .macro finish
        .endm

FUNC(hl_hardround_exhaust_sse2)
        exhaust
END(hl_hardround_exhaust_sse2)
