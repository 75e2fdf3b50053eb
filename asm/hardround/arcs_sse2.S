// The arcs of a curve: their vertices, first rows and tolerances.
//
//   void hl_hardround_arcs_sse2(const hl_hardround_curve *curve, const double *denominators, const double *differences,
//                               size_t count, hl_hardround_arcs_of_curve *arcs);
//
// In      rdi = curve, rsi = denominators, rdx = differences, rcx = count, r8 = arcs
//                                           Out  the first count elements of each array of arcs
// Uses    rcx, rdx, rsi, r8, xmm0..xmm15    Stack  248 bytes
// Loop    2 arcs: 4 divisions, a square root and some 90 other operations; bound by the 3 vector
//         ports (31 cycles on Granite Rapids, where the divider takes 22)
// Bound   31 cycles for 2 elements on Granite Rapids
// Tail    none

#include "hl.h"

#define curve       rdi
#define denominators rsi
#define differences rdx
#define count       rcx
#define arcs        r8

#define u           xmm0
#define h           xmm0
#define spread      xmm0
#define right       xmm1
#define class       xmm1
#define tolerance   xmm2
#define inverse     xmm3
#define of_mediant  xmm4
#define rise        xmm4
#define slope       xmm5
#define row         xmm5
#define vertex      xmm6
#define position    xmm6
#define flat        xmm7
#define bend        xmm7
#define value       xmm8
#define above       xmm8
#define height      xmm8
#define scale       xmm9
#define t           xmm10
#define z           xmm11
#define half        xmm12
#define round       xmm13
#define one         xmm14
#define fraction    xmm15

// Members of the curve, each twice.
#define of(member)  [rsp + 2 * member]
#define FRAME       248

// t = from - x
        .macro less from, x
        movapd  t, \from
        subpd   t, \x
        .endm

// The nearest integers.
        .macro nearest to, from
        movapd  \to, \from
        addpd   \to, round
        subpd   \to, round
        .endm

// Stores the lower halves of doubles.
        .macro put_low to, x
        pshufd  \x, \x, 0b10001000
        movq    [arcs + \to], \x
        .endm

// Stores numbers modulo 1 in units of 2^-32.
        .macro put to, x
        addpd   \x, fraction
        put_low \to, \x
        .endm

FUNC(hl_hardround_arcs_sse2)
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME
        test    count, count
        jz      .Ldone
        .irp    member, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112
        movsd   t, [curve + \member]
        unpcklpd t, t
        movapd  of(\member), t
        .endr
        movapd  one, [rip + .Lone]
        movapd  round, [rip + .Lround]
        movapd  fraction, [rip + .Lfraction]
        movapd  half, [rip + .Lhalf]

.Larcs:
        movupd  right, [denominators + 16]
        movupd  u, [denominators + 8]
        movupd  t, [denominators]
        movapd  inverse, one
        divpd   inverse, u
        minpd   t, right
        addpd   t, u
        movapd  of_mediant, one
        divpd   of_mediant, t

        // The vertex, by a series in z.
        movupd  slope, [differences]
        mulpd   slope, inverse
        subpd   slope, of(48)
        movapd  vertex, slope
        mulpd   vertex, of(56)
        movapd  z, vertex
        mulpd   z, of(64)
        movapd  value, z
        mulpd   value, [rip + .Lfive]
        movapd  t, [rip + .Ltwo]
        subpd   t, value
        mulpd   t, z
        movapd  value, one
        subpd   value, t
        mulpd   value, z
        less    one, value
        mulpd   vertex, t

        // The coefficient there, and the inverse of u times it; the value.
        movapd  t, vertex
        mulpd   t, of(32)
        addpd   t, of(8)
        movapd  flat, inverse
        divpd   flat, t
        movapd  value, vertex
        mulpd   value, of(24)
        addpd   value, of(16)
        mulpd   value, vertex
        addpd   value, of(8)
        mulpd   value, vertex
        subpd   value, slope
        mulpd   value, vertex
        addpd   value, of(0)
        nearest row, value
        subpd   value, row
        sqrtpd  scale, flat

        // The first row.
        mulpd   value, u
        mulpd   class, inverse
        mulpd   h, of(72)
        movapd  t, value
        subpd   t, h
        addpd   t, half
        nearest row, t
        movapd  t, row
        subpd   t, value
        movapd  above, t
        mulpd   position, inverse
        mulpd   row, class
        subpd   position, row
        nearest row, position
        subpd   position, row

        // The tolerance without the row's width, and the number of rows.
        movapd  tolerance, inverse
        mulpd   tolerance, of(104)
        addpd   tolerance, of(96)
        movapd  z, inverse
        mulpd   z, of_mediant
        mulpd   z, inverse
        mulpd   z, of(88)
        mulpd   z, of(112)
        addpd   tolerance, z
        mulpd   rise, of_mediant
        mulpd   rise, inverse
        mulpd   rise, of(80)
        less    h, above
        addpd   rise, t
        addpd   rise, [rip + .Lrows]
        addpd   rise, round
        put_low 1792, rise

        // The tolerance, and how much larger it is on the first row.
        maxpd   height, h
        mulpd   scale, inverse
        mulpd   spread, scale
        movapd  row, spread
        mulpd   row, half
        divpd   row, height
        mulpd   bend, flat
        mulpd   bend, of(40)
        mulpd   spread, [rip + .Lwidth]
        mulpd   scale, [rip + .Lscale]
        addpd   tolerance, spread
        cvtpd2ps scale, scale
        movlps  [arcs], scale
        cvtpd2ps t, height
        movlps  [arcs + 256], t
        mulpd   height, bend
        addpd   class, bend
        subpd   position, height
        addpd   position, tolerance
        subpd   position, half
        put     768, class
        put     512, position
        movapd  t, tolerance
        addpd   t, row
        addpd   tolerance, tolerance
        subpd   tolerance, half
        addpd   t, t
        subpd   t, half
        put     1024, tolerance
        minpd   t, [rip + .Levery]
        put     1280, row
        put     1536, t
        add     denominators, 16
        add     differences, 16
        add     arcs, 8
        sub     count, 2
        jnz     .Larcs
.Ldone:
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -FRAME
        ret
END(hl_hardround_arcs_sse2)

        RODATA
        .balign 16
.Lhalf:
        .double 0.5, 0.5
.Lone:
        .double 1.0, 1.0
.Ltwo:
        .double 2.0, 2.0
.Lfive:
        .double 5.0, 5.0
.Lround:                                // 1.5 * 2^52
        .double 6755399441055744.0, 6755399441055744.0
.Lfraction:                             // 1.5 * 2^20
        .double 1572864.0, 1572864.0
.Lrows:                                 // 1/2 + 2^-10
        .double 0.5009765625, 0.5009765625
.Lwidth:
        .double 0.75, 0.75
.Lscale:                                // 2^14
        .double 16384.0, 16384.0
.Levery:                                // 1/2 - 2^-32
        .quad   0x3fdfffffffc00000, 0x3fdfffffffc00000
