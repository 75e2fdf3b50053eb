#include "hl.h"

#define V       zmm
#define ROW     64
#define REGISTERS 32

#include "common_x86_64.h"
#include "common_weighted_x86_64.h"
#include "common_avx.h"

// A part is 128 bits. Masks of parts 1 and 3 (k1), of parts 0 and 2 (k2), and of the upper half
// (k3).
        .macro prepare t
        vbroadcastsd zmm0, [rip + .Lminus_\t]
        put     0, MINUS
        mov     eax, 0b11001100
        kmovd   k1, eax
        mov     eax, 0b00110011
        kmovd   k2, eax
        mov     eax, 0b11110000
        kmovd   k3, eax
        .endm

        .macro even_lanes t, i, other
        vxorps  xmm\other, xmm\other, xmm\other
        vcmpeq\t k4, zmm\i, zmm\other
        kmovd   eax, k4
        .endm

        .macro blend t, i, row, a, b
        vmova\t zmm\i{k4}, [rsp + ROW*(\row)]
        .endm

// Two vectors with their parts exchanged: a0 b0 a2 b2 and a1 b1 a3 b3.
        .macro load_pair from, distance, a, b
        vmovupd zmm\a, [\from]
        vmovupd zmm\b, [\from + \distance]
        vmovupd zmm\a{k1}, [\from + \distance - 16]
        vmovupd zmm\b{k2}, [\from + 16]
        .endm

// The inverse.
        .macro store_pair to, distance, a, b
        vmovupd [\to]{k2}, zmm\a
        vmovupd [\to + 16]{k2}, zmm\b
        vmovupd [\to + \distance - 16]{k1}, zmm\a
        vmovupd [\to + \distance]{k1}, zmm\b
        .endm

// Two parts of each of four multivectors: the first parts and the second ones.
        .macro load_halves from, a, b, other
        vmovupd ymm\a, [\from]
        vmovupd ymm\b, [\from + 2*BYTES]
        vbroadcastf64x4 zmm\a{k3}, [\from + BYTES]
        vbroadcastf64x4 zmm\b{k3}, [\from + 3*BYTES]
        vshuff64x2 zmm\other, zmm\a, zmm\b, 0x88
        vshuff64x2 zmm\b, zmm\a, zmm\b, 0xdd
        vmovapd zmm\a, zmm\other
        .endm

// The inverse, with the orders in registers.
        .macro load_orders a, b
        vmovapd zmm\a, [rip + .Lfirst_pairs]
        vmovapd zmm\b, [rip + .Lsecond_pairs]
        .endm

        .macro store_halves to, a, b, other, first, second
        vmovapd zmm\other, zmm\a
        vpermt2pd zmm\a, zmm\first, zmm\b
        vpermt2pd zmm\other, zmm\second, zmm\b
        vmovupd [\to], ymm\a
        vextractf64x4 [\to + BYTES], zmm\a, 1
        vmovupd [\to + 2*BYTES], ymm\other
        vextractf64x4 [\to + 3*BYTES], zmm\other, 1
        .endm

// The vectors with parts of multivectors that are transposed to lane i, if PARTS of them are in a
// multivector and 4 in a vector.
        .macro load_parts from, i, a, b, c, d, other
        .if     PARTS == 1
        vmovupd zmm\a, [\from + 64*\i]
        .elseif PARTS == 2
        load_pair \from + 128*\i, 64, \a, \b
        .else
        load_halves \from, \a, \b, \other
        load_halves \from + 32, \c, \d, \other
        .endif
        .endm

        .macro store_parts to, i, a, b, c, d, other, first, second
        .if     PARTS == 1
        vmovupd [\to + 64*\i], zmm\a
        .elseif PARTS == 2
        store_pair \to + 128*\i, 64, \a, \b
        .else
        store_halves \to, \a, \b, \other, \first, \second
        store_halves \to + 32, \c, \d, \other, \first, \second
        .endif
        .endm

// Four coefficients, 128 bits, are transposed together. Whole vectors are loaded,
// and masks exchange their parts, because shuffles bound the kernels.
        .macro load t, from, to
        .set    PARTS, BLADES / 4
        .set    R, 0
        .if     \to < ROWS
        .set    R, \to
        .endif
        .irp    i, 0, 1, 2, 3
        .set    S, R + \i
        .set    START, 64 * (4*\i*(PARTS/4))
        .altmacro
        load_parts \from+START, \i, %(S), %(S + 4), %(S + 8), %(S + 12), %(PRODUCT)
        .noaltmacro
        .endr
        .irp    g, 0, 4, 8, 12
        .if     \g < BLADES
        .set    S, R + \g
        .altmacro
        transpose_\t %(S), %(S + 1), %(S + 2), %(S + 3), %(PRODUCT)
        .noaltmacro
        .endif
        .endr
        .if     \to >= ROWS
        .irp    i, TO_15
        .if     \i < BLADES
        .altmacro
        put     %(R + \i), %(\to - ROWS + \i)
        .noaltmacro
        .endif
        .endr
        .endif
        .endm

        .macro store t, from, to
        .set    R, 0
        .set    SPARE, 16
        .if     \from < ROWS
        .set    R, \from
        .set    SPARE, 0
        .endif
        .if     \from >= ROWS
        .irp    i, TO_15
        .if     \i < BLADES
        .altmacro
        get     %(R + \i), %(\from - ROWS + \i)
        .noaltmacro
        .endif
        .endr
        .endif
        .irp    g, 0, 4, 8, 12
        .if     \g < BLADES
        .set    S, R + \g
        .altmacro
        transpose_\t %(S), %(S + 1), %(S + 2), %(S + 3), %(SPARE)
        .noaltmacro
        .endif
        .endr
        .if     BLADES == 16
        .altmacro
        load_orders %(SPARE + 1), %(SPARE + 2)
        .noaltmacro
        .endif
        .irp    i, 0, 1, 2, 3
        .set    S, R + \i
        .set    START, 64 * (4*\i*(PARTS/4))
        .altmacro
        store_parts \to+START, \i, %(S), %(S + 4), %(S + 8), %(S + 12), %(SPARE), %(SPARE + 1), %(SPARE + 2)
        .noaltmacro
        .endr
        .endm

        .macro order_lanes t
        .set    LANES_IN_ORDER, 0xfb73ea62d951c840
        .if     BLADES == 8
        .set    LANES_IN_ORDER, 0xf7b3e6a2d591c480
        .endif
        .endm

        .macro load_weights t, from
        .if     BLADES == 8
        vmovapd zmm0, [rip + .Lorder_of_pairs_\t]
        .else
        vmovapd zmm0, [rip + .Lorder_\t]
        .endif
        vperm\t zmm0, zmm0, [\from]
        vmovapd [row], zmm0
        .endm

// Sandwich products of multivectors of a common algebra: z = r x ~r, where ~r is the reverse of r.
//
//   void hl_clifford_common_sandwich_f32_avx512(size_t algebra, const float *r, const float *x,
//       size_t count, float *z);
//
// In      rdi = algebra, rsi = r, rdx = x, rcx = count, r8 = z      Out  z
// Uses    rax, rcx, rdx, rsi, rbp, r8..r11, k1..k4, zmm0..zmm31     Stack  5368 bytes
// Loop    16 multivectors of 8 blades, not even: 128 multiplications, 112 additions, 48 shuffles
//         and 16 masked loads; bound by the four 256-bit pipes of Zen 4 (152 cycles)
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_common_sandwich_f32_avx512)
        common  sandwich_f32, sandwich_block, ps, 2
END(hl_clifford_common_sandwich_f32_avx512)

// Products of multivectors of a common algebra with a weight for each path: a triple of grades of
// x, z and y that occurs in products of blades.
//
//   void hl_clifford_common_weighted_f32_avx512(size_t algebra, size_t channels,
//       const float *weights, const float *x, const float *y, size_t count, float *z);
//
// In      rdi = algebra, rsi = channels, rdx = weights, rcx = x, r8 = y, r9 = count,
//         [rsp + 8] = z      Out  z
// Uses    rax, rbx, rcx, rdx, rsi, rdi, rbp, r8..r15, k1..k3, zmm0..zmm31     Stack  7824 bytes
// Loop    16 multivectors of 8 blades: 108 multiplications, 56 additions, 48 shuffles and 16
//         masked loads; bound by the four 256-bit pipes of Zen 4 (114 cycles)
// Tail    the last block overlaps the one before; a single one is copied, with zeros after it
FUNC(hl_clifford_common_weighted_f32_avx512)
        weighted weighted_f32, ps, 2
END(hl_clifford_common_weighted_f32_avx512)

        RODATA
        .balign 8
.Lminus_ps:                             // -0
        .float  -0.0, -0.0
        .balign 64
.Lfirst_pairs:
        .quad   0, 1, 8, 9, 2, 3, 10, 11
.Lsecond_pairs:
        .quad   4, 5, 12, 13, 6, 7, 14, 15
.Lorder_ps:                             // multivectors in lanes
        .long   0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15
.Lorder_of_pairs_ps:                    // of 32 bytes
        .long   0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15
