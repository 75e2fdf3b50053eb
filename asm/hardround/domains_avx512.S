// Tests of domains, whose gaps on the circle are integers below 2^53. d is the distance of b from the
// start of its gap if that is a gap p; in a gap q it is p plus this distance. 1 / y rounded up has a
// relative error of at most 2^-52, so x / y is too large by less than 1 / y, the smallest distance
// to the next integer.

#include "hl.h"

#define a       rdi
#define b       rsi
#define count   rdx
#define n       rcx
#define w       r8
#define bits    r9

// zmm0..zmm19: p, q, d, u and v of four vectors.
#define last    zmm20
#define unit    zmm21
#define one     zmm22
#define zero    zmm23
#define most    zmm24
#define k       zmm26
#define cut     zmm27
#define more    zmm28

// Loads eight domains, or those of the mask, from offset `at` on.
        .macro load p, q, d, u, v, at
        kmovd   k1, eax
        shr     eax, 8
        vmovdqu64 \p{k1}{z}, [a + \at]
        vmovdqu64 \d{k1}{z}, [b + \at]
        vpsrlq  \p, \p, 12
        vpsrlq  \d, \d, 12
        vcvtuqq2pd \p, \p
        vcvtuqq2pd \d, \d
        vsubpd  \q, unit, \p
        vmovapd \u, one
        vmovapd \v, one
        .endm

// Domains with d below w have a case, a bit of eax from bit `at` on; those without gaps p are done.
        .macro start p, d, left, at
        vcmpltpd k5, \d, most
        kmovw   ecx, k5
        shl     ecx, \at
        or      eax, ecx
        vcmpltpd \left, zero, \p
        kandnw  \left, k5, \left
        .endm

// The inverse of the gap that b is in.
        .macro own p, q, d, inverse
        vcmpltpd k6, \d, \p
        vblendmpd cut{k6}, \q, \p
        vdivpd  \inverse, one, cut, {ru-sae}
        .endm

// The gaps that b is not in are cut by its own gap, which is then cut once by what remains. Domains
// leave the mask when b is less than w from the start of its gap, and when u + v reaches n. The next
// inverse starts as early as possible.
        .macro turn p, q, d, u, v, inverse, left, at
        vcmpltpd k6, \d, \p
        knotw   k7, k6
        vblendmpd cut{k6}, \p, \q
        // The quotient, rounded down.
        vmovapd k, unit
        vfmadd231pd k, cut, \inverse, {rd-sae}
        vsubpd  k, k, unit
        vsubpd  \d{k7}, \d, \p
        vcmpltpd k5{\left}, \d, most
        kmovw   ecx, k5
        shl     ecx, \at
        or      eax, ecx
        kandnw  \left, k5, \left
        vfnmadd231pd \q{k6}, k, \p
        vfnmadd231pd \p{k7}, k, \q
        vfmadd231pd \u{k6}, k, \v
        vfmadd231pd \v{k7}, k, \u
        vsubpd  \p{k6}, \p, \q
        vsubpd  \q{k7}, \q, \p
        vaddpd  \v{k6}, \v, \u
        vaddpd  \u{k7}, \u, \v
        own     \p, \q, \d, \inverse
        vminpd  cut, \p, \q
        vmaxpd  more, \u, \v
        vcmpltpd \left{\left}, zero, cut
        vcmpltpd \left{\left}, more, last
        .endm

// Lefevre's test on domains, with the arguments, results and limits of regular; after 1024 turns it
// says 1.
//
//   void hl_hardround_lefevre_avx512(const uint64_t *a, const uint64_t *b, size_t count,
//       uint64_t n, uint64_t w, uint8_t *bits);
//
// In      rdi = a, rsi = b, rdx = count, rcx = n, r8 = w, r9 = bits          Out  bits
// Uses    rax, rcx, rdx, rsi, rdi, r8..r10, zmm0..zmm31, k1..k7              Stack  none
// Loop    a turn of 32 domains: four times 26 operations and a division; bound by the divisions: 64
//         cycles with Golden Cove (counted)
// Tail    fewer domains are read under masks, the others as zeros
FUNC(hl_hardround_lefevre_avx512)
        test    count, count
        jz      .Ldone

        // n is at least 3. The strip is w, rounded up to 52 bits, plus n - 1.
        mov     eax, 3
        cmp     n, rax
        cmovb   n, rax
        xor     eax, eax
        test    w, 4095
        setnz   al
        shr     w, 12
        add     w, rax
        lea     w, [w + n - 1]
        vcvtsi2sd xmm0, xmm0, n
        vbroadcastsd last, xmm0
        vcvtsi2sd xmm0, xmm0, w
        vbroadcastsd most, xmm0
        vbroadcastsd unit, [rip + .Lunit]
        vbroadcastsd one, [rip + .Lone]
        vpxorq  zero, zero, zero

        // The next 32 domains, or the last ones.
.Lblock:
        mov     eax, -1
        cmp     count, 32
        jae     .Lload
        bzhi    eax, eax, edx
.Lload:
        load    zmm0, zmm4, zmm8, zmm12, zmm16, 0
        load    zmm1, zmm5, zmm9, zmm13, zmm17, 64
        load    zmm2, zmm6, zmm10, zmm14, zmm18, 128
        load    zmm3, zmm7, zmm11, zmm15, zmm19, 192

        // Lefevre's test of 32 domains: a bit of eax for each.
        xor     eax, eax
        start   zmm0, zmm8, k1, 0
        start   zmm1, zmm9, k2, 8
        start   zmm2, zmm10, k3, 16
        start   zmm3, zmm11, k4, 24
        own     zmm0, zmm4, zmm8, zmm25
        own     zmm1, zmm5, zmm9, zmm29
        own     zmm2, zmm6, zmm10, zmm30
        own     zmm3, zmm7, zmm11, zmm31
        mov     r10d, 1024
        .balign 32
.Lloop:
        turn    zmm0, zmm4, zmm8, zmm12, zmm16, zmm25, k1, 0
        turn    zmm1, zmm5, zmm9, zmm13, zmm17, zmm29, k2, 8
        turn    zmm2, zmm6, zmm10, zmm14, zmm18, zmm30, k3, 16
        turn    zmm3, zmm7, zmm11, zmm15, zmm19, zmm31, k4, 24
        korw    k5, k1, k2
        korw    k6, k3, k4
        kortestw k5, k6
        jz      .Lfound
        sub     r10d, 1
        jnz     .Lloop

        // Domains without an answer may have a case.
        .irp    mask, k1, k2, k3, k4
        kmovw   ecx, \mask
        or      eax, ecx
        ror     eax, 8
        .endr
.Lfound:
        sub     count, 32
        jb      .Lrest
        mov     [bits], eax
        add     bits, 4
        add     a, 256
        add     b, 256
        test    count, count
        jnz     .Lblock
        jmp     .Ldone

        // Bits of the last domains.
.Lrest:
        add     edx, 32
        bzhi    eax, eax, edx
.Lbyte:
        mov     [bits], al
        shr     eax, 8
        add     bits, 1
        sub     edx, 8
        ja      .Lbyte

.Ldone:
        vzeroupper
        ret
END(hl_hardround_lefevre_avx512)

        RODATA
        .balign 8
.Lunit:                                 // 2^52: adding it with rounding down rounds to integers
        .double 4503599627370496
.Lone:
        .double 1
