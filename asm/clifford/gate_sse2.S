#include "hl.h"

#define LANES   4
#define ROW     16
#define LOG_ROW 4
#define ALL(name) [rip + name]

#include "gate_x86_64.h"

        .macro get i, place:vararg
        movaps  xmm\i, \place
        .endm

        .macro put i, place:vararg
        movaps  \place, xmm\i
        .endm

        .macro constant i, place
        movaps  xmm\i, [rip + \place]
        .endm

        .macro spread i, place:vararg
        movss   xmm\i, \place
        shufps  xmm\i, xmm\i, 0
        .endm

        .macro clear i
        xorps   xmm\i, xmm\i
        .endm

        .macro move i, j
        .ifnc   \i, \j
        movaps  xmm\i, xmm\j
        .endif
        .endm

        .macro plus i, j, k
        move    \i, \j
        addps   xmm\i, xmm\k
        .endm

        .macro less i, j, k
        move    \i, \j
        subps   xmm\i, xmm\k
        .endm

        .macro times i, j, k
        move    \i, \j
        mulps   xmm\i, xmm\k
        .endm

        .macro plus_at i, j, place:vararg
        move    \i, \j
        addps   xmm\i, \place
        .endm

        .macro times_at i, j, place:vararg
        move    \i, \j
        mulps   xmm\i, \place
        .endm

        .macro least i, place:vararg
        minps   xmm\i, \place
        .endm

        .macro copy there, source
        movups  xmm0, \source
        movups  \there, xmm0
        .endm

        .macro leave_vectors
        .endm

        .macro parts n, g
        .irp    i, 0, 1, 2, 3
        movups  xmm\i, [at + 4*\n*\i + 16*\g]
        .endr
        .endm

// Transposes 4 x 4 floats.
        .macro transpose
        movaps  xmm4, xmm0
        movaps  xmm5, xmm2
        unpcklps xmm4, xmm1
        unpcklps xmm5, xmm3
        unpckhps xmm0, xmm1
        unpckhps xmm2, xmm3
        movaps  xmm6, xmm0
        movaps  xmm3, xmm6
        movaps  xmm0, xmm4
        movaps  xmm1, xmm4
        unpcklpd xmm0, xmm5
        unpckhpd xmm1, xmm5
        unpcklpd xmm6, xmm2
        unpckhpd xmm3, xmm2
        movaps  xmm2, xmm6
        .endm

        .macro first_row
        unpcklps xmm0, xmm1
        unpcklps xmm2, xmm3
        unpcklpd xmm0, xmm2
        .endm

        .macro in_order i, n, place:vararg
        movups  xmm\i, \place
        .endm

        .macro round
        both_at plus, rounded, whole, ALL(.Lround)
        both_at plus, whole, rounded, ALL(.Lminus_round)
        .endm

// The exponent is added to the bits of exp(r), which is near 1: no result is denormal.
        .macro finish
        both    shifted_plus, power, power, rounded
        constant 8, .Lsmallest
        constant 9, .Lsmallest
        cmpnltps xmm8, xmm0             // not less than the argument, or NaN
        cmpnltps xmm9, xmm1
        both_at times, minus_x, minus_x, ALL(.Lminus_infinity)
        both    masked, power, minus_x, rounded
        both_at plus, power, power, ALL(.Lone)
        constant 2, .Lone
        constant 3, .Lone
        divps   xmm2, xmm4
        divps   xmm3, xmm5
        .endm

        .macro shifted_plus i, j, k
        pslld   xmm\k, 23
        paddd   xmm\i, xmm\k
        .endm

// Vector i = vector j where the mask k is set.
        .macro masked i, j, k
        andps   xmm\j, xmm\k
        andnps  xmm\k, xmm\i
        orps    xmm\k, xmm\j
        movaps  xmm\i, xmm\k
        .endm

        .macro select
        mulps   xmm1, xmm0
        clear   2
        cmpneqps xmm0, xmm2             // not 0, or NaN
        andps   xmm0, xmm1
        .endm

        .macro patterns n
        .endm

        .macro apply n
        .irp    i, 0, 1, 2, 3
        pshufd  xmm0, [gates], 0b01010101*\i
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        movups  xmm1, [x_now + 4*\n*\i + 16*\g]
        mulps   xmm1, xmm0
        movups  [z_now + 4*\n*\i + 16*\g], xmm1
        .endif
        .endr
        .endr
        .endm

        .macro grade_patterns n
        .endm

// Four floats of a multivector times four gates of its record.
        .macro graded n, i, g, order
        movups  xmm0, [x_now + 4*\n*\i + 16*\g]
        pshufd  xmm1, [gates + 16*\i], \order
        .if     \g == 3
        // The last float has a gate that no record holds.
        movss   xmm2, [gates + 4*ROW + 4*\i]
        movaps  xmm3, xmm1
        unpcklps xmm3, xmm2
        shufps  xmm1, xmm3, 0b01000000
        .endif
        mulps   xmm0, xmm1
        movups  [z_now + 4*\n*\i + 16*\g], xmm0
        .endm

        .macro apply_grades n
        .irp    i, 0, 1, 2, 3
        .if     \n == 4
        graded  \n, \i, 0, 0b10010100   // 0 1 1 2
        .elseif \n == 8
        graded  \n, \i, 0, 0b01010100   // 0 1 1 1
        graded  \n, \i, 1, 0b11101010   // 2 2 2 3
        .else
        graded  \n, \i, 0, 0b01010100   // 0 1 1 1
        graded  \n, \i, 1, 0b10101001   // 1 2 2 2
        graded  \n, \i, 2, 0b11101010   // 2 2 2 3
        graded  \n, \i, 3, 0b11111111   // 3 3 3
        .endif
        .endr
        .endm

// Activations of multivectors: z = x times a gate, a function of x.
//
//   void hl_clifford_gate_f32_sse2(size_t kind, size_t blades, size_t channels,
//       const float *weights, const float *bias, const float *signs, const float *x, size_t count,
//       float *z);
//
// In      rdi = kind, rsi = blades, rdx = channels, rcx = weights, r8 = bias, r9 = signs,
//         [rsp+8..24] = x, count, z     Out  z
// Uses    rax, rbx, rcx, rdx, rbp, r8..r15, xmm0..xmm12, xmm15     Stack  2144 bytes
// Loop    4 multivectors of 8 numbers, kind 0: 74 operations, 20 of them shuffles, and 24 copies of
//         registers; bound by the three vector pipes of Golden Cove (25 cycles)
// Tail    the last block overlaps the one before; fewer than 4 multivectors are copied, with zeros
//         after them
FUNC(hl_clifford_gate_f32_sse2)
        gate
END(hl_clifford_gate_f32_sse2)

        RODATA
        .balign 16
        .macro number_of name, bits
.L\name:
        .rept   4
        .long   \bits
        .endr
        .endm
        gate_constants
        number_of round, 0x4b400000
        number_of minus_round, 0xcb400000
        number_of minus_infinity, 0xff800000
