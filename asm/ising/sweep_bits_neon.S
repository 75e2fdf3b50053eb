// The sweep of bits with NEON: a row is four columns, each a vector.
//
// A site is visited up to its first five planes by code for its degree and rule, one column of all
// sites of a block after the other; the rest is the same for all. A class has two bits, class_0 and
// class_1, in the lanes of `undecided`. Macros take register numbers.

#include "hl.h"

#define spins       x0
#define own         x1
#define blocks      x2
#define links       x3
#define signs       x4
#define random      x6
#define slot        x10
#define end         x11
#define left        w12
#define count       x13
#define degree      w14

// Offsets of the unions that the first five planes are compared with.
#define union_0     x5
#define union_1     x7
#define union_2     x8
#define union_3     x9
#define union_4     x15

// The frame: the unions of the classes of a site or of the pool, then, for each site of a block,
// its classes, its flips, what is undecided and what a round decides; counters of flips, of 1, 2 and
// 4 each.
#define UNIONS      0
#define CLASS_0     1024
#define CLASS_1     1536
#define FLIPS       2048
#define UNDECIDED   2560
#define CHOSEN      3072
#define ONES        3584
#define TWOS        3648
#define FOURS       3712
#define FRAME       3840
#define all_codes   [sp, #3776]
#define codes       [sp, #3784]
#define visited     [sp, #3792]
#define first       [sp, #3800]
#define used        [sp, #3808]
#define planes      [sp, #3816]
#define total       [sp, #3824]
#define live_row    [sp, #FRAME]
#define flips       [sp, #FRAME + 8]

// A visit of a site; 16 to 18 are free.
#define sum_1       v0
#define sum_2       v1
#define sum_4       v3
#define sum_8       v7
#define spin        v19
#define certain     v20
#define even        v21
#define class_0     v22
#define class_1     v23
#define plane       v24
#define different   v25
#define less        v26
#define undecided   v27
#define live        v28

        // a and b become the bits of a + b + c.
        .macro add_three a, b, c
        eor     v\a\().16b, v\a\().16b, v\b\().16b
        bit     v\b\().16b, v\c\().16b, v\a\().16b
        eor     v\a\().16b, v\a\().16b, v\c\().16b
        .endm

        // a and b become the bits of a + b.
        .macro add_two a, b
        eor     v\a\().16b, v\a\().16b, v\b\().16b
        bic     v\b\().16b, v\b\().16b, v\a\().16b
        .endm

        // Bond j: whether it is unsatisfied.
        .macro bond j
        ldp     w16, w17, [links, #8*\j]
        add     x16, spins, x16, lsl #6
        add     x17, signs, x17, lsl #6
        ldr     q\j, [x16]
        ldr     q16, [x17]
        eor     v\j\().16b, v\j\().16b, spin.16b
        eor     v\j\().16b, v\j\().16b, v16.16b
        .endm

        // The unions of all sets of the classes of sites of n bonds: two classes if n < 5, three if n < 7, or
        // four. A set is its index.
        .macro unite n, valid, high, low, at
        .if \n < 5
        bic     v16.16b, v\valid\().16b, v\low\().16b
        str     q16, [sp, #UNIONS + 64*1 + \at]
        and     v17.16b, v\valid\().16b, v\low\().16b
        str     q17, [sp, #UNIONS + 64*2 + \at]
        str     q\valid, [sp, #UNIONS + 64*3 + \at]
        .elseif \n < 7
        bic     v16.16b, v\valid\().16b, v\high\().16b
        str     q16, [sp, #UNIONS + 64*3 + \at]
        bic     v17.16b, v16.16b, v\low\().16b
        str     q17, [sp, #UNIONS + 64*1 + \at]
        and     v16.16b, v16.16b, v\low\().16b
        str     q16, [sp, #UNIONS + 64*2 + \at]
        and     v17.16b, v\valid\().16b, v\high\().16b
        str     q17, [sp, #UNIONS + 64*4 + \at]
        orr     v17.16b, v17.16b, v16.16b
        str     q17, [sp, #UNIONS + 64*6 + \at]
        bic     v16.16b, v\valid\().16b, v\low\().16b
        str     q16, [sp, #UNIONS + 64*5 + \at]
        str     q\valid, [sp, #UNIONS + 64*7 + \at]
        .else
        str     q\valid, [sp, #UNIONS + 64*15 + \at]
        bic     v16.16b, v\valid\().16b, v\low\().16b
        str     q16, [sp, #UNIONS + 64*5 + \at]
        and     v16.16b, v\valid\().16b, v\low\().16b
        str     q16, [sp, #UNIONS + 64*10 + \at]
        bic     v16.16b, v\valid\().16b, v\high\().16b
        str     q16, [sp, #UNIONS + 64*3 + \at]
        bic     v17.16b, v16.16b, v\low\().16b
        str     q17, [sp, #UNIONS + 64*1 + \at]
        and     v16.16b, v16.16b, v\low\().16b
        str     q16, [sp, #UNIONS + 64*2 + \at]
        and     v18.16b, v\valid\().16b, v\high\().16b
        str     q18, [sp, #UNIONS + 64*12 + \at]
        orr     v19.16b, v18.16b, v17.16b
        str     q19, [sp, #UNIONS + 64*13 + \at]
        orr     v19.16b, v18.16b, v16.16b
        str     q19, [sp, #UNIONS + 64*14 + \at]
        bic     v19.16b, v18.16b, v\low\().16b
        str     q19, [sp, #UNIONS + 64*4 + \at]
        and     v18.16b, v18.16b, v\low\().16b
        str     q18, [sp, #UNIONS + 64*8 + \at]
        orr     v18.16b, v18.16b, v17.16b
        str     q18, [sp, #UNIONS + 64*9 + \at]
        orr     v18.16b, v18.16b, v16.16b
        str     q18, [sp, #UNIONS + 64*11 + \at]
        orr     v19.16b, v19.16b, v16.16b
        str     q19, [sp, #UNIONS + 64*6 + \at]
        orr     v19.16b, v19.16b, v17.16b
        str     q19, [sp, #UNIONS + 64*7 + \at]
        .endif
        .endm

        // From the last plane to the first: where bits differ, the bit of the threshold decides.
        .macro compare k, at
        ldr     q24, [random, #64*\k]
        ldr     q16, [sp, \at]
        .if \k == 4
        eor     different.16b, plane.16b, v16.16b
        bic     less.16b, v16.16b, plane.16b
        .else
        eor     v17.16b, plane.16b, v16.16b
        bit     less.16b, v16.16b, v17.16b
        orr     different.16b, different.16b, v17.16b
        .endif
        .endm

        // Puts the undecided lanes of a column into the pool, each lane with its first site, and
        // lanes that have others into 24.
        .macro choose at, pool, high, low
        movi    v\pool\().16b, #0
        movi    v\high\().16b, #0
        movi    v\low\().16b, #0
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        ldr     q16, [sp, #UNDECIDED + 64*\b + \at]
        ldr     q18, [sp, #CLASS_0 + 64*\b + \at]
        ldr     q19, [sp, #CLASS_1 + 64*\b + \at]
        bic     v17.16b, v16.16b, v\pool\().16b
        orr     v\pool\().16b, v\pool\().16b, v16.16b
        eor     v16.16b, v16.16b, v17.16b
        str     q16, [sp, #UNDECIDED + 64*\b + \at]
        str     q17, [sp, #CHOSEN + 64*\b + \at]
        orr     v24.16b, v24.16b, v16.16b
        bit     v\low\().16b, v18.16b, v17.16b
        bit     v\high\().16b, v19.16b, v17.16b
        .endr
        .endm

        // Compares a column of the pool with a plane.
        .macro advance pool, verdict, threshold, bits
        eor     v\bits\().16b, v\bits\().16b, v\threshold\().16b
        and     v\bits\().16b, v\bits\().16b, v\pool\().16b
        bit     v\verdict\().16b, v\threshold\().16b, v\bits\().16b
        eor     v\pool\().16b, v\pool\().16b, v\bits\().16b
        .endm

        // Enters the verdicts of a column of the pool into the flips.
        .macro settle at, verdict
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        ldr     q16, [sp, #CHOSEN + 64*\b + \at]
        ldr     q17, [sp, #FLIPS + 64*\b + \at]
        and     v16.16b, v16.16b, v\verdict\().16b
        eor     v16.16b, v16.16b, v17.16b
        str     q16, [sp, #FLIPS + 64*\b + \at]
        .endr
        .endm

        // The flips of live lanes at site b of a column.
        .macro live_flips b, at
        ldr     q\b, [sp, #FLIPS + 64*\b + \at]
        and     v\b\().16b, v\b\().16b, v16.16b
        .endm

        // Flips the spins of a column, and adds their number to the counters; eights are counted by
        // bytes in 20.
        .macro flip rule, at
        ldr     x16, live_row
        ldr     q16, [x16, #\at]
        sub     x16, own, count, lsl #6
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        live_flips \b, \at
        .endr
        .irp    b, 0.16b, 1.16b, 2.16b, 3.16b, 4.16b, 5.16b, 6.16b, 7.16b
        ldr     q17, [x16, #\at]
        eor     v17.16b, v17.16b, v\b
        str     q17, [x16, #\at]
        add     x16, x16, #64
        cmp     x16, own
        b.eq    .Lflipped_\rule\()_\at
        .endr
.Lflipped_\rule\()_\at:
        ldr     q16, [sp, #ONES + \at]
        ldr     q17, [sp, #TWOS + \at]
        ldr     q18, [sp, #FOURS + \at]
        add_three 16, 0, 1
        add_three 16, 2, 3
        add_three 16, 4, 5
        add_three 16, 6, 7
        add_three 17, 0, 2
        add_three 17, 4, 6
        add_three 18, 0, 4
        str     q16, [sp, #ONES + \at]
        str     q17, [sp, #TWOS + \at]
        str     q18, [sp, #FOURS + \at]
        cnt     v0.16b, v0.16b
        add     v20.16b, v20.16b, v0.16b
        .endm

        // Doubles x16 and adds the ones of a counter.
        .macro add_counter counter
        movi    v20.16b, #0
        .irp    at, 0, 16, 32, 48
        ldr     q0, [sp, #\counter + \at]
        cnt     v0.16b, v0.16b
        add     v20.16b, v20.16b, v0.16b
        .endr
        uaddlv  h0, v20.16b
        fmov    w17, s0
        add     x16, x17, x16, lsl #1
        .endm

        .macro sweep rule, heat
        sub     sp, sp, #FRAME
        .cfi_adjust_cfa_offset FRAME
        ldr     x16, [x7]
        add     own, spins, own, lsl #6
        add     end, random, x16, lsl #6
        str     x5, all_codes
        str     blocks, visited
        str     random, first
        str     random, used
        str     x7, planes
        str     xzr, total
        movi    v0.16b, #0
        .irp    at, 0, 16, 32, 48
        str     q0, [sp, #UNIONS + \at]
        str     q0, [sp, #ONES + \at]
        str     q0, [sp, #TWOS + \at]
        str     q0, [sp, #FOURS + \at]
        .endr

        // A block: all sites need their own planes.
.Lblock_\rule:
        subs    blocks, blocks, #1
        b.lo    .Ldone_\rule
        ldrb    w13, [links]
        ldrb    degree, [links, #1]
        add     links, links, #4
        mov     left, w13
        add     x16, random, count, lsl #6
        add     x16, x16, count, lsl #8
        cmp     x16, end
        b.hi    .Ldone_\rule
        ldr     x16, all_codes
        mov     w17, #48
        umaddl  x16, degree, w17, x16
        ldrb    w5, [x16]
        ldrb    w7, [x16, #1]
        ldrb    w8, [x16, #2]
        ldrb    w9, [x16, #3]
        ldrb    w15, [x16, #4]
        .irp    union, union_0, union_1, union_2, union_3, union_4
        lsl     \union, \union, #6
        .endr
        add     x16, x16, #5
        str     x16, codes
        mov     slot, sp
        ldr     x16, live_row
        ldr     q28, [x16]
        cmp     left, #8
        b.eq    .Lwhole_\rule
        movi    v0.16b, #0
        .irp    b, 1, 2, 3, 4, 5, 6, 7
        .irp    at, 0, 16, 32, 48
        str     q0, [sp, #FLIPS + 64*\b + \at]
        str     q0, [sp, #UNDECIDED + 64*\b + \at]
        .endr
        .endr
.Lwhole_\rule:
        .irp    n, 4, 6, 0, 1, 2, 3, 5, 7
        cmp     degree, #\n
        b.eq    .Lvisit_\rule\()_\n
        .endr

        // Visits a column of the sites of a block of `n` bonds each, up to their fifth plane.
        .irp    n, 8, 7, 6, 5, 4, 3, 2, 1, 0
.Lvisit_\rule\()_\n:
        ldr     q19, [own]
        .irp    j, 0, 1, 2, 3, 4, 5, 6, 7
        .if \j < \n
        bond    \j
        .endif
        .endr

        // The bits of the number of unsatisfied bonds.
        .if \n == 0
        movi    sum_1.16b, #0
        .endif
        .if \n < 2
        movi    sum_2.16b, #0
        .endif
        .if \n == 2
        add_two 0, 1
        .elseif \n > 2
        add_three 0, 1, 2
        .endif
        .if \n == 4
        add_two 0, 3
        add_two 1, 3
        .elseif \n == 5
        add_three 0, 3, 4
        add_two 1, 3
        .endif
        .if \n > 5
        add_three 3, 4, 5
        .if \n == 6
        add_two 0, 3
        .else
        add_three 0, 3, 6
        .endif
        add_three 1, 3, 4
        .endif
        .if \n == 8
        add_two 0, 7
        add_two 1, 7
        add_two 3, 7
        .endif

        // The classes by the number of unsatisfied bonds: lanes that flip for certain, lanes that the
        // first bit decides, and others.
        .if \n == 0
        movi    certain.16b, #0
        movi    v21.16b, #255
        .elseif \n == 1
        mov     certain.16b, sum_1.16b
        .elseif \n == 2
        mov     certain.16b, sum_2.16b
        mov     even.16b, sum_1.16b
        .elseif \n == 3
        mov     certain.16b, sum_2.16b
        .elseif \n == 4
        and     certain.16b, sum_1.16b, sum_2.16b
        bic     even.16b, sum_2.16b, sum_1.16b
        orr     certain.16b, certain.16b, sum_4.16b
        .elseif \n == 5
        and     certain.16b, sum_1.16b, sum_2.16b
        orr     certain.16b, certain.16b, sum_4.16b
        .elseif \n == 6
        and     even.16b, sum_1.16b, sum_2.16b
        mov     certain.16b, sum_4.16b
        .elseif \n == 7
        mov     certain.16b, sum_4.16b
        .elseif \n == 8
        orr     v16.16b, sum_1.16b, sum_2.16b
        and     certain.16b, sum_4.16b, v16.16b
        bic     even.16b, sum_4.16b, v16.16b
        orr     certain.16b, certain.16b, sum_8.16b
        .endif
        .if \heat
        .if \n & 1
        mov     undecided.16b, live.16b
        .else
        bic     undecided.16b, live.16b, even.16b
        .endif
        .elseif \n & 1
        bic     undecided.16b, live.16b, certain.16b
        .else
        orr     v16.16b, certain.16b, even.16b
        bic     undecided.16b, live.16b, v16.16b
        .endif
        .if \heat
        // The smaller of the counts of satisfied and unsatisfied bonds, if they differ.
        .if \n < 5
        movi    class_1.16b, #0
        .endif
        .if \n < 3
        movi    class_0.16b, #0
        .endif
        .if \n == 3
        eor     class_0.16b, sum_1.16b, sum_2.16b
        .elseif \n == 4
        mov     class_0.16b, sum_1.16b
        .elseif \n == 5
        eor     class_0.16b, sum_1.16b, sum_4.16b
        bic     class_0.16b, class_0.16b, sum_2.16b
        mov     class_1.16b, sum_2.16b
        .elseif \n == 6
        mov     class_0.16b, sum_1.16b
        eor     class_1.16b, sum_2.16b, sum_4.16b
        bic     class_1.16b, class_1.16b, sum_1.16b
        .elseif \n == 7
        eor     class_0.16b, sum_1.16b, sum_4.16b
        eor     class_1.16b, sum_2.16b, sum_4.16b
        .elseif \n == 8
        mov     class_0.16b, sum_1.16b
        and     class_1.16b, sum_1.16b, sum_4.16b
        eor     class_1.16b, class_1.16b, sum_2.16b
        .endif
        // Of undecided lanes, by class_1 and class_0.
        unite   \n, 27, 23, 22, 0
        str     q22, [slot, #CLASS_0]
        str     q23, [slot, #CLASS_1]
        .else
        // Of undecided lanes, by sum_2 and sum_1.
        unite   \n, 27, 1, 0, 0
        str     q0, [slot, #CLASS_0]
        str     q1, [slot, #CLASS_1]
        .endif
        compare 4, union_4
        compare 3, union_3
        compare 2, union_2
        compare 1, union_1
        compare 0, union_0
        bic     undecided.16b, undecided.16b, different.16b
        eor     less.16b, less.16b, certain.16b
        .if (\n & 1) == 0
        bic     even.16b, even.16b, plane.16b
        orr     less.16b, less.16b, even.16b
        .endif
        str     q26, [slot, #FLIPS]
        str     q27, [slot, #UNDECIDED]
        add     own, own, #64
        .if \n
        add     links, links, #8*\n
        .endif
        add     random, random, #5*64
        add     slot, slot, #64
        subs    left, left, #1
        b.ne    .Lvisit_\rule\()_\n
        mov     x16, sp
        sub     x16, slot, x16
        add     x16, x16, #16
        ands    x16, x16, #63
        b.eq    .Lvisited_\rule

        // Back to the first site, for the next column.
        mov     left, w13
        sub     own, own, count, lsl #6
        sub     slot, slot, count, lsl #6
        sub     random, random, count, lsl #6
        sub     random, random, count, lsl #8
        .if \n
        mov     x17, #8*\n
        msub    links, count, x17, links
        .endif
        .irp    pointer, own, slot, random, spins, signs
        add     \pointer, \pointer, #16
        .endr
        ldr     x17, live_row
        ldr     q28, [x17, x16]
        b       .Lvisit_\rule\()_\n
        .endr

.Lvisited_\rule:
        .irp    pointer, own, random, spins, signs
        sub     \pointer, \pointer, #48
        .endr

        // A round: the first undecided site of each lane.
.Lround_\rule:
        movi    v24.16b, #0
        choose  0, 0, 4, 20
        choose  16, 1, 5, 21
        choose  32, 2, 6, 22
        choose  48, 3, 7, 23

        // x16: 0 if the pool is empty.
        orr     v16.16b, v0.16b, v1.16b
        orr     v17.16b, v2.16b, v3.16b
        orr     v16.16b, v16.16b, v17.16b
        umaxp   v16.4s, v16.4s, v16.4s
        fmov    x16, d16
        cbz     x16, .Ldecided_\rule
        cmp     degree, #5
        b.lo    .Ltwo_\rule
        cmp     degree, #7
        b.lo    .Lthree_\rule
        unite   8, 0, 4, 20, 0
        unite   8, 1, 5, 21, 16
        unite   8, 2, 6, 22, 32
        unite   8, 3, 7, 23, 48
        b       .Lunited_\rule
.Lthree_\rule:
        unite   6, 0, 4, 20, 0
        unite   6, 1, 5, 21, 16
        unite   6, 2, 6, 22, 32
        unite   6, 3, 7, 23, 48
        b       .Lunited_\rule
.Ltwo_\rule:
        unite   4, 0, 4, 20, 0
        unite   4, 1, 5, 21, 16
        unite   4, 2, 6, 22, 32
        unite   4, 3, 7, 23, 48
.Lunited_\rule:
        movi    v4.16b, #0
        movi    v5.16b, #0
        movi    v6.16b, #0
        movi    v7.16b, #0
        ldr     x17, codes
        mov     left, #43

        // Planes, until all lanes of the pool are decided or 48 bits are equal.
.Lplane_\rule:
        cmp     random, end
        b.eq    .Ldone_\rule
        ldrb    w16, [x17], #1
        lsl     x16, x16, #6
        add     x16, sp, x16
        ldp     q16, q17, [x16]
        ldp     q18, q19, [x16, #32]
        ldp     q20, q21, [random]
        ldp     q22, q23, [random, #32]
        add     random, random, #64
        advance 0, 4, 16, 20
        advance 1, 5, 17, 21
        advance 2, 6, 18, 22
        advance 3, 7, 19, 23
        orr     v16.16b, v0.16b, v1.16b
        orr     v17.16b, v2.16b, v3.16b
        orr     v16.16b, v16.16b, v17.16b
        umaxp   v16.4s, v16.4s, v16.4s
        fmov    x16, d16
        cbz     x16, .Lpooled_\rule
        subs    left, left, #1
        b.ne    .Lplane_\rule
.Lpooled_\rule:
        settle  0, 4
        settle  16, 5
        settle  32, 6
        settle  48, 7
        umaxp   v24.4s, v24.4s, v24.4s
        fmov    x16, d24
        cbnz    x16, .Lround_\rule

.Ldecided_\rule:
        str     random, used
        movi    v20.16b, #0
        flip    \rule, 0
        flip    \rule, 16
        flip    \rule, 32
        flip    \rule, 48
        uaddlv  h0, v20.16b
        fmov    w16, s0
        ldr     x17, total
        add     x17, x17, x16
        str     x17, total
        b       .Lblock_\rule

        // `blocks` is one less than the number of blocks that are left.
.Ldone_\rule:
        ldr     x16, total
        add_counter FOURS
        add_counter TWOS
        add_counter ONES
        ldr     x17, flips
        ldr     x15, [x17]
        add     x15, x15, x16
        str     x15, [x17]
        ldr     x16, used
        ldr     x17, first
        sub     x16, x16, x17
        lsr     x16, x16, #6
        ldr     x17, planes
        str     x16, [x17]
        ldr     x0, visited
        sub     x0, x0, blocks
        sub     x0, x0, #1
        add     sp, sp, #FRAME
        .cfi_adjust_cfa_offset -FRAME
        ret
        .endm

// Visits up to `blocks` blocks of sites of one group of 512 copies in order, with exact
// acceptance, and returns how many: it stops before a block that needs more random planes than
// are left.
//
//   size_t hl_ising_sweep_bits_neon(uint64_t *spins, size_t first, size_t blocks, const uint32_t *links,
//                                   const uint64_t *signs, const uint8_t *codes, const uint32_t *random,
//                                   size_t *planes, const uint64_t *live, uint64_t *flips);
//
// In      x0 = spins, x1 = first, x2 = blocks, x3 = links, x4 = signs, x5 = codes, x6 = random, x7 = planes,
//         [sp] = live, [sp+8] = flips       Out  x0 = blocks visited
// Uses    x0..x17, v0..v7, v16..v28
// Stack   3840 bytes
// Loop    a block of 8 sites of 512 copies; bound by the vector pipes. Not measured
// Tail    blocks of fewer sites: sites without flips
FUNC(hl_ising_sweep_bits_neon)
        sweep   metropolis, 0
END(hl_ising_sweep_bits_neon)

// sweep_bits with acceptance by the heat bath.
//
//   size_t hl_ising_sweep_heat_bits_neon(uint64_t *spins, size_t first, size_t blocks, const uint32_t *links,
//                                        const uint64_t *signs, const uint8_t *codes, const uint32_t *random,
//                                        size_t *planes, const uint64_t *live, uint64_t *flips);
//
// In      x0 = spins, x1 = first, x2 = blocks, x3 = links, x4 = signs, x5 = codes, x6 = random, x7 = planes,
//         [sp] = live, [sp+8] = flips       Out  x0 = blocks visited
// Uses    x0..x17, v0..v7, v16..v28
// Stack   3840 bytes
// Loop    a block of 8 sites of 512 copies; bound by the vector pipes. Not measured
// Tail    blocks of fewer sites: sites without flips
FUNC(hl_ising_sweep_heat_bits_neon)
        sweep   heat, 1
END(hl_ising_sweep_heat_bits_neon)
