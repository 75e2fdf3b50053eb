#include "hl.h"

#define LANES   8
#define ROW     32
#define LOG_ROW 5
#define ALL(name) [rip + name]

#include "gate_x86_64.h"

        .macro get i, place:vararg
        vmovaps ymm\i, \place
        .endm

        .macro put i, place:vararg
        vmovaps \place, ymm\i
        .endm

        .macro constant i, place
        vmovaps ymm\i, [rip + \place]
        .endm

        .macro spread i, place:vararg
        vbroadcastss ymm\i, \place
        .endm

        .macro clear i
        vxorps  xmm\i, xmm\i, xmm\i
        .endm

        .macro move i, j
        vmovaps ymm\i, ymm\j
        .endm

        .macro plus i, j, k
        vaddps  ymm\i, ymm\j, ymm\k
        .endm

        .macro less i, j, k
        vsubps  ymm\i, ymm\j, ymm\k
        .endm

        .macro times i, j, k
        vmulps  ymm\i, ymm\j, ymm\k
        .endm

        .macro plus_at i, j, place:vararg
        vaddps  ymm\i, ymm\j, \place
        .endm

        .macro times_at i, j, place:vararg
        vmulps  ymm\i, ymm\j, \place
        .endm

        .macro least i, place:vararg
        vminps  ymm\i, ymm\i, \place
        .endm

        .macro copy there, source
        vmovups xmm0, \source
        vmovups \there, xmm0
        .endm

        .macro leave_vectors
        vzeroupper
        .endm

// Multivectors of 4 numbers are loaded as they are in memory: half j of vector i is multivector 2 i
// + j. With more numbers, half j of vector i belongs to multivector 4 j + i.
        .macro parts n, g
        .if     \n == 4
        .irp    i, 0, 1, 2, 3
        vmovups ymm\i, [at + 32*\i]
        .endr
        .else
        .irp    i, 0, 1, 2, 3
        vmovups xmm\i, [at + 4*\n*\i + 16*\g]
        .endr
        .irp    i, 0, 1, 2, 3
        vinsertf128 ymm\i, ymm\i, [at + 4*\n*(\i + 4) + 16*\g], 1
        .endr
        .endif
        .endm

// Transposes four floats of each 128 bits.
        .macro transpose
        vunpcklps ymm4, ymm0, ymm1
        vunpcklps ymm5, ymm2, ymm3
        vunpckhps ymm6, ymm0, ymm1
        vunpckhps ymm7, ymm2, ymm3
        vunpcklpd ymm0, ymm4, ymm5
        vunpckhpd ymm1, ymm4, ymm5
        vunpcklpd ymm2, ymm6, ymm7
        vunpckhpd ymm3, ymm6, ymm7
        .endm

        .macro first_row
        vunpcklps ymm0, ymm0, ymm1
        vunpcklps ymm2, ymm2, ymm3
        vunpcklpd ymm0, ymm0, ymm2
        .endm

// With 4 numbers, lane 4 j + i belongs to multivector 2 i + j.
        .macro in_order i, n, place:vararg
        .if     \n == 4
        vmovups ymm7, [rip + .Lorder]
        vpermps ymm\i, ymm7, \place
        .else
        vmovups ymm\i, \place
        .endif
        .endm

        .macro round
        both_at plus, rounded, whole, ALL(.Lround)
        both_at plus, whole, rounded, ALL(.Lminus_round)
        .endm

// The exponent is added to the bits of exp(r), which is near 1: no result is denormal.
        .macro finish
        both    shifted_plus, power, power, rounded
        vcmpps  ymm8, ymm0, ALL(.Lsmallest), 0x1a       // not greater, or NaN
        vcmpps  ymm9, ymm1, ALL(.Lsmallest), 0x1a
        both_at times, minus_x, minus_x, ALL(.Lminus_infinity)
        vblendvps ymm4, ymm4, ymm0, ymm8
        vblendvps ymm5, ymm5, ymm1, ymm9
        both_at plus, power, power, ALL(.Lone)
        constant 6, .Lone
        vdivps  ymm2, ymm6, ymm4
        vdivps  ymm3, ymm6, ymm5
        .endm

        .macro shifted_plus i, j, k
        vpslld  ymm\k, ymm\k, 23
        vpaddd  ymm\i, ymm\j, ymm\k
        .endm

        .macro select
        clear   2
        vcmpps  ymm2, ymm0, ymm2, 4     // not 0, or NaN
        vmulps  ymm0, ymm0, ymm1
        vandps  ymm0, ymm0, ymm2
        .endm

        .macro patterns n
        .endm

        .macro apply n
        .if     \n == 4
        .irp    i, 0, 1, 2, 3
        vpermilps ymm0, [gates], 0b01010101*\i
        vmulps  ymm0, ymm0, [x_now + 32*\i]
        vmovups [z_now + 32*\i], ymm0
        .endr
        .else
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vbroadcastss ymm0, [gates + 4*\i]
        .if     \n == 8
        vmulps  ymm0, ymm0, [x_now + 32*\i]
        vmovups [z_now + 32*\i], ymm0
        .else
        vmulps  ymm1, ymm0, [x_now + 64*\i]
        vmulps  ymm0, ymm0, [x_now + 64*\i + 32]
        vmovups [z_now + 64*\i], ymm1
        vmovups [z_now + 64*\i + 32], ymm0
        .endif
        .endr
        .endif
        .endm

        .macro grade_patterns n
        .if     \n > 4
        vmovups ymm13, [rip + .Lgrades_\n]
        .endif
        .if     \n == 16
        vmovups ymm14, [rip + .Lgrades_16 + 32]
        .endif
        .endm

// With more than 4 numbers, the record of multivector 4 j + i is half j of row i.
        .macro apply_grades n
        .if     \n == 4
        .irp    i, 0, 1, 2, 3
        vpermilps ymm0, [gates + 32*\i], 0b10010100     // 0 1 1 2
        vmulps  ymm0, ymm0, [x_now + 32*\i]
        vmovups [z_now + 32*\i], ymm0
        .endr
        .else
        .irp    j, 0, 1
        .irp    i, 0, 1, 2, 3
        vbroadcastf128 ymm0, [gates + 32*\i + 16*\j]
        .if     \n == 8
        vpermilps ymm0, ymm0, ymm13
        vmulps  ymm0, ymm0, [x_now + 32*(4*\j + \i)]
        vmovups [z_now + 32*(4*\j + \i)], ymm0
        .else
        vpermilps ymm2, ymm0, ymm14
        vpermilps ymm0, ymm0, ymm13
        vbroadcastss ymm4, [gates + 4*ROW + 4*(4*\j + \i)]
        vblendps ymm2, ymm2, ymm4, 0b10000000
        vmulps  ymm0, ymm0, [x_now + 64*(4*\j + \i)]
        vmulps  ymm2, ymm2, [x_now + 64*(4*\j + \i) + 32]
        vmovups [z_now + 64*(4*\j + \i)], ymm0
        vmovups [z_now + 64*(4*\j + \i) + 32], ymm2
        .endif
        .endr
        .endr
        .endif
        .endm

// Activations of multivectors: z = x times a gate, a function of x.
//
//   void hl_clifford_gate_f32_avx2(size_t kind, size_t blades, size_t channels,
//       const float *weights, const float *bias, const float *signs, const float *x, size_t count,
//       float *z);
//
// In      rdi = kind, rsi = blades, rdx = channels, rcx = weights, r8 = bias, r9 = signs,
//         [rsp+8..24] = x, count, z     Out  z
// Uses    rax, rbx, rcx, rdx, rbp, r8..r15, ymm0..ymm15     Stack  4032 bytes
// Loop    8 multivectors of 8 numbers, kind 0: 77 operations, 16 of them shuffles, 41 loads and 9
//         stores; bound by the three vector pipes of Golden Cove (26 cycles)
// Tail    the last block overlaps the one before; fewer than 8 multivectors are copied, with zeros
//         after them
FUNC(hl_clifford_gate_f32_avx2)
        gate
END(hl_clifford_gate_f32_avx2)

        RODATA
        .balign 32
.Lorder:                                // multivector of each lane of a row, with 4 numbers
        .long   0, 2, 4, 6, 1, 3, 5, 7
.Lgrades_8:                             // grades of the blades
        .long   0, 1, 1, 1, 2, 2, 2, 3
.Lgrades_16:                            // except the last one, of grade 4
        .long   0, 1, 1, 1, 1, 2, 2, 2
        .long   2, 2, 2, 3, 3, 3, 3, 3

        .macro number_of name, bits
.L\name:
        .rept   8
        .long   \bits
        .endr
        .endm
        gate_constants
        number_of round, 0x4b400000
        number_of minus_round, 0xcb400000
        number_of minus_infinity, 0xff800000
