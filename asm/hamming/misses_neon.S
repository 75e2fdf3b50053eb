// Counts the misses of 512 rows at once, for `n` groups of 512 rows, and returns how many groups
// have a row that is not dead.
//
//   size_t hl_hamming_misses_neon(const uint8_t *planes, const uint32_t *offsets, size_t chunks,
//       uint64_t invert, uint16_t *groups, size_t n, const uint64_t *fresh, uint64_t *states,
//       size_t levels);
//
// In      x0 = planes, x1 = offsets, x2 = chunks, x3 = invert, x4 = groups, x5 = n, x6 = fresh,
//         x7 = states, [sp] = levels        Out  x0 = live groups
// Uses    x0, x2..x5, x7..x17, v0..v7, v16..v25, v28..v31     Stack  none
// Loop    8 planes of 256 rows, 2 levels: 56 vector operations and 14 loads of pairs
// Tail    none; reads whole lines
//
// Seven full adders of three operations. The states' lines are taken in two halves, of two vectors.

#include "hl.h"

#define planes      x0
#define offsets     x1
// The end of the offsets, and of the slot.
#define end         x2
#define slot_end    x3
// The list of groups: the next one that is read, and the place of the next live one.
#define list        x4
#define left        x5
#define fresh       x6
#define from        x7
#define kept        x8
#define to          x9
#define size        x10
#define line        x11
#define level       x14
#define at          x15
#define lives       x16
#define parts       w17

// Adds a and b to the sum s, which goes to t; the carry replaces a.
        .macro full_adder s, t, a, b
        eor     v\a\().16b, v\s\().16b, v\a\().16b
        eor     v\t\().16b, v\a\().16b, v\b\().16b
        bsl     v\a\().16b, v\b\().16b, v\s\().16b
        .endm

// Adds the next two planes to the sums s and r, which go to t and u; the carries go to a and b.
        .macro pair s, r, t, u, a, b
        ldp     w12, w13, [at], #8
        add     x12, line, x12
        add     x13, line, x13
        ldp     q\a, q\b, [x12]
        ldp     q20, q21, [x13]
        full_adder \s, \t, \a, 20
        full_adder \r, \u, \b, 21
        .endm

FUNC(hl_hamming_misses_neon)
        ldr     size, [sp]
        dup     v16.2d, x3
        mov     kept, list
        mov     to, from
        mov     lives, #0
        add     size, size, #4
        lsl     size, size, #6
        add     end, offsets, end, lsl #5
        cbz     left, .Ldone

.Lgroup:
        ldrh    w11, [list]
        add     line, planes, line, lsl #6
        mov     parts, #2
        movi    v17.16b, #255

        // The state of half a group; its levels go to the slot.
.Lpart:
        add     slot_end, to, size
        add     level, to, #256
        cbz     fresh, .Lstored
        ld1r    {v0.2d}, [fresh]
        add     x12, fresh, #8
        mov     v1.16b, v0.16b
        ld1r    {v2.2d}, [x12], #8
        mov     v3.16b, v2.16b
        ld1r    {v4.2d}, [x12], #8
        mov     v5.16b, v4.16b
        ld1r    {v6.2d}, [x12], #8
        mov     v7.16b, v6.16b
.Lsplat:
        cmp     level, slot_end
        b.eq    .Lloaded
        ld1r    {v18.2d}, [x12], #8
        stp     q18, q18, [level]
        add     level, level, #64
        b       .Lsplat
.Lstored:
        ldp     q0, q1, [from]
        ldp     q2, q3, [from, #64]
        ldp     q4, q5, [from, #128]
        ldp     q6, q7, [from, #192]
        add     x12, from, #256
.Lcopy:
        cmp     level, slot_end
        b.eq    .Lloaded
        ldp     q18, q19, [x12]
        stp     q18, q19, [level]
        add     x12, x12, #64
        add     level, level, #64
        b       .Lcopy

.Lloaded:
        mov     at, offsets
        cmp     at, end
        b.eq    .Ladded

        // Two planes at a time, then their carries.
.Lloop:
        pair    0, 1, 28, 29, 18, 19
        pair    28, 29, 0, 1, 22, 23
        full_adder 2, 30, 18, 22
        full_adder 3, 31, 19, 23
        pair    0, 1, 28, 29, 22, 23
        pair    28, 29, 0, 1, 24, 25
        full_adder 30, 2, 22, 24
        full_adder 31, 3, 23, 25
        full_adder 4, 28, 18, 22
        full_adder 5, 29, 19, 23
        mov     v4.16b, v28.16b
        mov     v5.16b, v29.16b
        eor     v18.16b, v18.16b, v16.16b
        eor     v19.16b, v19.16b, v16.16b

        // The levels.
        add     level, to, #256
.Llevel:
        cmp     level, slot_end
        b.eq    .Lcarried
        ldp     q20, q21, [level]
        eor     v22.16b, v20.16b, v18.16b
        eor     v23.16b, v21.16b, v19.16b
        and     v18.16b, v18.16b, v20.16b
        and     v19.16b, v19.16b, v21.16b
        stp     q22, q23, [level]
        add     level, level, #64
        b       .Llevel
.Lcarried:
        orr     v6.16b, v6.16b, v18.16b
        orr     v7.16b, v7.16b, v19.16b
        cmp     at, end
        b.ne    .Lloop

.Ladded:
        stp     q0, q1, [to]
        stp     q2, q3, [to, #64]
        stp     q4, q5, [to, #128]
        stp     q6, q7, [to, #192]
        and     v17.16b, v17.16b, v6.16b
        and     v17.16b, v17.16b, v7.16b
        add     line, line, #32
        add     from, from, #32
        add     to, to, #32
        subs    parts, parts, #1
        b.ne    .Lpart

        // A surviving group keeps its slot.
        sub     from, from, #64
        sub     to, to, #64
        uminv   s18, v17.4s
        fmov    w12, s18
        cmn     w12, #1
        cset    x12, ne
        ldrh    w13, [list], #2
        strh    w13, [kept]
        add     kept, kept, x12, lsl #1
        add     lives, lives, x12
        neg     x12, x12
        and     x12, x12, size
        add     to, to, x12
        add     from, from, size
        subs    left, left, #1
        b.ne    .Lgroup

.Ldone:
        mov     x0, lives
        ret
END(hl_hamming_misses_neon)
