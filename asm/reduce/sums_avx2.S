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

        // Vector i takes its first elements (`begin`) or adds further elements (`next`).
        .macro begin i
        P vmovu, ymm\i, [x + 32*\i]
        .endm

        .macro next i
        P vadd, ymm\i, ymm\i, [x + 32*\i]
        .endm

        .macro each instruction:vararg
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        \instruction
        .endr
        .endm

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

        .macro add_to to, from
        P vadd, ymm\to, ymm\to, ymm\from
        .endm

        .macro add_last to
        P vadd, ymm\to, ymm\to, last
        .endm

        // Takes the upper part of vector i from the next vector.
        .macro rotate i, next
        P vblendv, ymm\i, ymm\next, ymm\i, mask
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
        begin   0
.Lbegin_behind_\name:
        .irp    i, 1, 2, 3, 4, 5, 6, 7
        begin   \i
        .endr
        add     x, 256
        sub     \n, 512
        jb      .Lrest_\name
        .balign 32
.Lloop_\name:
        each    next \i
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
        next    \i
        .endr
        P vadd, ymm7, ymm7, last
.Lfull_\name:
        test    r8d, r8d
        jnz     .Lrotate_\name

        // Add the upper half of the lanes to the lower half until one lane is left.
        halve_8 \name
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
        each    vpermps ymm\i, term, ymm\i
        P vmova, last, ymm0
        rotate  0, 1
        rotate  1, 2
        rotate  2, 3
        rotate  3, 4
        rotate  4, 5
        rotate  5, 6
        rotate  6, 7
        rotate  7, 8
        jmp     .Ltree_\name\()_8

        // Fewer elements than lanes.
.Lfew_\name:
        test    \n, \n
        jz      .Lnothing_\name
        load_last \name, \n, .Lfew_whole_\name
        .irp    i, 0, 1, 2, 3, 4, 5, 6
        cmp     \n, 32*\i + 32
        jb      .Lfew_\name\()_\i
        begin   \i
        .endr
        halve_last_8 \name
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
        zeros   1, 32 / BYTES
        zeros   0, 32 / BYTES
        zeros   1, 32 / BYTES
.Lnumbers_\name:                        // indices of 4-byte elements, modulo 8
        .long   0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7
.Lquiet_\name:                          // NaN
        quiet
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
