#include "hl.h"

#define ROW     64
#define REGISTERS 32
#define V(i)    zmm##i

#include "common_x86_64.h"
#include "common_weighted_x86_64.h"
#include "common_sandwich_x86_64.h"

// A part is 128 bits. A multivector has PARTS, 1, 2 or 4, and a vector has four.
//
// The vectors with parts that are transposed to lane i. Whole vectors are loaded, and masks exchange their parts,
// because shuffles bound the kernels.
        .macro  load_parts from, i, a, b, c, d, other
        .if     PARTS == 1
        vmovupd zmm\a, [\from + 64*\i]
        .elseif PARTS == 2

        // a0 b0 a2 b2 and a1 b1 a3 b3.
        vmovupd zmm\a, [\from + 128*\i]
        vmovupd zmm\b, [\from + 128*\i + 64]
        vmovupd zmm\a{k1}, [\from + 128*\i + 48]
        vmovupd zmm\b{k2}, [\from + 128*\i + 16]
        .else

        // Two parts of each of four multivectors: the first parts and the second ones; then the other two.
        vmovupd ymm\a, [\from + 256*\i]
        vmovupd ymm\b, [\from + 256*\i + 2*BYTES]
        vbroadcastf64x4 zmm\a{k3}, [\from + 256*\i + BYTES]
        vbroadcastf64x4 zmm\b{k3}, [\from + 256*\i + 3*BYTES]
        vshuff64x2 zmm\other, zmm\a, zmm\b, 0x88
        vshuff64x2 zmm\b, zmm\a, zmm\b, 0xdd
        vmovapd zmm\a, zmm\other
        vmovupd ymm\c, [\from + 256*\i + 32]
        vmovupd ymm\d, [\from + 256*\i + 32 + 2*BYTES]
        vbroadcastf64x4 zmm\c{k3}, [\from + 256*\i + 32 + BYTES]
        vbroadcastf64x4 zmm\d{k3}, [\from + 256*\i + 32 + 3*BYTES]
        vshuff64x2 zmm\other, zmm\c, zmm\d, 0x88
        vshuff64x2 zmm\d, zmm\c, zmm\d, 0xdd
        vmovapd zmm\c, zmm\other
        .endif
        .endm

// The inverse.
        .macro  store_parts to, i, a, b, c, d, other, first, second
        .if     PARTS == 1
        vmovupd [\to + 64*\i], zmm\a
        .elseif PARTS == 2
        vmovupd [\to + 128*\i]{k2}, zmm\a
        vmovupd [\to + 128*\i + 16]{k2}, zmm\b
        vmovupd [\to + 128*\i + 48]{k1}, zmm\a
        vmovupd [\to + 128*\i + 64]{k1}, zmm\b
        .else
        .if     \i == 0
        vmovapd zmm\first, [rip + .Lfirst_pairs]
        vmovapd zmm\second, [rip + .Lsecond_pairs]
        .endif
        vmovapd zmm\other, zmm\a
        vpermt2pd zmm\a, zmm\first, zmm\b
        vpermt2pd zmm\other, zmm\second, zmm\b
        vmovupd [\to + 256*\i], ymm\a
        vextractf64x4 [\to + 256*\i + BYTES], zmm\a, 1
        vmovupd [\to + 256*\i + 2*BYTES], ymm\other
        vextractf64x4 [\to + 256*\i + 3*BYTES], zmm\other, 1
        vmovapd zmm\other, zmm\c
        vpermt2pd zmm\c, zmm\first, zmm\d
        vpermt2pd zmm\other, zmm\second, zmm\d
        vmovupd [\to + 256*\i + 32], ymm\c
        vextractf64x4 [\to + 256*\i + 32 + BYTES], zmm\c, 1
        vmovupd [\to + 256*\i + 32 + 2*BYTES], ymm\other
        vextractf64x4 [\to + 256*\i + 32 + 3*BYTES], zmm\other, 1
        .endif
        .endm

// Four coefficients, 128 bits, are transposed together.
        .macro  load from, to
        .set    PARTS, BLADES / 4
        .set    R, 0
        .if     \to < ROWS
        .set    R, \to
        .endif
        .altmacro
        .irp    i, 0, 1, 2, 3
        .set    S, R + \i
        load_parts \from, \i, %(S), %(S + 4), %(S + 8), %(S + 12), %(PRODUCT)
        .endr
        .irp    g, 0, 4, 8, 12
        .if     \g < BLADES
        transpose_parts %(R + \g), %(R + \g + 1), %(R + \g + 2), %(R + \g + 3), %(PRODUCT)
        .endif
        .endr
        .noaltmacro
        .if     \to >= ROWS
        .irp    i, TO_15
        .if     \i < BLADES
        set_place (\to + \i), (R + \i)
        .endif
        .endr
        .endif
        .endm

        .macro  store from, to
        .set    R, 0
        .set    SPARE, 16
        .if     \from < ROWS
        .set    R, \from
        .set    SPARE, 0
        .endif
        .if     \from >= ROWS
        .irp    i, TO_15
        .if     \i < BLADES
        set_place (R + \i), (\from + \i)
        .endif
        .endr
        .endif
        .altmacro
        .irp    g, 0, 4, 8, 12
        .if     \g < BLADES
        transpose_parts %(R + \g), %(R + \g + 1), %(R + \g + 2), %(R + \g + 3), %(SPARE)
        .endif
        .endr
        .irp    i, 0, 1, 2, 3
        .set    S, R + \i
        store_parts \to, \i, %(S), %(S + 4), %(S + 8), %(S + 12), %(SPARE), %(SPARE + 1), %(SPARE + 2)
        .endr
        .noaltmacro
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
