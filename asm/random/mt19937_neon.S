// MT19937 with NEON, for both formats of the numbers.

#include "hl.h"

// Repeats a statement for each vector v; the statement names registers by v.
        .macro each statement:vararg
        .irp v, 0, 1, 2, 3
        \statement
        .endr
        .endm

// Vector v: its words and the operand that they are combined with, as words and as bytes. The macro
// body turns \(\()) into \(), which `each` expands.
#define y           v\v\(\()).4s
#define t           v2\v\(\()).4s
#define y_bytes     v\v\(\()).16b
#define t_bytes     v2\v\(\()).16b

#define upper       v4
#define one         v5
#define matrix      v6
#define mask_b      v7
#define mask_c      v16

#define state       x0
#define lanes       x1
#define position    x2
#define dst         x3
#define wanted      x4

#define offset      x5
#define end227      x6
#define end623      x7
#define end624      x8

// One run of words: the bytes left and the three addresses.
#define left        x9
#define word        x10
#define next        x11
#define partner     x12

// A single word.
#define y1          w13
#define t1          w14
#define matrix1     w15
#define mask_b1     w16
#define mask_c1     w17

// Writes the numbers as integers, or as floats if `uniform` is 1.
        .macro walk name, uniform
        .set    UNIFORM, \uniform
        // Count everything in bytes.
        ldr     offset, [position]
        lsl     offset, offset, 2
        lsl     lanes, lanes, 2
        lsl     wanted, wanted, 2
        mov     left, 227
        mul     end227, lanes, left
        mov     left, 623
        mul     end623, lanes, left
        add     end624, end623, lanes

        mov     matrix1, 0xb0df
        movk    matrix1, 0x9908, lsl 16
        mov     mask_b1, 0x5680
        movk    mask_b1, 0x9d2c, lsl 16
        mov     mask_c1, 0xefc60000
        dup     matrix.4s, matrix1
        dup     mask_b.4s, mask_b1
        dup     mask_c.4s, mask_c1
        movi    upper.4s, 0x80, lsl 24
        movi    one.4s, 1
        cbz     wanted, .Ldone_\name

.Lrun_\name:
        // The partner of rows 0..227 is 397 rows ahead; the partner of later rows is 227 rows
        // behind.
        sub     partner, end624, end227
        neg     next, end227
        cmp     offset, end227
        csel    left, end227, end623, lo
        csel    partner, partner, next, lo

        // The row after row 623 is row 0.
        neg     next, end623
        cmp     offset, end623
        csel    left, left, end624, lo
        csel    next, lanes, next, lo

        // The run ends with these rows or with the last wanted number.
        add     word, state, offset
        add     next, next, word
        add     partner, partner, word
        sub     left, left, offset
        cmp     left, wanted
        csel    left, left, wanted, lo
        sub     wanted, wanted, left
        add     offset, offset, left

        subs    left, left, 64
        b.lo    .Lrest_\name
.Lloop_\name:
        // y = the upper bit of the word, the other bits of the next word.
        each    ldr q\v, [word, 16 * \v]
        each    ldr q2\v, [next, 16 * \v]
        each    bif y_bytes, t_bytes, upper.16b

        // y = partner ^ (y >> 1) ^ (y odd ? matrix : 0), the renewed word.
        each    cmtst t, t, one.4s
        each    ushr y, y, 1
        each    and t_bytes, t_bytes, matrix.16b
        each    eor y_bytes, y_bytes, t_bytes
        each    ldr q2\v, [partner, 16 * \v]
        each    eor y_bytes, y_bytes, t_bytes
        each    str q\v, [word, 16 * \v]

        // Temper it.
        each    ushr t, y, 11
        each    eor y_bytes, y_bytes, t_bytes
        each    shl t, y, 7
        each    and t_bytes, t_bytes, mask_b.16b
        each    eor y_bytes, y_bytes, t_bytes
        each    shl t, y, 15
        each    and t_bytes, t_bytes, mask_c.16b
        each    eor y_bytes, y_bytes, t_bytes
        each    ushr t, y, 18
        each    eor y_bytes, y_bytes, t_bytes
        .if     UNIFORM
        each    ushr y, y, 8
        each    ucvtf y, y, 24
        .endif
        each    str q\v, [dst, 16 * \v]
        add     word, word, 64
        add     next, next, 64
        add     partner, partner, 64
        add     dst, dst, 64
        subs    left, left, 64
        b.hs    .Lloop_\name

.Lrest_\name:
        adds    left, left, 64
        b.eq    .Lwrap_\name
.Lone_\name:
        // Twist and temper one word at a time.
        ldr     y1, [word]
        ldr     t1, [next], 4
        bfxil   y1, t1, 0, 31
        sbfx    t1, t1, 0, 1
        and     t1, t1, matrix1
        eor     y1, t1, y1, lsr 1
        ldr     t1, [partner], 4
        eor     y1, y1, t1
        str     y1, [word], 4
        eor     y1, y1, y1, lsr 11
        and     t1, mask_b1, y1, lsl 7
        eor     y1, y1, t1
        and     t1, mask_c1, y1, lsl 15
        eor     y1, y1, t1
        eor     y1, y1, y1, lsr 18
        .if     UNIFORM
        lsr     y1, y1, 8
        ucvtf   s0, y1, 24
        str     s0, [dst], 4
        .else
        str     y1, [dst], 4
        .endif
        subs    left, left, 4
        b.ne    .Lone_\name

.Lwrap_\name:
        cmp     offset, end624
        csel    offset, xzr, offset, eq
        cbnz    wanted, .Lrun_\name

.Ldone_\name:
        lsr     offset, offset, 2
        str     offset, [position]
        ret
        .endm

// Draws `n` numbers from the interlaced MT19937 streams.
//
//   void hl_random_mt19937_u32_neon(uint32_t *state, size_t lanes, size_t *position, uint32_t *dst,
//       size_t n);
//
// In      x0 = state, x1 = lanes, x2 = position, x3 = dst, x4 = n     Out  state, *position, dst[0..n]
// Uses    x1, x3..x17, v0..v7, v16, v20..v23     Stack  none
// Loop    16 numbers: 4 vectors in step; bound by 16 operations a vector on 2 ports
// Tail    single numbers; touches exactly the words and numbers named
FUNC(hl_random_mt19937_u32_neon)
        walk    u32, 0
END(hl_random_mt19937_u32_neon)

// Draws `n` floats in [0, 1) from the interlaced MT19937 streams: the upper 24 bits of each number
// times 2^-24.
//
//   void hl_random_mt19937_f32_neon(uint32_t *state, size_t lanes, size_t *position, float *dst, size_t n);
//
// In      x0 = state, x1 = lanes, x2 = position, x3 = dst, x4 = n     Out  state, *position, dst[0..n]
// Uses    x1, x3..x17, v0..v7, v16, v20..v23     Stack  none
// Loop    16 numbers: 4 vectors in step; bound by 18 operations a vector on 2 ports
// Tail    single numbers; touches exactly the words and numbers named
FUNC(hl_random_mt19937_f32_neon)
        walk    f32, 1
END(hl_random_mt19937_f32_neon)
