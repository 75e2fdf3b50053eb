#include "hl.h"

#define LANES   16
#define ROW     64
#define LOG_ROW 6
#define ALL(constant) [rip + constant]{1to16}

#include "gate_x86_64.h"

        .macro get i, place:vararg
        vmovaps zmm\i, \place
        .endm

        .macro put i, place:vararg
        vmovaps \place, zmm\i
        .endm

        .macro constant i, place
        vbroadcastss zmm\i, [rip + \place]
        .endm

        .macro spread i, place:vararg
        vbroadcastss zmm\i, \place
        .endm

        .macro clear i
        vxorps  xmm\i, xmm\i, xmm\i
        .endm

        .macro move i, j
        vmovaps zmm\i, zmm\j
        .endm

        .macro plus i, j, k
        vaddps  zmm\i, zmm\j, zmm\k
        .endm

        .macro less i, j, k
        vsubps  zmm\i, zmm\j, zmm\k
        .endm

        .macro times i, j, k
        vmulps  zmm\i, zmm\j, zmm\k
        .endm

        .macro plus_at i, j, place:vararg
        vaddps  zmm\i, zmm\j, \place
        .endm

        .macro times_at i, j, place:vararg
        vmulps  zmm\i, zmm\j, \place
        .endm

        .macro least i, place:vararg
        vminps  zmm\i, zmm\i, \place
        .endm

        .macro copy there, source
        vmovups xmm0, \source
        vmovups \there, xmm0
        .endm

        .macro leave_vectors
        vzeroupper
        .endm

// Multivectors of 4 numbers are loaded as they are in memory: part j of vector i is multivector 4 i
// + j. With more numbers, part j of vector i belongs to multivector 4 j + i. Vectors 16 to 23 then
// hold the coefficients of g and of g + 1.
        .macro parts n, g
        .if     \n == 4
        .irp    i, 0, 1, 2, 3
        vmovups zmm\i, [at + 64*\i]
        .endr
        .elseif \g % 2 == 0
        halves  \n, \g, 0, 16, 17, 18, 19
        halves  \n, \g, 8, 20, 21, 22, 23
        quarters 0b10001000
        .else
        quarters 0b11011101
        .endif
        .endm

// Vectors a to d = eight coefficients of four multivectors, the first one number `start`, and above
// them those of the next four multivectors.
        .macro halves n, g, start, a, b, c, d
        .set    MULTIVECTOR, \start
        .irp    i, \a, \b, \c, \d
        vmovups ymm\i, [at + 4*\n*MULTIVECTOR + 16*\g]
        .set    MULTIVECTOR, MULTIVECTOR + 1
        .endr
        .irp    i, \a, \b, \c, \d
        vinsertf32x8 zmm\i, zmm\i, [at + 4*\n*MULTIVECTOR + 16*\g], 1
        .set    MULTIVECTOR, MULTIVECTOR + 1
        .endr
        .endm

        .macro quarters which
        vshuff32x4 zmm0, zmm16, zmm20, \which
        vshuff32x4 zmm1, zmm17, zmm21, \which
        vshuff32x4 zmm2, zmm18, zmm22, \which
        vshuff32x4 zmm3, zmm19, zmm23, \which
        .endm

// Transposes four floats of each 128 bits.
        .macro transpose
        vunpcklps zmm4, zmm0, zmm1
        vunpcklps zmm5, zmm2, zmm3
        vunpckhps zmm6, zmm0, zmm1
        vunpckhps zmm7, zmm2, zmm3
        vunpcklpd zmm0, zmm4, zmm5
        vunpckhpd zmm1, zmm4, zmm5
        vunpcklpd zmm2, zmm6, zmm7
        vunpckhpd zmm3, zmm6, zmm7
        .endm

        .macro first_row
        vunpcklps zmm0, zmm0, zmm1
        vunpcklps zmm2, zmm2, zmm3
        vunpcklpd zmm0, zmm0, zmm2
        .endm

// With 4 numbers, lane 4 j + i belongs to multivector 4 i + j.
        .macro in_order i, n, place:vararg
        .if     \n == 4
        vmovups zmm7, [rip + .Lorder]
        vpermps zmm\i, zmm7, \place
        .else
        vmovups zmm\i, \place
        .endif
        .endm

        .macro round
        vrndscaleps zmm2, zmm2, 8
        vrndscaleps zmm3, zmm3, 8
        .endm

        .macro finish
        vcmpps  k1, zmm0, ALL(.Lsmallest), 0x16 // greater, or NaN
        vcmpps  k2, zmm1, ALL(.Lsmallest), 0x16
        vscalefps zmm4, zmm4, zmm2
        vscalefps zmm5, zmm5, zmm3
        constant 6, .Lone
        both_at plus, power, power, ALL(.Lone)
        vdivps  zmm2{k1}{z}, zmm6, zmm4
        vdivps  zmm3{k2}{z}, zmm6, zmm5
        .endm

        .macro select
        clear   2
        vcmpps  k1, zmm0, zmm2, 4       // not 0, or NaN
        vmulps  zmm0{k1}{z}, zmm0, zmm1
        .endm

        .macro patterns n
        .if     \n == 8
        vmovups zmm24, [rip + .Lpattern]
        .endif
        .endm

// A vector of the block has 16 / n multivectors.
        .macro apply n
        .set    I, 0
        .rept   \n
        .if     \n == 4
        vpermilps zmm0, [gates], 0b01010101*I
        .elseif \n == 8
        vbroadcastsd zmm0, [gates + 8*I]
        vpermilps zmm0, zmm0, zmm24
        .else
        vbroadcastss zmm0, [gates + 4*I]
        .endif
        vmulps  zmm0, zmm0, [x_now + 64*I]
        vmovups [z_now + 64*I], zmm0
        .set    I, I + 1
        .endr
        .endm

        .macro grade_patterns n
        .if     \n == 8
        vmovups ymm24, [rip + .Lgrades_8]
        .elseif \n == 16
        vmovups zmm24, [rip + .Lgrades_16]
        mov     eax, 0x8000
        kmovw   k1, eax
        .endif
        .endm

// With more than 4 numbers, the record of multivector 4 j + i is part j of row i.
        .macro apply_grades n
        .if     \n == 4
        .irp    i, 0, 1, 2, 3
        vpermilps zmm0, [gates + 64*\i], 0b10010100     // 0 1 1 2
        vmulps  zmm0, zmm0, [x_now + 64*\i]
        vmovups [z_now + 64*\i], zmm0
        .endr
        .else
        .irp    j, 0, 1, 2, 3
        .irp    i, 0, 1, 2, 3
        .if     \n == 8
        vbroadcastf32x4 ymm0, [gates + 64*\i + 16*\j]
        vpermilps ymm0, ymm0, ymm24
        vmulps  ymm0, ymm0, [x_now + 32*(4*\j + \i)]
        vmovups [z_now + 32*(4*\j + \i)], ymm0
        .else
        vbroadcastf32x4 zmm0, [gates + 64*\i + 16*\j]
        vpermilps zmm0, zmm0, zmm24
        vbroadcastss zmm0{k1}, [gates + 4*ROW + 4*(4*\j + \i)]
        vmulps  zmm0, zmm0, [x_now + 64*(4*\j + \i)]
        vmovups [z_now + 64*(4*\j + \i)], zmm0
        .endif
        .endr
        .endr
        .endif
        .endm

// Activations of multivectors: z = x times a gate, a function of x.
//
//   void hl_clifford_gate_f32_avx512(size_t kind, size_t blades, size_t channels,
//       const float *weights, const float *bias, const float *signs, const float *x, size_t count,
//       float *z);
//
// In      rdi = kind, rsi = blades, rdx = channels, rcx = weights, r8 = bias, r9 = signs,
//         [rsp+8..24] = x, count, z     Out  z
// Uses    rax, rbx, rcx, rdx, rbp, r8..r15, zmm0..zmm12, zmm15..zmm24, k1, k2     Stack  7808 bytes
// Loop    16 multivectors of 8 numbers, kind 0: 89 operations, 32 of them shuffles; bound by two
//         pipes of 512 bits (45 cycles)
// Tail    the last block overlaps the one before; fewer than 16 multivectors are copied, with zeros
//         after them
FUNC(hl_clifford_gate_f32_avx512)
        gate
END(hl_clifford_gate_f32_avx512)

        RODATA
        .balign 64
.Lorder:                                // multivector of each lane of a row, with 4 numbers
        .long   0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15
.Lpattern:                              // gates of two multivectors of 8 numbers
        .long   0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1
.Lgrades_8:                             // grades of the blades
        .long   0, 1, 1, 1, 2, 2, 2, 3
.Lgrades_16:                            // except the last one, of grade 4
        .long   0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3

        .macro number_of name, bits
.L\name:
        .long   \bits
        .endm
        gate_constants
