// MT19937 with SSE2, for both formats of the numbers.

#include "hl.h"
#define STEP        16

// Vector v: its words and the operand that they are combined with.
#define y           xmm\v
#define t           xmm1\v

#define upper       xmm6
#define one         xmm7
#define matrix      xmm8
#define mask_b      xmm9

#include "mt19937_x86_64.h"

        .macro generate twist_set, temper_set, back, move=movdqu
        .set    twisted, \twist_set
        .set    tempered, \temper_set

        // y = the upper bit of the word, the other bits of the next word;
        // then the word is partner ^ (y >> 1) ^ (y odd ? matrix : 0).
        twist   \move   y, [word + i + STEP * \v]
        temper  movdqa  t, y
        twist   \move   t, [next + i + STEP * \v]
        temper  psrld   t, 11
        twist   pxor    y, t
        temper  pxor    y, t
        twist   pand    y, upper
        temper  movdqa  t, y
        twist   pxor    y, t
        temper  pslld   t, 7
        twist   pand    t, one
        temper  pand    t, mask_b
        twist   psrld   y, 1
        temper  pxor    y, t
        twist   pcmpeqd t, one
        temper  movdqa  t, y
        twist   pand    t, matrix
        temper  pslld   t, 15
        twist   pxor    y, t
        temper  pand    t, [rip + .Lmask_c]
        twist   \move   t, [partner + i + STEP * \v]
        temper  pxor    y, t
        twist   pxor    y, t
        temper  movdqa  t, y
        twist   \move   [word + i + STEP * \v], y
        temper  psrld   t, 18
        temper  pxor    y, t
        .if     UNIFORM
        temper  psrld   y, 8
        temper  cvtdq2ps y, y
        temper  mulps   y, [rip + .Lscale]
        .endif
        temper  \move   [dst + i + STEP * \v - \back], y
        .endm

// Draws `n` numbers from the interlaced MT19937 streams.
//
//   void hl_random_mt19937_u32_sse2(uint32_t *state, size_t lanes, size_t *position, uint32_t *dst,
//       size_t n);
//
// In      rdi = state, rsi = lanes, rdx = position, rcx = dst, r8 = n     Out  state, *position, dst[0..n]
// Uses    rax, rcx, rbx, rsi, r8..r15, xmm0..xmm15     Stack  40 bytes
// Loop    24 numbers: 3 vectors twisted while 3 are tempered; bound by 19 operations a vector on 4
//         ports, 5 of them on 2
// Bound   28.5 cycles for 24 elements on Zen 3
// Tail    single vectors, then single numbers; touches exactly the words and numbers named
FUNC(hl_random_mt19937_u32_sse2)
        walk    u32, 0
END(hl_random_mt19937_u32_sse2)

// Draws `n` floats in [0, 1) from the interlaced MT19937 streams: the upper 24 bits of each number
// times 2^-24.
//
//   void hl_random_mt19937_f32_sse2(uint32_t *state, size_t lanes, size_t *position, float *dst, size_t n);
//
// In      rdi = state, rsi = lanes, rdx = position, rcx = dst, r8 = n     Out  state, *position, dst[0..n]
// Uses    rax, rcx, rbx, rsi, r8..r15, xmm0..xmm15     Stack  40 bytes
// Loop    24 numbers: 3 vectors twisted while 3 are tempered; bound by 22 operations a vector on 4
//         ports, 6 of them on 2
// Bound   33 cycles for 24 elements on Zen 3
// Tail    single vectors, then single numbers; touches exactly the words and numbers named
FUNC(hl_random_mt19937_f32_sse2)
        walk    f32, 1
END(hl_random_mt19937_f32_sse2)

        RODATA
        .balign 16
.Lupper:                                // the bit of y that comes from the word itself
        .long   0x80000000, 0x80000000, 0x80000000, 0x80000000
.Lone:
        .long   1, 1, 1, 1
.Lmatrix:                               // the last row of the twist matrix
        .long   0x9908b0df, 0x9908b0df, 0x9908b0df, 0x9908b0df
.Lmask_b:                               // the masks of tempering
        .long   0x9d2c5680, 0x9d2c5680, 0x9d2c5680, 0x9d2c5680
.Lmask_c:
        .long   0xefc60000, 0xefc60000, 0xefc60000, 0xefc60000
.Lscale:                                // 2^-24
        .long   0x33800000, 0x33800000, 0x33800000, 0x33800000
