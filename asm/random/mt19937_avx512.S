// MT19937 with AVX-512, for both formats of the numbers.

#include "hl.h"
#define STEP        64

// Vector v: its words and the operand that they are combined with.
#define y           zmm\v
#define t           zmm1\v

#define upper       zmm16
#define matrix      zmm17
#define mask_b      zmm18
#define mask_c      zmm19
#define scale       zmm20
#define rest        k1

#include "mt19937_x86_64.h"

// Ternary logic: 0xe2 = b ? a : c, 0x96 = a ^ b ^ c, 0x78 = a ^ (b & c).
        .macro generate twist_set, temper_set, back
        .set    twisted, \twist_set
        .set    tempered, \temper_set

        // y = the upper bit of the word, the other bits of the next word;
        // then the word is partner ^ (y >> 1) ^ (y odd ? matrix : 0).
        twist   vmovdqu32 y, [word + i + STEP * \v]
        temper  vpsrld  t, y, 11
        twist   vpternlogd y, upper, [next + i + STEP * \v], 0xe2
        temper  vpxord  y, y, t
        temper  vpslld  t, y, 7
        twist   vpermilps t, matrix, y
        temper  vpternlogd y, t, mask_b, 0x78
        twist   vpsrld  y, y, 1
        temper  vpslld  t, y, 15
        twist   vpternlogd y, t, [partner + i + STEP * \v], 0x96
        temper  vpternlogd y, t, mask_c, 0x78
        twist   vmovdqu32 [word + i + STEP * \v], y
        temper  vpsrld  t, y, 18
        temper  vpxord  y, y, t
        .if     UNIFORM
        temper  vpsrld  y, y, 8
        temper  vcvtdq2ps y, y
        temper  vmulps  y, y, scale
        .endif
        temper  vmovdqu32 [dst + i + STEP * \v - \back], y
        .endm

// Draws `n` numbers from the interlaced MT19937 streams.
//
//   void hl_random_mt19937_u32_avx512(uint32_t *state, size_t lanes, size_t *position,
//       uint32_t *dst, size_t n);
//
// In      rdi = state, rsi = lanes, rdx = position, rcx = dst, r8 = n     Out  state, *position, dst[0..n]
// Uses    rax, rcx, rbx, rsi, r8..r15, zmm0..zmm5, zmm10..zmm19, k1     Stack  40 bytes
// Loop    96 numbers: 3 vectors twisted while 3 are tempered; bound by 12 operations a vector on 2
//         ports, 6 of them on 1
// Bound   6 cycles for 16 elements on Granite Rapids
// Tail    single vectors, the last one masked; touches exactly the words and numbers named
FUNC(hl_random_mt19937_u32_avx512)
        walk    u32, 0
END(hl_random_mt19937_u32_avx512)

// Draws `n` floats in [0, 1) from the interlaced MT19937 streams: the upper 24 bits of each number
// times 2^-24.
//
//   void hl_random_mt19937_f32_avx512(uint32_t *state, size_t lanes, size_t *position, float *dst, size_t n);
//
// In      rdi = state, rsi = lanes, rdx = position, rcx = dst, r8 = n     Out  state, *position, dst[0..n]
// Uses    rax, rcx, rbx, rsi, r8..r15, zmm0..zmm5, zmm10..zmm20, k1     Stack  40 bytes
// Loop    96 numbers: 3 vectors twisted while 3 are tempered; bound by 15 operations a vector on 2
//         ports, 7 of them on 1
// Bound   7.5 cycles for 16 elements on Granite Rapids
// Tail    single vectors, the last one masked; touches exactly the words and numbers named
FUNC(hl_random_mt19937_f32_avx512)
        walk    f32, 1
END(hl_random_mt19937_f32_avx512)

        RODATA
        .balign 16
.Lmatrix:                               // the last row of the twist matrix, by the two lowest bits of y
        .long   0, 0x9908b0df, 0, 0x9908b0df
.Lupper:                                // the bit of y that comes from the word itself
        .long   0x80000000
.Lmask_b:                               // the masks of tempering
        .long   0x9d2c5680
.Lmask_c:
        .long   0xefc60000
.Lscale:                                // 2^-24
        .long   0x33800000
.Lones:                                 // one bit for each word of a vector
        .long   0xffffffff
