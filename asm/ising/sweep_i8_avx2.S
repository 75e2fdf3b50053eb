// The exact sweep with AVX2.
//
// The sweep does not look up thresholds: it multiplies factors, each from a table of 16 values.
// Lanes where this is not precise enough, in 1 of 100 sites, are decided one by one. Tables are
// split into planes: the lower and the upper bytes of their values.

#include "hl.h"

#define spins       rdi
#define bytes       rsi
#define line        rdx
#define i           rcx
#define below       r9
#define above       r8
#define links       r10
#define random      r11
#define table       rbx
#define left        ebp
#define turned      r12
#define changed     rax
#define open        r13
#define lane        r14
#define tied        r15

// Offsets from rsp: the caller's arguments; for the parity of the site, the bytes of the first k of
// each c and a mask that is set where it is even; the bytes k of the lanes; room for a mask.
#define FRAME       184
#define ABOVE       (FRAME + 56)
#define LINKS       (FRAME + 64)
#define THRESHOLDS  (FRAME + 72)
#define RANDOM      (FRAME + 80)
#define LIVE        (FRAME + 88)
#define FLIPS       (FRAME + 96)
#define FIRST       0
#define EVEN        32
#define K           64
#define COUNT       128
#define PARITY      136
#define TURNED      144

// Half h of a site's lanes.
#define sum         ymm\h
#define c           ymm1\h

#define low_low     ymm2
#define low_high    ymm3
#define high_low    ymm12
#define high_high   ymm13
#define tau_low     ymm14
#define tau_high    ymm15
#define fifteen     ymm9

        // Loads the planes of 16 values of a table, from value `first` on.
        .macro planes low, high, first
        vmovdqu xmm4, [table + 2 * \first]
        vmovdqu xmm5, [table + 2 * \first + 16]
        vpand   xmm6, xmm4, xmm7
        vpand   xmm8, xmm5, xmm7
        vpackuswb \low, xmm6, xmm8
        vpsrlw  xmm4, xmm4, 8
        vpsrlw  xmm5, xmm5, 8
        vpackuswb \high, xmm4, xmm5
        .endm

        // Looks up the values at `index` in a table, as words; overwrites `index`.
        .macro look_up to0, to1, low, high, index
        vpshufb \to1, \low, \index
        vpshufb \index, \high, \index
        vpunpcklbw \to0, \to1, \index
        vpunpckhbw \to1, \to1, \index
        .endm

        // Subtracts the coupling at [links + at] where the spin of its row, offset/64, is set.
        .macro couple at, offset
        vpbroadcastb ymm4, byte ptr [links + \at]
        vpand   ymm5, ymm4, [bytes + \offset]
        vpand   ymm4, ymm4, [bytes + \offset + 32]
        vpsubb  ymm0, ymm0, ymm5
        vpsubb  ymm1, ymm1, ymm4
        .endm

        .macro sweep rule, heat
        .irp    register, rbx, rbp, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME

        // With the first site, compute the bytes from the spins.
        test    i, i
        jnz     .Lmirrored_\rule
        test    rdx, rdx
        jz      .Lmirrored_\rule
        mov     rax, bytes
        xor     r10d, r10d
        vmovdqa ymm3, [rip + .Lspread]
        vmovdqa ymm4, [rip + .Lspread + 32]
        vmovdqa ymm5, [rip + .Lbits]
.Lmirror_\rule:
        vpbroadcastq ymm2, [spins + 8 * r10]

        // Masks of the lanes whose bit is set.
        vpshufb ymm0, ymm2, ymm3
        vpshufb ymm1, ymm2, ymm4
        vpand   ymm0, ymm0, ymm5
        vpand   ymm1, ymm1, ymm5
        vpcmpeqb ymm0, ymm0, ymm5
        vpcmpeqb ymm1, ymm1, ymm5
        vmovdqu [rax], ymm0
        vmovdqu [rax + 32], ymm1
        add     rax, 64
        inc     r10
        cmp     r10, rdx
        jb      .Lmirror_\rule
.Lmirrored_\rule:
        mov     [rsp + COUNT], r8
        xor     eax, eax
        test    r8, r8
        jz      .Lnone_\rule

        // Load the tables that serve both parities; the first site loads those of its parity.
        mov     dword ptr [rsp + PARITY], -1
        mov     table, [rsp + THRESHOLDS]
        vpcmpeqd xmm7, xmm7, xmm7
        vpsrlw  xmm7, xmm7, 8
        planes  xmm2, xmm3, 384
        planes  xmm12, xmm13, 400
        .irp    plane, 2, 3, 12, 13
        vinserti128 ymm\plane, ymm\plane, xmm\plane, 1
        .endr
        vbroadcasti128 fifteen, [rip + .Lfifteen]

        lea     spins, [spins + 8 * i]
        mov     line, i
        shl     line, 6
        add     line, bytes
        mov     above, [rsp + ABOVE]
        mov     links, [rsp + LINKS]
        mov     random, [rsp + RANDOM]
        xor     turned, turned
        xor     ecx, ecx

        .balign 32
.Lsite_\rule:
        mov     eax, [links]
        vpbroadcastb ymm0, byte ptr [links]
        add     links, 4
        movzx   left, ah
        shr     eax, 16
        cmp     eax, [rsp + PARITY]
        jne     .Lturn_\rule
.Lturned_\rule:
        vmovdqa ymm1, ymm0
        sub     left, 2
        jb      .Lfew_\rule
.Ltwo_\rule:
        mov     rax, [links]
        mov     r13d, eax
        shr     rax, 40
        shr     r13d, 8
        shl     rax, 6
        shl     r13, 6
        couple  0, r13
        couple  4, rax
        add     links, 8
        sub     left, 2
        jae     .Ltwo_\rule
.Lfew_\rule:
        inc     left
        jnz     .Lsummed_\rule
        mov     eax, [links]
        shr     eax, 8
        shl     rax, 6
        couple  0, rax
        add     links, 4
.Lsummed_\rule:

        // c: the number of unsatisfied bonds to the adjacent layers.
        vpbroadcastq ymm7, [spins + 8 * i]
        vpbroadcastq ymm4, [below + 8 * i]
        vpbroadcastq ymm5, [above + 8 * i]
        vmovdqa ymm6, [rip + .Lbits]
        vpxor   ymm4, ymm4, ymm7
        vpxor   ymm5, ymm5, ymm7
        vmovdqa ymm7, [rip + .Lones]
        .irp    h, 0, 1
        vpshufb ymm8, ymm4, [rip + .Lspread + 32 * \h]
        vpshufb c, ymm5, [rip + .Lspread + 32 * \h]
        vpand   ymm8, ymm8, ymm6
        vpand   c, c, ymm6
        vpminub ymm8, ymm8, ymm7
        vpminub c, c, ymm7
        vpaddb  c, c, ymm8
        .endr

        // The surplus, in bytes, replaces c: a flip is accepted above `.Lsure` and rejected up to `.Lleast`.
        // The k of each lane replaces the sum.
        .irp    h, 0, 1
        vmovdqu ymm4, [line + 32 * \h]
        vpxor   sum, sum, ymm4
        vpand   ymm4, ymm4, [rsp + EVEN]
        vpsubb  sum, sum, ymm4
        .if     \heat
        // Compares half the random number r with half of (2^16 - r) exp(v). The weight exp(v), a product
        // of three factors, is too low by 0 to 5. Where v is positive, the opposite field and the
        // complement of the random number are compared, and the surplus is negated. So it is undecided
        // from -5 to 4. Where k is less than the first k of c, take -k - parity and 2 - c.
        vmovdqu ymm4, [rsp + FIRST]
        vpshufb ymm5, ymm4, c
        vpcmpgtb ymm8, ymm5, sum
        vpxor   ymm6, sum, ymm8
        vpand   ymm7, ymm8, [rsp + EVEN]
        vpsubb  ymm6, ymm6, ymm7
        vpxor   c, c, ymm8
        vpand   ymm7, ymm8, [rip + .Lthrees]
        vpaddb  c, c, ymm7
        vmovdqu [rsp + TURNED], ymm8

        // The weight.
        vpshufb ymm4, ymm4, c
        vpsubb  ymm4, ymm6, ymm4
        vpsrlw  ymm6, ymm4, 4
        vpand   ymm6, ymm6, fifteen
        look_up ymm5, ymm7, low_low, low_high, ymm4
        look_up ymm4, ymm8, high_low, high_high, ymm6
        vpmulhuw ymm5, ymm5, ymm4
        vpmulhuw ymm7, ymm7, ymm8
        look_up ymm4, ymm8, tau_low, tau_high, c
        vpmulhuw ymm5, ymm5, ymm4
        vpmulhuw ymm7, ymm7, ymm8

        // Half the random number, and its complement to 2^15 - 1.
        vmovdqu ymm8, [rsp + TURNED]
        vpxor   ymm4, ymm8, [random + 64 + 32 * \h]
        vpxor   ymm6, ymm8, [random + 32 * \h]
        vpunpcklbw c, ymm4, ymm6
        vpunpckhbw ymm4, ymm4, ymm6
        vpsrlw  c, c, 1
        vpsrlw  ymm4, ymm4, 1
        vpxor   ymm6, c, [rip + .Lwhole]
        vpmulhuw ymm5, ymm5, ymm6
        vpxor   ymm6, ymm4, [rip + .Lwhole]
        vpmulhuw ymm7, ymm7, ymm6
        vpsubw  ymm5, ymm5, c
        vpsubw  ymm7, ymm7, ymm4
        vpacksswb c, ymm5, ymm7
        vpaddsb c, c, [rip + .Ltwos]
        vpxor   c, c, ymm8
        .else
        // The product of three factors is a lower bound of half the threshold, too low by 0 to 4. Its
        // surplus over half the random number: above 0 the flip is accepted, below -4 it is rejected.
        // First the excess of k over the values that are certain to flip, and the two factors that it
        // selects.
        vmovdqu ymm4, [rsp + FIRST]
        vpxor   xmm5, xmm5, xmm5
        vpshufb ymm4, ymm4, c
        vpsubb  ymm4, sum, ymm4
        vpblendvb c, c, [rip + .Lfours], ymm4
        vpmaxsb ymm4, ymm4, ymm5
        vpsrlw  ymm8, ymm4, 4
        vpand   ymm8, ymm8, fifteen
        look_up ymm5, ymm6, low_low, low_high, ymm4
        look_up ymm4, ymm7, high_low, high_high, ymm8
        vpmulhuw ymm5, ymm5, ymm4
        vpmulhuw ymm6, ymm6, ymm7

        // The third factor, and half the random number.
        look_up ymm4, ymm7, tau_low, tau_high, c
        vpmulhuw ymm5, ymm5, ymm4
        vpmulhuw ymm6, ymm6, ymm7
        vmovdqu ymm4, [random + 64 + 32 * \h]
        vmovdqu ymm7, [random + 32 * \h]
        vpunpcklbw ymm8, ymm4, ymm7
        vpunpckhbw ymm4, ymm4, ymm7
        vpsrlw  ymm8, ymm8, 1
        vpsrlw  ymm4, ymm4, 1
        vpsubw  ymm5, ymm5, ymm8
        vpsubw  ymm6, ymm6, ymm4
        vpacksswb c, ymm5, ymm6
        .endif
        .endr
        vmovdqa ymm5, [rip + .Lleast_\rule]
        vmovdqa ymm6, [rip + .Lsure_\rule]
        vpcmpgtb ymm4, ymm10, ymm5
        vpcmpgtb ymm5, ymm11, ymm5
        vpcmpgtb ymm10, ymm10, ymm6
        vpcmpgtb ymm11, ymm11, ymm6
        vpmovmskb r13d, ymm4
        vpmovmskb r14d, ymm5
        vpmovmskb eax, ymm10
        vpmovmskb ebp, ymm11
        shl     r14, 32
        shl     rbp, 32
        or      open, r14
        or      changed, rbp
        xor     open, changed
        jnz     .Lopen_\rule

.Lsettled_\rule:
        vpxor   ymm10, ymm10, [line]
        vpxor   ymm11, ymm11, [line + 32]
        vmovdqu [line], ymm10
        vmovdqu [line + 32], ymm11
        xor     [spins + 8 * i], changed
        and     changed, [rsp + LIVE]
        popcnt  changed, changed
        add     turned, changed
        add     line, 64
        sub     random, -128
        inc     i
        cmp     i, [rsp + COUNT]
        jb      .Lsite_\rule

.Ldone_\rule:
        mov     rax, [rsp + FLIPS]
        add     [rax], turned
        mov     rax, i
.Lnone_\rule:
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -FRAME
        .cfi_remember_state
        .irp    register, r15, r14, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        vzeroupper
        ret
        .cfi_restore_state

        // Load the tables of the other parity.
.Lturn_\rule:
        mov     [rsp + PARITY], eax
        imul    ebx, eax, 864
        add     table, [rsp + THRESHOLDS]
        vpcmpeqd xmm7, xmm7, xmm7
        vpsrlw  xmm7, xmm7, 8
        planes  xmm14, xmm15, 416
        vpsrldq xmm4, xmm14, 8
        .irp    plane, 4, 14, 15
        vinserti128 ymm\plane, ymm\plane, xmm\plane, 1
        .endr
        vmovdqu [rsp + FIRST], ymm4
        dec     eax
        vmovd   xmm4, eax
        vpbroadcastb ymm4, xmm4
        vmovdqu [rsp + EVEN], ymm4
        jmp     .Lturned_\rule

        // Lanes that the bound leaves undecided: look up the threshold.
.Lopen_\rule:
        vmovdqu [rsp + K], ymm0
        vmovdqu [rsp + K + 32], ymm1
        imul    ebx, [rsp + PARITY], 864
        add     table, [rsp + THRESHOLDS]
        xor     tied, tied
.Llane_\rule:
        tzcnt   lane, open
        blsr    open, open
        mov     rbp, [spins + 8 * i]
        xor     rbp, [below + 8 * i]
        shrx    rbp, rbp, lane
        and     ebp, 1
        shl     ebp, 7
        push    rbp
        .cfi_adjust_cfa_offset 8
        mov     rbp, [spins + 8 * i]
        xor     rbp, [above + 8 * i]
        shrx    rbp, rbp, lane
        and     ebp, 1
        shl     ebp, 7
        add     [rsp], rbp
        movzx   ebp, byte ptr [rsp + 8 + K + lane]
        and     ebp, 127
        add     rbp, [rsp]
        movzx   ebp, word ptr [rbx + 2 * rbp]
        mov     [rsp], rbp
        movzx   ebp, byte ptr [random + lane]
        shl     ebp, 8
        mov     bpl, [random + 64 + lane]
        cmp     rbp, [rsp]
        pop     rbp
        .cfi_adjust_cfa_offset -8
        ja      .Lrejected_\rule
        je      .Ltied_\rule
        bts     changed, lane
        jmp     .Lrejected_\rule
.Ltied_\rule:
        bts     tied, lane
.Lrejected_\rule:
        test    open, open
        jnz     .Llane_\rule
        test    tied, [rsp + LIVE]
        jnz     .Ldone_\rule
        vmovq   xmm4, changed
        vpbroadcastq ymm4, xmm4
        vmovdqa ymm5, [rip + .Lbits]
        vpshufb ymm10, ymm4, [rip + .Lspread]
        vpshufb ymm11, ymm4, [rip + .Lspread + 32]
        vpand   ymm10, ymm10, ymm5
        vpand   ymm11, ymm11, ymm5
        vpcmpeqb ymm10, ymm10, ymm5
        vpcmpeqb ymm11, ymm11, ymm5
        jmp     .Lsettled_\rule
        .endm

// Visits up to `count` sites of one group of 64 layers in order, with exact acceptance, and returns
// how many: it stops before a site where 16 random bits do not suffice.
//
//   size_t hl_ising_sweep_i8_avx2(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
//       const uint64_t *below, const uint64_t *above, const uint32_t *links, const uint16_t *thresholds,
//       const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      rdi = spins, rsi = bytes, rdx = sites, rcx = first, r8 = count, r9 = below,
//         [rsp+8..48] = above, links, thresholds, random, live, flips
//         Out  rax = sites visited; spins, bytes, *flips
// Uses    rax, rcx, rdx, rbx, rdi, rbp, r8, r10..r15, ymm0..ymm15     Stack  240 bytes
// Loop    1 site of 64 spins: 90 vector operations and 5 a link; bound equally by these
//         (4 a cycle), their loads (2) and all instructions (6), each about 30 cycles at 5 links;
//         takes 42 on Zen 3
// Bound   30 cycles for 64 elements on Zen 3
// Tail    none, a row is 64 spins; reads and writes the rows of the group and the arguments to the
//         byte
FUNC(hl_ising_sweep_i8_avx2)
        sweep   metropolis, 0
END(hl_ising_sweep_i8_avx2)

// sweep_i8 with acceptance by the heat bath: the values of `thresholds` are those of
// heat_thresholds.
//
//   size_t hl_ising_sweep_heat_i8_avx2(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first,
//       size_t count, const uint64_t *below, const uint64_t *above, const uint32_t *links,
//       const uint16_t *thresholds, const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      rdi = spins, rsi = bytes, rdx = sites, rcx = first, r8 = count, r9 = below,
//         [rsp+8..48] = above, links, thresholds, random, live, flips
//         Out  rax = sites visited; spins, bytes, *flips
// Uses    rax, rcx, rdx, rbx, rdi, rbp, r8, r10..r15, ymm0..ymm15     Stack  240 bytes
// Loop    1 site of 64 spins: 116 vector operations and 5 a link; bound by these (4 a cycle),
//         35 cycles at 5 links
// Tail    none, a row is 64 spins; reads and writes the rows of the group and the arguments to the
//         byte
FUNC(hl_ising_sweep_heat_i8_avx2)
        sweep   heat, 1
END(hl_ising_sweep_heat_i8_avx2)

        RODATA
        .balign 32
.Lspread:                               // the byte of a word that holds the lane's bit
        .byte   0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1
        .byte   2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3
        .byte   4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5
        .byte   6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7
.Lbits:                                 // the lane's bit in that byte
        .rept   4
        .byte   1, 2, 4, 8, 16, 32, 64, 128
        .endr
.Lones:
        .fill   32, 1, 1
.Lfifteen:
        .fill   16, 1, 15
        .balign 32
.Lfours:                                // index of the factor of lanes that are certain to flip
        .fill   32, 1, 4
.Lsure_metropolis:
        .fill   32, 1, 0
.Lleast_metropolis:                     // a surplus below -4 is rejected
        .fill   32, 1, -5
.Lthrees:                               // ~c + 3 = 2 - c
        .fill   32, 1, 3
.Ltwos:                                 // makes the undecided range symmetric
        .fill   32, 1, 2
.Lwhole:                                // 2^15 - 1
        .fill   16, 2, 0x7fff
.Lsure_heat:
        .fill   32, 1, 4
.Lleast_heat:                           // a surplus below -5 is rejected
        .fill   32, 1, -6
