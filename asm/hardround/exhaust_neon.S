// The smallest x < `n` with d0 + d1 x + d2 x (x - 1) / 2 + d3 x (x - 1) (x - 2) / 6 mod 2^64 < `w`, or
// `n` if there is none.
//
//   uint64_t hl_hardround_exhaust_neon(const uint64_t *d, uint64_t n, uint64_t w);
//
// In      x0 = d, x1 = n, x2 = w            Out  x0 = the argument, or n
// Uses    x0, x3..x17, v0..v7, v16..v31     Stack  144 bytes
// Loop    32 arguments; 8 additions, 8 minima, 1 broadcast; bound by the vector pipes: 8 cycles
//         with two, 4 with four; half as many again where anchors turn (modelled: N1, V1)
// Tail    the last step includes arguments beyond n; reads exactly d[0..4]
//
// The arguments of a run are x + L k + i, for k < K and i < L. With anchors y(x + i), their values
// are, modulo 2^64,
//
//   y(x + L k + i) = anchor i + offset k + (i - L/2) L k d2,
//   offset k = L k (d1 + L/2 d2) + L k (L k - 1) / 2 d2
//
// where d1 is the first difference at x and d3 = 0; otherwise K = 1. The last term is neglected
// where it stays below 2^47, which bounds K. If that makes a run too short, the anchors turn: each
// step adds to each anchor the growth of its last term.
//
// Only the upper halves are added; each is less than 1 too low. Offset 0 is `bias` instead of 0, so
// that a value below w gives a sum from 0 to `limit`. If a run has a sum in this range, its steps
// are searched, then L arguments one by one.

#include "hl.h"

#define L           32
#define LOG_L       5
// Fewer arguments are cheaper one by one.
#define FEWEST      64
// If more than one argument in 2^OFTEN is expected to have a value below w, runs do not pay.
#define OFTEN       9
// K is 1 for up to ZEROS leading zeros of |d2| and doubles with each one more, up to runs of 2^11.
#define ZEROS       (16 + 2*LOG_L)
#define LOG_K       (11 - LOG_L)
// If K would be less than 2^FEW and there are arguments for that many steps, the anchors turn
// instead.
#define FEW         (9 - LOG_L)

#define differences x0
#define n           x1
#define w           x2
#define x           x3
#define left        x4              // steps
#define end         x4              // arguments left, or their end
#define offset      x5
#define slope       x6
#define bend        x7
#define first_slope x8              // offset 1 - offset 0 ..
#define next_slope  x9              // .. and its difference from run to run
#define length      x10             // L K
#define run_end     x11
#define value       x12             // with its differences
#define d1          x13
#define d2          x14
#define d3          x15
#define high        v24.4s          // of an offset
// Four minima alternate, since each waits for its previous value.
#define least       v25
#define least1      v26
#define least2      v29
#define least3      v31
#define y           v16             // y(x + lane), with differences from x to x + 2
#define first       v17
#define second      v18
#define third       v19.2d
#define ahead       v20.2d          // y(x + L K + lane) - y(x + L + lane) ..
#define ahead_more  v21.2d          // .. and its difference from run to run
#define slope_more  v22.2d          // increment of the first difference there
#define limit       v23.4s
#define bias        d30
#define turned_by   sp              // L upper halves
#define turning     sp, #128
#define FRAME       144

        // Two values; each time, the value and the differences advance by one argument.
        .macro two_values to
        fmov    d\to, value
        add     value, value, d1
        add     d1, d1, d2
        add     d2, d2, d3
        mov     v\to\().d[1], value
        add     value, value, d1
        add     d1, d1, d2
        add     d2, d2, d3
        .endm

        // The sums with the anchors, and their minima.
        .macro step
        lsr     x17, offset, #32
        dup     high, w17
        add     v27.4s, v0.4s, high
        umin    least.4s, least.4s, v27.4s
        add     v28.4s, v1.4s, high
        umin    least1.4s, least1.4s, v28.4s
        add     v27.4s, v2.4s, high
        umin    least2.4s, least2.4s, v27.4s
        add     v28.4s, v3.4s, high
        umin    least3.4s, least3.4s, v28.4s
        add     v27.4s, v4.4s, high
        umin    least.4s, least.4s, v27.4s
        add     v28.4s, v5.4s, high
        umin    least1.4s, least1.4s, v28.4s
        add     v27.4s, v6.4s, high
        umin    least2.4s, least2.4s, v27.4s
        add     v28.4s, v7.4s, high
        umin    least3.4s, least3.4s, v28.4s
        .endm

FUNC(hl_hardround_exhaust_neon)
        sub     sp, sp, #FRAME
        .cfi_adjust_cfa_offset FRAME
        mov     x, #0
        ldp     value, d1, [differences]
        ldp     d2, d3, [differences, #16]
        cmp     n, #FEWEST
        b.lo    .Lfew
        sub     x16, w, #1
        lsr     x17, x16, #(64 - OFTEN)
        cbnz    x17, .Loften

        // K from the bits of |d2|.
        cmp     d2, #0
        cneg    x17, d2, mi
        orr     x5, x17, #1
        clz     x5, x5
        subs    x5, x5, #ZEROS
        csel    x5, xzr, x5, lo
        cmp     x5, #LOG_K
        mov     x6, #LOG_K
        csel    x5, x6, x5, hi
        cmp     n, #(L << FEW)
        ccmp    x5, #FEW, #2, hs
        cset    x7, lo
        csel    x5, x6, x5, lo
        cmp     d3, #0
        csel    x5, xzr, x5, ne
        csel    x7, xzr, x7, ne
        str     x7, [turning]
        mov     x6, #1
        lsl     x6, x6, x5
        lsl     length, x6, #LOG_L

        // The neglected term is at most 2^32 (x17 + 1) in magnitude.
        sub     x5, x6, #1
        lsl     x5, x5, #(2*LOG_L - 1)
        mul     x17, x17, x5
        lsr     x17, x17, #32
        cmp     x7, #0
        csel    x17, x6, x17, ne
        lsr     x16, x16, #32
        add     x16, x16, x17, lsl #1
        add     x16, x16, #3
        dup     limit, w16
        add     x17, x17, #2
        lsl     x17, x17, #32
        fmov    bias, x17

        // Differences of offsets.
        mov     x5, #(L*L - L/2)
        mul     x5, x5, d2
        add     first_slope, x5, d1, lsl #LOG_L
        mul     x5, length, d2
        lsl     next_slope, x5, #LOG_L

        // The step from the argument after the anchors of a run to the next run, for lane 0, and
        // its increment for lane 1.
        sub     x6, length, #L
        mul     x5, x5, x6
        dup     ahead_more, x5
        lsr     x5, x6, #1
        sub     x7, x6, #1
        mul     x5, x5, x7
        add     x5, x5, x6, lsl #LOG_L
        mul     x5, x5, d2
        madd    x5, x6, d1, x5
        mul     x6, x6, d2
        fmov    d20, x5
        add     x5, x5, x6
        mov     v20.d[1], x5
        lsl     x6, x6, #1
        dup     slope_more, x6
        lsl     x6, d3, #3
        dup     third, x6

        // The turning increments of the anchors.
        ldr     x5, [turning]
        cbz     x5, .Lvalues
        lsl     x5, d2, #LOG_L
        lsl     x6, x5, #1
        dup     first.2d, x6
        neg     x6, x5
        lsl     x6, x6, #(LOG_L - 1)
        fmov    d16, x6
        add     x6, x6, x5
        mov     v16.d[1], x6
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        add     v27.2d, y.2d, first.2d
        uzp2    v28.4s, y.4s, v27.4s
        add     y.2d, v27.2d, first.2d
        str     q28, [turned_by, #16*\i]
        .endr

        // The first values.
.Lvalues:
        two_values 16
        two_values 17
        two_values 18
        sub     second.2d, second.2d, first.2d
        sub     first.2d, first.2d, y.2d
        sub     second.2d, second.2d, first.2d

        // A run of K steps, fewer at the end. Arguments beyond n may give a false alarm.
.Lrun:
        sub     left, n, x
        sub     left, left, #1
        lsr     left, left, #LOG_L
        add     left, left, #1
        lsr     x17, length, #LOG_L
        cmp     left, x17
        csel    left, left, x17, lo
        mov     slope, first_slope
        add     first_slope, first_slope, next_slope
        fmov    offset, bias
        ldr     bend, [differences, #16]
        lsl     bend, bend, #(2*LOG_L)

        // The anchors, two steps of the difference scheme for each 4.
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        add     v27.2d, y.2d, first.2d
        add     first.2d, first.2d, second.2d
        add     second.2d, second.2d, third
        uzp2    v\i\().4s, y.4s, v27.4s
        add     y.2d, v27.2d, first.2d
        add     first.2d, first.2d, second.2d
        add     second.2d, second.2d, third
        .endr
        add     y.2d, y.2d, ahead
        add     ahead, ahead, ahead_more
        add     first.2d, first.2d, slope_more
        movi    least.2d, #-1
        movi    least1.2d, #-1
        movi    least2.2d, #-1
        movi    least3.2d, #-1
        ldr     x17, [turning]
        cbnz    x17, .Lturn
.Lstep:
        step
        add     offset, offset, slope
        add     slope, slope, bend
        subs    left, left, #1
        b.ne    .Lstep
.Lstepped:
        sub     end, n, x

        // An alarm if a minimum is at most `limit`.
        umin    least.4s, least.4s, least1.4s
        umin    least2.4s, least2.4s, least3.4s
        umin    least.4s, least.4s, least2.4s
        cmhs    least.4s, limit, least.4s
        umaxv   s25, least.4s
        fmov    w17, s25
        cbnz    w17, .Lalarm
        cmp     end, length
        b.ls    .Lnone
        add     x, x, length
        b       .Lrun

        // A run with turning anchors.
.Lturn:
        step
        ldp     q27, q28, [turned_by]
        add     v0.4s, v0.4s, v27.4s
        add     v1.4s, v1.4s, v28.4s
        ldp     q27, q28, [turned_by, #32]
        add     v2.4s, v2.4s, v27.4s
        add     v3.4s, v3.4s, v28.4s
        ldp     q27, q28, [turned_by, #64]
        add     v4.4s, v4.4s, v27.4s
        add     v5.4s, v5.4s, v28.4s
        ldp     q27, q28, [turned_by, #96]
        add     v6.4s, v6.4s, v27.4s
        add     v7.4s, v7.4s, v28.4s
        add     offset, offset, slope
        add     slope, slope, bend
        subs    left, left, #1
        b.ne    .Lturn
        b       .Lstepped

        // Search the steps of the run one by one, or all its arguments if the anchors turned.
.Lalarm:
        cmp     end, length
        csel    end, end, length, lo
        add     run_end, x, end
        mov     end, run_end
        ldr     x17, [turning]
        cbnz    x17, .Lscan
        sub     slope, first_slope, next_slope
        fmov    offset, bias
.Lwhere:
        movi    least.2d, #-1
        movi    least1.2d, #-1
        movi    least2.2d, #-1
        movi    least3.2d, #-1
        step
        umin    least.4s, least.4s, least1.4s
        umin    least2.4s, least2.4s, least3.4s
        umin    least.4s, least.4s, least2.4s
        cmhs    least.4s, limit, least.4s
        umaxv   s25, least.4s
        fmov    w17, s25
        cbnz    w17, .Lhere
.Lwhere_next:
        add     offset, offset, slope
        add     slope, slope, bend
        add     x, x, #L
        cmp     x, run_end
        b.lo    .Lwhere
        cmp     x, n
        b.lo    .Lrun
        b       .Lnone

        // Where runs do not pay, check all arguments one by one.
.Loften:
        cbz     w, .Lnone
.Lfew:
        mov     end, n
        b       .Lcheck

.Lhere:
        add     end, x, #L
        cmp     end, run_end
        csel    end, end, run_end, lo

        // Check the arguments from x to `end`, with the differences at x. x16 is x (x - 1) / 2;
        // times x - 2 it is three times the factor of d3.
.Lscan:
        ldp     value, d1, [differences]
        ldp     d2, d3, [differences, #16]
        lsr     x16, x, #1
        sub     x17, x, #1
        mul     x16, x16, x17
        madd    value, x, d1, value
        madd    value, x16, d2, value
        madd    d1, x, d2, d1
        madd    d1, x16, d3, d1
        madd    d2, x, d3, d2
        sub     x17, x, #2
        mul     x16, x16, x17
        mov     x17, #0xaaaaaaaaaaaaaaaa
        add     x17, x17, #1
        mul     x16, x16, x17
        madd    value, x16, d3, value
        b       .Lcheck
.Lnext:
        cmp     value, w
        b.lo    .Lfound
        add     value, value, d1
        add     d1, d1, d2
        add     d2, d2, d3
        add     x, x, #1
.Lcheck:
        cmp     x, end
        b.ne    .Lnext
        cmp     x, n
        b.eq    .Lnone
        cmp     x, run_end
        b.eq    .Lrun
        // Go back to the start of the step.
        sub     x, x, #L
        b       .Lwhere_next
.Lnone:
        mov     x, n
.Lfound:
        mov     x0, x
        add     sp, sp, #FRAME
        .cfi_adjust_cfa_offset -FRAME
        ret
END(hl_hardround_exhaust_neon)
