// MT19937 with AVX2, for both formats of the numbers.

#include "hl.h"
#define STEP        32

// Vector v: its words and the operand that they are combined with.
#define y           ymm\v
#define t           ymm1\v

#define upper       ymm6
#define matrix      ymm7
#define mask_b      ymm8
#define mask_c      ymm9

#include "mt19937_x86_64.h"

        .macro generate twist_set, temper_set, back, move=vmovdqu, r=ymm
        .set    twisted, \twist_set
        .set    tempered, \temper_set

        // y = the upper bit of the word, the other bits of the next word;
        // then the word is partner ^ (y >> 1) ^ (y odd ? matrix : 0).
        twist   vmovdqu t, [next + i + STEP * \v]
        temper  vpsrld  t, y, 11
        twist   vpxor   y, t, [word + i + STEP * \v]
        temper  vpxor   y, y, t
        twist   vpand   y, y, upper
        temper  vpslld  t, y, 7
        twist   vpxor   y, y, t
        temper  vpand   t, t, mask_b
        temper  vpxor   y, y, t
        twist   vpermilps t, matrix, t
        temper  vpslld  t, y, 15
        twist   vpsrld  y, y, 1
        temper  vpand   t, t, mask_c
        twist   vpxor   t, t, [partner + i + STEP * \v]
        temper  vpxor   y, y, t
        twist   vpxor   y, y, t
        temper  vpsrld  t, y, 18
        twist   vmovdqu [word + i + STEP * \v], y
        temper  vpxor   y, y, t
        .if     UNIFORM
        temper  vpsrld  y, y, 8
        temper  vcvtdq2ps y, y
        temper  vmulps  y, y, [rip + .Lscale]
        .endif
        temper  \move   [dst + i + STEP * \v - \back], \r\v
        .endm

// Draws `n` numbers from the interlaced MT19937 streams.
//
//   void hl_random_mt19937_u32_avx2(uint32_t *state, size_t lanes, size_t *position, uint32_t *dst,
//       size_t n);
//
// In      rdi = state, rsi = lanes, rdx = position, rcx = dst, r8 = n     Out  state, *position, dst[0..n]
// Uses    rax, rcx, rbx, rsi, r8..r15, ymm0..ymm15     Stack  40 bytes
// Loop    48 numbers: 3 vectors twisted while 3 are tempered; bound by 17 operations a vector on 4
//         ports, 6 of them on 2
// Bound   25.5 cycles for 48 elements on Zen 3
// Tail    single vectors, then single numbers; touches exactly the words and numbers named
FUNC(hl_random_mt19937_u32_avx2)
        walk    u32, 0
END(hl_random_mt19937_u32_avx2)

// Draws `n` floats in [0, 1) from the interlaced MT19937 streams: the upper 24 bits of each number
// times 2^-24.
//
//   void hl_random_mt19937_f32_avx2(uint32_t *state, size_t lanes, size_t *position, float *dst, size_t n);
//
// In      rdi = state, rsi = lanes, rdx = position, rcx = dst, r8 = n     Out  state, *position, dst[0..n]
// Uses    rax, rcx, rbx, rsi, r8..r15, ymm0..ymm15     Stack  40 bytes
// Loop    48 numbers: 3 vectors twisted while 3 are tempered; bound by 20 operations a vector on 4
//         ports, 7 of them on 2
// Bound   30 cycles for 48 elements on Zen 3
// Tail    single vectors, then single numbers; touches exactly the words and numbers named
FUNC(hl_random_mt19937_f32_avx2)
        walk    f32, 1
END(hl_random_mt19937_f32_avx2)

        RODATA
        .balign 32
.Lscale:                                // 2^-24
        .rept   8
        .long   0x33800000
        .endr
.Lmatrix:                               // the last row of the twist matrix, by the two lowest bits of y
        .long   0, 0x9908b0df, 0, 0x9908b0df
.Lupper:                                // the bit of y that comes from the word itself
        .long   0x80000000
.Lmask_b:                               // the masks of tempering
        .long   0x9d2c5680
.Lmask_c:
        .long   0xefc60000
