// The sweep of bits with AVX-512: a row is a vector.
//
// A site is visited up to its first five planes by code for its degree and rule; the rest is the
// same for all. A class has two bits, class_0 and class_1, in the lanes of `undecided`.

#include "hl.h"

#define V(n)        zmm##n
#define FRAME       3392
#define count       dword ptr [rsp + 3376]
#define degree      dword ptr [rsp + 3380]
#include "sweep_bits_x86_64.h"

// In the frame: counters of flips, of 1, 2, 4 and 8 each.
#define ONES        3072
#define TWOS        3136
#define FOURS       3200
#define EIGHTS      3264
#define total       qword ptr [rsp + 3368]

#define spin        zmm14
#define live        zmm15
#define folded_0    zmm12
#define folded_1    zmm13
#define union       zmm3
#define plane       zmm4
#define threshold   zmm5
#define less        zmm6

// In the pool: the sites' flips are zmm7..zmm14, what is undecided zmm16..zmm23, and the lanes that
// a round decides zmm24..zmm31.
#define pool        zmm0
#define pool_0      zmm1
#define pool_1      zmm2

        // a and carry become the bits of a + b + c.
        .macro add_three a, b, c, carry
        vmovdqa64 \carry, \a
        vpternlogq \carry, \b, \c, 0xe8
        vpternlogq \a, \b, \c, 0x96
        .endm

        // a and carry become the bits of a + b.
        .macro add_two a, b, carry
        vpandq  \carry, \a, \b
        vpxorq  \a, \a, \b
        .endm

        // The unions of all sets of the classes of sites of n bonds: two classes if n < 5, three if n < 7, or
        // four. A set is its index.
        .macro unite n, valid, class_1, class_0
        .irp    set, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        .if (\n >= 7) || (\n >= 5 && \set < 8) || (\set < 4)
        vmovdqa64 union, \valid
        vpternlogq union, \class_1, \class_0, 16*\set
        vmovdqa64 [rsp + UNIONS + 64*\set], union
        .endif
        .endr
        .endm

        // From the last plane to the first: where bits differ, the bit of the threshold decides.
        .macro compare k, at
        vmovdqu64 plane, [random + 64*\k]
        vmovdqa64 threshold, [rsp + \at]
        .if \k == 4
        vpandnq less, plane, threshold
        .else
        vpternlogq less, threshold, plane, 0xd4
        .endif
        vpternlogq undecided, threshold, plane, 0x90
        .endm

        // Puts the undecided lanes of a site into the pool, unless another site has the lane.
        .macro choose b, undecided, chosen
        vpandnq \chosen, pool, \undecided
        vpandq  \undecided, \undecided, pool
        vporq   pool, pool, \chosen
        vpternlogq pool_0, \chosen, [rsp + CLASS_0 + 64*\b], 0xf8
        vpternlogq pool_1, \chosen, [rsp + CLASS_1 + 64*\b], 0xf8
        .endm

        .macro sweep rule, heat
        begin
        mov     rax, arg_live
        vmovdqu64 live, [rax]
        mov     total, 0
        vpxor   xmm0, xmm0, xmm0
        vmovdqa64 [rsp + UNIONS], zmm0
        vmovdqa64 [rsp + ONES], zmm0
        vmovdqa64 [rsp + TWOS], zmm0
        vmovdqa64 [rsp + FOURS], zmm0

        next_block \rule
        cmp     left, 8
        je      .Lwhole_\rule
        vpxor   xmm0, xmm0, xmm0
        .irp    b, 1, 2, 3, 4, 5, 6, 7
        vmovdqa64 [rsp + FLIPS + 64*\b], zmm0
        vmovdqa64 [rsp + UNDECIDED + 64*\b], zmm0
        .endr
.Lwhole_\rule:
        mov     eax, degree
        .irp    n, 4, 6, 0, 1, 2, 3, 5, 7
        cmp     eax, \n
        je      .Lvisit_\rule\()_\n
        .endr

        // Visits the sites of a block of `n` bonds each, up to their fifth plane.
        .irp    n, 8, 7, 6, 5, 4, 3, 2, 1, 0
.Lvisit_\rule\()_\n:
        vmovdqu64 spin, [own]
        .irp    j, 0, 1, 2, 3, 4, 5, 6, 7
        .if \j < \n
        mov     eax, [links + 8*\j]
        shl     rax, 6
        vmovdqu64 zmm\j, [spins + rax]
        mov     eax, [links + 8*\j + 4]
        shl     rax, 6
        vpternlogq zmm\j, spin, [signs + rax], 0x96
        .endif
        .endr

        // The bits of the number of unsatisfied bonds.
        .if \n == 0
        vpxor   xmm0, xmm0, xmm0
        .endif
        .if \n < 2
        vpxor   xmm9, xmm9, xmm9
        .endif
        .if \n < 4
        vpxor   xmm10, xmm10, xmm10
        .endif
        add_bonds \n

        // Sets of counts: of any class, of odd classes, of classes 2 and 3, of certain flips, and half of
        // the bonds.
        .set    VALID, 0
        .set    ODD, 0
        .set    UPPER, 0
        .set    CERTAIN, 0
        .set    EVEN, 0
        .irp    u, 0, 1, 2, 3, 4, 5, 6, 7
        .if 2*\u < \n
        .set    VALID, VALID | 1 << \u
        .set    ODD, ODD | (\u & 1) << \u
        .set    UPPER, UPPER | (\u >> 1) << \u
        .endif
        .if 2*\u == \n
        .set    EVEN, 1 << \u
        .endif
        .if 2*\u > \n
        .if \u <= \n
        .set    CERTAIN, CERTAIN | 1 << \u
        .if \heat
        .set    VALID, VALID | 1 << \u
        .set    ODD, ODD | ((\n - \u) & 1) << \u
        .set    UPPER, UPPER | ((\n - \u) >> 1) << \u
        .endif
        .endif
        .endif
        .endr
        .if \n == 8
        .if \heat == 0
        // Eight counts as six: both are certain.
        vporq   sum_2, sum_2, sum_8
        vporq   sum_4, sum_4, sum_8
        .endif
        .endif
        vmovdqa64 undecided, sum_4
        vpternlogq undecided, sum_2, sum_1, VALID
        vpandq  undecided, undecided, live
        vmovdqa64 certain, sum_4
        vpternlogq certain, sum_2, sum_1, CERTAIN
        .if \heat
        vmovdqa64 folded_0, sum_4
        vpternlogq folded_0, sum_2, sum_1, ODD
        vmovdqa64 folded_1, sum_4
        vpternlogq folded_1, sum_2, sum_1, UPPER
        .if \n == 8
        // Eight counts as class 0 otherwise.
        vporq   certain, certain, sum_8
        .endif
        .endif
        .if (\n & 1) == 0
        vmovdqa64 even, sum_4
        vpternlogq even, sum_2, sum_1, EVEN
        .endif

        .if \heat
        unite   \n, undecided, folded_1, folded_0
        vmovdqa64 [slot + CLASS_0], folded_0
        vmovdqa64 [slot + CLASS_1], folded_1
        .else
        unite   \n, undecided, sum_2, sum_1
        vmovdqa64 [slot + CLASS_0], sum_1
        vmovdqa64 [slot + CLASS_1], sum_2
        .endif

        compare 4, union_4
        compare 3, union_3
        compare 2, union_2
        compare 1, union_1
        compare 0, union_0
        .if (\n & 1) == 0
        vpandnq even, plane, even
        vpternlogq less, certain, even, 0xbe
        .else
        vpxorq  less, less, certain
        .endif
        vmovdqa64 [slot + FLIPS], less
        vmovdqa64 [slot + UNDECIDED], undecided
        add     own, 64
        add     links, 8*\n
        add     random, 5*64
        add     slot, 64
        sub     left, 1
        jnz     .Lvisit_\rule\()_\n
        jmp     .Lvisited_\rule
        .endr

        // Lanes that are undecided at any site.
.Lvisited_\rule:
        .irp    n, 7, 8, 9, 10, 11, 12, 13, 14
        vmovdqa64 zmm\n, [rsp + FLIPS + 64*(\n - 7)]
        .endr
        .irp    n, 16, 17, 18, 19, 20, 21, 22, 23
        vmovdqa64 zmm\n, [rsp + UNDECIDED + 64*(\n - 16)]
        .endr

        // A round: the first undecided site of each lane.
.Lround_\rule:
        vpxor   xmm0, xmm0, xmm0
        vpxor   xmm1, xmm1, xmm1
        vpxor   xmm2, xmm2, xmm2
        choose  0, zmm16, zmm24
        choose  1, zmm17, zmm25
        choose  2, zmm18, zmm26
        choose  3, zmm19, zmm27
        choose  4, zmm20, zmm28
        choose  5, zmm21, zmm29
        choose  6, zmm22, zmm30
        choose  7, zmm23, zmm31
        vptestmq k1, pool, pool
        kortestb k1, k1
        jz      .Ldecided_\rule
        mov     eax, degree
        cmp     eax, 5
        jb      .Ltwo_\rule
        cmp     eax, 7
        jb      .Lthree_\rule
        unite   8, pool, pool_1, pool_0
        jmp     .Lunited_\rule
.Lthree_\rule:
        unite   6, pool, pool_1, pool_0
        jmp     .Lunited_\rule
.Ltwo_\rule:
        unite   4, pool, pool_1, pool_0
.Lunited_\rule:
        vpxor   xmm6, xmm6, xmm6
        mov     rax, codes
        lea     slot, [rax + 43]

        // Planes, until all lanes of the pool are decided or 48 bits are equal.
.Lplane_\rule:
        cmp     random, end
        je      .Ldone_\rule
        movzx   edx, byte ptr [rax]
        shl     edx, 6
        vmovdqu64 plane, [random]
        vmovdqa64 threshold, [rsp + rdx]
        vpandnq union, plane, threshold
        vpternlogq less, pool, union, 0xf8
        vpternlogq pool, threshold, plane, 0x90
        add     random, 64
        add     rax, 1
        vptestmq k1, pool, pool
        kortestb k1, k1
        jz      .Lpooled_\rule
        cmp     rax, slot
        jne     .Lplane_\rule
.Lpooled_\rule:
        vpternlogq zmm7, less, zmm24, 0x78
        vpternlogq zmm8, less, zmm25, 0x78
        vpternlogq zmm9, less, zmm26, 0x78
        vpternlogq zmm10, less, zmm27, 0x78
        vpternlogq zmm11, less, zmm28, 0x78
        vpternlogq zmm12, less, zmm29, 0x78
        vpternlogq zmm13, less, zmm30, 0x78
        vpternlogq zmm14, less, zmm31, 0x78

        // Lanes that another round decides.
        vporq   union, zmm16, zmm17
        vpternlogq union, zmm18, zmm19, 0xfe
        vpternlogq union, zmm20, zmm21, 0xfe
        vpternlogq union, zmm22, zmm23, 0xfe
        vptestmq k1, union, union
        kortestb k1, k1
        jnz     .Lround_\rule

        // Flip the spins of live lanes.
.Ldecided_\rule:
        mov     used, random
        mov     eax, count
        shl     eax, 6
        mov     rdx, own
        sub     rdx, rax
        .irp    n, 7, 8, 9, 10, 11, 12, 13, 14
        vpandq  zmm\n, zmm\n, live
        vpxorq  zmm0, zmm\n, [rdx]
        vmovdqu64 [rdx], zmm0
        add     rdx, 64
        cmp     rdx, own
        je      .Lflipped_\rule
        .endr

        // Add the flips of eight sites to the counters.
.Lflipped_\rule:
        vmovdqa64 zmm0, [rsp + ONES]
        vmovdqa64 zmm5, [rsp + TWOS]
        vmovdqa64 zmm17, [rsp + FOURS]
        add_three zmm0, zmm7, zmm8, zmm1
        add_three zmm0, zmm9, zmm10, zmm2
        add_three zmm0, zmm11, zmm12, zmm3
        add_three zmm0, zmm13, zmm14, zmm4
        add_three zmm5, zmm1, zmm2, zmm6
        add_three zmm5, zmm3, zmm4, zmm16
        add_three zmm17, zmm6, zmm16, zmm18
        vmovdqa64 [rsp + ONES], zmm0
        vmovdqa64 [rsp + TWOS], zmm5
        vmovdqa64 [rsp + FOURS], zmm17
        vmovdqa64 [rsp + EIGHTS], zmm18
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
//   size_t hl_ising_sweep_bits_avx512(uint64_t *spins, size_t first, size_t blocks, const uint32_t *links,
//                                     const uint64_t *signs, const uint8_t *codes, const uint32_t *random,
//                                     size_t *planes, const uint64_t *live, uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = blocks, rcx = links, r8 = signs, r9 = codes, stack = random, planes,
//         live, flips                       Out  rax = blocks visited
// Uses    rax, rbx, rcx, rdx, rsi, r9..r15, rbp, k1, zmm0..zmm31
// Stack   3496 bytes
// Loop    a block of 8 sites of 512 copies; bound by two ports for vectors
// Tail    blocks of fewer sites: sites without flips
FUNC(hl_ising_sweep_bits_avx512)
        sweep   metropolis, 0
END(hl_ising_sweep_bits_avx512)

// sweep_bits with acceptance by the heat bath.
//
//   size_t hl_ising_sweep_heat_bits_avx512(uint64_t *spins, size_t first, size_t blocks, const uint32_t *links,
//                                          const uint64_t *signs, const uint8_t *codes, const uint32_t *random,
//                                          size_t *planes, const uint64_t *live, uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = blocks, rcx = links, r8 = signs, r9 = codes, stack = random, planes,
//         live, flips                       Out  rax = blocks visited
// Uses    rax, rbx, rcx, rdx, rsi, r9..r15, rbp, k1, zmm0..zmm31
// Stack   3496 bytes
// Loop    a block of 8 sites of 512 copies; bound by two ports for vectors
// Tail    blocks of fewer sites: sites without flips
FUNC(hl_ising_sweep_heat_bits_avx512)
        sweep   heat, 1
END(hl_ising_sweep_heat_bits_avx512)
