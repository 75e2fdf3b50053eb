// The block sweep in f32 with AVX2: a block in eight vectors.

#include "hl.h"
#define LANES       8
#include "constants_x86_64.h"

#define SPIN        4
#include "blocks_x86_64.h"
#define random      r9

// Eighth e of a block.
#define sum         ymm\e
#define AT          (32 * \e)

#define t           ymm8
#define u           ymm9
#define power       ymm10
#define space       ymm11
#define nearest     ymm12
#define a           ymm13
#define b           ymm14
#define c           ymm15

// Offsets from rsp: 64 gathered spins; the caller's argument.
#define FRAME       256
#define FLIPS       (FRAME + 48)

        // Adds couplings times spins. The products are exact, so fusing changes no bit.
        .macro line offset, base:vararg
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        vmovups t, [\base + AT]
        vfmadd231ps sum, t, [couplings + \offset + AT]
        .endr
        .endm

        .macro sweep rule, heat
        test    rdx, rdx
        jz      .Lnone_\rule
        enter   FRAME
        shl     own, 8
        add     own, spins
        xor     flips, flips
        vmulss  xmm0, xmm0, dword ptr [rip + .Lfactor]
        vbroadcastss space, xmm0
        vmovaps nearest, [rip + .Lnearest]
        vmovaps a, [rip + .La]
        vmovaps b, [rip + .Lb]
        vmovaps c, [rip + .Lc]

        // Every value in the buffer is a number.
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        vmovups [rsp + AT], a
        .endr

        .balign 32
.Lblock_\rule:
        header
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        vmovups sum, [couplings + AT]
        .endr
        add     couplings, LINE
        diagonals \rule
        test    slots, slots
        jnz     .Lslot_\rule

.Ldecide_\rule:
        // The exponent is the sum times `space` and the spin.
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        vmulps  sum, sum, space
        vmulps  sum, sum, [own + AT]
        vminps  sum, sum, [rip + .Lmost_\rule]
        vmaxps  sum, sum, [rip + .Lleast_\rule]

        // `sum` becomes 2^sum = 2^n s ((f + a) f + b)^2 ((f + c) f + d)^2, where n is the nearest
        // integer and f the remainder: n is in the lowest bits of sum + `nearest`.
        vaddps  power, sum, nearest
        vsubps  t, power, nearest
        vpslld  power, power, 23
        vsubps  sum, sum, t
        vpaddd  power, power, [rip + .Ls_\rule]
        vaddps  t, sum, a
        vaddps  u, sum, c
        vmulps  t, t, sum
        vmulps  u, u, sum
        vaddps  t, t, b
        vaddps  u, u, [rip + .Ld]
        vmulps  t, t, u
        vmulps  t, t, t
        vmulps  sum, t, power
        vmovdqu t, [random + AT]
        vpsrld  t, t, 8
        .if     \heat
        // x < (2^24 - x) 2^v, where x is an odd number below 2^24.
        vpor    t, t, [rip + .Lone]
        vcvtdq2ps t, t
        vmovaps u, [rip + .Lrange]
        vsubps  u, u, t
        vmulps  sum, sum, u
        .else
        vcvtdq2ps t, t
        .endif
        vcmpltps sum, t, sum
        vpslld  t, sum, 31
        vxorps  t, t, [own + AT]
        vmovups [own + AT], t
        .endr

        // Count the flips in the lanes with a site.
        vmovdqa u, [rip + .Lorder]
        vpackssdw ymm0, ymm0, ymm1
        vpackssdw ymm2, ymm2, ymm3
        vpacksswb ymm0, ymm0, ymm2
        vpermd  ymm0, u, ymm0
        vpmovmskb eax, ymm0
        vpackssdw ymm4, ymm4, ymm5
        vpackssdw ymm6, ymm6, ymm7
        vpacksswb ymm4, ymm4, ymm6
        vpermd  ymm4, u, ymm4
        vpmovmskb ebp, ymm4
        shl     rbp, 32
        or      rax, rbp
        and     rax, live
        popcnt  rax, rax
        add     flips, rax
        add     own, LINE
        add     random, LINE
        dec     left
        jnz     .Lblock_\rule

        mov     rax, [rsp + FLIPS]
        add     [rax], flips
        leave   FRAME
        vzeroupper
.Lnone_\rule:
        ret
        .cfi_restore_state
        gather  \rule
        .endm

// Visits `count` blocks of one system in order, with sums in f32.
//
//   void hl_ising_sweep_blocks_f32_avx2(float *spins, size_t first, size_t count,
//       const uint32_t *links, const float *couplings, float beta_space, const uint32_t *random,
//       uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = links, r8 = couplings, xmm0 = beta_space,
//         r9 = random, [rsp+8] = flips     Out  spins, *flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8, r9, r12..r14, ymm0..ymm15
//         Stack  296 bytes
// Loop    1 block of 64 spins: 194 vector operations and 8 a diagonal on three ports; 68 loads and 16
//         a diagonal, 4 of which cross cache lines, two or three a cycle; at 5 diagonals 78 cycles
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_blocks_f32_avx2)
        sweep   metropolis, 0
END(hl_ising_sweep_blocks_f32_avx2)

// sweep_blocks_f32 with acceptance by the heat bath.
//
//   void hl_ising_sweep_heat_blocks_f32_avx2(float *spins, size_t first, size_t count,
//       const uint32_t *links, const float *couplings, float beta_space, const uint32_t *random,
//       uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = links, r8 = couplings, xmm0 = beta_space,
//         r9 = random, [rsp+8] = flips     Out  spins, *flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8, r9, r12..r14, ymm0..ymm15
//         Stack  296 bytes
// Loop    1 block of 64 spins: 218 vector operations and 8 a diagonal on three ports; at 5 diagonals
//         86 cycles
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_heat_blocks_f32_avx2)
        sweep   heat, 1
END(hl_ising_sweep_heat_blocks_f32_avx2)

        RODATA
        .balign 32
.Lorder:                                // of 32-bit words after the packing
        .long   0, 4, 1, 5, 2, 6, 3, 7
        constant .Lnearest, 0x4b400000          // 3/2 2^23: the last place of a sum is 1
        constant .La, 0x411fa717                // the coefficients of the polynomial
        constant .Lb, 0x41fb8bd9
        constant .Lc, 0x3fc5280f
        constant .Ld, 0x4252c7df
        constant .Lmost_metropolis, 0
        constant .Lleast_metropolis, 0xc2fc0000 // -126
        constant .Ls_metropolis, 0x40b7558d     // times 15/16 2^24
        constant .Lmost_heat, 0x42000000        // 32: odds of 2^32, and their inverse
        constant .Lleast_heat, 0xc2000000
        constant .Ls_heat, 0x34c38e74
        constant .Lrange, 0x4b800000            // 2^24
        constant .Lone, 1
        constant .Lfactor, 0xc038aa3b, 1        // -2 log2 e
