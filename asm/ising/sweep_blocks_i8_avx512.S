// The block sweep with AVX-512: a block in one vector.

#include "hl.h"

#define SPIN        1
#include "blocks_x86_64.h"

#define thresholds  r9
#define levels      r10
#define random      r11

#define sum         zmm0
#define spin        zmm1
#define upper       zmm2
#define lower       zmm3

// The upper and lower bytes of the first 16 thresholds.
#define upper_table zmm8
#define lower_table zmm9
#define zero        zmm10
#define ones        zmm11

#define less        k1
#define equal       k2
#define too         k3
#define tied        k4
#define negative    k5

// Offsets from rsp: 64 gathered bytes, the count; the caller's arguments.
#define FRAME       72
#define COUNT       64
#define LEVELS      (FRAME + 48)
#define RANDOM      (FRAME + 56)
#define FLIPS       (FRAME + 64)

        // Subtracts the values where the spins are set.
        .macro line offset, base:vararg
        vmovdqu64 zmm4, [\base]
        vpandd  zmm4, zmm4, [couplings + \offset]
        vpsubb  sum, sum, zmm4
        .endm

        .macro sweep rule, heat
        xor     eax, eax
        test    rdx, rdx
        jz      .Lnone_\rule
        enter   FRAME
        mov     [rsp + COUNT], rdx
        mov     levels, [rsp + LEVELS]
        mov     random, [rsp + RANDOM]
        shl     own, 6
        add     own, spins
        xor     flips, flips
        vpxor   xmm10, xmm10, xmm10
        vpternlogd ones, ones, ones, 0xff
        vbroadcasti32x4 upper_table, [thresholds]
        vbroadcasti32x4 lower_table, [thresholds + 128]

        .balign 32
.Lblock_\rule:
        header
        vmovdqu64 sum, [couplings]
        add     couplings, LINE
        diagonals \rule
        test    slots, slots
        jnz     .Lslot_\rule

        // m, the local field times the spin, selects the threshold.
.Ldecide_\rule:
        vmovdqu64 spin, [own]
        vpxord  sum, sum, spin
        vpsubb  sum, sum, spin
        .if     \heat
        vpmovb2m negative, sum
        vpabsb  sum, sum
        .else
        vpmaxsb sum, sum, zero
        .endif
        cmp     levels, 1
        jne     .Lmany_\rule
        vpshufb upper, upper_table, sum
        vpshufb lower, lower_table, sum
.Lfound_\rule:
        .if     \heat
        // Where m is negative, the random number and the verdict are complemented.
        vmovdqu64 zmm4, [random]
        vmovdqu64 zmm5, [random + 64]
        vpsubb  zmm4{negative}, ones, zmm4
        vpsubb  zmm5{negative}, ones, zmm5
        vpcmpgtb less, upper, zmm4
        vpcmpeqb equal, upper, zmm4
        vpcmpgtb too{equal}, lower, zmm5
        vpcmpeqb tied{equal}, lower, zmm5
        kxorq   less, less, negative
        .else
        vpcmpgtb less, upper, [random]
        vpcmpeqb equal, upper, [random]
        vpcmpgtb too{equal}, lower, [random + 64]
        vpcmpeqb tied{equal}, lower, [random + 64]
        .endif
        kortestq tied, tied
        jnz     .Ltied_\rule
.Laccept_\rule:
        // `too` holds lanes whose upper bytes are equal: they are not in `less`, unless the verdict
        // is complemented.
        kxorq   less, less, too
        vpsubb  spin{less}, ones, spin
        vmovdqu64 [own], spin
        kmovq   rax, less
        and     rax, live
        popcnt  rax, rax
        add     flips, rax
        add     own, 64
        sub     random, -128
        dec     left
        jnz     .Lblock_\rule

.Ldone_\rule:
        mov     rax, [rsp + FLIPS]
        add     [rax], flips
        mov     rax, [rsp + COUNT]
        sub     rax, left
        leave   FRAME
        vzeroupper
.Lnone_\rule:
        ret
        .cfi_restore_state

        // Ties in lanes without a site do not count.
.Ltied_\rule:
        kmovq   rax, tied
        test    rax, live
        jz      .Laccept_\rule
        jmp     .Ldone_\rule

        gather  \rule

        // Look up 16 thresholds at a time; an index outside of these selects 0.
.Lmany_\rule:
        vpxor   xmm2, xmm2, xmm2
        vpxor   xmm3, xmm3, xmm3
        mov     rbp, thresholds
        mov     rax, levels
.Llevel_\rule:
        vpaddusb zmm4, sum, [rip + .Lselect]
        vbroadcasti32x4 zmm5, [rbp]
        vbroadcasti32x4 zmm6, [rbp + 128]
        vpshufb zmm5, zmm5, zmm4
        vpshufb zmm6, zmm6, zmm4
        vpord   upper, upper, zmm5
        vpord   lower, lower, zmm6
        vpsubb  sum, sum, [rip + .Lsixteens]
        add     rbp, 16
        dec     rax
        jnz     .Llevel_\rule
        jmp     .Lfound_\rule
        .endm

// Visits up to `count` blocks of one system in order, with exact acceptance, and returns how many:
// it stops before a block where 16 random bits do not suffice.
//
//   size_t hl_ising_sweep_blocks_i8_avx512(uint8_t *spins, size_t first, size_t count,
//       const uint32_t *links, const uint8_t *couplings, const int8_t *thresholds, size_t levels,
//       const uint32_t *random, uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = links, r8 = couplings, r9 = thresholds,
//         [rsp+8..24] = levels, random, flips     Out  rax = blocks visited; spins, *flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8, r10..r14, zmm0..zmm6, zmm8..zmm11, k1..k4
//         Stack  112 bytes
// Loop    1 block of 64 spins: 14 vector and mask operations and 2 a diagonal on two ports; 4 loads
//         of 64 bytes and 2 a diagonal, of which one crosses cache lines; at 5 diagonals 12 and
//         10 cycles
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_blocks_i8_avx512)
        sweep   metropolis, 0
END(hl_ising_sweep_blocks_i8_avx512)

// sweep_blocks_i8 with acceptance by the heat bath.
//
//   size_t hl_ising_sweep_heat_blocks_i8_avx512(uint8_t *spins, size_t first, size_t count,
//       const uint32_t *links, const uint8_t *couplings, const int8_t *thresholds, size_t levels,
//       const uint32_t *random, uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = links, r8 = couplings, r9 = thresholds,
//         [rsp+8..24] = levels, random, flips     Out  rax = blocks visited; spins, *flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8, r10..r14, zmm0..zmm6, zmm8..zmm11, k1..k5
//         Stack  112 bytes
// Loop    1 block of 64 spins: 18 vector and mask operations and 2 a diagonal on two ports
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_heat_blocks_i8_avx512)
        sweep   heat, 1
END(hl_ising_sweep_heat_blocks_i8_avx512)

        RODATA
        .balign 64
.Lselect:                               // 0 to 15 stay below 128
        .fill   64, 1, 0x70
.Lsixteens:
        .fill   64, 1, 16
