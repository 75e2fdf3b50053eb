// The exact sweep with AVX-512: looks up thresholds, in any table.
//
// If no field exceeds 41 quanta, the 42 thresholds of each c share a table of 128, so that one
// permutation of each byte replaces three.

#include "hl.h"

#define spins       rdi
#define own         rsi
#define random      rdx
#define flips       r8
#define below       r9
#define above       r10
#define links       r11
#define parity      bl
#define spin        rbp
#define live        r12
#define end         r13
#define begin       qword ptr [rsp]
#define thresholds  qword ptr [rsp + 64]

#define field       zmm0
#define coupling    zmm1
#define mirror      zmm2
#define first       zmm3
#define second      zmm4
#define lower       zmm5
#define random_upper zmm6
#define random_lower zmm7

// The place of the bound of the fields, 0 if there is none, and its largest value for a compact table.
#define BOUND       856
#define MAX_COMPACT 41

// The thresholds of c = 0, 1, 2 and k = 0..63 or -64..-1 (n), by their upper and lower bytes.
#define upper_0     zmm16
#define upper_0n    zmm17
#define upper_1     zmm18
#define upper_1n    zmm19
#define upper_2     zmm20
#define upper_2n    zmm21
#define lower_0     zmm22
#define lower_0n    zmm23
#define lower_1     zmm24
#define lower_1n    zmm25
#define lower_2     zmm26
#define lower_2n    zmm27

// The compact table, by upper and lower bytes: the place of c and k is 43 c + k modulo 128.
#define upper_a     zmm16
#define upper_b     zmm17
#define lower_a     zmm18
#define lower_b     zmm19
#define stride      zmm20

#define down        k1
#define down_too    k2
#define c_0         k2
#define c_1         k3
#define c_2         k4
#define unlike      k3
#define unlike_too  k4
#define less        k4
#define equal       k5
#define accepted    k6
#define alive       k7

        // The coupling is in the second half of the 8 bytes that end with the link: nothing is read
        // past the last link.
        .macro couple at
        mov     eax, [links + \at]
        shr     eax, 8
        kmovq   down, [spins + 8 * rax]
        vpmultishiftqb coupling, second, qword ptr [links + \at - 4]{1to8}
        vpsubb  field{down}, field, coupling
        .endm

        .macro couple_two at
        mov     rax, [links + \at]
        mov     ecx, eax
        shr     rax, 40
        shr     ecx, 8
        kmovq   down, [spins + 8 * rcx]
        kmovq   down_too, [spins + 8 * rax]
        vpmultishiftqb coupling, first, qword ptr [links + \at]{1to8}
        vpsubb  field{down}, field, coupling
        vpmultishiftqb coupling, second, qword ptr [links + \at]{1to8}
        vpsubb  field{down_too}, field, coupling
        .endm

        // Loads 64 thresholds.
        .macro load upper_bytes, lower_bytes, at
        vmovdqu64 coupling, [rax + \at]
        vmovdqa64 \upper_bytes, random_upper
        vmovdqa64 \lower_bytes, lower
        vpermi2b \upper_bytes, coupling, [rax + \at + 64]
        vpermi2b \lower_bytes, coupling, [rax + \at + 64]
        .endm

        .macro sites rule, size, compact
        // Load the tables of a parity, 864 bytes. Where the bit of the spin is 1, k is -v or
        // -v - 1, by parity.
.Ltables_\rule\()_\size:
        movzx   eax, ch
        mov     ebx, eax
        neg     eax
        vpbroadcastb mirror, eax
        and     eax, 864
        add     rax, thresholds

        // Load the thresholds at rax. `lower` and `random_upper` hold the positions of their
        // lower and upper bytes.
        vmovdqa64 lower, [rip + .Leven]
        vpternlogd coupling, coupling, coupling, 0xff
        vpsubb  random_upper, lower, coupling
        .if     \compact
        // Each c has k = -21..20, of which -32..-1 are 192 bytes behind 0..31. c = 1 begins at place
        // 22 of the first half, c = 2 at place 1 of the second; c = 0 takes the first 21 places and
        // the last 21.
        mov     ecx, 22
        vpbroadcastb zmm28, ecx
        mov     ecx, 20
        vpbroadcastb zmm29, ecx
        mov     ecx, 43
        vpbroadcastb stride, ecx
        mov     ecx, (1 << 21) - 1
        kmovq   down, rcx
        mov     rcx, -1 << 43
        kmovq   down_too, rcx
        vmovdqu64 coupling, [rax + 192]
        vmovdqu64 zmm30, [rax + 448]
        vmovdqu64 zmm31, [rax + 704]
        vpsubb  upper_a, random_upper, zmm28
        vpaddb  upper_b, random_upper, zmm29
        vpermi2b upper_a, zmm30, [rax + 256]
        vpermi2b upper_b, zmm31, [rax + 512]
        vpermb  upper_a{down}, random_upper, [rax]
        vpermb  upper_b{down_too}, random_upper, coupling
        vpsubb  lower_a, lower, zmm28
        vpaddb  lower_b, lower, zmm29
        vpermi2b lower_a, zmm30, [rax + 256]
        vpermi2b lower_b, zmm31, [rax + 512]
        vpermb  lower_a{down}, lower, [rax]
        vpermb  lower_b{down_too}, lower, coupling
        movzx   ecx, word ptr [links + 1]
        .else
        load    upper_0, lower_0, 0
        load    upper_0n, lower_0n, 128
        load    upper_1, lower_1, 256
        load    upper_1n, lower_1n, 384
        load    upper_2, lower_2, 512
        load    upper_2n, lower_2n, 640
        .endif
        jmp     .Lfield_\rule\()_\size

        // Degrees off the straight path: below 4, and 6 or more.
.Lfew_\rule\()_\size:
        cmp     ecx, 2
        je      .Ltwo_\rule\()_\size
        ja      .Lthree_\rule\()_\size
        test    ecx, ecx
        jz      .Ldecide_\rule\()_\size
        couple  -4
        jmp     .Ldecide_\rule\()_\size
.Lthree_\rule\()_\size:
        couple  -12
        jmp     .Ltwo_\rule\()_\size
.Lmany_\rule\()_\size:
        neg     rcx
.Lnext_\rule\()_\size:
        couple  4*rcx
        inc     rcx
        cmp     rcx, -6
        jne     .Lnext_\rule\()_\size
.Lsix_\rule\()_\size:
        couple_two -24
        jmp     .Lfour_\rule\()_\size

        // The second byte of a header is the degree, the third one the parity.
        .balign 32
.Lsite_\rule\()_\size:
        movzx   ecx, word ptr [links + 1]
        cmp     ch, parity
        jne     .Ltables_\rule\()_\size

        // v, the sum over the links; `links` advances to the next site.
.Lfield_\rule\()_\size:
        movzx   ecx, cl
        vpbroadcastb field, byte ptr [links]
        lea     links, [links + 4 * rcx + 4]
        cmp     ecx, 4
        je      .Lfour_\rule\()_\size
        jb      .Lfew_\rule\()_\size
        cmp     ecx, 6
        je      .Lsix_\rule\()_\size
        ja      .Lmany_\rule\()_\size
        couple  -20
.Lfour_\rule\()_\size:
        couple_two -16
.Ltwo_\rule\()_\size:
        couple_two -8

        // k, from v and the spin.
.Ldecide_\rule\()_\size:
        kmovq   down, [own]
        vpsubb  field{down}, mirror, field

        // Replaces k in each lane of `field` by the upper byte of the threshold; `lower` gets the
        // lower byte.
        mov     spin, [own]
        mov     rcx, [own + below]
        mov     rax, [own + above]
        .if     \compact
        xor     rcx, spin
        xor     rax, spin
        kmovq   unlike, rcx
        kmovq   unlike_too, rax
        vpaddb  field{unlike}, field, stride
        vpaddb  field{unlike_too}, field, stride
        vmovdqa64 lower, field
        vpermi2b field, upper_a, upper_b
        vpermi2b lower, lower_a, lower_b
        .else
        // The lanes of each c.
        xor     rax, rcx
        xor     rcx, spin
        andn    rcx, rax, rcx
        kmovq   c_1, rax
        kmovq   c_2, rcx
        kxnorq  c_0, c_1, c_2

        // Thresholds replace the indices in each lane.
        vmovdqa64 lower, field
        vpermi2b field{c_1}, upper_1, upper_1n
        vpermi2b lower{c_1}, lower_1, lower_1n
        vpermi2b field{c_2}, upper_2, upper_2n
        vpermi2b lower{c_2}, lower_2, lower_2n
        vpermi2b field{c_0}, upper_0, upper_0n
        vpermi2b lower{c_0}, lower_0, lower_0n
        .endif

        // The lower bytes decide where the upper ones are equal; a tie in a live lane ends the
        // call.
        vmovdqu64 random_upper, [random]
        vmovdqu64 random_lower, [random + 64]
        vpcmpeqb equal, random_upper, field
        vpcmpub accepted, random_upper, field, 1
        vpcmpub less{equal}, random_lower, lower, 1
        vpcmpeqb equal{equal}, random_lower, lower
        ktestq  equal, alive
        jnz     .Ldone_\rule
        korq    accepted, accepted, less
        kmovq   rax, accepted
        xor     spin, rax
        mov     [own], spin
        and     rax, live
        popcnt  rax, rax
        add     flips, rax
        add     own, 8
        sub     random, -128
        cmp     own, end
        jne     .Lsite_\rule\()_\size
        jmp     .Ldone_\rule
        .endm

        .macro sweep rule
        xor     eax, eax
        test    r8, r8
        jz      .Lnone_\rule

        .irp    register, rbx, rbp, r12, r13
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr

        // A site is the address of its word; the words of the adjacent layers are at fixed
        // distances.
        lea     own, [spins + 8 * rcx]
        lea     end, [own + 8 * r8]
        push    own
        .cfi_adjust_cfa_offset 8
        mov     above, [rsp + 48]
        mov     links, [rsp + 56]
        mov     random, [rsp + 72]
        mov     live, [rsp + 80]
        sub     below, own
        sub     above, own
        xor     flips, flips
        kmovq   alive, live
        vpxor   xmm3, xmm3, xmm3
        vpbroadcastb second, byte ptr [rip + .Lsecond]
        movzx   ecx, word ptr [links + 1]
        mov     rax, thresholds
        movzx   eax, word ptr [rax + BOUND]
        dec     eax
        cmp     eax, MAX_COMPACT
        jb      .Ltables_\rule\()_compact
        sites   \rule, wide, 0
        sites   \rule, compact, 1

.Ldone_\rule:
        mov     rax, [rsp + 88]
        add     [rax], flips
        mov     rax, own
        sub     rax, begin
        shr     rax, 3
        pop     rcx
        .cfi_adjust_cfa_offset -8
        .irp    register, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        vzeroupper
.Lnone_\rule:
        ret
        .endm

// Visits up to `count` sites of one group of 64 layers in order, with exact acceptance, and returns
// how many: it stops before a site where 16 random bits do not suffice.
//
//   size_t hl_ising_sweep_i8_avx512icl(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first,
//       size_t count, const uint64_t *below, const uint64_t *above, const uint32_t *links,
//       const uint16_t *thresholds, const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      rdi = spins, rsi = bytes, rdx = sites, rcx = first, r8 = count, r9 = below,
//         [rsp+8] = above, [rsp+16] = links, [rsp+24] = thresholds, [rsp+32] = random,
//         [rsp+40] = live, [rsp+48] = flips     Out  rax, spins, flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8..r13, zmm0..zmm7, zmm16..zmm31, k1..k7
//         Stack  40 bytes
// Loop    1 site of 64 spins: 2 permutations (6 if fields may exceed 41 quanta), 4 comparisons and
//         2 operations a link on whole vectors, 4 moves to and from masks and 1 a link; bound by
//         issue, 66 operations for 5 links (11 cycles). On Intel CPUs only port 5 permutes, compares
//         into masks and moves to them: 22 cycles for 5 links, 31 with 6 permutations
// Tail    none, a row is 64 spins; reads the words of the sites and of their neighbours, the links,
//         random[0..32 count]; does not touch `bytes`
FUNC(hl_ising_sweep_i8_avx512icl)
        sweep   metropolis
END(hl_ising_sweep_i8_avx512icl)

// sweep_i8 with acceptance by the heat bath: the values of `thresholds` are those of
// heat_thresholds.
//
//   size_t hl_ising_sweep_heat_i8_avx512icl(uint64_t *spins, uint8_t *bytes, size_t sites,
//       size_t first, size_t count, const uint64_t *below, const uint64_t *above,
//       const uint32_t *links, const uint16_t *thresholds, const uint32_t *random, uint64_t live,
//       uint64_t *flips);
//
// In      rdi = spins, rsi = bytes, rdx = sites, rcx = first, r8 = count, r9 = below,
//         [rsp+8] = above, [rsp+16] = links, [rsp+24] = thresholds, [rsp+32] = random,
//         [rsp+40] = live, [rsp+48] = flips     Out  rax, spins, flips
// Uses    rax, rcx, rdx, rbx, rsi, rbp, r8..r13, zmm0..zmm7, zmm16..zmm31, k1..k7
//         Stack  40 bytes
// Loop    1 site of 64 spins: 2 permutations (6 if fields may exceed 41 quanta), 4 comparisons and
//         2 operations a link on whole vectors, 4 moves to and from masks and 1 a link; bound by
//         issue, 66 operations for 5 links (11 cycles). On Intel CPUs only port 5 permutes, compares
//         into masks and moves to them: 22 cycles for 5 links, 31 with 6 permutations
// Tail    none, a row is 64 spins; reads the words of the sites and of their neighbours, the links,
//         random[0..32 count]; does not touch `bytes`
FUNC(hl_ising_sweep_heat_i8_avx512icl)
        sweep   heat
END(hl_ising_sweep_heat_i8_avx512icl)

        RODATA
        .balign 64
.Leven:                                 // 0, 2, .. 126: the lower bytes of 64 thresholds
        .set    position, 0
        .rept   64
        .byte   position
        .set    position, position + 2
        .endr
.Lsecond:                               // the first bit of the second half of 8 bytes
        .byte   32
