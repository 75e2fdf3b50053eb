// The 16-bit sweep with AVX-512.
//
// A permutation looks up a factor, by the lower 5 bits of its index.

#include "hl.h"

#define ARGUMENTS   32
#define start       rbp
#define left        r12d
#include "sweep_i16_x86_64.h"

#define factors     rsi
#define turned      rbx

#define d           zmm0
#define spin        zmm1
#define tau         zmm2
#define minus_c     zmm3
#define number      zmm4
#define first       zmm5
#define before      k1
#define flips       k2
#define near        k3
#define alive       k4
#define digits_0    zmm16
#define digits_1    zmm17
#define digits_2    zmm18
#define digits_3    zmm19
#define firsts      zmm20
#define taus        zmm21
#define slack       zmm22
#define ones        zmm23
#define minus_two   zmm24
#define zero        zmm25

        .macro couple at, offset
        vpbroadcastd zmm6, dword ptr [links + \at + 4]
        vpandd  zmm6, zmm6, [spins + \offset]
        vpsubw  d, d, zmm6
        .endm

        .macro sweep rule, heat
        .irp    register, rbx, rbp, r12, r13
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr

        begin   \rule
        xor     turned, turned

        // The tables: of a digit the factors are repeated, of c they are at -c modulo 32.
        mov     factors, [rsp + FACTORS]
        vbroadcasti64x4 digits_0, [factors]
        vbroadcasti64x4 digits_1, [factors + 32]
        vbroadcasti64x4 digits_2, [factors + 64]
        vbroadcasti64x4 digits_3, [factors + 96]
        vbroadcasti32x4 zmm6, [factors + 128]
        vmovdqa64 firsts, [rip + .Lfirsts]
        vpsubw  taus, firsts, [rip + .Lminus_four]
        vpermw  firsts, firsts, zmm6
        vpermw  taus, taus, zmm6
        vpbroadcastw slack, word ptr [rip + .Lslack_\rule]
        vpternlogd ones, ones, ones, 0xff
        vpaddw  minus_two, ones, ones
        vpxord  zero, zero, zero
        kmovd   alive, [rsp + LIVE]

        // The sum over the neighbours.
        .balign 32
.Lsite_\rule:
        mov     left, [links]
        vpbroadcastd d, dword ptr [links + 4]
        add     links, 8
        add_links \rule
        // d replaces m, `before` becomes the mask of the fields below the first, `tau` the factor of the
        // bonds.
        vmovdqu64 spin, [own]
        vpxord  minus_c, spin, [own + below]
        vpxord  zmm6, spin, [own + above]
        vpxord  d, d, spin
        vpaddw  minus_c, minus_c, zmm6
        vpsubw  d, d, spin
        vpermw  first, minus_c, firsts
        vpcmpgtw before, first, d
        .if     \heat
        // Where the field is below the first, take -m and 2 - c.
        vpsubw  d{before}, zero, d
        vpsubw  minus_c{before}, minus_two, minus_c
        vpermw  first, minus_c, firsts
        .endif
        vpermw  tau, minus_c, taus
        vpsubw  d, d, first

        // The product of the factors.
        vpsrlw  zmm6, d, 4
        vpsrlw  zmm7, d, 8
        vpsrlw  first, d, 12
        vpermw  d, d, digits_0
        vpermw  zmm6, zmm6, digits_1
        vpermw  zmm7, zmm7, digits_2
        vpermw  first, first, digits_3
        vpmulhuw d, d, zmm6
        vpmulhuw zmm7, zmm7, first
        vpmulhuw d, d, zmm7
        vpmulhuw d, d, tau

        // The lanes that flip, and those in doubt, in `near`.
        vmovdqu64 number, [own + random]
        .if     \heat
        // Where -m was taken, the complement of the random number is compared, and lanes that are
        // not near flip.
        vpsubw  number{before}, ones, number
        vpxord  zmm6, number, ones
        vpmulhuw d, d, zmm6
        .else
        vmovdqu16 d{before}, ones
        .endif
        vpsubusw zmm6, number, slack
        vpcmpuw flips, number, d, 1
        vpcmpuw near, zmm6, d, 2
        .if     \heat
        vpcmpuw k5{before}, zmm6, d, 6
        kandnd  near, flips, near
        kandnd  flips, before, flips
        kord    flips, flips, k5
        .else
        kandnd  near, flips, near
        .endif
        vpsubw  spin{flips}, ones, spin
        kmovd   eax, flips
        vmovdqu64 [own], spin
        and     eax, [rsp + LIVE]
        popcnt  eax, eax
        add     turned, rax
        add     own, 64
        ktestd  near, alive
        jnz     .Lopen_\rule
        cmp     own, end
        jne     .Lsite_\rule

.Ldone_\rule:
        mov     rax, [rsp + FLIPS]
        add     [rax], turned
        mov     rax, own
        sub     rax, start
        shr     rax, 6
.Lnone_\rule:
        .cfi_remember_state
        .irp    register, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        vzeroupper
        ret
        .cfi_restore_state

        // Live lanes are in doubt: the call ends.
.Lopen_\rule:
        kandd   near, near, alive
        mov     rax, [rsp + DOUBT]
        kmovd   [rax], near
        jmp     .Ldone_\rule
        .endm

// Visits up to `count` sites of one group of 32 layers in order, with acceptance by 16-bit factors,
// and returns how many: it stops after a site where a lane is in doubt.
//
//   size_t hl_ising_sweep_i16_avx512(int16_t *spins, size_t first, size_t count, const int16_t *below,
//       const int16_t *above, const hl_ising_wide_link *links, const uint16_t *factors,
//       const uint32_t *random, uint32_t live, uint64_t *flips, uint32_t *doubt);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         [rsp+8..40] = factors, random, live, flips, doubt     Out  rax = sites visited; spins,
//         *flips, *doubt
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8..r13, zmm0..zmm7, zmm16..zmm25, k1..k4     Stack  32 bytes
// Loop    1 site of 32 spins: 29 operations on whole vectors and masks and 2 a link, 2 a cycle
// Tail    none, a row is 32 spins; reads and writes the rows of the group and the arguments to the
//         byte
FUNC(hl_ising_sweep_i16_avx512)
        sweep   metropolis, 0
END(hl_ising_sweep_i16_avx512)

// sweep_i16 with acceptance by the heat bath; heat_factors computes the factors.
//
//   size_t hl_ising_sweep_heat_i16_avx512(int16_t *spins, size_t first, size_t count,
//       const int16_t *below, const int16_t *above, const hl_ising_wide_link *links,
//       const uint16_t *factors, const uint32_t *random, uint32_t live, uint64_t *flips,
//       uint32_t *doubt);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         [rsp+8..40] = factors, random, live, flips, doubt     Out  rax = sites visited; spins,
//         *flips, *doubt
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8..r13, zmm0..zmm7, zmm16..zmm25, k1..k5     Stack  32 bytes
// Loop    1 site of 32 spins: 37 operations on whole vectors and masks and 2 a link, 2 a cycle
// Tail    none, a row is 32 spins; reads and writes the rows of the group and the arguments to the
//         byte
FUNC(hl_ising_sweep_heat_i16_avx512)
        sweep   heat, 1
END(hl_ising_sweep_heat_i16_avx512)

        RODATA
        .balign 64
.Lfirsts:                               // at -c modulo 32, the index c
        .fill   30, 2, 0
        .short  2, 1
.Lminus_four:
        .fill   32, 2, -4
.Lslack_metropolis:                     // how far above the product a lane is in doubt
        .short  8
.Lslack_heat:
        .short  10
