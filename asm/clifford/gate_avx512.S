#include "hl.h"

#define LANES   16
#define ROW     64
#define LOG_ROW 6
#define ALL(constant) [rip + constant]{1to16}
#define V(i)    zmm##i

#include "gate_x86_64.h"

// Multivectors of 4 numbers are loaded as they are in memory: part j of vector i is multivector 4 i
// + j. With more numbers, part j of vector i belongs to multivector 4 j + i. Vectors 16 to 23 then
// hold the coefficients of g and of g + 1.
        .macro  parts n, g
        .if     \n == 4
        .irp    i, 0, 1, 2, 3
        vmovups zmm\i, [at + 64*\i]
        .endr
        .else
        .set    QUARTERS, 0b11011101
        .if     \g % 2 == 0
        .set    QUARTERS, 0b10001000
        .irp    i, 16, 17, 18, 19
        vmovups ymm\i, [at + 4*\n*(\i - 16) + 16*\g]
        .endr
        .irp    i, 16, 17, 18, 19
        vinsertf32x8 zmm\i, zmm\i, [at + 4*\n*(\i - 12) + 16*\g], 1
        .endr
        .irp    i, 20, 21, 22, 23
        vmovups ymm\i, [at + 4*\n*(\i - 12) + 16*\g]
        .endr
        .irp    i, 20, 21, 22, 23
        vinsertf32x8 zmm\i, zmm\i, [at + 4*\n*(\i - 8) + 16*\g], 1
        .endr
        .endif
        vshuff32x4 zmm0, zmm16, zmm20, QUARTERS
        vshuff32x4 zmm1, zmm17, zmm21, QUARTERS
        vshuff32x4 zmm2, zmm18, zmm22, QUARTERS
        vshuff32x4 zmm3, zmm19, zmm23, QUARTERS
        .endif
        .endm

// A vector of the block has 16 / n multivectors.
        .macro  apply n, by_grade
        .if     \by_grade == 0
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
        .else

        // With more than 4 numbers, the record of multivector 4 j + i is part j of row i.
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
#include "gate_constants_x86_64.h"
