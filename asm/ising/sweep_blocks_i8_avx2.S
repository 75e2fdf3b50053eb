// The block sweep with AVX2: a block in two vectors.

#include "hl.h"

#define SPIN        1
#include "blocks_x86_64.h"

#define thresholds  r9
#define levels      r10
#define random      r11

// The upper and lower bytes of the first 16 thresholds.
#define upper_table ymm14
#define lower_table ymm15
#define zero        ymm13

// Offsets from rsp: 64 gathered bytes, the count; the caller's arguments.
#define FRAME       72
#define COUNT       64
#define LEVELS      (FRAME + 48)
#define RANDOM      (FRAME + 56)
#define FLIPS       (FRAME + 64)

        // Subtracts the values where the spins are set.
        .macro line offset, base:vararg
        vmovdqu ymm4, [\base]
        vmovdqu ymm5, [\base + 32]
        vpand   ymm4, ymm4, [couplings + \offset]
        vpand   ymm5, ymm5, [couplings + \offset + 32]
        vpsubb  ymm0, ymm0, ymm4
        vpsubb  ymm1, ymm1, ymm5
        .endm

        // The lanes of half h that flip, in place of m, and the tied ones; `upper` and `lower` are
        // the thresholds.
        .macro compare heat, h, m, n, upper, lower, tied
        .if     \heat
        vpxor   ymm4, \n, [random + 32 * \h]
        vpxor   ymm5, \n, [random + 32 * \h + 64]
        .else
        vmovdqu ymm4, [random + 32 * \h]
        vmovdqu ymm5, [random + 32 * \h + 64]
        .endif
        vpcmpeqb \tied, \upper, ymm4
        vpcmpgtb \m, \upper, ymm4
        vpcmpgtb ymm4, \lower, ymm5
        vpcmpeqb ymm5, \lower, ymm5
        vpand   ymm4, ymm4, \tied
        vpand   \tied, \tied, ymm5
        vpor    \m, \m, ymm4
        .if     \heat
        // Where m is negative, the verdict is complemented, as the random number is.
        vpxor   \m, \m, \n
        .endif
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
        vpxor   xmm13, xmm13, xmm13
        vbroadcasti128 upper_table, [thresholds]
        vbroadcasti128 lower_table, [thresholds + 128]

        .balign 32
.Lblock_\rule:
        header
        vmovdqu ymm0, [couplings]
        vmovdqu ymm1, [couplings + 32]
        add     couplings, LINE
        diagonals \rule
        test    slots, slots
        jnz     .Lslot_\rule

        // m, the local field times the spin, selects the threshold.
.Ldecide_\rule:
        vmovdqu ymm2, [own]
        vmovdqu ymm3, [own + 32]
        vpxor   ymm0, ymm0, ymm2
        vpxor   ymm1, ymm1, ymm3
        vpsubb  ymm0, ymm0, ymm2
        vpsubb  ymm1, ymm1, ymm3
        .if     \heat
        vpcmpgtb ymm2, zero, ymm0
        vpabsb  ymm0, ymm0
        vpcmpgtb ymm3, zero, ymm1
        vpabsb  ymm1, ymm1
        .else
        vpmaxsb ymm0, ymm0, zero
        vpmaxsb ymm1, ymm1, zero
        .endif
        cmp     levels, 1
        jne     .Lmany_\rule
        vpshufb ymm6, upper_table, ymm0
        vpshufb ymm7, lower_table, ymm0
        vpshufb ymm8, upper_table, ymm1
        vpshufb ymm9, lower_table, ymm1
.Lfound_\rule:
        compare \heat, 0, ymm0, ymm2, ymm6, ymm7, ymm10
        compare \heat, 1, ymm1, ymm3, ymm8, ymm9, ymm11
        vpor    ymm4, ymm10, ymm11
        vpmovmskb eax, ymm4
        test    eax, eax
        jnz     .Ltied_\rule
.Laccept_\rule:
        vpxor   ymm4, ymm0, [own]
        vpxor   ymm5, ymm1, [own + 32]
        vpmovmskb eax, ymm0
        vpmovmskb ebp, ymm1
        vmovdqu [own], ymm4
        vmovdqu [own + 32], ymm5
        shl     rbp, 32
        or      rax, rbp
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
        vpmovmskb eax, ymm10
        vpmovmskb ebp, ymm11
        shl     rbp, 32
        or      rax, rbp
        test    rax, live
        jz      .Laccept_\rule
        jmp     .Ldone_\rule

        gather  \rule

        // Look up 16 thresholds at a time; an index outside of these selects 0.
.Lmany_\rule:
        .irp    n, 6, 7, 8, 9
        vpxor   xmm\n, xmm\n, xmm\n
        .endr
        mov     rbp, thresholds
        mov     rax, levels
.Llevel_\rule:
        vbroadcasti128 ymm10, [rbp]
        vbroadcasti128 ymm11, [rbp + 128]
        vpaddusb ymm4, ymm0, [rip + .Lselect]
        vpshufb ymm5, ymm10, ymm4
        vpshufb ymm4, ymm11, ymm4
        vpor    ymm6, ymm6, ymm5
        vpor    ymm7, ymm7, ymm4
        vpaddusb ymm4, ymm1, [rip + .Lselect]
        vpshufb ymm5, ymm10, ymm4
        vpshufb ymm4, ymm11, ymm4
        vpor    ymm8, ymm8, ymm5
        vpor    ymm9, ymm9, ymm4
        vpsubb  ymm0, ymm0, [rip + .Lsixteens]
        vpsubb  ymm1, ymm1, [rip + .Lsixteens]
        add     rbp, 16
        dec     rax
        jnz     .Llevel_\rule
        jmp     .Lfound_\rule
        .endm

// Visits up to `count` blocks of one system in order, with exact acceptance, and returns how many:
// it stops before a block where 16 random bits do not suffice.
//
//   size_t hl_ising_sweep_blocks_i8_avx2(uint8_t *spins, size_t first, size_t count,
//       const uint32_t *links, const uint8_t *couplings, const int8_t *thresholds, size_t levels,
//       const uint32_t *random, uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = links, r8 = couplings, r9 = thresholds,
//         [rsp+8..24] = levels, random, flips     Out  rax = blocks visited; spins, *flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8, r10..r14, ymm0..ymm11, ymm13..ymm15
//         Stack  112 bytes
// Loop    1 block of 64 spins: 39 vector operations and 4 a diagonal on three ports; 10 loads and
//         4 a diagonal, 1 of which crosses cache lines, two or three a cycle; at 5 diagonals
//         20 cycles
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_blocks_i8_avx2)
        sweep   metropolis, 0
END(hl_ising_sweep_blocks_i8_avx2)

// sweep_blocks_i8 with acceptance by the heat bath.
//
//   size_t hl_ising_sweep_heat_blocks_i8_avx2(uint8_t *spins, size_t first, size_t count,
//       const uint32_t *links, const uint8_t *couplings, const int8_t *thresholds, size_t levels,
//       const uint32_t *random, uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = links, r8 = couplings, r9 = thresholds,
//         [rsp+8..24] = levels, random, flips     Out  rax = blocks visited; spins, *flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8, r10..r14, ymm0..ymm11, ymm13..ymm15
//         Stack  112 bytes
// Loop    1 block of 64 spins: 45 vector operations and 4 a diagonal on three ports; at 5 diagonals
//         22 cycles
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_heat_blocks_i8_avx2)
        sweep   heat, 1
END(hl_ising_sweep_heat_blocks_i8_avx2)

        RODATA
        .balign 32
.Lselect:                               // 0 to 15 stay below 128
        .fill   32, 1, 0x70
.Lsixteens:
        .fill   32, 1, 16
