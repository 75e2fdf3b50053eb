// The 16-bit sweep with SSE2.
//
// The factors of two digits are multiplied in advance, and the products looked up one by one.

#include "hl.h"

#define FRAME       1192
#define ARGUMENTS   (FRAME + 16)
#define start       rbx
#define left        ebp
#include "sweep_i16_x86_64.h"

#define factors     rsi

// Offsets from rsp: the products of the factors for the lower and for the upper byte of d; of the
// first fields and of the factors of the bonds the value for c = 0 and the increments to c = 1 and
// 2; 1 in each live lane; two sums of flips; the d of a column.
#define LOWER       0
#define UPPER       512
#define FIRST       1024
#define TAU         1072
#define ALIVE       1120
#define COUNT       1152
#define D           1168

#define sum         xmm\h
#define any         xmm5
#define both        xmm7
#define before      xmm9
#define tau         xmm6
#define product     xmm10
#define number      xmm12
#define near        xmm13

        // The value for c: at [rsp + at] for 0, with increments where `any` and `both` are set.
        .macro step to, at
        movdqa  \to, [rsp + \at + 16]
        movdqa  xmm8, [rsp + \at + 32]
        pand    \to, any
        pand    xmm8, both
        paddw   \to, [rsp + \at]
        paddw   \to, xmm8
        .endm

        // Decides column h; the mask of the lanes that stay replaces the sum.
        .macro decide rule, heat, h
        // d replaces m, `before` becomes the mask of the fields below the first, `tau` the factor of the
        // bonds; `any` is the mask of c >= 1, `both` of c = 2, xmm12 of c = 1.
        movdqu  xmm4, [own + 16 * \h]
        movdqu  any, [own + below + 16 * \h]
        movdqu  xmm6, [own + above + 16 * \h]
        pxor    sum, xmm4
        psubw   sum, xmm4
        pxor    any, xmm4
        pxor    xmm6, xmm4
        movdqa  both, any
        movdqa  xmm12, any
        pand    both, xmm6
        pxor    xmm12, xmm6
        por     any, xmm6
        step    xmm6, FIRST
        movdqa  before, xmm6
        pcmpgtw before, sum
        .if     \heat
        // Where the field is below the first, take -m and 2 - c.
        pxor    sum, before
        psubw   sum, before
        pandn   xmm12, before
        pxor    any, xmm12
        pxor    both, xmm12
        step    xmm6, FIRST
        .endif
        psubw   sum, xmm6
        step    tau, TAU
        movdqa  [rsp + D], sum
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        movzx   eax, byte ptr [rsp + D + 2 * \n]
        movzx   r12d, byte ptr [rsp + D + 2 * \n + 1]
        pinsrw  product, [rsp + LOWER + 2 * rax], \n
        pinsrw  xmm11, [rsp + UPPER + 2 * r12], \n
        .endr
        pmulhuw product, xmm11
        pmulhuw product, tau

        // The lanes that stay, in `product`, and those in doubt, in `near`.
        movdqu  number, [own + random + 16 * \h]
        .if     \heat
        // Where -m was taken, the complement of the random number is compared, and the lanes that
        // stay are those near the product.
        pxor    number, before
        pcmpeqd xmm8, xmm8
        pxor    xmm8, number
        pmulhuw product, xmm8
        .else
        por     product, before
        .endif
        movdqa  near, number
        psubusw near, [rip + .Lslack_\rule]
        pxor    xmm8, xmm8
        psubusw near, product
        psubusw product, number
        pcmpeqw near, xmm8
        pcmpeqw product, xmm8
        .if     \heat
        movdqa  xmm8, near
        pxor    xmm8, product
        pand    near, product
        pand    xmm8, before
        pxor    product, xmm8
        .else
        pand    near, product
        .endif
        movdqu  xmm4, [own + 16 * \h]
        pcmpeqw xmm4, product
        movdqu  [own + 16 * \h], xmm4
        movdqa  sum, product
        .endm

        // Writes the value for c = 0 and the increments.
        .macro steps at, first
        .irp    c, 0, 1, 2
        movzx   eax, word ptr [factors + 2 * \first + 2 * \c]
        movd    xmm\c, eax
        pshuflw xmm\c, xmm\c, 0
        pshufd  xmm\c, xmm\c, 0
        .endr
        psubw   xmm2, xmm1
        psubw   xmm1, xmm0
        .irp    c, 0, 1, 2
        movdqa  [rsp + \at + 16 * \c], xmm\c
        .endr
        .endm

        .macro sweep rule, heat
        .irp    register, rbx, rbp, r12
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        sub     rsp, FRAME - 8
        .cfi_adjust_cfa_offset FRAME - 8

        begin   \rule

        // The tables. First the 16 factors of a digit times each of those of the next one, for the lower and the
        // upper byte.
        mov     factors, [rsp + FACTORS]
        .irp    digit, 0, 2
        movdqu  xmm4, [factors + 32 * \digit]
        movdqu  xmm5, [factors + 32 * \digit + 16]
        .set    upper, 0
        .rept   16
        movzx   eax, word ptr [factors + 32 * \digit + 32 + 2 * upper]
        movd    xmm6, eax
        pshuflw xmm6, xmm6, 0
        pshufd  xmm6, xmm6, 0
        movdqa  xmm7, xmm6
        pmulhuw xmm6, xmm4
        pmulhuw xmm7, xmm5
        movdqa  [rsp + LOWER + 256 * \digit + 32 * upper], xmm6
        movdqa  [rsp + LOWER + 256 * \digit + 32 * upper + 16], xmm7
        .set    upper, upper + 1
        .endr
        .endr
        steps   FIRST, 64
        steps   TAU, 68
        movd    xmm0, dword ptr [rsp + LIVE]
        punpcklbw xmm0, xmm0
        punpcklwd xmm0, xmm0
        pshufd  xmm1, xmm0, 0xfa
        pshufd  xmm0, xmm0, 0x50
        pand    xmm0, [rip + .Lbits]
        pand    xmm1, [rip + .Lbits]
        pminub  xmm0, [rip + .Lones]
        pminub  xmm1, [rip + .Lones]
        movdqa  [rsp + ALIVE], xmm0
        movdqa  [rsp + ALIVE + 16], xmm1
        pxor    xmm0, xmm0
        movdqa  [rsp + COUNT], xmm0

        // The sums over the neighbours.
.Lsite_\rule:
        mov     left, [links]
        movd    xmm0, dword ptr [links + 4]
        pshufd  xmm0, xmm0, 0
        add     links, 8
        movdqa  xmm1, xmm0
        movdqa  xmm2, xmm0
        movdqa  xmm3, xmm0
        test    left, left
        jz      .Lsummed_\rule
.Llink_\rule:
        mov     eax, [links]
        movd    xmm4, dword ptr [links + 4]
        pshufd  xmm4, xmm4, 0
        .irp    h, 0, 1, 2, 3
        movdqu  xmm5, [spins + offset + 16 * \h]
        pand    xmm5, xmm4
        psubw   sum, xmm5
        .endr
        add     links, 8
        dec     left
        jnz     .Llink_\rule
.Lsummed_\rule:

        decide  \rule, \heat, 0
        movdqa  xmm14, near
        decide  \rule, \heat, 1
        packsswb xmm14, near
        decide  \rule, \heat, 2
        movdqa  xmm15, near
        decide  \rule, \heat, 3
        packsswb xmm15, near

        // Count the flips of live lanes.
        packsswb xmm0, xmm1
        packsswb xmm2, xmm3
        pandn   xmm0, [rsp + ALIVE]
        pandn   xmm2, [rsp + ALIVE + 16]
        pxor    xmm1, xmm1
        paddb   xmm0, xmm2
        psadbw  xmm0, xmm1
        paddq   xmm0, [rsp + COUNT]
        movdqa  [rsp + COUNT], xmm0
        add     own, 64
        pmovmskb eax, xmm14
        pmovmskb ebp, xmm15
        shl     ebp, 16
        or      eax, ebp
        and     eax, [rsp + LIVE]
        jnz     .Lopen_\rule
        cmp     own, end
        jne     .Lsite_\rule

.Ldone_\rule:
        mov     rax, [rsp + FLIPS]
        mov     rcx, [rsp + COUNT]
        add     rcx, [rsp + COUNT + 8]
        add     [rax], rcx
        mov     rax, own
        sub     rax, start
        shr     rax, 6
.Lnone_\rule:
        add     rsp, FRAME - 8
        .cfi_adjust_cfa_offset -FRAME + 8
        .cfi_remember_state
        .irp    register, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        ret
        .cfi_restore_state

        // Live lanes are in doubt: the call ends.
.Lopen_\rule:
        mov     rcx, [rsp + DOUBT]
        mov     [rcx], eax
        jmp     .Ldone_\rule
        .endm

// Visits up to `count` sites of one group of 32 layers in order, with acceptance by 16-bit factors,
// and returns how many: it stops after a site where a lane is in doubt.
//
//   size_t hl_ising_sweep_i16_sse2(int16_t *spins, size_t first, size_t count, const int16_t *below,
//       const int16_t *above, const hl_ising_wide_link *links, const uint16_t *factors,
//       const uint32_t *random, uint32_t live, uint64_t *flips, uint32_t *doubt);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         [rsp+8..40] = factors, random, live, flips, doubt     Out  rax = sites visited; spins,
//         *flips, *doubt
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8..r12, xmm0..xmm15     Stack  1208 bytes
// Loop    1 site of 32 spins: 64 products are looked up by two loads and an insertion each, one a
//         cycle
// Tail    none, a row is 32 spins; reads and writes the rows of the group and the arguments to the
//         byte
FUNC(hl_ising_sweep_i16_sse2)
        sweep   metropolis, 0
END(hl_ising_sweep_i16_sse2)

// sweep_i16 with acceptance by the heat bath; heat_factors computes the factors.
//
//   size_t hl_ising_sweep_heat_i16_sse2(int16_t *spins, size_t first, size_t count,
//       const int16_t *below, const int16_t *above, const hl_ising_wide_link *links,
//       const uint16_t *factors, const uint32_t *random, uint32_t live, uint64_t *flips,
//       uint32_t *doubt);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         [rsp+8..40] = factors, random, live, flips, doubt     Out  rax = sites visited; spins,
//         *flips, *doubt
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8..r12, xmm0..xmm15     Stack  1208 bytes
// Loop    1 site of 32 spins: 64 products are looked up by two loads and an insertion each, one a
//         cycle
// Tail    none, a row is 32 spins; reads and writes the rows of the group and the arguments to the
//         byte
FUNC(hl_ising_sweep_heat_i16_sse2)
        sweep   heat, 1
END(hl_ising_sweep_heat_i16_sse2)

        RODATA
        .balign 16
.Lbits:                                 // the bit of each lane in its byte
        .byte   1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128
.Lones:
        .fill   16, 1, 1
.Lslack_metropolis:                     // how far above the product a lane is in doubt
        .fill   8, 2, 8
.Lslack_heat:
        .fill   8, 2, 10
