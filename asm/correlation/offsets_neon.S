// Pairs of two rows of points by the difference of their x: for each i < n and j < m,
// `words[other_x[j] - x[i]]` gets 2^47 and the product of `psi[2 i..]` and `other_psi[2 j..]`, the
// sum of the products of first and of second numbers.
//
//   void hl_correlation_offsets_neon(const int32_t *x, const int16_t *psi, size_t n, const int32_t *other_x,
//                                    const int16_t *other_psi, size_t m, int64_t *words);
//
// In      x0 = x, x1 = psi, x2 = n, x3 = other_x, x4 = other_psi, x5 = m, x6 = words
//                                           Out  words
// Uses    x0..x5, x7..x17, v0..v7     Stack  none
// Loop    8 pairs, of one point and 8 in registers; 45 instructions; bound by their number and,
//         with two ports for loads and stores, by the 16 loads and stores of words: 0.84 cycles a
//         pair with Neoverse V1, 1.3 with N1 (modelled)
// Tail    4, 2 and 1 points in registers, so that each pair is added exactly once

#include "hl.h"

#define x           x0          // its end
#define psi         x1          // its end
#define n           x2          // negated
#define other_x     x3
#define other_psi   x4
#define m           x5
#define words       x6
#define i           x7          // from -n to 0
#define one         x8
#define base        x9
#define both        x10
#define low         w10
#define pair        x11
#define word        x12
#define offset0     x13
#define offset1     x14
#define offset2     x15
#define offset3     x16
#define offset4     x17
#define offset5     m           // The old values of these three are in d5, d6 and d7.
#define offset6     other_psi
#define offset7     other_x

// Two products move to the integer registers at once. Several pairs may add to the same word: a word is
// stored before the next is loaded.
        .macro count_two product, offset, next
        umov    both, \product
        add     pair, one, low, sxtw
        add     both, one, both, asr #32
        ldr     word, [base, \offset, lsl #3]
        add     word, word, pair
        str     word, [base, \offset, lsl #3]
        ldr     word, [base, \next, lsl #3]
        add     word, word, both
        str     word, [base, \next, lsl #3]
        .endm

// All pairs with `points` points, whose x are in offset0.. and whose orientations are in v0 and v1.
        .macro pairs points
        mov     i, n
        .balign 16
.Lloop\points:
        ldr     s4, [psi, i, lsl #2]
        ldrsw   base, [x, i, lsl #2]
        add     i, i, #1
        smull   v2.4s, v0.4h, v4.h[0]
        smlal   v2.4s, v1.4h, v4.h[1]
        sub     base, words, base, lsl #3
        .if     \points == 8
        smull2  v3.4s, v0.8h, v4.h[0]
        smlal2  v3.4s, v1.8h, v4.h[1]
        .endif
        .if     \points == 1
        smov    pair, v2.s[0]
        add     pair, pair, one
        ldr     word, [base, offset0, lsl #3]
        add     word, word, pair
        str     word, [base, offset0, lsl #3]
        .else
        count_two v2.d[0], offset0, offset1
        .endif
        .if     \points > 2
        count_two v2.d[1], offset2, offset3
        .endif
        .if     \points == 8
        count_two v3.d[0], offset4, offset5
        count_two v3.d[1], offset6, offset7
        .endif
        cbnz    i, .Lloop\points
        .endm

FUNC(hl_correlation_offsets_neon)
        cbz     n, .Ldone
        add     x, x, n, lsl #2
        add     psi, psi, n, lsl #2
        neg     n, n
        mov     one, #1 << 47
        subs    m, m, #8
        b.lo    .Lfour

.Leight:
        ld2     {v0.8h, v1.8h}, [other_psi], #32
        fmov    d5, m
        fmov    d6, other_psi
        fmov    d7, other_x
        ldpsw   offset0, offset1, [other_x]
        ldpsw   offset2, offset3, [other_x, #8]
        ldpsw   offset4, offset5, [other_x, #16]
        ldpsw   offset6, offset7, [other_x, #24]
        pairs   8
        fmov    m, d5
        fmov    other_psi, d6
        fmov    other_x, d7
        add     other_x, other_x, #32
        subs    m, m, #8
        b.hs    .Leight

        // The low bits of m count the points left.
.Lfour:
        tbz     m, #2, .Ltwo
        ld2     {v0.4h, v1.4h}, [other_psi], #16
        ldpsw   offset0, offset1, [other_x], #8
        ldpsw   offset2, offset3, [other_x], #8
        pairs   4
.Ltwo:
        tbz     m, #1, .Lone
        ld2     {v0.h, v1.h}[0], [other_psi], #4
        ld2     {v0.h, v1.h}[1], [other_psi], #4
        ldpsw   offset0, offset1, [other_x], #8
        pairs   2
.Lone:
        tbz     m, #0, .Ldone
        ld2     {v0.h, v1.h}[0], [other_psi]
        ldrsw   offset0, [other_x]
        pairs   1

.Ldone:
        ret
END(hl_correlation_offsets_neon)
