// The arcs of a curve: their vertices, first rows and tolerances.
//
//   void hl_hardround_arcs_avx512(const hl_hardround_curve *curve, const double *denominators,
//                                 const double *differences, size_t count, hl_hardround_arcs_of_curve *arcs);
//
// In      rdi = curve, rsi = denominators, rdx = differences, rcx = count, r8 = arcs
//                                           Out  the first count elements of each array of arcs
// Uses    rax, rcx, rdx, rsi, r8, r9, r10, zmm0..zmm24     Stack  none
// Loop    16 arcs: 2 vectors, each with 2 divisions, a square root and some 100 other operations;
//         bound by the 2 vector ports and, as long, by the divider (112 cycles on Granite Rapids)
// Bound   112 cycles for 16 elements on Granite Rapids
// Tail    8 arcs, twice
//
// Denominators are integers up to 2^21. The inverse of such a number, or of a sum of two, has an
// approximation y within 2^-14; thrice y + y (1 - u y), with fused operations, is the rounded inverse:
// after two times the error is an ulp, after the third 2^-104 before it is rounded, and no inverse is
// within 2^-76 of the middle between two doubles. 2 x - 1/2 is fused, because 2 x is exact.

#include "hl.h"

#define curve       rdi
#define denominators rsi
#define differences rdx
#define count       rcx
#define arcs        r8
#define second      rax         // offset of the second vector of doubles: 64, or 0 for 8 arcs
#define narrow      r9          // half of it
#define last        r10

// Registers of both vectors: number i is zmm<i> for the first, zmm1<i> for the second.
#define u           0
#define h           0
#define spread      0
#define right       1
#define class       1
#define mediant     2
#define tolerance   2
#define inverse     3
#define extra       3
#define of_mediant  4
#define rise        4
#define slope       5
#define row         5
#define vertex      6
#define position    6
#define z           7
#define flat        7
#define bend        7
#define value       8
#define above       8
#define height      8
#define scale       9

#define one         zmm20
#define round       zmm21               // added and subtracted, it rounds to integers
#define fraction    zmm22               // added, it leaves numbers modulo 1 in units of 2^-32
#define half        zmm23
#define even        zmm24

#define of(member)  qword ptr [curve + member]{1to8}
#define constant(x) qword ptr [rip + x]{1to8}

// An operation on both vectors: three registers; two and an operand that they share; two registers.
        .macro both op, to, a, b
        \op     zmm\to, zmm\a, zmm\b
        \op     zmm1\to, zmm1\a, zmm1\b
        .endm
        .macro shared op, to, a, operand:vararg
        \op     zmm\to, zmm\a, \operand
        \op     zmm1\to, zmm1\a, \operand
        .endm
        .macro unary op, to, from
        \op     zmm\to, zmm\from
        \op     zmm1\to, zmm1\from
        .endm

// Improves approximate inverses; t is another register.
        .macro improve approximate, x, t
        vmovapd zmm\t, one
        vmovapd zmm1\t, one
        both    vfnmadd231pd, \t, \approximate, \x
        both    vfmadd231pd, \approximate, \approximate, \t
        .endm

// Stores the lower halves of doubles.
        .macro put_low to, x
        vpermt2d zmm\x, even, zmm1\x
        vmovdqu [arcs + \to], ymm\x
        vextracti32x8 [arcs + narrow + \to], zmm\x, 1
        .endm

FUNC(hl_hardround_arcs_avx512)
        test    count, count
        jz      .Ldone
        vbroadcastsd one, [rip + .Lone]
        vbroadcastsd round, [rip + .Lround]
        vbroadcastsd fraction, [rip + .Lfraction]
        vbroadcastsd half, [rip + .Lhalf]
        vmovdqu32 even, [rip + .Leven]
        mov     r10d, 8

.Larcs:
        xor     eax, eax
        cmp     count, last
        setne   al
        shl     eax, 6
        mov     narrow, second
        shr     narrow, 1

        // The inverses, with a division by Newton's method.
        vmovupd zmm1, [denominators + 16]
        vmovupd zmm11, [denominators + second + 16]
        vmovupd zmm0, [denominators + 8]
        vmovupd zmm10, [denominators + second + 8]
        vmovupd zmm2, [denominators]
        vmovupd zmm12, [denominators + second]
        unary   vrcp14pd, inverse, u
        both    vminpd, mediant, mediant, right
        both    vaddpd, mediant, mediant, u
        improve inverse, u, 5
        unary   vrcp14pd, of_mediant, mediant
        improve inverse, u, 5
        improve of_mediant, mediant, 6
        improve inverse, u, 5
        improve of_mediant, mediant, 6

        // The vertex, by a series in z.
        vmulpd  zmm5, zmm3, [differences]
        vmulpd  zmm15, zmm13, [differences + second]
        shared  vsubpd, slope, slope, of(48)
        improve of_mediant, mediant, 6
        shared  vmulpd, vertex, slope, of(56)
        shared  vmulpd, z, vertex, of(64)
        shared  vmulpd, 8, z, constant(.Lfive)
        vbroadcastsd zmm9, [rip + .Ltwo]
        vsubpd  zmm8, zmm9, zmm8
        vsubpd  zmm18, zmm9, zmm18
        both    vmulpd, 9, inverse, of_mediant
        both    vmulpd, 8, 8, z
        both    vmulpd, 9, 9, inverse
        vsubpd  zmm8, one, zmm8
        vsubpd  zmm18, one, zmm18
        shared  vmulpd, tolerance, inverse, of(104)
        both    vmulpd, 8, 8, z
        shared  vmulpd, 9, 9, of(88)
        vsubpd  zmm8, one, zmm8
        vsubpd  zmm18, one, zmm18
        shared  vaddpd, tolerance, tolerance, of(96)
        both    vmulpd, vertex, vertex, 8
        shared  vmulpd, 9, 9, of(112)

        // The coefficient there, and the inverse of u times it; the value.
        shared  vmulpd, flat, vertex, of(32)
        shared  vmulpd, value, vertex, of(24)
        shared  vaddpd, flat, flat, of(8)
        shared  vaddpd, value, value, of(16)
        both    vdivpd, flat, inverse, flat
        both    vaddpd, tolerance, tolerance, 9
        both    vmulpd, value, value, vertex
        both    vmulpd, rise, of_mediant, of_mediant
        shared  vaddpd, value, value, of(8)
        both    vmulpd, rise, rise, inverse
        both    vmulpd, value, value, vertex
        unary   vsqrtpd, scale, flat
        both    vmulpd, class, right, inverse
        both    vsubpd, value, value, slope
        both    vmulpd, value, value, vertex
        shared  vmulpd, rise, rise, of(80)
        shared  vaddpd, value, value, of(0)
        shared  vaddpd, row, value, round
        shared  vsubpd, row, row, round
        both    vsubpd, value, value, row

        // The first row.
        both    vmulpd, value, value, u
        shared  vmulpd, h, u, of(72)
        both    vsubpd, row, value, h
        shared  vaddpd, row, row, half
        shared  vaddpd, row, row, round
        shared  vsubpd, row, row, round
        both    vsubpd, above, row, value
        both    vmulpd, position, vertex, inverse
        both    vmulpd, row, row, class
        both    vsubpd, position, position, row
        both    vsubpd, row, h, above
        both    vaddpd, rise, rise, row
        shared  vaddpd, row, position, round
        shared  vsubpd, row, row, round
        shared  vaddpd, rise, rise, constant(.Lrows)
        both    vsubpd, position, position, row
        both    vmaxpd, height, above, h
        both    vmulpd, scale, scale, inverse
        both    vmulpd, spread, scale, h
        shared  vaddpd, rise, rise, round
        put_low 1792, rise

        // The tolerance, and how much larger it is on the first row.
        shared  vmulpd, extra, spread, half
        both    vdivpd, extra, extra, height
        both    vmulpd, bend, flat, flat
        shared  vmulpd, bend, bend, of(40)
        shared  vmulpd, spread, spread, constant(.Lwidth)
        shared  vmulpd, scale, scale, constant(.Lscale)
        both    vaddpd, tolerance, tolerance, spread
        vcvtpd2ps ymm9, zmm9            // scale
        vcvtpd2ps ymm19, zmm19
        vmovups [arcs], ymm9
        vmovups [arcs + narrow], ymm19
        both    vmulpd, 5, height, bend
        vcvtpd2ps ymm8, zmm8            // height
        vcvtpd2ps ymm18, zmm18
        vmovups [arcs + 256], ymm8
        vmovups [arcs + narrow + 256], ymm18
        both    vaddpd, class, class, bend
        both    vsubpd, position, position, 5
        vbroadcastsd zmm9, [rip + .Ltwo]
        both    vaddpd, position, position, tolerance
        shared  vsubpd, position, position, half
        shared  vaddpd, class, class, fraction
        put_low 768, class
        both    vaddpd, 4, tolerance, extra
        shared  vaddpd, position, position, fraction
        put_low 512, position
        vfmsub132pd zmm2, half, zmm9
        vfmsub132pd zmm12, half, zmm9
        shared  vaddpd, tolerance, tolerance, fraction
        put_low 1024, tolerance
        vfmsub132pd zmm4, half, zmm9
        vfmsub132pd zmm14, half, zmm9
        shared  vminpd, 4, 4, constant(.Levery)
        shared  vaddpd, extra, extra, fraction
        put_low 1280, extra
        shared  vaddpd, 4, 4, fraction
        put_low 1536, 4
        lea     denominators, [denominators + second + 64]
        lea     differences, [differences + second + 64]
        lea     arcs, [arcs + narrow + 32]
        shr     second, 3
        sub     count, second
        sub     count, 8
        ja      .Larcs
        vzeroupper
.Ldone:
        ret
END(hl_hardround_arcs_avx512)

        RODATA
        .balign 64
.Leven:
        .long   0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
.Lhalf:
        .double 0.5
.Lone:
        .double 1.0
.Ltwo:
        .double 2.0
.Lfive:
        .double 5.0
.Lround:                                // 1.5 * 2^52
        .double 6755399441055744.0
.Lfraction:                             // 1.5 * 2^20
        .double 1572864.0
.Lrows:                                 // 1/2 + 2^-10
        .double 0.5009765625
.Lwidth:
        .double 0.75
.Lscale:                                // 2^14
        .double 16384.0
.Levery:                                // 1/2 - 2^-32
        .quad   0x3fdfffffffc00000
