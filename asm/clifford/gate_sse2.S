#include "hl.h"

#define LANES   4
#define ROW     16
#define LOG_ROW 4
#define ALL(name) [rip + name]
#define V(i)    xmm##i

#include "gate_x86_64.h"

        .macro  parts n, g
        .irp    i, 0, 1, 2, 3
        movups  xmm\i, [at + 4*\n*\i + 16*\g]
        .endr
        .endm

        .macro  apply n, by_grade
        .if     \by_grade == 0
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
        .else

        // Four floats have gates of their grades.
        .irp    i, 0, 1, 2, 3
        .irp    g, 0, 1, 2, 3
        .if     4*\g < \n
        .set    ORDER, 0b01010100       // 0 1 1 1
        .if     \n == 4
        .set    ORDER, 0b10010100       // 0 1 1 2
        .elseif \n == 16 && \g == 1
        .set    ORDER, 0b10101001       // 1 2 2 2
        .elseif \g == 3
        .set    ORDER, 0b11111111       // 3 3 3
        .elseif \g > 0
        .set    ORDER, 0b11101010       // 2 2 2 3
        .endif
        movups  xmm0, [x_now + 4*\n*\i + 16*\g]
        pshufd  xmm1, [gates + 16*\i], ORDER
        .if     \g == 3

        // The last float has a gate that no record holds.
        movss   xmm2, [gates + 4*ROW + 4*\i]
        movaps  xmm3, xmm1
        unpcklps xmm3, xmm2
        shufps  xmm1, xmm3, 0b01000000
        .endif
        mulps   xmm0, xmm1
        movups  [z_now + 4*\n*\i + 16*\g], xmm0
        .endif
        .endr
        .endr
        .endif
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
#include "gate_constants_x86_64.h"
