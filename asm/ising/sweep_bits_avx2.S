// The sweep of bits with AVX2: a row is two columns, each a vector.
//
// A site is visited up to its first five planes by code for its degree and rule, one column of all
// sites of a block after the other; the rest is the same for all. A class has two bits, class_0 and
// class_1, in the lanes of `undecided`.

#include "hl.h"

#define V(n)        ymm##n
#define FRAME       3904
#define count       dword ptr [rsp + 3888]
#define degree      dword ptr [rsp + 3892]
#include "sweep_bits_x86_64.h"

// In the frame: what a round decides of each site; counters of flips, of 1, 2, 4 and 8 each.
#define CHOSEN      3072
#define ONES        3584
#define TWOS        3648
#define FOURS       3712
#define EIGHTS      3776
#define total       qword ptr [rsp + 3880]

// In the pool, `live` gives way to lanes that another round decides.
#define live        ymm15
#define others      ymm15
#define spare       ymm14
#define spin        ymm11
#define folded_0    ymm12
#define folded_1    ymm13
#define plane       ymm4
#define difference  ymm6
#define less        ymm7

        // a and carry become the bits of a + b + c.
        .macro add_three a, b, c, carry
        vpxor   spare, \a, \b
        vpand   \carry, \a, \b
        vpxor   \a, spare, \c
        vpand   spare, spare, \c
        vpor    \carry, \carry, spare
        .endm

        // a and carry become the bits of a + b.
        .macro add_two a, b, carry
        vpand   \carry, \a, \b
        vpxor   \a, \a, \b
        .endm

        // The unions of all sets of the classes of sites of n bonds: two classes if n < 5, three if n < 7, or
        // four. A set is its index.
        .macro unite n, valid, class_1, class_0, at
        .if \n < 5
        vpandn  ymm6, \class_0, \valid
        vpand   ymm7, \class_0, \valid
        vmovdqa [rsp + UNIONS + 64*1 + \at], ymm6
        vmovdqa [rsp + UNIONS + 64*2 + \at], ymm7
        vmovdqa [rsp + UNIONS + 64*3 + \at], \valid
        .elseif \n < 7
        vpandn  ymm6, \class_1, \valid
        vmovdqa [rsp + UNIONS + 64*3 + \at], ymm6
        vpandn  ymm7, \class_0, ymm6
        vpand   ymm6, \class_0, ymm6
        vpand   ymm8, \class_1, \valid
        vpandn  spare, \class_0, \valid
        vmovdqa [rsp + UNIONS + 64*1 + \at], ymm7
        vmovdqa [rsp + UNIONS + 64*2 + \at], ymm6
        vmovdqa [rsp + UNIONS + 64*4 + \at], ymm8
        vmovdqa [rsp + UNIONS + 64*5 + \at], spare
        vpor    ymm8, ymm8, ymm6
        vmovdqa [rsp + UNIONS + 64*6 + \at], ymm8
        vmovdqa [rsp + UNIONS + 64*7 + \at], \valid
        .else
        vmovdqa [rsp + UNIONS + 64*15 + \at], \valid
        vpandn  spare, \class_0, \valid
        vmovdqa [rsp + UNIONS + 64*5 + \at], spare
        vpand   spare, \class_0, \valid
        vmovdqa [rsp + UNIONS + 64*10 + \at], spare
        vpandn  ymm6, \class_1, \valid
        vmovdqa [rsp + UNIONS + 64*3 + \at], ymm6
        vpandn  ymm7, \class_0, ymm6
        vmovdqa [rsp + UNIONS + 64*1 + \at], ymm7
        vpand   ymm6, \class_0, ymm6
        vmovdqa [rsp + UNIONS + 64*2 + \at], ymm6
        vpand   ymm8, \class_1, \valid
        vmovdqa [rsp + UNIONS + 64*12 + \at], ymm8
        vpor    spare, ymm8, ymm7
        vmovdqa [rsp + UNIONS + 64*13 + \at], spare
        vpor    spare, ymm8, ymm6
        vmovdqa [rsp + UNIONS + 64*14 + \at], spare
        vpandn  spare, \class_0, ymm8
        vmovdqa [rsp + UNIONS + 64*4 + \at], spare
        vpand   ymm8, \class_0, ymm8
        vmovdqa [rsp + UNIONS + 64*8 + \at], ymm8
        vpor    ymm8, ymm8, ymm7
        vmovdqa [rsp + UNIONS + 64*9 + \at], ymm8
        vpor    ymm8, ymm8, ymm6
        vmovdqa [rsp + UNIONS + 64*11 + \at], ymm8
        vpor    spare, spare, ymm6
        vmovdqa [rsp + UNIONS + 64*6 + \at], spare
        vpor    spare, spare, ymm7
        vmovdqa [rsp + UNIONS + 64*7 + \at], spare
        .endif
        .endm

        // From the last plane to the first: where bits differ, the bit of the threshold decides.
        .macro compare k, at
        vmovdqu plane, [random + 64*\k]
        vpxor   difference, plane, [rsp + \at]
        .if \k == 4
        vpandn  less, plane, [rsp + \at]
        .else
        vpxor   ymm5, less, [rsp + \at]
        vpand   ymm5, ymm5, difference
        vpxor   less, less, ymm5
        .endif
        vpandn  undecided, difference, undecided
        .endm

        // Puts the undecided lanes of a column into the pool, each lane with its first site, and lanes
        // that have others into `others`.
        .macro choose at, pool, pool_1, pool_0
        vpxor   \pool, \pool, \pool
        vpxor   \pool_1, \pool_1, \pool_1
        vpxor   \pool_0, \pool_0, \pool_0
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm11, [rsp + UNDECIDED + 64*\b + \at]
        vpandn  ymm12, \pool, ymm11
        vpand   ymm11, ymm11, \pool
        vpor    \pool, \pool, ymm12
        vpor    others, others, ymm11
        vmovdqa [rsp + UNDECIDED + 64*\b + \at], ymm11
        vmovdqa [rsp + CHOSEN + 64*\b + \at], ymm12
        vpand   ymm13, ymm12, [rsp + CLASS_0 + 64*\b + \at]
        vpand   ymm12, ymm12, [rsp + CLASS_1 + 64*\b + \at]
        vpor    \pool_0, \pool_0, ymm13
        vpor    \pool_1, \pool_1, ymm12
        .endr
        .endm

        // Flips the spins of a column, and adds their number to the counters.
        .macro flip rule, at
        mov     rax, arg_live
        vmovdqu live, [rax + \at]
        mov     eax, count
        shl     eax, 6
        mov     rdx, own
        sub     rdx, rax
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        vpand   ymm\b, live, [rsp + FLIPS + 64*\b + \at]
        .endr
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        vpxor   spare, ymm\b, [rdx + \at]
        vmovdqu [rdx + \at], spare
        add     rdx, 64
        cmp     rdx, own
        je      .Lflipped_\rule\()_\at
        .endr
.Lflipped_\rule\()_\at:
        vmovdqa ymm8, [rsp + ONES + \at]
        add_three ymm8, ymm0, ymm1, ymm9
        add_three ymm8, ymm2, ymm3, ymm10
        add_three ymm8, ymm4, ymm5, ymm11
        add_three ymm8, ymm6, ymm7, ymm12
        vmovdqa [rsp + ONES + \at], ymm8
        vmovdqa ymm0, [rsp + TWOS + \at]
        add_three ymm0, ymm9, ymm10, ymm1
        add_three ymm0, ymm11, ymm12, ymm2
        vmovdqa [rsp + TWOS + \at], ymm0
        vmovdqa ymm3, [rsp + FOURS + \at]
        add_three ymm3, ymm1, ymm2, ymm4
        vmovdqa [rsp + FOURS + \at], ymm3
        vmovdqa [rsp + EIGHTS + \at], ymm4
        .endm

        .macro sweep rule, heat
        begin
        mov     total, 0
        vpxor   xmm0, xmm0, xmm0
        .irp    at, 0, 32
        vmovdqa [rsp + UNIONS + \at], ymm0
        vmovdqa [rsp + ONES + \at], ymm0
        vmovdqa [rsp + TWOS + \at], ymm0
        vmovdqa [rsp + FOURS + \at], ymm0
        .endr

        next_block \rule
        mov     rax, arg_live
        vmovdqu live, [rax]
        cmp     left, 8
        je      .Lwhole_\rule
        vpxor   xmm0, xmm0, xmm0
        .irp    b, 1, 2, 3, 4, 5, 6, 7
        vmovdqa [rsp + FLIPS + 64*\b], ymm0
        vmovdqa [rsp + FLIPS + 64*\b + 32], ymm0
        vmovdqa [rsp + UNDECIDED + 64*\b], ymm0
        vmovdqa [rsp + UNDECIDED + 64*\b + 32], ymm0
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
        vmovdqu spin, [own]
        .irp    j, 0, 1, 2, 3, 4, 5, 6, 7
        .if \j < \n
        mov     eax, [links + 8*\j]
        shl     rax, 6
        vpxor   ymm\j, spin, [spins + rax]
        mov     eax, [links + 8*\j + 4]
        shl     rax, 6
        vpxor   ymm\j, ymm\j, [signs + rax]
        .endif
        .endr

        // The bits of the number of unsatisfied bonds.
        .if \n == 0
        vpxor   xmm0, xmm0, xmm0
        .endif
        .if \n < 2
        vpxor   xmm9, xmm9, xmm9
        .endif
        add_bonds \n

        // The classes by the number of unsatisfied bonds: lanes that flip for certain, lanes that the
        // first bit decides, and others.
        .if \n == 0
        vpxor   xmm1, xmm1, xmm1
        vpcmpeqd even, even, even
        .elseif \n == 1
        vmovdqa certain, sum_1
        .elseif \n == 2
        vmovdqa certain, sum_2
        vmovdqa even, sum_1
        .elseif \n == 3
        vmovdqa certain, sum_2
        .elseif \n == 4
        vpandn  even, sum_1, sum_2
        vpand   certain, sum_1, sum_2
        vpor    certain, certain, sum_4
        .elseif \n == 5
        vpand   certain, sum_1, sum_2
        vpor    certain, certain, sum_4
        .elseif \n == 6
        vpand   even, sum_1, sum_2
        vpandn  even, sum_4, even
        vmovdqa certain, sum_4
        .elseif \n == 7
        vmovdqa certain, sum_4
        .elseif \n == 8
        vpor    spare, sum_1, sum_2
        vpandn  even, spare, sum_4
        vpand   certain, spare, sum_4
        vpor    certain, certain, sum_8
        .endif
        .if \heat
        .if \n & 1
        vmovdqa undecided, live
        .else
        vpandn  undecided, even, live
        .endif
        .elseif \n & 1
        vpandn  undecided, certain, live
        .else
        vpor    undecided, certain, even
        vpandn  undecided, undecided, live
        .endif
        .if \heat
        // The smaller of the counts of satisfied and unsatisfied bonds, if they differ.
        .if \n < 5
        vpxor   xmm13, xmm13, xmm13
        .endif
        .if \n < 3
        vpxor   xmm12, xmm12, xmm12
        .endif
        .if \n == 3
        vpxor   folded_0, sum_1, sum_2
        .elseif \n == 4
        vmovdqa folded_0, sum_1
        .elseif \n == 5
        vpxor   folded_0, sum_1, sum_4
        vpandn  folded_0, sum_2, folded_0
        vmovdqa folded_1, sum_2
        .elseif \n == 6
        vmovdqa folded_0, sum_1
        vpxor   folded_1, sum_2, sum_4
        vpandn  folded_1, sum_1, folded_1
        .elseif \n == 7
        vpxor   folded_0, sum_1, sum_4
        vpxor   folded_1, sum_2, sum_4
        .elseif \n == 8
        vmovdqa folded_0, sum_1
        vpand   folded_1, sum_1, sum_4
        vpxor   folded_1, folded_1, sum_2
        .endif
        unite   \n, undecided, folded_1, folded_0, 0
        vmovdqa [slot + CLASS_0], folded_0
        vmovdqa [slot + CLASS_1], folded_1
        .else
        unite   \n, undecided, sum_2, sum_1, 0
        vmovdqa [slot + CLASS_0], sum_1
        vmovdqa [slot + CLASS_1], sum_2
        .endif

        compare 4, union_4
        compare 3, union_3
        compare 2, union_2
        compare 1, union_1
        compare 0, union_0
        vpxor   less, less, certain
        .if (\n & 1) == 0
        vpandn  even, plane, even
        vpor    less, less, even
        .endif
        vmovdqa [slot + FLIPS], less
        vmovdqa [slot + UNDECIDED], undecided
        add     own, 64
        add     links, 8*\n
        add     random, 5*64
        add     slot, 64
        sub     left, 1
        jnz     .Lvisit_\rule\()_\n
        test    slot, 32
        jnz     .Lvisited_\rule
        imul    eax, count, 8*\n
        sub     links, rax

        // Back to the first site, for the second column.
        mov     left, count
        mov     eax, left
        shl     eax, 6
        sub     own, rax
        sub     slot, rax
        lea     eax, [rax + 4*rax]
        sub     random, rax
        add     own, 32
        add     slot, 32
        add     random, 32
        add     spins, 32
        add     signs, 32
        mov     rax, arg_live
        vmovdqu live, [rax + 32]
        jmp     .Lvisit_\rule\()_\n
        .endr

.Lvisited_\rule:
        sub     own, 32
        sub     random, 32
        sub     spins, 32
        sub     signs, 32

        // A round: the first undecided site of each lane.
.Lround_\rule:
        vpxor   xmm15, xmm15, xmm15
        choose  0, ymm0, ymm2, ymm3
        choose  32, ymm1, ymm4, ymm5
        vpor    ymm6, ymm0, ymm1
        vptest  ymm6, ymm6
        jz      .Ldecided_\rule
        mov     eax, degree
        cmp     eax, 5
        jb      .Ltwo_\rule
        cmp     eax, 7
        jb      .Lthree_\rule
        unite   8, ymm0, ymm2, ymm3, 0
        unite   8, ymm1, ymm4, ymm5, 32
        jmp     .Lunited_\rule
.Lthree_\rule:
        unite   6, ymm0, ymm2, ymm3, 0
        unite   6, ymm1, ymm4, ymm5, 32
        jmp     .Lunited_\rule
.Ltwo_\rule:
        unite   4, ymm0, ymm2, ymm3, 0
        unite   4, ymm1, ymm4, ymm5, 32
.Lunited_\rule:
        vpxor   xmm2, xmm2, xmm2
        vpxor   xmm3, xmm3, xmm3
        mov     rax, codes
        lea     slot, [rax + 43]

        // Planes, until all lanes of the pool are decided or 48 bits are equal.
.Lplane_\rule:
        cmp     random, end
        je      .Ldone_\rule
        movzx   edx, byte ptr [rax]
        shl     edx, 6
        vmovdqa ymm6, [rsp + rdx]
        vmovdqa ymm7, [rsp + rdx + 32]
        vpxor   ymm8, ymm6, [random]
        vpxor   ymm9, ymm7, [random + 32]
        vpand   ymm8, ymm8, ymm0
        vpand   ymm9, ymm9, ymm1
        vpxor   ymm0, ymm0, ymm8
        vpxor   ymm1, ymm1, ymm9
        vpand   ymm8, ymm8, ymm6
        vpand   ymm9, ymm9, ymm7
        vpor    ymm2, ymm2, ymm8
        vpor    ymm3, ymm3, ymm9
        add     random, 64
        add     rax, 1
        vpor    ymm10, ymm0, ymm1
        vptest  ymm10, ymm10
        jz      .Lpooled_\rule
        cmp     rax, slot
        jne     .Lplane_\rule
.Lpooled_\rule:
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        vpand   ymm6, ymm2, [rsp + CHOSEN + 64*\b]
        vpand   ymm7, ymm3, [rsp + CHOSEN + 64*\b + 32]
        vpxor   ymm6, ymm6, [rsp + FLIPS + 64*\b]
        vpxor   ymm7, ymm7, [rsp + FLIPS + 64*\b + 32]
        vmovdqa [rsp + FLIPS + 64*\b], ymm6
        vmovdqa [rsp + FLIPS + 64*\b + 32], ymm7
        .endr
        vptest  others, others
        jnz     .Lround_\rule

.Ldecided_\rule:
        mov     used, random
        flip    \rule, 0
        flip    \rule, 32
        popcount rdx, EIGHTS
        add     total, rdx
        jmp     .Lblock_\rule

        // `blocks` is one less than the number of blocks that are left.
.Ldone_\rule:
        popcount rdx, FOURS
        mov     rcx, total
        lea     rdx, [rdx + 2*rcx]
        popcount rcx, TWOS
        lea     rdx, [rcx + 2*rdx]
        popcount rcx, ONES
        lea     rdx, [rcx + 2*rdx]
        finish
        vzeroupper
        ret
        .endm

// Visits up to `blocks` blocks of sites of one group of 512 copies in order, with exact
// acceptance, and returns how many: it stops before a block that needs more random planes than
// are left.
//
//   size_t hl_ising_sweep_bits_avx2(uint64_t *spins, size_t first, size_t blocks, const uint32_t *links,
//                                     const uint64_t *signs, const uint8_t *codes, const uint32_t *random,
//                                     size_t *planes, const uint64_t *live, uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = blocks, rcx = links, r8 = signs, r9 = codes, stack = random, planes,
//         live, flips                       Out  rax = blocks visited
// Uses    rax, rbx, rcx, rdx, rsi, rdi, r8..r15, rbp, ymm0..ymm15
// Stack   4008 bytes
// Loop    a block of 8 sites of 512 copies; bound by three ports for vectors
// Tail    blocks of fewer sites: sites without flips
FUNC(hl_ising_sweep_bits_avx2)
        sweep   metropolis, 0
END(hl_ising_sweep_bits_avx2)

// sweep_bits with acceptance by the heat bath.
//
//   size_t hl_ising_sweep_heat_bits_avx2(uint64_t *spins, size_t first, size_t blocks, const uint32_t *links,
//                                          const uint64_t *signs, const uint8_t *codes, const uint32_t *random,
//                                          size_t *planes, const uint64_t *live, uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = blocks, rcx = links, r8 = signs, r9 = codes, stack = random, planes,
//         live, flips                       Out  rax = blocks visited
// Uses    rax, rbx, rcx, rdx, rsi, rdi, r8..r15, rbp, ymm0..ymm15
// Stack   4008 bytes
// Loop    a block of 8 sites of 512 copies; bound by three ports for vectors
// Tail    blocks of fewer sites: sites without flips
FUNC(hl_ising_sweep_heat_bits_avx2)
        sweep   heat, 1
END(hl_ising_sweep_heat_bits_avx2)
