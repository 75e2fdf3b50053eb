// Visits up to `count` sites of one group of 64 layers in order, with exact acceptance, and returns how many.
//
//   size_t hl_ising_sweep_i8_avx512icl(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
//       const uint64_t *below, const uint64_t *above, const uint32_t *links, const uint16_t *thresholds,
//       const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      rdi = spins, rsi = bytes, rdx = sites, rcx = first, r8 = count, r9 = below, [rsp+8] = above, [rsp+16] = links,
//         [rsp+24] = thresholds, [rsp+32] = random, [rsp+40] = live, [rsp+48] = flips     Out  rax, spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, zmm0..zmm7, zmm16..zmm27, k1..k7     Stack  24 bytes of red zone
// Loop    1 site of 64 spins: 6 look-ups in tables of 128 bytes, 4 comparisons, and 2 vector operations a link
// Tail    none, a row is 64 spins; reads the words of the sites and of their neighbours, the links, random[0..32 count];
//         neither reads nor writes `bytes`

#include "hl.h"

#define spins       rdi
#define own         rsi
#define random      rdx
#define flips       r8
#define below       r9
#define above       r10
#define links       r11
#define left        ecx

#define begin       qword ptr [rsp - 8]
#define end         qword ptr [rsp - 16]
#define parity      byte ptr [rsp - 24]
#define thresholds  qword ptr [rsp + 24]
#define live        qword ptr [rsp + 40]

#define field       zmm0
#define upper       zmm1
#define lower       zmm2
#define coupling    zmm3
#define random_upper zmm4
#define random_lower zmm5
#define mirror      zmm6
#define second      zmm7

// Thresholds by their upper and their lower bytes, for c = 0, 1, 2 and k = 0..63 or -64..-1.
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

#define down        k1
#define unsatisfied_0 k2
#define unsatisfied_1 k3
#define unsatisfied_2 k4
#define accepted    k5
#define equal       k6
#define alive       k7

        // The coupling is the second half of the 8 bytes before the next link: nothing is read beyond the last one.
        .macro couple at
        mov     eax, [links + \at]
        shr     eax, 8
        kmovq   down, [spins + 8 * rax]
        vpmultishiftqb coupling, second, qword ptr [links + \at - 4]{1to8}
        vpsubb  field{down}, field, coupling
        .endm

        // 64 thresholds, of which the even bytes are the lower ones.
        .macro load to_lower, to_upper, at
        vmovdqu64 coupling, [rcx + \at]
        vmovdqa64 \to_lower, lower
        vmovdqa64 \to_upper, upper
        vpermi2b \to_lower, coupling, [rcx + \at + 64]
        vpermi2b \to_upper, coupling, [rcx + \at + 64]
        .endm

FUNC(hl_ising_sweep_i8_avx512icl)
        xor     eax, eax
        test    r8, r8
        jz      .Lnone

        // A site is where its word stands; the words beside it lie at a distance.
        lea     own, [spins + 8 * rcx]
        lea     rax, [own + 8 * r8]
        mov     begin, own
        mov     end, rax
        mov     above, [rsp + 8]
        mov     links, [rsp + 16]
        mov     random, [rsp + 32]
        sub     below, own
        sub     above, own
        xor     flips, flips
        kmovq   alive, live
        vpbroadcastb second, byte ptr [rip + .Lsecond]
        movzx   ecx, byte ptr [links + 2]
        jmp     .Ltables

        .balign 32
.Lsite:
        movzx   ecx, byte ptr [links + 2]
        cmp     cl, parity
        jne     .Ltables

        // The field of the bonds inside the layer, for a spin that is up.
.Lfield:
        movzx   left, byte ptr [links + 1]
        vpbroadcastb field, byte ptr [links]
        add     links, 4
        shr     left, 1
        jnc     .Leven
        couple  0
        add     links, 4
.Leven:
        test    left, left
        jz      .Ldecide
.Lpair:
        couple  0
        couple  4
        add     links, 8
        dec     left
        jnz     .Lpair

        // Where the own bit is 1, the field changes its sign.
.Ldecide:
        kmovq   down, [own]
        vpsubb  field{down}, mirror, field

        // How many of the two bonds to other layers are unsatisfied.
        mov     rcx, [own + below]
        mov     rax, [own + above]
        xor     rax, rcx
        xor     rcx, [own]
        andn    rcx, rax, rcx
        kmovq   unsatisfied_1, rax
        kmovq   unsatisfied_2, rcx
        kxnorq  unsatisfied_0, unsatisfied_1, unsatisfied_2

        // The thresholds take the place of the indices, lane by lane.
        vmovdqa64 upper, field
        vmovdqa64 lower, field
        vpermi2b upper{unsatisfied_1}, upper_1, upper_1n
        vpermi2b lower{unsatisfied_1}, lower_1, lower_1n
        vpermi2b upper{unsatisfied_2}, upper_2, upper_2n
        vpermi2b lower{unsatisfied_2}, lower_2, lower_2n
        vpermi2b upper{unsatisfied_0}, upper_0, upper_0n
        vpermi2b lower{unsatisfied_0}, lower_0, lower_0n

        // Lexicographic comparison of the two bytes; a tie in a live lane ends the call.
        vmovdqu64 random_upper, [random]
        vmovdqu64 random_lower, [random + 64]
        vpcmpeqb equal, random_upper, upper
        vpcmpub accepted, random_upper, upper, 1
        vpcmpeqb unsatisfied_1{equal}, random_lower, lower
        vpcmpub unsatisfied_2{equal}, random_lower, lower, 1
        ktestq  unsatisfied_1, alive
        jnz     .Ldone
        korq    accepted, accepted, unsatisfied_2
        kmovq   rax, accepted
        xor     [own], rax
        and     rax, live
        popcnt  rax, rax
        add     flips, rax
        add     own, 8
        sub     random, -128
        cmp     own, end
        jne     .Lsite

.Ldone:
        mov     rax, [rsp + 48]
        add     [rax], flips
        mov     rax, own
        sub     rax, begin
        shr     rax, 3
        vzeroupper
.Lnone:
        ret

        // The tables of another parity: 864 bytes each, in the order of c. The mirror of k is -k or -k - 1.
.Ltables:
        mov     parity, cl
        neg     ecx
        vpbroadcastb mirror, ecx
        and     ecx, 864
        add     rcx, thresholds
        vmovdqu64 lower, [rip + .Leven_bytes]
        vmovdqu64 upper, [rip + .Lodd_bytes]
        load    lower_0, upper_0, 0
        load    lower_0n, upper_0n, 128
        load    lower_1, upper_1, 256
        load    lower_1n, upper_1n, 384
        load    lower_2, upper_2, 512
        load    lower_2n, upper_2n, 640
        jmp     .Lfield
END(hl_ising_sweep_i8_avx512icl)

RODATA
.Leven_bytes:   // positions of the lower bytes of 64 integers
        .set    position, 0
        .rept   64
        .byte   position
        .set    position, position + 2
        .endr
.Lodd_bytes:    // and of the upper ones
        .set    position, 1
        .rept   64
        .byte   position
        .set    position, position + 2
        .endr
.Lsecond:       // the bit at which the second half of 64 begins
        .byte   32
