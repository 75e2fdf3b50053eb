// Sums in fixed lanes, added up in a tree, with AVX2: 8 vectors of lanes.
//
// A load that crosses a cache line costs two loads. So long arrays are read from the aligned
// address below x, with -0 in place of the elements before x[0]. Every lane then sits `shift` bytes
// too high, and all lanes are rotated before the tree.

#include "hl.h"
#include "sums_x86_64.h"

#define at          rax
#define signs       rcx
#define shift       r8

// Smallest length in bytes for which aligned loads repay the rotation.
#define LONG        2048

#define last        ymm8
#define term        ymm9
#define mask        ymm10

        // Loads the elements after the last whole vector, filled up with -0. If there are none, it
        // loads nothing: a masked load with an empty mask is slow where the page is not mapped.
        .macro load_last name, n, none
        lea     signs, [rip + .Lsigns_\name]
        P vmova, last, [signs]
        mov     at, \n
        and     eax, 31
        jz      \none
        sub     signs, at
        xor     at, \n
        P vmovu, mask, [signs + 32]
        P vmaskmov, term, mask, [x + at]
        P vor, last, term, [signs + 64]
\none:
        .endm

        .macro lanes name, bytes, n
        .set    BYTES, \bytes
        shl     \n, BYTES / 4 + 1
        cmp     \n, 256
        jb      .Lfew_\name

        xor     r8d, r8d
        cmp     \n, LONG
        jae     .Lalign_\name
.Lbegin_\name:
        P vmovu, ymm0, [x]
.Lbegin_behind_\name:
        .irp    i, 1, 2, 3, 4, 5, 6, 7
        P vmovu, ymm\i, [x + 32*\i]
        .endr
        add     x, 256
        sub     \n, 512
        jb      .Lrest_\name
        .balign 32
.Lloop_\name:
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        P vadd, ymm\i, ymm\i, [x + 32*\i]
        .endr
        add     x, 256
        sub     \n, 256
        jae     .Lloop_\name

        // The rest: whole vectors, then a partial one.
.Lrest_\name:
        add     \n, 256
        jz      .Lfull_\name
        load_last \name, \n, .Lwhole_\name
        .irp    i, 0, 1, 2, 3, 4, 5, 6
        cmp     \n, 32*\i + 32
        jb      .Lrest_\name\()_\i
        P vadd, ymm\i, ymm\i, [x + 32*\i]
        .endr
        P vadd, ymm7, ymm7, last
.Lfull_\name:
        test    r8d, r8d
        jnz     .Lrotate_\name

        // Add the upper half of the lanes to the lower half until one lane is left. A label ends in the
        // number of vectors left.
.Ltree_\name\()_8:
        P vadd, ymm3, ymm3, ymm7
.Ltree_\name\()_7:
        P vadd, ymm2, ymm2, ymm6
.Ltree_\name\()_6:
        P vadd, ymm1, ymm1, ymm5
.Ltree_\name\()_5:
        P vadd, ymm0, ymm0, ymm4
.Ltree_\name\()_4:
        P vadd, ymm1, ymm1, ymm3
.Ltree_\name\()_3:
        P vadd, ymm0, ymm0, ymm2
.Ltree_\name\()_2:
        P vadd, ymm0, ymm0, ymm1
.Ltree_\name\()_1:
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

        .irp    i, 0, 1, 2, 3, 4, 5, 6
.Lrest_\name\()_\i:
        P vadd, ymm\i, ymm\i, last
        jmp     .Lfull_\name
        .endr

        // Load the first vector from the aligned address below x, unless an element would straddle
        // it.
.Lalign_\name:
        test    dil, BYTES - 1
        jnz     .Lbegin_\name
        mov     r8d, edi
        and     r8d, 31
        jz      .Lbegin_\name
        lea     signs, [rip + .Lsigns_\name]
        sub     signs, shift
        sub     x, shift
        add     \n, shift
        P vmovu, mask, [signs + 64]
        P vmaskmov, ymm0, mask, [x]
        P vor, ymm0, ymm0, [signs + 32]
        jmp     .Lbegin_behind_\name

        // Lanes begin `shift` bytes into a vector: rotate each vector by `shift` bytes, then take
        // its upper part from the next vector.
.Lrotate_\name:
        lea     signs, [rip + .Lsigns_\name]
        P vmovu, mask, [signs + shift]
        lea     signs, [rip + .Lnumbers_\name]
        vmovups term, [signs + shift]
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpermps ymm\i, term, ymm\i
        .endr
        P vmova, last, ymm0
        P vblendv, ymm0, ymm1, ymm0, mask
        P vblendv, ymm1, ymm2, ymm1, mask
        P vblendv, ymm2, ymm3, ymm2, mask
        P vblendv, ymm3, ymm4, ymm3, mask
        P vblendv, ymm4, ymm5, ymm4, mask
        P vblendv, ymm5, ymm6, ymm5, mask
        P vblendv, ymm6, ymm7, ymm6, mask
        P vblendv, ymm7, ymm8, ymm7, mask
        jmp     .Ltree_\name\()_8

        // Fewer elements than lanes.
.Lfew_\name:
        test    \n, \n
        jz      .Lnothing_\name
        load_last \name, \n, .Lfew_whole_\name
        .irp    i, 0, 1, 2, 3, 4, 5, 6
        cmp     \n, 32*\i + 32
        jb      .Lfew_\name\()_\i
        P vmovu, ymm\i, [x + 32*\i]
        .endr
        few     \name, 7, vadd, ymm3, ymm3, last
        few     \name, 6, vadd, ymm2, ymm2, last
        few     \name, 5, vadd, ymm1, ymm1, last
        few     \name, 4, vadd, ymm0, ymm0, last
        few     \name, 3, vadd, ymm1, ymm1, last
        few     \name, 2, vadd, ymm0, ymm0, last
        few     \name, 1, vadd, ymm0, ymm0, last
.Lfew_\name\()_0:
        P vmova, ymm0, last
        jmp     .Ltree_\name\()_1
.Lnothing_\name:
        vxorps  xmm0, xmm0, xmm0
        ret
        .endm

        .macro lanes_constants name, bytes
        .set    BYTES, \bytes
        .balign 32
.Lsigns_\name:                          // -0, +0, -0: a window of them is a mask, or the -0 that
                                        // fill up a vector
        .rept   32 / BYTES
        number  1 << 31, 1 << 63
        .endr
        .skip   32
        .rept   32 / BYTES
        number  1 << 31, 1 << 63
        .endr
.Lnumbers_\name:                        // indices of 4-byte elements, modulo 8
        .long   0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7
.Lquiet_\name:                          // NaN
        number  0x7fc00000, 0x7ff8000000000000
        .endm

// Sum of `x[0..n]` in 64 lanes and a tree, as the module says.
//
//   float hl_reduce_sum_f32_avx2(const float *x, size_t n);
//
// In      rdi = x, rsi = n                  Out  xmm0 = sum
// Uses    rax, rcx, rsi, rdi, r8, ymm0..ymm10      Stack  none
// Loop    256 bytes, one addition to each of 8 vectors; bound by the 8 loads (4 cycles)
// Bound   4 cycles for 64 elements on Zen 3
// Tail    whole vectors, then one under a mask; reads exactly x[0..n]
FUNC(hl_reduce_sum_f32_avx2)
        lanes   sum_f32, 4, rsi
END(hl_reduce_sum_f32_avx2)

// Sum of `x[0..n]` in 32 lanes and a tree, as the module says.
//
//   double hl_reduce_sum_f64_avx2(const double *x, size_t n);
//
// In      rdi = x, rsi = n                  Out  xmm0 = sum
// Uses    rax, rcx, rsi, rdi, r8, ymm0..ymm10      Stack  none
// Loop    256 bytes, one addition to each of 8 vectors; bound by the 8 loads (4 cycles)
// Bound   4 cycles for 32 elements on Zen 3
// Tail    whole vectors, then one under a mask; reads exactly x[0..n]
FUNC(hl_reduce_sum_f64_avx2)
        lanes   sum_f64, 8, rsi
END(hl_reduce_sum_f64_avx2)

        RODATA
        lanes_constants sum_f32, 4
        lanes_constants sum_f64, 8
