#include "hl.h"

#define LANES   8
#define ROW     32
#define LOG_ROW 5
#define ALL(name) [rip + name]
#define V(i)    ymm##i

#include "gate_x86_64.h"

// Multivectors of 4 numbers are loaded as they are in memory: half j of vector i is multivector 2 i
// + j. With more numbers, half j of vector i belongs to multivector 4 j + i.
        .macro  parts n, g
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

        .macro  apply n, by_grade
        .if     \by_grade == 0
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
        .else

        // With more than 4 numbers, the record of multivector 4 j + i is half j of row i.
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
#include "gate_constants_x86_64.h"
