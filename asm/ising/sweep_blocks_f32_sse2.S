// The block sweep in f32 with SSE2: a block in 16 vectors. The sums of half a block are computed in
// registers and then kept in memory.

#include "hl.h"
#define LANES       4
#include "constants_x86_64.h"

#define SPIN        4
#include "blocks_x86_64.h"
#define random      r9

// The diagonals and their lines, while half of a block is summed.
#define base        r10
#define values      r11

// Vector e of half a block.
#define sum         xmm\e
#define AT          (16 * \e)
#define HALF        128

#define t           xmm8
#define u           xmm9
#define power       xmm10
#define space       xmm11
#define a           xmm12
#define b           xmm13
#define c           xmm14
#define d           xmm15

// Offsets from rsp: 64 gathered spins, 64 sums; the caller's argument.
#define FRAME       512
#define SUMS        256
#define FLIPS       (FRAME + 48)

        // Adds couplings times spins to the sums in memory.
        .macro line offset, at:vararg
        .irp    half, 0, HALF
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        movups  t, [\at + \half + AT]
        movups  u, [couplings + \offset + \half + AT]
        mulps   t, u
        movups  u, [rsp + SUMS + \half + AT]
        addps   u, t
        movups  [rsp + SUMS + \half + AT], u
        .endr
        .endr
        .endm

        // The sums of fields and diagonals.
        .macro sum_half rule, half
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        movups  sum, [couplings + \half + AT]
        .endr
        mov     base, links
        lea     values, [couplings + LINE]
        jmp     .Lnext_\rule\()_\half
.Ldiagonal_\rule\()_\half:
        movsxd  rax, dword ptr [base]
        lea     rax, [spins + SPIN * rax]
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        movups  t, [rax + \half + AT]
        movups  u, [values + \half + AT]
        mulps   t, u
        addps   sum, t
        .endr
        add     base, 4
        add     values, LINE
.Lnext_\rule\()_\half:
        cmp     base, end
        jne     .Ldiagonal_\rule\()_\half
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        movups  [rsp + SUMS + \half + AT], sum
        .endr
        .endm

        // Decides half of a block. Its masks become bits of a general register; `scratch` is another one.
        .macro decide rule, heat, half, register, scratch
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        // The exponent is the sum times `space` and the spin.
        movups  sum, [rsp + SUMS + \half + AT]
        movups  t, [own + \half + AT]
        mulps   sum, space
        mulps   sum, t
        minps   sum, [rip + .Lmost_\rule]
        maxps   sum, [rip + .Lleast_\rule]

        // `sum` becomes 2^sum = 2^n s ((f + a) f + b)^2 ((f + c) f + d)^2, where n is the nearest
        // integer and f the remainder.
        cvtps2dq power, sum
        cvtdq2ps t, power
        subps   sum, t
        pslld   power, 23
        paddd   power, [rip + .Ls_\rule]
        movaps  t, sum
        movaps  u, sum
        addps   t, a
        addps   u, c
        mulps   t, sum
        mulps   sum, u
        addps   t, b
        addps   sum, d
        mulps   sum, t
        mulps   sum, sum
        mulps   sum, power
        movups  t, [random + \half + AT]
        psrld   t, 8
        .if     \heat
        // x < (2^24 - x) 2^v, where x is an odd number below 2^24.
        por     t, [rip + .Lone]
        cvtdq2ps t, t
        movaps  u, [rip + .Lrange]
        subps   u, t
        mulps   u, sum
        cmpltps t, u
        .else
        cvtdq2ps t, t
        cmpltps t, sum
        .endif
        movaps  sum, t
        pslld   t, 31
        movups  u, [own + \half + AT]
        xorps   t, u
        movups  [own + \half + AT], t
        .endr
        packssdw xmm0, xmm1
        packssdw xmm2, xmm3
        packssdw xmm4, xmm5
        packssdw xmm6, xmm7
        packsswb xmm0, xmm2
        packsswb xmm4, xmm6
        pmovmskb \register, xmm0
        pmovmskb \scratch, xmm4
        shl     \scratch, 16
        or      \register, \scratch
        .endm

        .macro sweep rule, heat
        test    rdx, rdx
        jz      .Lnone_\rule
        enter   FRAME
        shl     own, 8
        add     own, spins
        xor     flips, flips
        mulss   xmm0, dword ptr [rip + .Lfactor]
        movaps  space, xmm0
        shufps  space, space, 0
        movaps  a, [rip + .La]
        movaps  b, [rip + .Lb]
        movaps  c, [rip + .Lc]
        movaps  d, [rip + .Ld]

        // Every value in the buffer is a number.
        .irp    half, 0, HALF
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        movups  [rsp + \half + AT], a
        .endr
        .endr

        .balign 32
.Lblock_\rule:
        header
        lea     end, [links + 4 * rax]
        sum_half \rule, 0
        sum_half \rule, HALF
        mov     links, base
        mov     couplings, values
        test    slots, slots
        jnz     .Lslot_\rule

.Ldecide_\rule:
        decide  \rule, \heat, 0, ebp, eax
        decide  \rule, \heat, HALF, eax, r10d

        // Count the flips in the lanes with a site.
        shl     rax, 32
        or      rbp, rax
        and     rbp, live
        count_bits
        add     flips, rax
        add     own, LINE
        add     random, LINE
        dec     left
        jnz     .Lblock_\rule

        mov     rax, [rsp + FLIPS]
        add     [rax], flips
        leave   FRAME
.Lnone_\rule:
        ret
        .cfi_restore_state
        gather  \rule
        .endm

// Visits `count` blocks of one system in order, with sums in f32.
//
//   void hl_ising_sweep_blocks_f32_sse2(float *spins, size_t first, size_t count,
//       const uint32_t *links, const float *couplings, float beta_space, const uint32_t *random,
//       uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = links, r8 = couplings, xmm0 = beta_space,
//         r9 = random, [rsp+8] = flips     Out  spins, *flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8..r14, xmm0..xmm15
//         Stack  552 bytes
// Loop    1 block of 64 spins: 384 vector operations and 32 a diagonal on three ports; at 5 diagonals
//         181 cycles
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_blocks_f32_sse2)
        sweep   metropolis, 0
END(hl_ising_sweep_blocks_f32_sse2)

// sweep_blocks_f32 with acceptance by the heat bath.
//
//   void hl_ising_sweep_heat_blocks_f32_sse2(float *spins, size_t first, size_t count,
//       const uint32_t *links, const float *couplings, float beta_space, const uint32_t *random,
//       uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = links, r8 = couplings, xmm0 = beta_space,
//         r9 = random, [rsp+8] = flips     Out  spins, *flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8..r14, xmm0..xmm15
//         Stack  552 bytes
// Loop    1 block of 64 spins: 432 vector operations and 32 a diagonal on three ports; at 5 diagonals
//         197 cycles
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_heat_blocks_f32_sse2)
        sweep   heat, 1
END(hl_ising_sweep_heat_blocks_f32_sse2)

        RODATA
        .balign 16
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
