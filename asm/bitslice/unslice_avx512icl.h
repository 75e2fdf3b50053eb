// The inverse of slicing with AVX-512 VBMI and GFNI, the same for every width of the elements, for 256 elements at a time.

#include "planes_avx512icl.h"

#define planes      rdi
#define stride      rsi
#define halves      rdx
#define dst         rcx
#define stride3     r8
#define stride5     r9
#define stride7     r10
#define plane       r11

#define unit        zmm17
#define pair_0      zmm18

        .macro constants
        lea     stride3, [stride + 2*stride]
        lea     stride5, [stride + 4*stride]
        lea     stride7, [stride3 + 4*stride]
        vpbroadcastq unit, [rip + .Lunit]
        vmovdqu64 pair_0, [rip + .Lpair_0]
        .endm

// One vector of two planes: the index brings e7 e6 e5 e4 e3 in.
        .macro two i, pair, lower, upper
        vmovdqu ymm\i, \lower
        vmovdqu64 spare_half, \upper
        vpermt2b zmm\i, \pair, spare
        .endm

// 256 bytes from 8 planes. The vectors' numbers are the complement of k1 k0 at first; then these are in the bytes' numbers, and e7 e6
// in the vectors'; transposed, the octets of elements stand in order.
        .macro eight a, b, c, d, pair
        two     \a, \pair, [plane+stride3], [plane+stride7]
        two     \b, \pair, [plane+2*stride], [plane+2*stride3]
        two     \c, \pair, [plane+stride], [plane+stride5]
        two     \d, \pair, [plane], [plane+4*stride]
        interleave zmm\a, zmm\c
        interleave zmm\b, zmm\d
        interleave zmm\a, zmm\b
        interleave zmm\c, zmm\d
        diagonal zmm\a, unit
        diagonal zmm\b, unit
        diagonal zmm\c, unit
        diagonal zmm\d, unit
        .endm

        RODATA
        .balign 64
.Lpair_0:                               // e5 e4 e7 e6 e3, and the complement of k2
        index   64, 4, 2, 16, 8, 1, 64
.Lunit:                                 // byte i = 1 << i
        .quad   0x8040201008040201
