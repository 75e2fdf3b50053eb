// The arcs of a curve: their vertices, first rows and tolerances.
//
//   void hl_hardround_arcs_avx2(const hl_hardround_curve *curve, const double *denominators, const double *differences,
//                               size_t count, hl_hardround_arcs_of_curve *arcs);
//
// In      rdi = curve, rsi = denominators, rdx = differences, rcx = count, r8 = arcs
//                                           Out  the first count elements of each array of arcs
// Uses    rcx, rdx, rsi, r8, ymm0..ymm15    Stack  none
// Loop    4 arcs: 4 divisions, a square root and some 90 other operations; bound by the divider (44
//         cycles on Granite Rapids)
// Bound   44 cycles for 4 elements on Granite Rapids
// Tail    none
//
// 2 x - 1/2 is fused, because 2 x is exact.

#include "hl.h"

#define curve       rdi
#define denominators rsi
#define differences rdx
#define count       rcx
#define arcs        r8

#define u           ymm0
#define h           ymm0
#define spread      ymm0
#define right       ymm1
#define class       ymm1
#define tolerance   ymm2
#define inverse     ymm3
#define extra       ymm3
#define of_mediant  ymm4
#define rise        ymm4
#define slope       ymm5
#define row         ymm5
#define vertex      ymm6
#define position    ymm6
#define flat        ymm7
#define bend        ymm7
#define value       ymm8
#define above       ymm8
#define height      ymm8
#define scale       ymm9
#define t           ymm10
#define z           ymm11
#define half        ymm12
#define round       ymm13
#define one         ymm14
#define fraction    ymm15

// An operation with a member of the curve, by way of t.
        .macro with op, to, a, member
        vbroadcastsd t, [curve + \member]
        \op     \to, \a, t
        .endm

// The nearest integers.
        .macro nearest to, from
        vaddpd  \to, \from, round
        vsubpd  \to, \to, round
        .endm

// Stores the lower halves of doubles.
        .macro put_low to, x, xmm_x
        vextractf128 xmm10, \x, 1
        vshufps xmm10, \xmm_x, xmm10, 0b10001000
        vmovups [arcs + \to], xmm10
        .endm

// Stores numbers modulo 1 in units of 2^-32.
        .macro put to, x, xmm_x
        vaddpd  \x, \x, fraction
        put_low \to, \x, \xmm_x
        .endm

FUNC(hl_hardround_arcs_avx2)
        test    count, count
        jz      .Ldone
        vmovapd one, [rip + .Lone]
        vmovapd round, [rip + .Lround]
        vmovapd fraction, [rip + .Lfraction]
        vmovapd half, [rip + .Lhalf]

.Larcs:
        vmovupd right, [denominators + 16]
        vmovupd u, [denominators + 8]
        vminpd  of_mediant, right, [denominators]
        vdivpd  inverse, one, u
        vaddpd  of_mediant, of_mediant, u
        vdivpd  of_mediant, one, of_mediant

        // The vertex, by a series in z.
        vmulpd  slope, inverse, [differences]
        with    vsubpd, slope, slope, 48
        with    vmulpd, vertex, slope, 56
        with    vmulpd, z, vertex, 64
        vmulpd  value, z, [rip + .Lfive]
        vmovapd t, [rip + .Ltwo]
        vsubpd  value, t, value
        vmulpd  value, value, z
        vsubpd  value, one, value
        vmulpd  value, value, z
        vsubpd  value, one, value
        vmulpd  vertex, vertex, value

        // The coefficient there, and the inverse of u times it; the value.
        with    vmulpd, flat, vertex, 32
        with    vaddpd, flat, flat, 8
        vdivpd  flat, inverse, flat
        with    vmulpd, value, vertex, 24
        with    vaddpd, value, value, 16
        vmulpd  value, value, vertex
        with    vaddpd, value, value, 8
        vmulpd  value, value, vertex
        vsubpd  value, value, slope
        vmulpd  value, value, vertex
        with    vaddpd, value, value, 0
        nearest row, value
        vsubpd  value, value, row
        vsqrtpd scale, flat

        // The first row.
        vmulpd  value, value, u
        vmulpd  class, right, inverse
        with    vmulpd, h, u, 72
        vsubpd  row, value, h
        vaddpd  row, row, half
        nearest row, row
        vsubpd  above, row, value
        vmulpd  position, vertex, inverse
        vmulpd  row, row, class
        vsubpd  position, position, row
        nearest row, position
        vsubpd  position, position, row

        // The tolerance without the row's width, and the number of rows.
        with    vmulpd, tolerance, inverse, 104
        with    vaddpd, tolerance, tolerance, 96
        vmulpd  z, inverse, of_mediant
        vmulpd  z, z, inverse
        with    vmulpd, z, z, 88
        with    vmulpd, z, z, 112
        vaddpd  tolerance, tolerance, z
        vmulpd  rise, of_mediant, of_mediant
        vmulpd  rise, rise, inverse
        with    vmulpd, rise, rise, 80
        vsubpd  row, h, above
        vaddpd  rise, rise, row
        vaddpd  rise, rise, [rip + .Lrows]
        vaddpd  rise, rise, round
        put_low 1792, rise, xmm4

        // The tolerance, and how much larger it is on the first row.
        vmaxpd  height, above, h
        vmulpd  scale, scale, inverse
        vmulpd  spread, scale, h
        vmulpd  extra, spread, half
        vdivpd  extra, extra, height
        vmulpd  bend, flat, flat
        with    vmulpd, bend, bend, 40
        vmulpd  spread, spread, [rip + .Lwidth]
        vmulpd  scale, scale, [rip + .Lscale]
        vaddpd  tolerance, tolerance, spread
        vcvtpd2ps xmm9, scale
        vmovups [arcs], xmm9
        vcvtpd2ps xmm10, height
        vmovups [arcs + 256], xmm10
        vmulpd  row, height, bend
        vaddpd  class, class, bend
        vsubpd  position, position, row
        vaddpd  position, position, tolerance
        vsubpd  position, position, half
        put     768, class, xmm1
        put     512, position, xmm6
        vmovapd t, [rip + .Ltwo]
        vaddpd  row, tolerance, extra
        vfmsub132pd tolerance, half, t
        vfmsub132pd row, half, t
        put     1024, tolerance, xmm2
        vminpd  row, row, [rip + .Levery]
        put     1280, extra, xmm3
        put     1536, row, xmm5
        add     denominators, 32
        add     differences, 32
        add     arcs, 16
        sub     count, 4
        jnz     .Larcs
        vzeroupper
.Ldone:
        ret
END(hl_hardround_arcs_avx2)

        RODATA
        .balign 32
.Lhalf:
        .double 0.5, 0.5, 0.5, 0.5
.Lone:
        .double 1.0, 1.0, 1.0, 1.0
.Ltwo:
        .double 2.0, 2.0, 2.0, 2.0
.Lfive:
        .double 5.0, 5.0, 5.0, 5.0
.Lround:                                // 1.5 * 2^52
        .double 6755399441055744.0, 6755399441055744.0, 6755399441055744.0, 6755399441055744.0
.Lfraction:                             // 1.5 * 2^20
        .double 1572864.0, 1572864.0, 1572864.0, 1572864.0
.Lrows:                                 // 1/2 + 2^-10
        .double 0.5009765625, 0.5009765625, 0.5009765625, 0.5009765625
.Lwidth:
        .double 0.75, 0.75, 0.75, 0.75
.Lscale:                                // 2^14
        .double 16384.0, 16384.0, 16384.0, 16384.0
.Levery:                                // 1/2 - 2^-32
        .quad   0x3fdfffffffc00000, 0x3fdfffffffc00000, 0x3fdfffffffc00000, 0x3fdfffffffc00000
