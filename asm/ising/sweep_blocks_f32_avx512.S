// The block sweep in f32 with AVX-512: a block in four vectors.
//
// The acceptance `rule` is metropolis or heat. Each has
//
//   constants_<rule>  loads zmm20 and zmm25
//   accept_<rule> q   computes the mask `accepted` of flips from the clamped exponent in `sum`; may
//                     overwrite t and u

#include "hl.h"

#define SPIN        4
#include "blocks_x86_64.h"
#define random      r9

// Quarter q of a block, from 1 on.
#define sum         zmm\q
#define spin        zmm1\q
#define t           zmm2\q
#define accepted    k\q
#define AT          (64 * \q - 64)

#define u           zmm0
#define power       zmm5
#define space       zmm6
#define sign        zmm7
#define most        zmm8
#define least       zmm9
#define nearest     zmm10
#define a           zmm15
#define b           zmm16
#define c           zmm17
#define d           zmm18
#define s           zmm19
#define range       zmm20
#define one         zmm25

// Offsets from rsp: 64 gathered spins; the caller's argument.
#define FRAME       256
#define FLIPS       (FRAME + 48)

        .macro each statement:vararg
        .irp    q, 1, 2, 3, 4
        \statement
        .endr
        .endm

        // Adds couplings times spins. The products are exact.
        .macro line offset, base:vararg
        .irp    q, 1, 2, 3, 4
        vmovups t, [\base + AT]
        vfmadd231ps sum, t, [couplings + \offset + AT]
        .endr
        .endm

        // `sum` becomes 2^sum = 2^n s ((f + a) f + b)^2 ((f + c) f + d)^2, where n is the nearest
        // integer and f the remainder: n is in the lowest bits of sum + `nearest`.
        .macro exp2 q
        vaddps  power, sum, nearest
        vreduceps sum, sum, 8
        vpslld  power, power, 23
        vaddps  t, sum, a
        vaddps  u, sum, c
        vpaddd  power, power, s
        vmulps  t, t, sum
        vmulps  u, u, sum
        vaddps  t, t, b
        vaddps  u, u, d
        vmulps  t, t, u
        vmulps  t, t, t
        vmulps  sum, t, power
        .endm

        .macro accept_metropolis q
        vpsrld  t, [random + AT], 8
        vcvtdq2ps t, t
        vcmpltps accepted, t, sum
        .endm

        // x < (2^24 - x) 2^v, where x is an odd number below 2^24.
        .macro accept_heat q
        vpsrld  t, [random + AT], 8
        vpord   t, t, one
        vcvtdq2ps t, t
        vsubps  u, range, t
        vmulps  sum, sum, u
        vcmpltps accepted, t, sum
        .endm

        .macro constants_metropolis
        .endm

        .macro constants_heat
        vbroadcastss range, dword ptr [rip + .Lrange]
        vpbroadcastd one, dword ptr [rip + .Lone]
        .endm

        .macro sweep rule
        test    rdx, rdx
        jz      .Lnone_\rule
        enter   FRAME
        shl     own, 8
        add     own, spins
        xor     flips, flips
        vmulss  xmm0, xmm0, dword ptr [rip + .Lfactor]
        vbroadcastss space, xmm0
        vpbroadcastd sign, dword ptr [rip + .Lsign]
        vbroadcastss most, dword ptr [rip + .Lmost_\rule]
        vbroadcastss least, dword ptr [rip + .Lleast_\rule]
        vbroadcastss nearest, dword ptr [rip + .Lnearest]
        vbroadcastss a, dword ptr [rip + .La]
        vbroadcastss b, dword ptr [rip + .Lb]
        vbroadcastss c, dword ptr [rip + .Lc]
        vbroadcastss d, dword ptr [rip + .Ld]
        vpbroadcastd s, dword ptr [rip + .Ls_\rule]
        constants_\rule

        // Every value in the buffer is a number.
        each    vmovups [rsp + AT], a

        .balign 32
.Lblock_\rule:
        header
        each    vmovups sum, [couplings + AT]
        add     couplings, LINE
        diagonals \rule
        test    slots, slots
        jnz     .Lslot_\rule

        // The exponent is the sum times `space` and the spin.
.Ldecide_\rule:
        each    vmovups spin, [own + AT]
        each    vmulps sum, sum, space
        each    vpternlogd sum, spin, sign, 0x78
        each    vminps sum, sum, most
        each    vmaxps sum, sum, least
        each    exp2 \q
        each    accept_\rule \q
        .irp    q, 1, 2, 3, 4
        vpxord  spin{accepted}, spin, sign
        vmovups [own + AT], spin
        .endr

        // Count the flips in the lanes with a site.
        kunpckwd k1, k2, k1
        kunpckwd k3, k4, k3
        kunpckdq k1, k3, k1
        kmovq   rax, k1
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
//   void hl_ising_sweep_blocks_f32_avx512(float *spins, size_t first, size_t count,
//       const uint32_t *links, const float *couplings, float beta_space, const uint32_t *random,
//       uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = links, r8 = couplings, xmm0 = beta_space,
//         r9 = random, [rsp+8] = flips     Out  spins, *flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8, r9, r12..r14, zmm0..zmm19,
//         zmm21..zmm24, k1..k4     Stack  296 bytes
// Loop    1 block of 64 spins: 88 vector operations and 4 a diagonal on two ports; 12 loads and 8 a
//         diagonal, 4 of which cross cache lines, two a cycle; at 5 diagonals 54 cycles
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_blocks_f32_avx512)
        sweep   metropolis
END(hl_ising_sweep_blocks_f32_avx512)

// sweep_blocks_f32 with acceptance by the heat bath.
//
//   void hl_ising_sweep_heat_blocks_f32_avx512(float *spins, size_t first, size_t count,
//       const uint32_t *links, const float *couplings, float beta_space, const uint32_t *random,
//       uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = links, r8 = couplings, xmm0 = beta_space,
//         r9 = random, [rsp+8] = flips     Out  spins, *flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8, r9, r12..r14, zmm0..zmm25,
//         k1..k4     Stack  296 bytes
// Loop    1 block of 64 spins: 100 vector operations and 4 a diagonal on two ports; at 5 diagonals
//         60 cycles
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_heat_blocks_f32_avx512)
        sweep   heat
END(hl_ising_sweep_heat_blocks_f32_avx512)

        RODATA
        .balign 4
.Lsign:
        .long   0x80000000
.Lfactor:                               // -2 log2 e
        .long   0xc038aa3b
.Lnearest:                              // 3/2 2^23: the last place of a sum is 1
        .float  12582912
.La:                                    // the coefficients of the polynomial
        .long   0x411fa717
.Lb:
        .long   0x41fb8bd9
.Lc:
        .long   0x3fc5280f
.Ld:
        .long   0x4252c7df
.Lmost_metropolis:
        .float  0
.Lleast_metropolis:
        .float  -126
.Ls_metropolis:                         // times 15/16 2^24
        .long   0x40b7558d
.Lmost_heat:                            // odds of 2^32, and their inverse
        .float  32
.Lleast_heat:
        .float  -32
.Ls_heat:
        .long   0x34c38e74
.Lrange:                                // 2^24
        .float  16777216
.Lone:
        .long   1
