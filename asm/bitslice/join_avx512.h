// A chunk, 512 elements, put together from where planes and tiles agree: for AVX-512 BW.
//
// A file defines BYTES, those of an element, includes this one, and defines a macro
//
//   fetch b              loads byte b of the elements into A: [k2 k1 k0] with lanes [e6 e5 e4 e3]; may overwrite C

#define src         rdi
#define stride      rsi
#define chunks      rdx
#define dst         rcx
#define stride3     r8
#define row         rax
#define scratch     r9

#include "network_avx512.h"

// Stores 32 bytes of each lane from `at` on.
        .macro put at, x, y
        store   \x, \y, [dst+\at], [dst+128*BYTES+\at], [dst+256*BYTES+\at], [dst+384*BYTES+\at]
        .endm

#if BYTES == 1

        .macro join
        fetch   0
        transpose_bits A
        interleave A, B
        interleave B, A
        interleave A, B
        put     0, zmm10, zmm11
        put     32, zmm12, zmm13
        put     64, zmm14, zmm15
        put     96, zmm16, zmm17
        .endm

#else

// Byte b: [e2 e6 e5] with lanes [e4 e3 e1 e0].
        .macro byte b, x0, x1, x2, x3, x4, x5, x6, x7
        fetch   \b
        transpose_bits A
        interleave zmm0, zmm4, zmm1, zmm5, zmm2, zmm6, zmm3, zmm7, C
        interleave C, \x0, \x1, \x2, \x3, \x4, \x5, \x6, \x7
        .endm

// The elements of one [e6 e5], which is i; j is i + 4, that is, e2 = 1.
        .macro elements i, j
        unpack  bw, zmm20, zmm21, zmm1\i, zmm\i
        unpack  bw, zmm22, zmm23, zmm1\j, zmm\j
        part    \i, \j, 0, zmm20, zmm22
        part    \i, \j, 1, zmm21, zmm23
        .endm

// Their part e4; x and y are bytes 2 and 3 for both e2.
        .macro part i, j, e4, x, y
        vmovdqa64 zmm8, [scratch + 512*\e4 + 64*\i]
        vmovdqa64 zmm9, [scratch + 512*\e4 + 64*\j]
        unpack  wd, zmm\i, zmm1\i, zmm8, \x
        unpack  wd, zmm\j, zmm1\j, zmm9, \y
        put     128*\i+64*\e4, zmm\i, zmm\j
        put     128*\i+64*\e4+32, zmm1\i, zmm1\j
        .endm

        .macro join
        // Bytes 0 and 1 wait for the others: [e4][e2 e6 e5] with lanes [e3 e1 e0 b0].
        byte    0, B
        byte    1, A
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        unpack  bw, zmm8, zmm9, zmm1\i, zmm\i
        vmovdqa64 [scratch + 64*\i], zmm8
        vmovdqa64 [scratch + 512 + 64*\i], zmm9
        .endr

        // With them, lanes [e1 e0 b1 b0] of both e2 are 32 bytes that follow each other.
        byte    2, B
        byte    3, A
        elements 0, 4
        elements 1, 5
        elements 2, 6
        elements 3, 7
        .endm

#endif
