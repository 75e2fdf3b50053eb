// The block sweep with SSE2: a block in four vectors. Thresholds pass through memory, because SSE2
// has no look-up.

#include "hl.h"

#define SPIN        1
#include "blocks_x86_64.h"

#define thresholds  r9
#define tied        r10
#define random      r11

// Quarter q of a block.
#define sum         xmm\q
#define negative    xmm1\q

// Offsets from rsp: 64 gathered bytes or indices, upper and lower bytes of their thresholds, the
// count; the caller's arguments.
#define FRAME       200
#define UPPER       64
#define LOWER       128
#define COUNT       192
#define RANDOM      (FRAME + 56)
#define FLIPS       (FRAME + 64)

        // Subtracts the values where the spins are set.
        .macro line offset, base:vararg
        .irp    q, 0, 1, 2, 3
        movdqu  xmm4, [\base + 16 * \q]
        movdqu  xmm5, [couplings + \offset + 16 * \q]
        pand    xmm4, xmm5
        psubb   sum, xmm4
        .endr
        .endm

        .macro sweep rule, heat
        xor     eax, eax
        test    rdx, rdx
        jz      .Lnone_\rule
        enter   FRAME
        mov     [rsp + COUNT], rdx
        mov     random, [rsp + RANDOM]
        shl     own, 6
        add     own, spins
        xor     flips, flips

        .balign 32
.Lblock_\rule:
        header
        .irp    q, 0, 1, 2, 3
        movdqu  sum, [couplings + 16 * \q]
        .endr
        add     couplings, LINE
        diagonals \rule
        test    slots, slots
        jnz     .Lslot_\rule

        // m, the local field times the spin, selects the threshold.
.Ldecide_\rule:
        .irp    q, 0, 1, 2, 3
        movdqu  xmm4, [own + 16 * \q]
        pxor    sum, xmm4
        psubb   sum, xmm4
        .if     \heat
        pxor    negative, negative
        pcmpgtb negative, sum
        pxor    sum, negative
        psubb   sum, negative
        .else
        pxor    xmm4, xmm4
        pcmpgtb xmm4, sum
        pandn   xmm4, sum
        movdqa  sum, xmm4
        .endif
        movdqu  [rsp + 16 * \q], sum
        .endr
        xor     ebp, ebp
.Llane_\rule:
        .irp    n, 0, 1, 2, 3
        movzx   eax, byte ptr [rsp + rbp + \n]
        movzx   r10d, byte ptr [thresholds + rax]
        movzx   eax, byte ptr [thresholds + rax + 128]
        mov     [rsp + rbp + UPPER + \n], r10b
        mov     [rsp + rbp + LOWER + \n], al
        .endr
        add     ebp, 4
        cmp     ebp, 64
        jne     .Llane_\rule

        xor     tied, tied
        .irp    q, 3, 2, 1, 0
        // The lanes that flip, in place of m; bits of the tied ones are shifted into `tied`.
        movdqu  xmm4, [random + 16 * \q]
        movdqu  xmm5, [random + 16 * \q + 64]
        .if     \heat
        pxor    xmm4, negative
        pxor    xmm5, negative
        .endif
        movdqu  xmm6, [rsp + UPPER + 16 * \q]
        movdqu  xmm7, [rsp + LOWER + 16 * \q]
        movdqa  xmm8, xmm6
        movdqa  xmm9, xmm7
        pcmpeqb xmm8, xmm4
        pcmpgtb xmm6, xmm4
        pcmpgtb xmm7, xmm5
        pcmpeqb xmm9, xmm5
        pand    xmm7, xmm8
        pand    xmm9, xmm8
        por     xmm6, xmm7
        .if     \heat
        pxor    xmm6, negative
        .endif
        movdqa  sum, xmm6
        pmovmskb eax, xmm9
        shl     tied, 16
        or      tied, rax
        .endr
        test    tied, live
        jnz     .Ldone_\rule
        xor     ebp, ebp
        .irp    q, 3, 2, 1, 0
        pmovmskb eax, sum
        shl     rbp, 16
        or      rbp, rax
        movdqu  xmm4, [own + 16 * \q]
        pxor    xmm4, sum
        movdqu  [own + 16 * \q], xmm4
        .endr

        and     rbp, live
        count_bits
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
.Lnone_\rule:
        ret
        .cfi_restore_state

        gather  \rule
        .endm

// Visits up to `count` blocks of one system in order, with exact acceptance, and returns how many:
// it stops before a block where 16 random bits do not suffice.
//
//   size_t hl_ising_sweep_blocks_i8_sse2(uint8_t *spins, size_t first, size_t count,
//       const uint32_t *links, const uint8_t *couplings, const int8_t *thresholds, size_t levels,
//       const uint32_t *random, uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = links, r8 = couplings, r9 = thresholds,
//         [rsp+8..24] = levels, random, flips     Out  rax = blocks visited; spins, *flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8, r10..r14, xmm0..xmm9     Stack  240 bytes
// Loop    1 block of 64 spins: 5 operations a lane, which look up its thresholds, bound it: 3 loads
//         and 2 stores, about 128 cycles; 16 operations a diagonal
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_blocks_i8_sse2)
        sweep   metropolis, 0
END(hl_ising_sweep_blocks_i8_sse2)

// sweep_blocks_i8 with acceptance by the heat bath.
//
//   size_t hl_ising_sweep_heat_blocks_i8_sse2(uint8_t *spins, size_t first, size_t count,
//       const uint32_t *links, const uint8_t *couplings, const int8_t *thresholds, size_t levels,
//       const uint32_t *random, uint64_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = links, r8 = couplings, r9 = thresholds,
//         [rsp+8..24] = levels, random, flips     Out  rax = blocks visited; spins, *flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8, r10..r14, xmm0..xmm13     Stack  240 bytes
// Loop    1 block of 64 spins: 5 operations a lane, which look up its thresholds, bound it: 3 loads
//         and 2 stores, about 128 cycles; 16 operations a diagonal
// Tail    none, a block is 64 spins; reads the streams of the blocks and the spins that they refer
//         to, writes the blocks
FUNC(hl_ising_sweep_heat_blocks_i8_sse2)
        sweep   heat, 1
END(hl_ising_sweep_heat_blocks_i8_sse2)
