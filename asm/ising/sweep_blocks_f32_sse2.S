// The block sweep in f32 with SSE2: a block in 16 vectors. The sums of half a block are computed in
// registers and then kept in memory.
//
// The acceptance `rule` is metropolis or heat. Each has
//
//   accept_<rule> half, e   computes the mask of accepted flips from the clamped exponent in `sum`,
//                           and puts it there and in t; may overwrite u

#include "hl.h"

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

        .macro each statement:vararg
        .irp    e, 0, 1, 2, 3, 4, 5, 6, 7
        \statement
        .endr
        .endm

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

        .macro add_product half, e
        movups  t, [rax + \half + AT]
        movups  u, [values + \half + AT]
        mulps   t, u
        addps   sum, t
        .endm

        // The sums of fields and diagonals.
        .macro sum_half rule, half
        each    movups sum, [couplings + \half + AT]
        mov     base, links
        lea     values, [couplings + LINE]
        jmp     .Lnext_\rule\()_\half
.Ldiagonal_\rule\()_\half:
        movsxd  rax, dword ptr [base]
        lea     rax, [spins + SPIN * rax]
        each    add_product \half, \e
        add     base, 4
        add     values, LINE
.Lnext_\rule\()_\half:
        cmp     base, end
        jne     .Ldiagonal_\rule\()_\half
        each    movups [rsp + SUMS + \half + AT], sum
        .endm

        // `sum` becomes 2^sum = 2^n s ((f + a) f + b)^2 ((f + c) f + d)^2, where n is the nearest
        // integer and f the remainder.
        .macro exp2 rule, e
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
        .endm

        .macro accept_metropolis half, e
        movups  t, [random + \half + AT]
        psrld   t, 8
        cvtdq2ps t, t
        cmpltps t, sum
        movaps  sum, t
        .endm

        // x < (2^24 - x) 2^v, where x is an odd number below 2^24.
        .macro accept_heat half, e
        movups  t, [random + \half + AT]
        psrld   t, 8
        por     t, [rip + .Lone]
        cvtdq2ps t, t
        movaps  u, [rip + .Lrange]
        subps   u, t
        mulps   u, sum
        cmpltps t, u
        movaps  sum, t
        .endm

        // The exponent is the sum times `space` and the spin.
        .macro decide rule, half, e
        movups  sum, [rsp + SUMS + \half + AT]
        movups  t, [own + \half + AT]
        mulps   sum, space
        mulps   sum, t
        minps   sum, [rip + .Lmost_\rule]
        maxps   sum, [rip + .Lleast_\rule]
        exp2    \rule, \e
        accept_\rule \half, \e
        pslld   t, 31
        movups  u, [own + \half + AT]
        xorps   t, u
        movups  [own + \half + AT], t
        .endm

        // The masks of half a block as bits of a general register; `scratch` is another one.
        .macro bits register, scratch
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

        // Four copies of a 32-bit value.
        .macro four name, value
\name:
        .rept   4
        .long   \value
        .endr
        .endm

        .macro sweep rule
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
        each    movups [rsp + \half + AT], a
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
        each    decide \rule, 0, \e
        bits    ebp, eax
        each    decide \rule, HALF, \e
        bits    eax, r10d

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
        sweep   metropolis
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
        sweep   heat
END(hl_ising_sweep_heat_blocks_f32_sse2)

        RODATA
        .balign 16
        four    .La, 0x411fa717         // the coefficients of the polynomial
        four    .Lb, 0x41fb8bd9
        four    .Lc, 0x3fc5280f
        four    .Ld, 0x4252c7df
        four    .Lmost_metropolis, 0
        four    .Lleast_metropolis, 0xc2fc0000  // -126
        four    .Ls_metropolis, 0x40b7558d      // times 15/16 2^24
        four    .Lmost_heat, 0x42000000 // 32: odds of 2^32, and their inverse
        four    .Lleast_heat, 0xc2000000
        four    .Ls_heat, 0x34c38e74
        four    .Lrange, 0x4b800000     // 2^24
        four    .Lone, 1
.Lfactor:                               // -2 log2 e
        .long   0xc038aa3b
