// Gates of multivectors, for vectors of four floats; such a vector in the frame is a row.
//
// A block has four multivectors, and a pass some blocks. Each pass has three steps:
//
//   arguments   the arguments of S: one row for a block or, for kind 4, a row for each grade
//   gates       S of these rows, two rows at a time
//   products    x times the gates, in turn with the arguments of the next pass, block by block
//
// The blocks of a pass have the same channels, and share the rows of parameters. If no two blocks
// have the same channels, a pass has successive blocks, and each loads its parameters.

#include "hl.h"

#define kind    x0
#define blades  x1

// The block whose arguments are next: its x and its rows; bytes to the next block; blocks left.
#define at      x2
#define to      x3
#define step    x4
#define left    x5

// The block whose products are next: its x, its z and its gates; bytes to the next block; blocks
// left.
#define x_now   x6
#define z_now   x7
#define gates   x8
#define step_now x9
#define left_now x10

// The number of the first multivector of the next pass.
#define first   x11

#define index   x12
#define other   x13
#define third   x14
#define row     x15
#define lane    x16
#define frame   x17

#define MEAN    2
#define GELU    3
#define SILU    4

// A pass has at most 4 BLOCKS / n blocks of n blades. If x has more than LARGE floats, too many for
// a cache, it has at most 16 BLOCKS / n^2: memory is faster if loads and stores alternate more
// often.
#define BLOCKS  16
#define LARGE   0x100000

// The frame: rows of weights; rows of signs (kind 4) or copied weights (kind 0); a copy of x; rows
// of bias; rows of arguments, which become gates. Kind 3 keeps rows of x[0] at X0.
#define WEIGHTS 0
#define SIGNS   256
#define COPY    512
#define BIAS    768
#define LOCALS  848
#define ARGUMENTS 1008
#define X0      (16*BLOCKS)
#define FRAME   (ARGUMENTS + 4*16*BLOCKS)

#define local(i) [sp, #LOCALS + 8*i]
#define channels local(0)
#define weights local(1)
#define bias    local(2)
#define x_at    local(3)
#define z_at    local(4)
#define all     local(5)                // number of multivectors
#define rest    local(6)                // multivectors after the last whole block
#define distance local(7)               // multivectors to the next block with these channels
#define most    local(8)                // largest number of blocks of a pass
#define tile    local(9)                // end of the first part of the tile (see .Lpass)
#define x_pass  local(10)               // x of the pass
#define number  local(11)               // blocks of the pass
#define rows    local(12)               // bytes of the arguments of a block
#define channel local(13)               // channel of the first multivector of a block
#define loaded  local(14)               // channel whose parameters are in the frame
#define turn    local(15)               // channels from a block of the pass to the next one
#define turn_of_lanes local(16)         // channels from a block to the successive one
#define copied  local(17)               // bytes of x that are copied
#define z_copied local(18)              // z of the copy

#include "gate_logistic_neon.h"
#include "gate_blocks_neon.h"

// Activations of multivectors: z = x times a gate, a function of x.
//
//   void hl_clifford_gate_f32_neon(size_t kind, size_t blades, size_t channels,
//       const float *weights, const float *bias, const float *signs, const float *x, size_t count,
//       float *z);
//
// In      x0 = kind, x1 = blades, x2 = channels, x3 = weights, x4 = bias, x5 = signs, x6 = x,
//         x7 = count, [sp] = z     Out  z
// Uses    x2..x17, v0..v7, v16..v30     Stack  2032 bytes
// Loop    4 multivectors of 8 numbers, kind 0: 70 operations, 25 loads and 9 stores; bound by the
//         two vector pipes of Neoverse N1 (35 cycles)
// Tail    the last block overlaps the one before; fewer than 4 multivectors are copied, with zeros
//         after them
FUNC(hl_clifford_gate_f32_neon)
        // Mach-O accepts CFI only before the first label, so `frame` keeps the old sp to the end.
        mov     frame, sp
        sub     sp, sp, #FRAME
        .cfi_def_cfa frame, 0
        cbz     x7, .Ldone

        // Locals.
        ldr     other, [frame]
        str     x3, weights
        str     x4, bias
        str     x6, x_at
        str     x7, all
        str     other, z_at
        str     other, z_copied
        str     xzr, copied
        mov     first, x7
        and     other, first, #3
        str     other, rest

        // Only kinds 0 and 4 have channels.
        mov     third, #16
        cmp     kind, #0
        csinc   index, x2, xzr, eq
        cmp     kind, #SILU
        b.ne    .Lchannels

        // Rows of signs. A block has a row of arguments for each grade, 3, 4 or 5.
        mov     index, x2
        mov     third, #48
        mov     left_now, blades
        add     to, sp, #SIGNS
.Lsigns:
        ld1r    {v0.4s}, [x5], #4
        str     q0, [to], #16
        subs    left_now, left_now, #1
        b.ne    .Lsigns
        cmp     blades, #8
        mov     other, #64
        csel    third, other, third, eq
        mov     other, #80
        csel    third, other, third, hi

        // The distance is lcm(channels, 4).
.Lchannels:
        str     third, rows
        str     index, channels
        lsl     other, index, #2
        tbnz    index, #0, .Lodd
        lsr     other, other, #1
        tbnz    index, #1, .Lodd
        lsr     other, other, #1
.Lodd:
        str     other, distance
        str     other, tile
        mov     other, #4
        udiv    third, other, index
        msub    third, third, index, other
        str     third, turn_of_lanes
        mov     other, #-1
        str     other, loaded

        // Blocks of a pass.
        mov     other, #4*BLOCKS
        mul     third, first, blades
        cmp     third, #LARGE
        b.ls    .Lmost
        mov     other, #16*BLOCKS
        udiv    other, other, blades
.Lmost:
        udiv    other, other, blades
        str     other, most
        mov     left_now, #0

        // Fewer multivectors than lanes are copied, with zeros after them. Their z is the copy,
        // too.
        cmp     first, #4
        b.hs    .Lfirst
        mul     left, first, blades
        lsl     left, left, #2
        str     left, copied
        movi    v0.16b, #0
        add     to, sp, #COPY
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        stp     q0, q0, [to, #32*\i]
        .endr
.Lcopy_x:
        sub     left, left, #16
        ldr     q0, [x_now, left]
        str     q0, [to, left]
        cbnz    left, .Lcopy_x
        str     to, x_at
        str     to, z_at
        str     xzr, rest
        mov     other, #4
        str     other, all
.Lfirst:
        mov     first, #0

        // The next pass has whole blocks, or the last block, which begins early enough to be whole,
        // or nothing: `left` is 0. A tile has `most` parts of `distance` multivectors. Its passes
        // begin with each block of the first part.
.Lpass:
        add     to, sp, #ARGUMENTS
        ldr     third, all
        add     other, first, #4
        cmp     other, third
        b.ls    .Lwhole
        ldr     other, rest
        cbz     other, .Lfound
        str     xzr, rest
        str     third, tile
        sub     first, third, #4

        // The channel of its first multivector, and its x.
.Lwhole:
        ldr     other, channels
        udiv    index, first, other
        msub    index, index, other, first
        str     index, channel
        mul     index, first, blades
        ldr     at, x_at
        add     at, at, index, lsl #2
        str     at, x_pass

        // The number of blocks at the distance from each other, up to the last whole one.
        ldr     row, distance
        ldr     lane, most
        sub     other, third, #4
        sub     other, other, first
        udiv    other, other, row
        cbz     other, .Lsuccessive

        // The next pass begins with the successive block.
        add     left, other, #1
        mov     step, row
        str     xzr, turn
        cmp     left, lane
        csel    left, lane, left, hi
        add     first, first, #4
        b       .Lnumber

        // If there is one only, the pass has successive blocks of the first part instead.
.Lsuccessive:
        ldr     other, turn_of_lanes
        str     other, turn
        ldr     other, tile
        cmp     other, third
        csel    left, third, other, hi
        sub     left, left, first
        lsr     left, left, #2
        cmp     left, lane
        csel    left, lane, left, hi
        add     first, first, left, lsl #2
        mov     step, #4
.Lnumber:
        str     left, number
        mul     step, step, blades
        lsl     step, step, #2

        // After the first part, the next tile begins.
        ldr     other, tile
        cmp     first, other
        b.ne    .Lfound
        sub     first, first, row
        mul     row, row, lane
        add     first, first, row
        add     other, other, row
        str     other, tile
.Lfound:
        cmp     blades, #8
        b.lo    .Lblocks_4
        b.hi    .Lblocks_16
        blocks  8, 4, 3
        blocks  4, 3, 2
        blocks  16, 5, 4

        // S of two rows at a time.
.Lgates:
        add     gates, sp, #ARGUMENTS
        cmp     gates, to
        b.eq    .Lcopied
        logistic

        // The products of the pass.
        add     gates, sp, #ARGUMENTS
        ldr     left_now, number
        mov     step_now, step
        ldr     x_now, x_pass
        ldr     other, x_at
        ldr     z_now, z_at
        sub     other, x_now, other
        add     z_now, z_now, other
        cmp     kind, #GELU
        b.ne    .Lpass

        // For GELU x[0] times S, or 0.
.Ltimes_x:
        ldr     q0, [gates]
        ldr     q1, [gates, #X0]
        fcmeq   v2.4s, v0.4s, #0.0
        fmul    v0.4s, v0.4s, v1.4s
        bic     v0.16b, v0.16b, v2.16b
        str     q0, [gates], #16
        cmp     gates, to
        b.lo    .Ltimes_x
        add     gates, sp, #ARGUMENTS
        b       .Lpass

        // The copy goes to z.
.Lcopied:
        ldr     left, copied
        cbz     left, .Ldone
        add     at, sp, #COPY
        ldr     to, z_copied
.Lcopy_z:
        sub     left, left, #16
        ldr     q0, [at, left]
        str     q0, [to, left]
        cbnz    left, .Lcopy_z
.Ldone:
        mov     sp, frame
        ret
END(hl_clifford_gate_f32_neon)
