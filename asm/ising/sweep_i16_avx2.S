// The 16-bit sweep with AVX2.
//
// A factor of a digit is looked up by two shuffles, of its lower and of its upper byte.

#include "hl.h"

#define FRAME       360
#define ARGUMENTS   (FRAME + 32)
#define start       rbp
#define left        r12d
#include "sweep_i16_x86_64.h"

#define tables      rsi
#define turned      rbx

// Offsets from `tables`: for each digit the lower and the upper bytes of its factors; for each c the
// first field, and the factor of the bonds.
#define DIGITS      0
#define FIRST       256
#define TAU         288

#define low_bytes   ymm12
#define low_halves  ymm13
#define zero        ymm14
#define ones        ymm15

        // Subtracts the link at [links + at] where its neighbour, at this offset, is -1.
        .macro couple at, offset
        vpbroadcastd ymm2, dword ptr [links + \at + 4]
        vpand   ymm3, ymm2, [spins + \offset]
        vpand   ymm2, ymm2, [spins + \offset + 32]
        vpsubw  ymm0, ymm0, ymm3
        vpsubw  ymm1, ymm1, ymm2
        .endm

        // Half h: d replaces m, `before` becomes the mask of the fields below the first, and `tau` the
        // factor of the bonds.
        .macro bonds heat, h, before, tau
        vmovdqu ymm2, [own + 32 * \h]
        vpxor   ymm3, ymm2, [own + below + 32 * \h]
        vpxor   ymm4, ymm2, [own + above + 32 * \h]
        vpxor   ymm\h, ymm\h, ymm2
        vpaddw  ymm3, ymm3, ymm4
        vpsubw  ymm\h, ymm\h, ymm2
        .if     \heat
        vmovdqa ymm5, ymm3
        .endif

        // The first field of c in ymm4; from -c in ymm3, the indices of two bytes, 2 c and 2 c + 1.
        vpmullw ymm3, ymm3, [rip + .Lpairs]
        vpor    ymm3, ymm3, [rip + .Lsecond]
        vmovdqa ymm4, [tables + FIRST]
        vpshufb ymm4, ymm4, ymm3
        .if     \heat
        // Where the field is below the first, take -m and 2 - c.
        vpcmpgtw \before, ymm4, ymm\h
        vpxor   ymm\h, ymm\h, \before
        vpxor   ymm3, ymm5, \before
        vpsubw  ymm\h, ymm\h, \before
        vpaddw  ymm3, ymm3, \before
        vpmullw ymm3, ymm3, [rip + .Lpairs]
        vpor    ymm3, ymm3, [rip + .Lsecond]
        vmovdqa ymm4, [tables + FIRST]
        vpshufb ymm4, ymm4, ymm3
        .endif
        vmovdqa \tau, [tables + TAU]
        vpshufb \tau, \tau, ymm3
        .if     \heat == 0
        vpcmpgtw \before, ymm4, ymm\h
        .endif
        vpsubw  ymm\h, ymm\h, ymm4
        .endm

        // The factors at the indices in `index`, as words.
        .macro look_up to0, to1, digit, index
        vmovdqa \to0, [tables + DIGITS + 64 * \digit]
        vmovdqa \to1, [tables + DIGITS + 64 * \digit + 32]
        vpshufb \to0, \to0, \index
        vpshufb \index, \to1, \index
        vpunpckhbw \to1, \to0, \index
        vpunpcklbw \to0, \to0, \index
        .endm

        // From the product in half h: the mask of the lanes that stay there, and the excess of the random
        // number over the slack in `near`.
        .macro verdict heat, h, before, near
        .if     \heat
        // Where -m was taken, the complement of the random number is compared.
        vpxor   ymm4, \before, [own + random + 32 * \h]
        vpxor   ymm5, ymm4, ones
        vpmulhuw ymm\h, ymm\h, ymm5
        vpsubusw \near, ymm4, [rip + .Lslack_heat]
        .else
        vmovdqu ymm4, [own + random + 32 * \h]
        vpor    ymm\h, ymm\h, \before
        vpsubusw \near, ymm4, [rip + .Lslack_metropolis]
        .endif
        vpsubusw \near, \near, ymm\h
        vpsubusw ymm\h, ymm\h, ymm4
        vpcmpeqw ymm\h, ymm\h, zero
        .endm

        .macro sweep rule, heat
        .irp    register, rbx, rbp, r12, r13
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME

        begin   \rule
        xor     turned, turned

        // The tables: the two planes of each digit.
        lea     tables, [rsp + 31]
        and     tables, -32
        mov     rax, [rsp + FACTORS]
        vpxor   xmm14, xmm14, xmm14
        vpcmpeqd ones, ones, ones
        vpsrlw  low_bytes, ones, 8
        vpsrlw  low_halves, ones, 12
        vpackuswb low_halves, low_halves, low_halves
        .irp    digit, 0, 1, 2, 3
        vmovdqu xmm2, [rax + 32 * \digit]
        vmovdqu xmm3, [rax + 32 * \digit + 16]
        vpand   xmm4, xmm2, xmm12
        vpand   xmm5, xmm3, xmm12
        vpackuswb xmm4, xmm4, xmm5
        vpsrlw  xmm2, xmm2, 8
        vpsrlw  xmm3, xmm3, 8
        vpackuswb xmm2, xmm2, xmm3
        vinserti128 ymm4, ymm4, xmm4, 1
        vinserti128 ymm2, ymm2, xmm2, 1
        vmovdqa [tables + DIGITS + 64 * \digit], ymm4
        vmovdqa [tables + DIGITS + 64 * \digit + 32], ymm2
        .endr
        vbroadcasti128 ymm2, [rax + 128]
        vpshufd ymm3, ymm2, 0x4e
        vmovdqa [tables + FIRST], ymm2
        vmovdqa [tables + TAU], ymm3

        // The sums over the neighbours.
        .balign 32
.Lsite_\rule:
        mov     left, [links]
        vpbroadcastd ymm0, dword ptr [links + 4]
        add     links, 8
        vmovdqa ymm1, ymm0
        add_links \rule
        bonds   \heat, 0, ymm8, ymm10
        bonds   \heat, 1, ymm9, ymm11

        // The digits of d: its lower bytes, then its upper ones.
        vpand   ymm2, ymm0, low_bytes
        vpand   ymm3, ymm1, low_bytes
        vpsrlw  ymm0, ymm0, 8
        vpsrlw  ymm1, ymm1, 8
        vpackuswb ymm2, ymm2, ymm3
        vpackuswb ymm0, ymm0, ymm1
        vpsrlw  ymm3, ymm2, 4
        vpsrlw  ymm1, ymm0, 4
        .irp    digit, 0, 1, 2, 3
        vpand   ymm\digit, ymm\digit, low_halves
        .endr

        // The products of the factors.
        look_up ymm4, ymm5, 0, ymm2
        look_up ymm6, ymm7, 1, ymm3
        vpmulhuw ymm4, ymm4, ymm6
        vpmulhuw ymm5, ymm5, ymm7
        look_up ymm2, ymm3, 2, ymm0
        look_up ymm6, ymm7, 3, ymm1
        vpmulhuw ymm2, ymm2, ymm6
        vpmulhuw ymm3, ymm3, ymm7
        vpmulhuw ymm0, ymm2, ymm4
        vpmulhuw ymm1, ymm3, ymm5
        vpmulhuw ymm0, ymm0, ymm10
        vpmulhuw ymm1, ymm1, ymm11

        verdict \heat, 0, ymm8, ymm2
        verdict \heat, 1, ymm9, ymm3

        // Both masks in bytes, the lanes that stay in ymm2 and those in doubt in ymm3.
        .if     \heat
        // Where -m was taken, the lanes that stay are those near the product.
        vpcmpeqw ymm4, ymm2, zero
        vpcmpeqw ymm5, ymm3, zero
        vpand   ymm6, ymm4, ymm0
        vpand   ymm7, ymm5, ymm1
        vpblendvb ymm0, ymm0, ymm4, ymm8
        vpblendvb ymm1, ymm1, ymm5, ymm9
        vpacksswb ymm3, ymm6, ymm7
        vpacksswb ymm2, ymm0, ymm1
        .else
        vpacksswb ymm3, ymm2, ymm3
        vpacksswb ymm2, ymm0, ymm1
        vpcmpeqb ymm3, ymm3, zero
        vpand   ymm3, ymm3, ymm2
        .endif
        vpcmpeqw ymm0, ymm0, [own]
        vpcmpeqw ymm1, ymm1, [own + 32]
        vmovdqu [own], ymm0
        vmovdqu [own + 32], ymm1
        vpermq  ymm2, ymm2, 0xd8
        vpmovmskb r13d, ymm3
        vpmovmskb eax, ymm2
        andn    eax, eax, [rsp + LIVE]
        popcnt  eax, eax
        add     turned, rax
        add     own, 64
        test    r13d, r13d
        jnz     .Lopen_\rule
.Lsettled_\rule:
        cmp     own, end
        jne     .Lsite_\rule

.Ldone_\rule:
        mov     rax, [rsp + FLIPS]
        add     [rax], turned
        mov     rax, own
        sub     rax, start
        shr     rax, 6
.Lnone_\rule:
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -FRAME
        .cfi_remember_state
        .irp    register, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        vzeroupper
        ret
        .cfi_restore_state

        // Lanes are in doubt: the call ends if one of them is live.
.Lopen_\rule:
        vpermq  ymm3, ymm3, 0xd8
        vpmovmskb eax, ymm3
        and     eax, [rsp + LIVE]
        jz      .Lsettled_\rule
        mov     r13, [rsp + DOUBT]
        mov     [r13], eax
        jmp     .Ldone_\rule
        .endm

// Visits up to `count` sites of one group of 32 layers in order, with acceptance by 16-bit factors,
// and returns how many: it stops after a site where a lane is in doubt.
//
//   size_t hl_ising_sweep_i16_avx2(int16_t *spins, size_t first, size_t count, const int16_t *below,
//       const int16_t *above, const hl_ising_wide_link *links, const uint16_t *factors,
//       const uint32_t *random, uint32_t live, uint64_t *flips, uint32_t *doubt);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         [rsp+8..40] = factors, random, live, flips, doubt     Out  rax = sites visited; spins,
//         *flips, *doubt
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8..r13, ymm0..ymm15     Stack  392 bytes
// Loop    1 site of 32 spins: 72 vector operations and 4 a link, 3 a cycle
// Tail    none, a row is 32 spins; reads and writes the rows of the group and the arguments to the
//         byte
FUNC(hl_ising_sweep_i16_avx2)
        sweep   metropolis, 0
END(hl_ising_sweep_i16_avx2)

// sweep_i16 with acceptance by the heat bath; heat_factors computes the factors.
//
//   size_t hl_ising_sweep_heat_i16_avx2(int16_t *spins, size_t first, size_t count,
//       const int16_t *below, const int16_t *above, const hl_ising_wide_link *links,
//       const uint16_t *factors, const uint32_t *random, uint32_t live, uint64_t *flips,
//       uint32_t *doubt);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         [rsp+8..40] = factors, random, live, flips, doubt     Out  rax = sites visited; spins,
//         *flips, *doubt
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8..r13, ymm0..ymm15     Stack  392 bytes
// Loop    1 site of 32 spins: 100 vector operations and 4 a link, 3 a cycle
// Tail    none, a row is 32 spins; reads and writes the rows of the group and the arguments to the
//         byte
FUNC(hl_ising_sweep_heat_i16_avx2)
        sweep   heat, 1
END(hl_ising_sweep_heat_i16_avx2)

        RODATA
        .balign 32
.Lpairs:                                // from -c to twice c in both bytes
        .fill   16, 2, -0x0202
.Lsecond:                               // the upper byte comes second
        .fill   16, 2, 0x0100
.Lslack_metropolis:                     // how far above the product a lane is in doubt
        .fill   16, 2, 8
.Lslack_heat:
        .fill   16, 2, 10
