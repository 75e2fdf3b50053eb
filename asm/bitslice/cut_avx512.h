// A chunk, 512 elements, cut as far as planes and tiles agree: for AVX-512 BW.
//
// A file defines BYTES, those of an element, and includes this one.

#define src         rdi
#define chunks      rsi
#define dst         rdx
#define stride      rcx
#define stride3     r8
#define row         rax
#define scratch     r9

#include "network_avx512.h"

// 32 bytes of each lane from `at` on.
        .macro load2 x, y, at
        load    \x, \y, [src+\at], [src+128*BYTES+\at], [src+256*BYTES+\at], [src+384*BYTES+\at]
        .endm

        .macro load8 at, x0, x1, x2, x3, x4, x5, x6, x7
        load2   \x0, \x1, \at
        load2   \x2, \x3, \at+32
        load2   \x4, \x5, \at+64
        load2   \x6, \x7, \at+96
        .endm

#if BYTES == 1

// The rows of the bits, [k2 k1 k0], with lanes [e6 e5 e4 e3], in B.
        .macro cut
        load8   0, B
        interleave B, A
        interleave A, B
        interleave B, A
        interleave A, B
        transpose_bits B
        .endm

#else

// The groups e5 = 0 and 1 of one e6: [k2 k1 k0] with lanes [b1 b0 e4 e3] in A and B.
        .macro cut e6
        load8   256*\e6, A
        interleave A, B
        interleave B, A
        transpose_bits A
        load8   256*\e6+128, B
        interleave B, C
        interleave C, B
        transpose_bits B
        .endm

#endif
