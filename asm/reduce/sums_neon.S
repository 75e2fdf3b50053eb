// Sums in 256 bytes of lanes with NEON: of elements, or of products if DOT is 1; of f32 if BYTES is
// 4, of f64 if it is 8.
//
// The 16 vectors of lanes are v16..v31. A short array fills only the first 1, 2, 4 or 8 of them and
// adds its remaining elements to the same lanes, where the tree would add them first. A lane
// without an element holds -0, which changes no sum.

#include "hl.h"
#define x           x0
#define y           x1
#define left        x3      // bytes
#define used        x4      // bytes of lanes
#define whole       x5      // vectors of the tail
#define x_end       x6
#define y_end       x7
#define entry       x8
#define size        x9

        .macro vectors operation, to, of, by
        .if     BYTES == 4
        \operation v\to\().4s, v\of\().4s, v\by\().4s
        .else
        \operation v\to\().2d, v\of\().2d, v\by\().2d
        .endif
        .endm

// Loads a vector of elements or products.
        .macro value to, at
        ldr     q\to, [x, #(\at)]
        .if     DOT
        ldr     q4, [y, #(\at)]
        vectors fmul, \to, \to, 4
        .endif
        .endm

// Loads two vectors of elements or products.
        .macro values to, next, at
        ldp     q\to, q\next, [x, #(\at)]
        .if     DOT
        ldp     q4, q5, [y, #(\at)]
        vectors fmul, \to, \to, 4
        vectors fmul, \next, \next, 5
        .endif
        .endm

        .macro add_four to, to1, to2, to3, at
        values  0, 1, \at
        values  2, 3, \at + 32
        vectors fadd, \to, \to, 0
        vectors fadd, \to1, \to1, 1
        vectors fadd, \to2, \to2, 2
        vectors fadd, \to3, \to3, 3
        .endm

// Loads one or two elements, `bytes` bytes in all, from the end of the array.
        .macro lanes name, lane, bytes
        ld1     {v0.\name}[\lane], [x_end], #\bytes
        .if     DOT
        ld1     {v4.\name}[\lane], [y_end], #\bytes
        .endif
        .endm

        .macro sum_lanes name, bytes, dot, n
        .set    BYTES, \bytes
        .set    DOT, \dot
        cbz     \n, .Lnothing_\name
        lsl     left, \n, #(BYTES / 8 + 2)

        // The first elements start the lanes.
        .if     BYTES == 4
        movi    v16.4s, #0x80, lsl #24
        .else
        movi    v16.2d, #0
        fneg    v16.2d, v16.2d
        .endif
        mov     used, #0
        cmp     left, #16
        b.ls    .Lbegun_\name
        value   16, 0
        mov     used, #16
        cmp     left, #32
        b.ls    .Lbegun_\name
        value   17, 16
        mov     used, #32
        cmp     left, #64
        b.ls    .Lbegun_\name
        values  18, 19, 32
        mov     used, #64
        cmp     left, #128
        b.ls    .Lbegun_\name
        values  20, 21, 64
        values  22, 23, 96
        mov     used, #128
        cmp     left, #256
        b.lo    .Lbegun_\name
        values  24, 25, 128
        values  26, 27, 160
        values  28, 29, 192
        values  30, 31, 224
        mov     used, #256
.Lbegun_\name:
        add     x, x, used
        .if     DOT
        add     y, y, used
        .endif
        sub     left, left, used
        subs    left, left, #256
        b.lo    .Ltail_\name

        .balign 32
.Lloop_\name:
        add_four 16, 17, 18, 19, 0
        add_four 20, 21, 22, 23, 64
        add_four 24, 25, 26, 27, 128
        add_four 28, 29, 30, 31, 192
        add     x, x, #256
        .if     DOT
        add     y, y, #256
        .endif
        subs    left, left, #256
        b.hs    .Lloop_\name

        // The last vector may be partial: it is filled up with -0 (a product with -0 times +0).
.Ltail_\name:
        ubfx    whole, left, #4, #4
        .if     BYTES == 4
        movi    v0.4s, #0x80, lsl #24
        .else
        movi    v0.2d, #0
        fneg    v0.2d, v0.2d
        .endif
        add     x_end, x, whole, lsl #4
        .if     DOT
        movi    v4.2d, #0
        add     y_end, y, whole, lsl #4
        .endif
        .if     BYTES == 4
        tbz     left, #3, .Lone_\name
        lanes   d, 0, 8
        tbz     left, #2, .Lwhole_\name
        lanes   s, 2, 4
        b       .Lwhole_\name
.Lone_\name:
        tbz     left, #2, .Lwhole_\name
        lanes   s, 0, 4
        .else
        tbz     left, #3, .Lwhole_\name
        lanes   d, 0, 8
        .endif

        // Add the partial vector to the lanes after those of the whole vectors, then the whole
        // vectors from the last to the first.
.Lwhole_\name:
        .if     DOT
        vectors fmul, 0, 0, 4
        mov     size, #20
        .else
        mov     size, #12
        .endif
        adr     entry, .Lfirst_\name
        msub    entry, whole, size, entry
        br      entry
        .irp    v, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17
        hint    #36     // bti j
        vectors fadd, \v, \v, 0
        value   0, 16 * (\v - 17)
        .endr
.Lfirst_\name:
        hint    #36
        vectors fadd, 16, 16, 0

        // Add the upper half of the lanes to the lower half.
        cmp     used, #128
        b.lo    .Lfour_\name
        b.eq    .Leight_\name
        vectors fadd, 16, 16, 24
        vectors fadd, 17, 17, 25
        vectors fadd, 18, 18, 26
        vectors fadd, 19, 19, 27
        vectors fadd, 20, 20, 28
        vectors fadd, 21, 21, 29
        vectors fadd, 22, 22, 30
        vectors fadd, 23, 23, 31
.Leight_\name:
        vectors fadd, 16, 16, 20
        vectors fadd, 17, 17, 21
        vectors fadd, 18, 18, 22
        vectors fadd, 19, 19, 23
.Lfour_\name:
        cmp     used, #32
        b.lo    .Lvector_\name
        b.eq    .Ltwo_\name
        vectors fadd, 16, 16, 18
        vectors fadd, 17, 17, 19
.Ltwo_\name:
        vectors fadd, 16, 16, 17
.Lvector_\name:
        .if     BYTES == 4
        ext     v0.16b, v16.16b, v16.16b, #8
        fadd    v16.2s, v16.2s, v0.2s
        faddp   s0, v16.2s
        .else
        faddp   d0, v16.2d
        .endif
        .if     BYTES == 4
        fcmp    s0, s0
        .else
        fcmp    d0, d0
        .endif
        b.vs    .Lnan_\name
        ret

.Lnan_\name:
        .if     BYTES == 4
        mov     w0, #0x7fc00000
        fmov    s0, w0
        .else
        mov     x0, #0x7ff8000000000000
        fmov    d0, x0
        .endif
        ret

.Lnothing_\name:
        movi    d0, #0
        ret
        .endm

// Sum of `x[0..n]` in 64 lanes and a tree, as the module says.
//
//   float hl_reduce_sum_f32_neon(const float *x, size_t n);
//
// In      x0 = x, x1 = n                    Out  s0 = sum
// Uses    x0, x3..x6, x8, x9, v0..v3, v16..v31  Stack  none
// Loop    16 vectors, each with a sum of its own; bound by the 16 loads (8 cycles, two a cycle)
// Tail    a partial vector filled up with -0, then whole vectors; reads exactly x[0..n]
FUNC(hl_reduce_sum_f32_neon)
        sum_lanes sum_f32, 4, 0, x1
END(hl_reduce_sum_f32_neon)

// Sum of `x[0..n]` in 32 lanes and a tree, as the module says.
//
//   double hl_reduce_sum_f64_neon(const double *x, size_t n);
//
// In      x0 = x, x1 = n                    Out  d0 = sum
// Uses    x0, x3..x6, x8, x9, v0..v3, v16..v31  Stack  none
// Loop    16 vectors, each with a sum of its own; bound by the 16 loads (8 cycles, two a cycle)
// Tail    a partial vector filled up with -0, then whole vectors; reads exactly x[0..n]
FUNC(hl_reduce_sum_f64_neon)
        sum_lanes sum_f64, 8, 0, x1
END(hl_reduce_sum_f64_neon)

// Sum of the rounded products `x[i] * y[i]` for i < n, in the order of sum_f32.
//
//   float hl_reduce_dot_f32_neon(const float *x, const float *y, size_t n);
//
// In      x0 = x, x1 = y, x2 = n            Out  s0 = sum
// Uses    x0, x1, x3..x9, v0..v5, v16..v31  Stack  none
// Loop    16 vectors of products; 16 sums; bound by the 32 loads (16 cycles, two a cycle)
// Tail    a partial vector filled up with -0, then whole vectors; reads exactly x[0..n] and y[0..n]
FUNC(hl_reduce_dot_f32_neon)
        sum_lanes dot_f32, 4, 1, x2
END(hl_reduce_dot_f32_neon)

// Sum of the rounded products `x[i] * y[i]` for i < n, in the order of sum_f64.
//
//   double hl_reduce_dot_f64_neon(const double *x, const double *y, size_t n);
//
// In      x0 = x, x1 = y, x2 = n            Out  d0 = sum
// Uses    x0, x1, x3..x9, v0..v5, v16..v31  Stack  none
// Loop    16 vectors of products; 16 sums; bound by the 32 loads (16 cycles, two a cycle)
// Tail    a partial vector filled up with -0, then whole vectors; reads exactly x[0..n] and y[0..n]
FUNC(hl_reduce_dot_f64_neon)
        sum_lanes dot_f64, 8, 1, x2
END(hl_reduce_dot_f64_neon)
