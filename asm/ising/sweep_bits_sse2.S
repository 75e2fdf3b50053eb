// The sweep of bits with SSE2: a row is four columns, each a vector.
//
// A site is visited up to its first five planes by code for its degree and rule, one column of all
// sites of a block after the other; the rest is the same for all. A class has two bits, class_0 and
// class_1, in the lanes of `undecided`.

#include "hl.h"

#define V(n)        xmm##n
#define FRAME       3904
#define count       dword ptr [rsp + 3880]
#define degree      dword ptr [rsp + 3884]
#include "sweep_bits_x86_64.h"

// In the frame: what a round decides of each site; counters of flips, of 1, 2 and 4 each, and two sums of
// eights; a column of live lanes.
#define CHOSEN      3072
#define ONES        3584
#define TWOS        3648
#define FOURS       3712
#define TOTAL       3776
#define LIVE        3792

// A visit of a site; xmm12 to xmm15 are free.
#define spin        xmm11
#define class_0     xmm3
#define class_1     xmm5
#define plane       xmm4
#define different   xmm6
#define less        xmm7

        // a and carry become the bits of a + b + c.
        .macro add_three a, b, c, carry
        pxor    \a, \b
        movdqa  \carry, \b
        pxor    \carry, \c
        pand    \carry, \a
        pxor    \a, \c
        pxor    \carry, \b
        .endm

        // a and carry become the bits of a + b.
        .macro add_two a, b, carry
        movdqa  \carry, \a
        pand    \carry, \b
        pxor    \a, \b
        .endm

        // The unions of all sets of the classes of sites of n bonds: two classes if n < 5, three if n < 7, or
        // four. A set is its index.
        .macro unite n, valid, class_1, class_0, at
        .if \n < 5
        movdqa  xmm12, \class_0
        pandn   xmm12, \valid
        movdqa  [rsp + UNIONS + 64*1 + \at], xmm12
        movdqa  xmm13, \class_0
        pand    xmm13, \valid
        movdqa  [rsp + UNIONS + 64*2 + \at], xmm13
        movdqa  [rsp + UNIONS + 64*3 + \at], \valid
        .elseif \n < 7
        movdqa  xmm12, \class_1
        pandn   xmm12, \valid
        movdqa  [rsp + UNIONS + 64*3 + \at], xmm12
        movdqa  xmm13, \class_0
        pandn   xmm13, xmm12
        movdqa  [rsp + UNIONS + 64*1 + \at], xmm13
        pand    xmm12, \class_0
        movdqa  [rsp + UNIONS + 64*2 + \at], xmm12
        movdqa  xmm13, \class_1
        pand    xmm13, \valid
        movdqa  [rsp + UNIONS + 64*4 + \at], xmm13
        por     xmm13, xmm12
        movdqa  [rsp + UNIONS + 64*6 + \at], xmm13
        movdqa  xmm12, \class_0
        pandn   xmm12, \valid
        movdqa  [rsp + UNIONS + 64*5 + \at], xmm12
        movdqa  [rsp + UNIONS + 64*7 + \at], \valid
        .else
        movdqa  [rsp + UNIONS + 64*15 + \at], \valid
        movdqa  xmm12, \class_0
        pandn   xmm12, \valid
        movdqa  [rsp + UNIONS + 64*5 + \at], xmm12
        movdqa  xmm12, \class_0
        pand    xmm12, \valid
        movdqa  [rsp + UNIONS + 64*10 + \at], xmm12
        movdqa  xmm12, \class_1
        pandn   xmm12, \valid
        movdqa  [rsp + UNIONS + 64*3 + \at], xmm12
        movdqa  xmm13, \class_0
        pandn   xmm13, xmm12
        movdqa  [rsp + UNIONS + 64*1 + \at], xmm13
        pand    xmm12, \class_0
        movdqa  [rsp + UNIONS + 64*2 + \at], xmm12
        movdqa  xmm14, \class_1
        pand    xmm14, \valid
        movdqa  [rsp + UNIONS + 64*12 + \at], xmm14
        movdqa  xmm15, xmm14
        por     xmm15, xmm13
        movdqa  [rsp + UNIONS + 64*13 + \at], xmm15
        movdqa  xmm15, xmm14
        por     xmm15, xmm12
        movdqa  [rsp + UNIONS + 64*14 + \at], xmm15
        movdqa  xmm15, \class_0
        pandn   xmm15, xmm14
        movdqa  [rsp + UNIONS + 64*4 + \at], xmm15
        pand    xmm14, \class_0
        movdqa  [rsp + UNIONS + 64*8 + \at], xmm14
        por     xmm14, xmm13
        movdqa  [rsp + UNIONS + 64*9 + \at], xmm14
        por     xmm14, xmm12
        movdqa  [rsp + UNIONS + 64*11 + \at], xmm14
        por     xmm15, xmm12
        movdqa  [rsp + UNIONS + 64*6 + \at], xmm15
        por     xmm15, xmm13
        movdqa  [rsp + UNIONS + 64*7 + \at], xmm15
        .endif
        .endm

        // From the last plane to the first: where bits differ, the bit of the threshold decides.
        .macro compare k, at
        .if \k == 4
        movdqu  different, [random + 64*\k]
        movdqa  xmm12, [rsp + \at]
        movdqa  less, different
        pandn   less, xmm12
        pxor    different, xmm12
        .else
        movdqu  xmm13, [random + 64*\k]
        movdqa  xmm12, [rsp + \at]
        .if \k == 0
        movdqa  plane, xmm13
        .endif
        pxor    xmm13, xmm12
        pxor    xmm12, less
        pand    xmm12, xmm13
        pxor    less, xmm12
        por     different, xmm13
        .endif
        .endm

        // Puts the undecided lanes of a column into the pool, each lane with its first site, and
        // lanes that have others into xmm14.
        .macro choose at, pool, pool_1, pool_0
        pxor    \pool, \pool
        pxor    \pool_1, \pool_1
        pxor    \pool_0, \pool_0
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        movdqa  xmm12, [rsp + UNDECIDED + 64*\b + \at]
        movdqa  xmm13, \pool
        pandn   xmm13, xmm12
        por     \pool, xmm12
        pxor    xmm12, xmm13
        movdqa  [rsp + UNDECIDED + 64*\b + \at], xmm12
        movdqa  [rsp + CHOSEN + 64*\b + \at], xmm13
        por     xmm14, xmm12
        movdqa  xmm12, xmm13
        pand    xmm12, [rsp + CLASS_0 + 64*\b + \at]
        pand    xmm13, [rsp + CLASS_1 + 64*\b + \at]
        por     \pool_0, xmm12
        por     \pool_1, xmm13
        .endr
        .endm

        // Compares a column of the pool with a plane.
        .macro advance at, pool, verdict
        movdqa  xmm8, [rsp + rdx + \at]
        movdqu  xmm9, [random + \at]
        pxor    xmm9, xmm8
        pand    xmm9, \pool
        pxor    \pool, xmm9
        pand    xmm9, xmm8
        por     \verdict, xmm9
        .endm

        // Enters the verdicts of a column of the pool into the flips.
        .macro settle at, verdict
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        movdqa  xmm8, [rsp + CHOSEN + 64*\b + \at]
        pand    xmm8, \verdict
        pxor    xmm8, [rsp + FLIPS + 64*\b + \at]
        movdqa  [rsp + FLIPS + 64*\b + \at], xmm8
        .endr
        .endm

        // Adds the number of ones in a vector to the total.
        .macro add_ones x, spare
        movdqa  \spare, \x
        psrlw   \spare, 1
        pand    \spare, [rip + .Lmask1]
        psubb   \x, \spare
        movdqa  \spare, \x
        psrlw   \spare, 2
        pand    \spare, [rip + .Lmask2]
        pand    \x, [rip + .Lmask2]
        paddb   \x, \spare
        movdqa  \spare, \x
        psrlw   \spare, 4
        paddb   \x, \spare
        pand    \x, [rip + .Lmask4]
        pxor    \spare, \spare
        psadbw  \x, \spare
        paddq   \x, [rsp + TOTAL]
        movdqa  [rsp + TOTAL], \x
        .endm

        // Doubles the total and adds the ones of a counter.
        .macro add_counter counter
        movdqa  xmm0, [rsp + TOTAL]
        paddq   xmm0, xmm0
        movdqa  [rsp + TOTAL], xmm0
        .irp    at, 0, 16, 32, 48
        movdqa  xmm0, [rsp + \counter + \at]
        add_ones xmm0, xmm1
        .endr
        .endm

        // Flips the spins of a column, and adds their number to the counters.
        .macro flip rule, at
        mov     rax, arg_live
        movdqu  xmm8, [rax + \at]
        mov     eax, count
        shl     eax, 6
        mov     rdx, own
        sub     rdx, rax
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        movdqa  xmm\b, [rsp + FLIPS + 64*\b + \at]
        pand    xmm\b, xmm8
        .endr
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        movdqu  xmm9, [rdx + \at]
        pxor    xmm9, xmm\b
        movdqu  [rdx + \at], xmm9
        add     rdx, 64
        cmp     rdx, own
        je      .Lflipped_\rule\()_\at
        .endr
.Lflipped_\rule\()_\at:
        movdqa  xmm8, [rsp + ONES + \at]
        add_three xmm8, xmm0, xmm1, xmm9
        add_three xmm8, xmm2, xmm3, xmm10
        add_three xmm8, xmm4, xmm5, xmm11
        add_three xmm8, xmm6, xmm7, xmm12
        movdqa  [rsp + ONES + \at], xmm8
        movdqa  xmm0, [rsp + TWOS + \at]
        add_three xmm0, xmm9, xmm10, xmm1
        add_three xmm0, xmm11, xmm12, xmm2
        movdqa  [rsp + TWOS + \at], xmm0
        movdqa  xmm3, [rsp + FOURS + \at]
        add_three xmm3, xmm1, xmm2, xmm4
        movdqa  [rsp + FOURS + \at], xmm3
        add_ones xmm4, xmm5
        .endm

        .macro sweep rule, heat
        begin
        pxor    xmm0, xmm0
        .irp    at, 0, 16, 32, 48
        movdqa  [rsp + UNIONS + \at], xmm0
        movdqa  [rsp + ONES + \at], xmm0
        movdqa  [rsp + TWOS + \at], xmm0
        movdqa  [rsp + FOURS + \at], xmm0
        .endr
        movdqa  [rsp + TOTAL], xmm0

        next_block \rule
        mov     rax, arg_live
        movdqu  xmm0, [rax]
        movdqa  [rsp + LIVE], xmm0
        cmp     left, 8
        je      .Lwhole_\rule
        pxor    xmm0, xmm0
        .irp    b, 1, 2, 3, 4, 5, 6, 7
        .irp    at, 0, 16, 32, 48
        movdqa  [rsp + FLIPS + 64*\b + \at], xmm0
        movdqa  [rsp + UNDECIDED + 64*\b + \at], xmm0
        .endr
        .endr
.Lwhole_\rule:
        mov     eax, degree
        .irp    n, 4, 6, 0, 1, 2, 3, 5, 7
        cmp     eax, \n
        je      .Lvisit_\rule\()_\n
        .endr

        // Visits a column of the sites of a block of `n` bonds each, up to their fifth plane.
        .irp    n, 8, 7, 6, 5, 4, 3, 2, 1, 0
.Lvisit_\rule\()_\n:
        movdqu  spin, [own]
        .irp    j, 0, 1, 2, 3, 4, 5, 6, 7
        .if \j < \n
        mov     eax, [links + 8*\j]
        shl     rax, 6
        movdqu  xmm\j, [spins + rax]
        mov     eax, [links + 8*\j + 4]
        shl     rax, 6
        movdqu  xmm12, [signs + rax]
        pxor    xmm\j, spin
        pxor    xmm\j, xmm12
        .endif
        .endr

        // The bits of the number of unsatisfied bonds.
        .if \n == 0
        pxor    xmm0, xmm0
        .endif
        .if \n < 2
        pxor    xmm9, xmm9
        .endif
        add_bonds \n

        // The classes by the number of unsatisfied bonds: lanes that flip for certain, lanes that the
        // first bit decides, and others.
        .if \n == 0
        pxor    certain, certain
        pcmpeqd even, even
        .elseif \n == 1
        movdqa  certain, sum_1
        .elseif \n == 2
        movdqa  certain, sum_2
        movdqa  even, sum_1
        .elseif \n == 3
        movdqa  certain, sum_2
        .elseif \n == 4
        movdqa  certain, sum_1
        pand    certain, sum_2
        movdqa  even, sum_2
        pxor    even, certain
        por     certain, sum_4
        .elseif \n == 5
        movdqa  certain, sum_1
        pand    certain, sum_2
        por     certain, sum_4
        .elseif \n == 6
        movdqa  even, sum_1
        pand    even, sum_2
        movdqa  certain, sum_4
        .elseif \n == 7
        movdqa  certain, sum_4
        .elseif \n == 8
        movdqa  certain, sum_1
        por     certain, sum_2
        pand    certain, sum_4
        movdqa  even, sum_4
        pxor    even, certain
        por     certain, sum_8
        .endif
        .if \heat
        .if \n & 1
        movdqa  undecided, [rsp + LIVE]
        .else
        movdqa  undecided, even
        pandn   undecided, [rsp + LIVE]
        .endif
        // The smaller of the counts of satisfied and unsatisfied bonds, if they differ.
        .if \n < 5
        pxor    class_1, class_1
        .endif
        .if \n < 3
        pxor    class_0, class_0
        .endif
        .if \n == 3
        movdqa  class_0, sum_1
        pxor    class_0, sum_2
        .elseif \n == 4
        movdqa  class_0, sum_1
        .elseif \n == 5
        movdqa  class_1, sum_1
        pxor    class_1, sum_4
        movdqa  class_0, sum_2
        pandn   class_0, class_1
        movdqa  class_1, sum_2
        .elseif \n == 6
        movdqa  class_0, sum_1
        movdqa  xmm12, sum_2
        pxor    xmm12, sum_4
        movdqa  class_1, sum_1
        pandn   class_1, xmm12
        .elseif \n == 7
        movdqa  class_0, sum_1
        pxor    class_0, sum_4
        movdqa  class_1, sum_2
        pxor    class_1, sum_4
        .elseif \n == 8
        movdqa  class_0, sum_1
        movdqa  class_1, sum_1
        pand    class_1, sum_4
        pxor    class_1, sum_2
        .endif
        unite   \n, undecided, class_1, class_0, 0
        movdqa  [slot + CLASS_0], class_0
        movdqa  [slot + CLASS_1], class_1
        .else
        movdqa  undecided, certain
        .if (\n & 1) == 0
        por     undecided, even
        .endif
        pandn   undecided, [rsp + LIVE]
        unite   \n, undecided, sum_2, sum_1, 0
        movdqa  [slot + CLASS_0], sum_1
        movdqa  [slot + CLASS_1], sum_2
        .endif

        compare 4, union_4
        compare 3, union_3
        compare 2, union_2
        compare 1, union_1
        compare 0, union_0
        pandn   different, undecided
        movdqa  [slot + UNDECIDED], different
        pxor    less, certain
        .if (\n & 1) == 0
        pandn   plane, even
        por     less, plane
        .endif
        movdqa  [slot + FLIPS], less
        add     own, 64
        add     links, 8*\n
        add     random, 5*64
        add     slot, 64
        sub     left, 1
        jnz     .Lvisit_\rule\()_\n
        lea     rax, [slot + 16]
        test    eax, 63
        jz      .Lvisited_\rule
        imul    eax, count, 8*\n
        sub     links, rax

        // Back to the first site, for the next column.
        mov     left, count
        mov     eax, left
        shl     eax, 6
        sub     own, rax
        sub     slot, rax
        lea     eax, [rax + 4*rax]
        sub     random, rax
        .irp    pointer, own, slot, random, spins, signs
        add     \pointer, 16
        .endr
        mov     rax, slot
        and     eax, 63
        add     rax, arg_live
        movdqu  xmm0, [rax]
        movdqa  [rsp + LIVE], xmm0
        jmp     .Lvisit_\rule\()_\n
        .endr

.Lvisited_\rule:
        .irp    pointer, own, random, spins, signs
        sub     \pointer, 48
        .endr

        // A round: the first undecided site of each lane.
.Lround_\rule:
        pxor    xmm14, xmm14
        choose  0, xmm0, xmm4, xmm8
        choose  16, xmm1, xmm5, xmm9
        choose  32, xmm2, xmm6, xmm10
        choose  48, xmm3, xmm7, xmm11
        pxor    xmm15, xmm15

        // 0xffff if the pool is empty; xmm15 is 0.
        movdqa  xmm12, xmm0
        por     xmm12, xmm1
        por     xmm12, xmm2
        por     xmm12, xmm3
        pcmpeqb xmm12, xmm15
        pmovmskb eax, xmm12
        cmp     eax, 0xffff
        je      .Ldecided_\rule
        pcmpeqb xmm14, xmm15
        pmovmskb left, xmm14
        mov     eax, degree
        cmp     eax, 5
        jb      .Ltwo_\rule
        cmp     eax, 7
        jb      .Lthree_\rule
        unite   8, xmm0, xmm4, xmm8, 0
        unite   8, xmm1, xmm5, xmm9, 16
        unite   8, xmm2, xmm6, xmm10, 32
        unite   8, xmm3, xmm7, xmm11, 48
        jmp     .Lunited_\rule
.Lthree_\rule:
        unite   6, xmm0, xmm4, xmm8, 0
        unite   6, xmm1, xmm5, xmm9, 16
        unite   6, xmm2, xmm6, xmm10, 32
        unite   6, xmm3, xmm7, xmm11, 48
        jmp     .Lunited_\rule
.Ltwo_\rule:
        unite   4, xmm0, xmm4, xmm8, 0
        unite   4, xmm1, xmm5, xmm9, 16
        unite   4, xmm2, xmm6, xmm10, 32
        unite   4, xmm3, xmm7, xmm11, 48
.Lunited_\rule:
        .irp    r, 4, 5, 6, 7, 15
        pxor    xmm\r, xmm\r
        .endr
        mov     rax, codes
        lea     slot, [rax + 43]

        // Planes, until all lanes of the pool are decided or 48 bits are equal.
.Lplane_\rule:
        cmp     random, end
        je      .Ldone_\rule
        movzx   edx, byte ptr [rax]
        shl     edx, 6
        advance 0, xmm0, xmm4
        advance 16, xmm1, xmm5
        advance 32, xmm2, xmm6
        advance 48, xmm3, xmm7
        add     random, 64
        add     rax, 1
        movdqa  xmm12, xmm0
        por     xmm12, xmm1
        por     xmm12, xmm2
        por     xmm12, xmm3
        pcmpeqb xmm12, xmm15
        pmovmskb edx, xmm12
        cmp     edx, 0xffff
        je      .Lpooled_\rule
        cmp     rax, slot
        jne     .Lplane_\rule
.Lpooled_\rule:
        settle  0, xmm4
        settle  16, xmm5
        settle  32, xmm6
        settle  48, xmm7
        cmp     left, 0xffff
        jne     .Lround_\rule

.Ldecided_\rule:
        mov     used, random
        flip    \rule, 0
        flip    \rule, 16
        flip    \rule, 32
        flip    \rule, 48
        jmp     .Lblock_\rule

        // `blocks` is one less than the number of blocks that are left.
.Ldone_\rule:
        add_counter FOURS
        add_counter TWOS
        add_counter ONES
        movdqa  xmm0, [rsp + TOTAL]
        pshufd  xmm1, xmm0, 0xee
        paddq   xmm0, xmm1
        movq    rdx, xmm0
        finish
        ret
        .endm

// Visits up to `blocks` blocks of sites of one group of 512 copies in order, with exact
// acceptance, and returns how many: it stops before a block that needs more random planes than
// are left.
//
//   size_t hl_ising_sweep_bits_sse2(uint64_t *spins, size_t first, size_t blocks, const uint32_t *links,
//                                     const uint64_t *signs, const uint8_t *codes, const uint32_t *random,
//                                     size_t *planes, const uint64_t *live, uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = blocks, rcx = links, r8 = signs, r9 = codes, stack = random, planes,
//         live, flips                       Out  rax = blocks visited
// Uses    rax, rbx, rcx, rdx, rsi, rdi, r8..r15, rbp, xmm0..xmm15
// Stack   4008 bytes
// Loop    a block of 8 sites of 512 copies; bound by issue
// Tail    blocks of fewer sites: sites without flips
FUNC(hl_ising_sweep_bits_sse2)
        sweep   metropolis, 0
END(hl_ising_sweep_bits_sse2)

// sweep_bits with acceptance by the heat bath.
//
//   size_t hl_ising_sweep_heat_bits_sse2(uint64_t *spins, size_t first, size_t blocks, const uint32_t *links,
//                                          const uint64_t *signs, const uint8_t *codes, const uint32_t *random,
//                                          size_t *planes, const uint64_t *live, uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = blocks, rcx = links, r8 = signs, r9 = codes, stack = random, planes,
//         live, flips                       Out  rax = blocks visited
// Uses    rax, rbx, rcx, rdx, rsi, rdi, r8..r15, rbp, xmm0..xmm15
// Stack   4008 bytes
// Loop    a block of 8 sites of 512 copies; bound by issue
// Tail    blocks of fewer sites: sites without flips
FUNC(hl_ising_sweep_heat_bits_sse2)
        sweep   heat, 1
END(hl_ising_sweep_heat_bits_sse2)

        RODATA
        .balign 16
.Lmask1:                                // every second bit
        .fill   16, 1, 0x55
.Lmask2:                                // every second two bits
        .fill   16, 1, 0x33
.Lmask4:                                // every second four bits
        .fill   16, 1, 0x0f
