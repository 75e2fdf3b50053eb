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
#define sum_1       0
#define sum_2       1
#define sum_4       3
#define sum_8       7
#define spin        19
#define certain     20
#define even        21
#define class_0     22
#define class_1     23
#define plane       24
#define different   25
#define less        26
#define undecided   27
#define live        28

        .macro and_of to, a, b
        and     v\to\().16b, v\a\().16b, v\b\().16b
        .endm

        .macro or_of to, a, b
        orr     v\to\().16b, v\a\().16b, v\b\().16b
        .endm

        .macro xor_of to, a, b
        eor     v\to\().16b, v\a\().16b, v\b\().16b
        .endm

        // a without b.
        .macro without to, a, b
        bic     v\to\().16b, v\a\().16b, v\b\().16b
        .endm

        // a where the bits of b are set.
        .macro insert to, a, b
        bit     v\to\().16b, v\a\().16b, v\b\().16b
        .endm

        .macro copy to, a
        mov     v\to\().16b, v\a\().16b
        .endm

        .macro clear to
        movi    v\to\().16b, #0
        .endm

        // a and b become the bits of a + b + c.
        .macro add_three a, b, c
        xor_of  \a, \a, \b
        insert  \b, \c, \a
        xor_of  \a, \a, \c
        .endm

        // a and b become the bits of a + b.
        .macro add_two a, b
        xor_of  \a, \a, \b
        without \b, \b, \a
        .endm

        // Bond j: whether it is unsatisfied.
        .macro bond j
        ldp     w16, w17, [links, #8*\j]
        add     x16, spins, x16, lsl #6
        add     x17, signs, x17, lsl #6
        ldr     q\j, [x16]
        ldr     q16, [x17]
        xor_of  \j, \j, spin
        xor_of  \j, \j, 16
        .endm

        .macro put set, at, from
        str     q\from, [sp, #UNIONS + 64*\set + \at]
        .endm

        // The unions of all sets of two, three or four classes; a set is its index.
        .macro unite_2 valid, high, low, at
        without 16, \valid, \low
        put     1, \at, 16
        and_of  17, \valid, \low
        put     2, \at, 17
        put     3, \at, \valid
        .endm

        .macro unite_3 valid, high, low, at
        without 16, \valid, \high
        put     3, \at, 16
        without 17, 16, \low
        put     1, \at, 17
        and_of  16, 16, \low
        put     2, \at, 16
        and_of  17, \valid, \high
        put     4, \at, 17
        or_of   17, 17, 16
        put     6, \at, 17
        without 16, \valid, \low
        put     5, \at, 16
        put     7, \at, \valid
        .endm

        .macro unite_4 valid, high, low, at
        put     15, \at, \valid
        without 16, \valid, \low
        put     5, \at, 16
        and_of  16, \valid, \low
        put     10, \at, 16
        without 16, \valid, \high
        put     3, \at, 16
        without 17, 16, \low
        put     1, \at, 17
        and_of  16, 16, \low
        put     2, \at, 16
        and_of  18, \valid, \high
        put     12, \at, 18
        or_of   19, 18, 17
        put     13, \at, 19
        or_of   19, 18, 16
        put     14, \at, 19
        without 19, 18, \low
        put     4, \at, 19
        and_of  18, 18, \low
        put     8, \at, 18
        or_of   18, 18, 17
        put     9, \at, 18
        or_of   18, 18, 16
        put     11, \at, 18
        or_of   19, 19, 16
        put     6, \at, 19
        or_of   19, 19, 17
        put     7, \at, 19
        .endm

        // From the last plane to the first: where bits differ, the bit of the threshold decides.
        .macro compare k, at
        ldr     q24, [random, #64*\k]
        ldr     q16, [sp, \at]
        .if \k == 4
        xor_of  different, plane, 16
        without less, 16, plane
        .else
        xor_of  17, plane, 16
        insert  less, 16, 17
        or_of   different, different, 17
        .endif
        .endm

        // The classes by the number of unsatisfied bonds: lanes that flip for certain, lanes that the
        // first bit decides, and others.
        .macro classify heat, n
        .if \n == 0
        clear   certain
        movi    v21.16b, #255
        .endif
        .if \n == 1
        copy    certain, sum_1
        .endif
        .if \n == 2
        copy    certain, sum_2
        copy    even, sum_1
        .endif
        .if \n == 3
        copy    certain, sum_2
        .endif
        .if \n == 4
        and_of  certain, sum_1, sum_2
        without even, sum_2, sum_1
        or_of   certain, certain, sum_4
        .endif
        .if \n == 5
        and_of  certain, sum_1, sum_2
        or_of   certain, certain, sum_4
        .endif
        .if \n == 6
        and_of  even, sum_1, sum_2
        copy    certain, sum_4
        .endif
        .if \n == 7
        copy    certain, sum_4
        .endif
        .if \n == 8
        or_of   16, sum_1, sum_2
        and_of  certain, sum_4, 16
        without even, sum_4, 16
        or_of   certain, certain, sum_8
        .endif
        .if \heat
        .if \n & 1
        copy    undecided, live
        .else
        without undecided, live, even
        .endif
        .elseif \n & 1
        without undecided, live, certain
        .else
        or_of   16, certain, even
        without undecided, live, 16
        .endif
        .endm

        // The smaller of the counts of satisfied and unsatisfied bonds, if they differ.
        .macro fold n
        .if \n < 5
        clear   class_1
        .endif
        .if \n < 3
        clear   class_0
        .endif
        .if \n == 3
        xor_of  class_0, sum_1, sum_2
        .endif
        .if \n == 4
        copy    class_0, sum_1
        .endif
        .if \n == 5
        xor_of  class_0, sum_1, sum_4
        without class_0, class_0, sum_2
        copy    class_1, sum_2
        .endif
        .if \n == 6
        copy    class_0, sum_1
        xor_of  class_1, sum_2, sum_4
        without class_1, class_1, sum_1
        .endif
        .if \n == 7
        xor_of  class_0, sum_1, sum_4
        xor_of  class_1, sum_2, sum_4
        .endif
        .if \n == 8
        copy    class_0, sum_1
        and_of  class_1, sum_1, sum_4
        xor_of  class_1, class_1, sum_2
        .endif
        .endm

        // Stores the classes of a site of n bonds, and their unions.
        .macro classes n, high, low
        .if \n < 5
        unite_2 undecided, \high, \low, 0
        .elseif \n < 7
        unite_3 undecided, \high, \low, 0
        .else
        unite_4 undecided, \high, \low, 0
        .endif
        str     q\low, [slot, #CLASS_0]
        str     q\high, [slot, #CLASS_1]
        .endm

        // Visits a column of the sites of a block of `n` bonds each, up to their fifth plane.
        .macro visit rule, heat, n
.Lvisit_\rule\()_\n:
        ldr     q19, [own]
        .irp    j, 0, 1, 2, 3, 4, 5, 6, 7
        .if \j < \n
        bond    \j
        .endif
        .endr

        // The bits of the number of unsatisfied bonds.
        .if \n == 0
        clear   sum_1
        .endif
        .if \n < 2
        clear   sum_2
        .endif
        .if \n == 2
        add_two 0, 1
        .endif
        .if \n > 2
        add_three 0, 1, 2
        .endif
        .if \n == 4
        add_two 0, 3
        add_two 1, 3
        .endif
        .if \n == 5
        add_three 0, 3, 4
        add_two 1, 3
        .endif
        .if \n > 5
        add_three 3, 4, 5
        .endif
        .if \n == 6
        add_two 0, 3
        .endif
        .if \n > 6
        add_three 0, 3, 6
        .endif
        .if \n > 5
        add_three 1, 3, 4
        .endif
        .if \n == 8
        add_two 0, 7
        add_two 1, 7
        add_two 3, 7
        .endif

        classify \heat, \n
        .if \heat
        fold    \n
        classes \n, class_1, class_0
        .else
        classes \n, sum_2, sum_1
        .endif
        compare 4, union_4
        compare 3, union_3
        compare 2, union_2
        compare 1, union_1
        compare 0, union_0
        without undecided, undecided, different
        xor_of  less, less, certain
        .if (\n & 1) == 0
        without even, even, plane
        or_of   less, less, even
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
        .endm

        // Puts the undecided lanes of a column into the pool, each lane with its first site, and
        // lanes that have others into 24.
        .macro choose at, pool, high, low
        clear   \pool
        clear   \high
        clear   \low
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        ldr     q16, [sp, #UNDECIDED + 64*\b + \at]
        ldr     q18, [sp, #CLASS_0 + 64*\b + \at]
        ldr     q19, [sp, #CLASS_1 + 64*\b + \at]
        without 17, 16, \pool
        or_of   \pool, \pool, 16
        xor_of  16, 16, 17
        str     q16, [sp, #UNDECIDED + 64*\b + \at]
        str     q17, [sp, #CHOSEN + 64*\b + \at]
        or_of   24, 24, 16
        insert  \low, 18, 17
        insert  \high, 19, 17
        .endr
        .endm

        // The unions of two, three or four classes of the pool.
        .macro unite_pool classes
        unite_\classes 0, 4, 20, 0
        unite_\classes 1, 5, 21, 16
        unite_\classes 2, 6, 22, 32
        unite_\classes 3, 7, 23, 48
        .endm

        // Compares a column of the pool with a plane.
        .macro advance pool, verdict, threshold, bits
        xor_of  \bits, \bits, \threshold
        and_of  \bits, \bits, \pool
        insert  \verdict, \threshold, \bits
        xor_of  \pool, \pool, \bits
        .endm

        // x16: 0 if the pool is empty.
        .macro check_pool
        or_of   16, 0, 1
        or_of   17, 2, 3
        or_of   16, 16, 17
        umaxp   v16.4s, v16.4s, v16.4s
        fmov    x16, d16
        .endm

        // Enters the verdicts of a column of the pool into the flips.
        .macro settle at, verdict
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        ldr     q16, [sp, #CHOSEN + 64*\b + \at]
        ldr     q17, [sp, #FLIPS + 64*\b + \at]
        and_of  16, 16, \verdict
        xor_of  16, 16, 17
        str     q16, [sp, #FLIPS + 64*\b + \at]
        .endr
        .endm

        // Flips the spins of a column, and adds their number to the counters; eights are counted by
        // bytes in 20.
        .macro flip rule, at
        ldr     x16, live_row
        ldr     q16, [x16, #\at]
        sub     x16, own, count, lsl #6
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        ldr     q\b, [sp, #FLIPS + 64*\b + \at]
        and_of  \b, \b, 16
        .endr
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        ldr     q17, [x16, #\at]
        xor_of  17, 17, \b
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
        clear   20
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
        clear   0
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
        clear   0
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
        .irp    n, 8, 7, 6, 5, 4, 3, 2, 1, 0
        visit   \rule, \heat, \n
        .endr

.Lvisited_\rule:
        .irp    pointer, own, random, spins, signs
        sub     \pointer, \pointer, #48
        .endr

        // A round: the first undecided site of each lane.
.Lround_\rule:
        clear   24
        choose  0, 0, 4, 20
        choose  16, 1, 5, 21
        choose  32, 2, 6, 22
        choose  48, 3, 7, 23
        check_pool
        cbz     x16, .Ldecided_\rule
        cmp     degree, #5
        b.lo    .Ltwo_\rule
        cmp     degree, #7
        b.lo    .Lthree_\rule
        unite_pool 4
        b       .Lunited_\rule
.Lthree_\rule:
        unite_pool 3
        b       .Lunited_\rule
.Ltwo_\rule:
        unite_pool 2
.Lunited_\rule:
        .irp    r, 4, 5, 6, 7
        clear   \r
        .endr
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
        check_pool
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
        clear   20
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
