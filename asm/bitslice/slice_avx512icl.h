// Slicing with AVX-512 VBMI and GFNI, the same for every width of the elements.
//
// A file includes this one and defines these constants:
//
//   .Lgather     for each k the index of plane k: it brings e8 in and k2 out, and undoes what the units have permuted; those of
//                k2 = 1 with the vectors in the other order
//
// and the macro `load z, i, at`: bytes of vector i of four, the first of them `at` bytes into the chunk, so that those of an octet
// of elements stand in descending order.

#include "planes_avx512icl.h"

#define src         rdi
#define chunks      rsi
#define planes      rdx
#define stride      rcx
#define stride3     r8
#define stride5     r9
#define stride7     r10

// The indices of the planes, and the units for e7 e6 = 0 .. 3.
#define gather_0    zmm17
#define gather_1    zmm18
#define gather_2    zmm19
#define gather_3    zmm20
#define gather_4    zmm21
#define gather_5    zmm22
#define gather_6    zmm23
#define gather_7    zmm24
#define unit_0      zmm25
#define unit_1      zmm26
#define unit_2      zmm27
#define unit_3      zmm28

// The bytes whose bit 1, and those whose bit 0 of the number is 1.
#define bit_1       k1
#define bit_0       k2

        .macro constants
        lea     stride3, [stride + 2*stride]
        lea     stride5, [stride + 4*stride]
        lea     stride7, [stride3 + 4*stride]
        vmovdqu64 gather_0, [rip + .Lgather]
        vmovdqu64 gather_1, [rip + .Lgather + 64]
        vmovdqu64 gather_2, [rip + .Lgather + 128]
        vmovdqu64 gather_3, [rip + .Lgather + 192]
        vmovdqu64 gather_4, [rip + .Lgather + 256]
        vmovdqu64 gather_5, [rip + .Lgather + 320]
        vmovdqu64 gather_6, [rip + .Lgather + 384]
        vmovdqu64 gather_7, [rip + .Lgather + 448]
        vpbroadcastq unit_0, [rip + .Lunits]
        vpbroadcastq unit_1, [rip + .Lunits + 8]
        vpbroadcastq unit_2, [rip + .Lunits + 16]
        vpbroadcastq unit_3, [rip + .Lunits + 24]
        kmovq   bit_1, [rip + .Lbit_1]
        kmovq   bit_0, [rip + .Lbit_0]
        .endm

// Four vectors, numbered by e7 e6.
        .macro read a, b, c, d, at
        load    zmm\a, 0, \at
        load    zmm\b, 1, \at
        load    zmm\c, 2, \at
        load    zmm\d, 3, \at
        .endm

// Transposes their octets; then k1 k0 number them. The bytes of vector e7 e6 are at k1 k0 ^ e7 e6, so that what is exchanged stands
// in the same places; vector k1 k0 then has those of e7 e6 at e7 e6 ^ k1 k0.
        .macro transpose a, b, c, d
        diagonal zmm\a, unit_0
        diagonal zmm\b, unit_1
        diagonal zmm\c, unit_2
        diagonal zmm\d, unit_3
        exchange zmm\a, zmm\c, bit_1
        exchange zmm\b, zmm\d, bit_1
        exchange zmm\a, zmm\b, bit_0
        exchange zmm\c, zmm\d, bit_0
        .endm

// Write the planes k = 0, 1, 4 and 5 of 8, or 2, 3, 6 and 7, from two vectors of e8 = 0 and two of e8 = 1.
        .macro write_0145 a, b, c, d, plane
        choose  zmm\a, zmm\c, gather_0, gather_4
        vmovdqu64 [\plane], zmm\a
        vmovdqu64 [\plane + 4*stride], zmm\c
        choose  zmm\b, zmm\d, gather_1, gather_5
        vmovdqu64 [\plane + stride], zmm\b
        vmovdqu64 [\plane + stride5], zmm\d
        .endm

        .macro write_2367 a, b, c, d, plane
        choose  zmm\a, zmm\c, gather_2, gather_6
        vmovdqu64 [\plane + 2*stride], zmm\a
        vmovdqu64 [\plane + 2*stride3], zmm\c
        choose  zmm\b, zmm\d, gather_3, gather_7
        vmovdqu64 [\plane + stride3], zmm\b
        vmovdqu64 [\plane + stride7], zmm\d
        .endm

        RODATA
        .balign 8
.Lunits:                                // byte i = 1 << (i ^ e7 e6)
        .quad   0x8040201008040201, 0x4080102004080102, 0x2010804002010804, 0x1020408001020408
.Lbit_1:                                // bits whose number has a 1 in bit 1
        .quad   0xcccccccccccccccc
.Lbit_0:                                // in bit 0
        .quad   0xaaaaaaaaaaaaaaaa
