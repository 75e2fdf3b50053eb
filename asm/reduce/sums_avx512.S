// Sums in fixed lanes, added up in a tree, with AVX-512: 4 vectors of lanes.
//
// A load that crosses a cache line costs two loads. So long arrays are read from the aligned
// address below x, with -0 in place of the elements before x[0]. Every lane then sits `shift` bytes
// too high, and all lanes are rotated before the tree.

#include "hl.h"
#include "sums_x86_64.h"

#define at          rax
#define shift       r9
#define last        zmm4
#define term        zmm5

// Smallest length in bytes for which aligned loads repay the rotation.
#define LONG        2048

#define LANES       (256 / BYTES)
#define VECTOR      (64 / BYTES)

        // Vector i takes its first elements (`begin`) or adds further elements (`next`).
        .macro begin i
        P vmovu, zmm\i, [x + 64*\i]
        .if     DOT
        P vmul, zmm\i, zmm\i, [y + 64*\i]
        .endif
        .endm

        .macro next i
        .if     DOT
        P vmovu, term, [x + 64*\i]
        P vmul, term, term, [y + 64*\i]
        P vadd, zmm\i, zmm\i, term
        .else
        P vadd, zmm\i, zmm\i, [x + 64*\i]
        .endif
        .endm

        // Loads the elements after the last whole vector, filled up with -0. If there are none, it
        // loads nothing: a masked load with an empty mask is slow where the page is not mapped.
        .macro load_last name, n, none
        S vbroadcast, last, [rip + .Lminus_\name]
        mov     ecx, VECTOR - 1
        and     rcx, \n
        jz      \none
        mov     at, \n
        sub     at, rcx
        mov     r8d, -1
        bzhi    r8d, r8d, ecx
        kmovw   k1, r8d
        .if     DOT
        P vmovu, term{k1}{z}, [x + BYTES*at]
        P vmul, last{k1}, term, [y + BYTES*at]
        .else
        P vmovu, last{k1}, [x + BYTES*at]
        .endif
\none:
        .endm

        .macro lanes name, bytes, dot, n
        .set    BYTES, \bytes
        .set    DOT, \dot
        cmp     \n, LANES
        jb      .Lfew_\name

        xor     r9d, r9d
        cmp     \n, LONG / BYTES
        jae     .Lalign_\name
.Lbegin_\name:
        begin   0
.Lbegin_behind_\name:
        begin   1
        begin   2
        begin   3
        step
        sub     \n, 2*LANES
        jb      .Lrest_\name
        .balign 32
.Lloop_\name:
        .irp    i, 0, 1, 2, 3
        next    \i
        .endr
        step
        sub     \n, LANES
        jae     .Lloop_\name

        // The rest: whole vectors, then a partial one.
.Lrest_\name:
        add     \n, LANES
        jz      .Lfull_\name
        load_last \name, \n, .Lwhole_\name
        .irp    i, 0, 1, 2
        cmp     \n, VECTOR*\i + VECTOR
        jb      .Lrest_\name\()_\i
        next    \i
        .endr
        P vadd, zmm3, zmm3, last
.Lfull_\name:
        test    r9d, r9d
        jnz     .Lrotate_\name

        // Add the upper half of the lanes to the lower half until one lane is left. A label ends in the
        // number of vectors left.
.Ltree_\name\()_4:
        P vadd, zmm1, zmm1, zmm3
.Ltree_\name\()_3:
        P vadd, zmm0, zmm0, zmm2
.Ltree_\name\()_2:
        P vadd, zmm0, zmm0, zmm1
.Ltree_\name\()_1:
        vextractf64x4 ymm1, zmm0, 1
        P vadd, ymm0, ymm0, ymm1
        vextractf128 xmm1, ymm0, 1
        P vadd, xmm0, xmm0, xmm1
        vunpckhpd xmm1, xmm0, xmm0
        .if     BYTES == 4
        vaddps  xmm0, xmm0, xmm1
        vmovshdup xmm1, xmm0
        .endif
        S vadd, xmm0, xmm0, xmm1
        S vucomi, xmm0, xmm0
        vzeroupper
        jp      .Lnan_\name
        ret
.Lnan_\name:
        S vmov, xmm0, [rip + .Lquiet_\name]
        ret

        .irp    i, 0, 1, 2
.Lrest_\name\()_\i:
        P vadd, zmm\i, zmm\i, last
        jmp     .Lfull_\name
        .endr

        // Load the first vector from the aligned address below x, unless an element would straddle
        // it.
.Lalign_\name:
        test    dil, BYTES - 1
        jnz     .Lbegin_\name
        mov     r9d, edi
        and     r9d, 63
        jz      .Lbegin_\name
        sub     x, shift
        mov     ecx, r9d
        shr     ecx, BYTES / 4 + 1
        add     \n, rcx
        mov     eax, -1
        shlx    eax, eax, ecx
        kmovw   k1, eax
        S vbroadcast, zmm0, [rip + .Lminus_\name]
        .if     DOT
        sub     y, shift
        P vmovu, term{k1}{z}, [x]
        P vmul, zmm0{k1}, term, [y]
        .else
        P vmovu, zmm0{k1}, [x]
        .endif
        jmp     .Lbegin_behind_\name

        // Lanes begin `shift` bytes into a vector and end in the next one. Both types move in units
        // of 4 bytes.
.Lrotate_\name:
        shr     r9d, 2
        vpbroadcastd last, r9d
        vpaddd  last, last, [rip + .Lnumbers_\name]
        vmovaps term, zmm0
        vpermt2ps zmm0, last, zmm1
        vpermt2ps zmm1, last, zmm2
        vpermt2ps zmm2, last, zmm3
        vpermt2ps zmm3, last, term
        jmp     .Ltree_\name\()_4

        // Fewer elements than lanes.
.Lfew_\name:
        test    \n, \n
        jz      .Lnothing_\name
        load_last \name, \n, .Lfew_whole_\name
        .irp    i, 0, 1, 2
        cmp     \n, VECTOR*\i + VECTOR
        jb      .Lfew_\name\()_\i
        begin   \i
        .endr
        few     \name, 3, vadd, zmm1, zmm1, last
        few     \name, 2, vadd, zmm0, zmm0, last
        few     \name, 1, vadd, zmm0, zmm0, last
.Lfew_\name\()_0:
        P vmova, zmm0, last
        jmp     .Ltree_\name\()_1
.Lnothing_\name:
        vxorps  xmm0, xmm0, xmm0
        ret
        .endm

        .macro lanes_constants name, bytes
        .set    BYTES, \bytes
        .balign 64
.Lnumbers_\name:                        // indices of 4-byte units
        .long   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.Lminus_\name:                          // -0
        number  1 << 31, 1 << 63
.Lquiet_\name:                          // NaN
        number  0x7fc00000, 0x7ff8000000000000
        .endm

// Sum of `x[0..n]` in 64 lanes and a tree, as the module says.
//
//   float hl_reduce_sum_f32_avx512(const float *x, size_t n);
//
// In      rdi = x, rsi = n                  Out  xmm0 = sum
// Uses    rax, rcx, rsi, rdi, r8, r9, k1, zmm0..zmm5      Stack  none
// Loop    256 bytes, one addition to each of 4 vectors; bound by an addition (4 cycles), on Zen 4
//         by the loads (4)
// Tail    whole vectors, then one under a mask; reads exactly x[0..n]
FUNC(hl_reduce_sum_f32_avx512)
        lanes   sum_f32, 4, 0, rsi
END(hl_reduce_sum_f32_avx512)

// Sum of `x[0..n]` in 32 lanes and a tree, as the module says.
//
//   double hl_reduce_sum_f64_avx512(const double *x, size_t n);
//
// In      rdi = x, rsi = n                  Out  xmm0 = sum
// Uses    rax, rcx, rsi, rdi, r8, r9, k1, zmm0..zmm5      Stack  none
// Loop    256 bytes, one addition to each of 4 vectors; bound by an addition (4 cycles), on Zen 4
//         by the loads (4)
// Tail    whole vectors, then one under a mask; reads exactly x[0..n]
FUNC(hl_reduce_sum_f64_avx512)
        lanes   sum_f64, 8, 0, rsi
END(hl_reduce_sum_f64_avx512)

// Sum of the rounded products `x[i] * y[i]` for i < n, in the order of sum_f64.
//
//   double hl_reduce_dot_f64_avx512(const double *x, const double *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  xmm0 = sum of products
// Uses    rax, rcx, rdx, rsi, rdi, r8, r9, k1, zmm0..zmm5      Stack  none
// Loop    256 bytes of each, one product added to each of 4 vectors; bound by the 8 loads
//         (4 cycles, on Zen 4 8)
// Tail    whole vectors, then one under a mask; reads exactly x[0..n] and y[0..n]
FUNC(hl_reduce_dot_f64_avx512)
        lanes   dot_f64, 8, 1, rdx
END(hl_reduce_dot_f64_avx512)

        RODATA
        lanes_constants sum_f32, 4
        lanes_constants sum_f64, 8
        lanes_constants dot_f64, 8
