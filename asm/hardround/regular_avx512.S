// The regular test on domains: bit i mod 8 of `bits[i / 8]` is 0 if no x < `n` has b - a x mod 1 <
// w, for `a[i]`, `b[i]` and `w` in units of 2^-64.
//
//   void hl_hardround_regular_avx512(const uint64_t *a, const uint64_t *b, size_t count,
//       uint64_t n, uint64_t w, uint8_t *bits);
//
// In      rdi = a, rsi = b, rdx = count, rcx = n, r8 = w, r9 = bits          Out  bits
// Uses    rax, rcx, rdx, rsi, rdi, r8, r9, zmm0..zmm31, k1..k5               Stack  none
// Loop    a step of 32 domains: 8 half steps of 13 or 14 operations and a division; bound by the
//         divisions: 80 cycles with Zen 4 (105 for the whole loop), 128 with Ice Lake (modelled)
// Tail    fewer domains are read under masks, the others as zeros
//
// All numbers are integers below 2^53. d is the distance of b from the start of its gap if that is
// a gap p; in a gap q it is p plus this distance. 1 / y rounded up has a relative error of at most
// 2^-52, so x / y is too large by less than 1 / y, the smallest distance to the next integer. Where
// a quotient would be the last, the state is kept. A half step that is not due, because its divisor
// is the larger gap, has quotients of 0.

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
#define inverse zmm25
#define k       zmm26
#define cut     zmm27
#define more    zmm28
#define rest    zmm29
#define divisor zmm30
#define per     zmm31

// The quotient of x, rounded down.
        .macro floor to, x, inverse
        vmovapd \to, unit
        vfmadd231pd \to, \x, \inverse, {rd-sae}
        vsubpd  \to, \to, unit
        .endm

// k = y / x, rounded down. Updates u and y in the lanes of the mask; in the others u + v would
// reach n.
        .macro quotient x, y, u, v, inverse, mask
        floor   k, \y, \inverse
        vaddpd  more, \u, \v
        vfmadd231pd more, k, \v
        vcmpltpd \mask, more, last
        vfnmadd231pd \y{\mask}, k, \x
        vfmadd231pd \u{\mask}, k, \v
        .endm

// Gaps q are cut by gaps p. The next inverse starts as early as possible.
        .macro first p, q, d, u, v, inverse, mask
        quotient \p, \q, \u, \v, \inverse, \mask
        floor   cut, \d, \inverse
        vdivpd  \inverse, one, \q, {ru-sae}
        vminpd  cut{\mask}{z}, cut, k
        vfnmadd231pd \d, cut, \p
        .endm

// Gaps p are cut by gaps q, from their ends.
        .macro second p, q, d, u, v, inverse, mask
        quotient \q, \p, \v, \u, \inverse, k5
        kandw   \mask, \mask, k5
        vsubpd  more, \d, \p
        floor   cut, more, \inverse
        vdivpd  \inverse, one, \p, {ru-sae}
        vmaxpd  cut{k5}{z}, cut, zero
        vfnmadd231pd \d, cut, \q
        .endm

// The last quotient of the half step that is due, limited by n. The bits go below those already in
// eax. A quotient by 0 becomes the limit; 0 / 0, for cut, is NaN and becomes 0.
        .macro final p, q, d, u, v
        vcmplepd k1, \p, \q
        knotw   k2, k1
        vblendmpd divisor{k1}, \q, \p
        vblendmpd rest{k1}, \p, \q
        vblendmpd per{k1}, \u, \v
        vdivpd  inverse, one, divisor, {ru-sae}
        vsubpd  more, last, \u
        vsubpd  more, more, \v
        vdivpd  more, more, per
        vrndscalepd more, more, 2
        floor   k, rest, inverse
        vminpd  k, k, more
        vfnmadd231pd rest, k, divisor
        vmovapd per, \d
        vsubpd  per{k2}, \d, rest
        floor   cut, per, inverse
        vmaxpd  cut, cut, zero
        vminpd  cut, cut, k
        vfnmadd231pd \d, cut, divisor

        // The distance in the gap.
        vblendmpd divisor{k1}, rest, divisor
        vcmplepd k1, divisor, \d
        vsubpd  \d{k1}, \d, divisor
        vcmpltpd k1, \d, most
        kmovw   ecx, k1
        shl     eax, 8
        or      eax, ecx
        .endm

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

FUNC(hl_hardround_regular_avx512)
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
        vdivpd  zmm25, one, zmm0, {ru-sae}
        vdivpd  zmm29, one, zmm1, {ru-sae}
        vdivpd  zmm30, one, zmm2, {ru-sae}
        vdivpd  zmm31, one, zmm3, {ru-sae}
        .balign 32
.Lloop:
        first   zmm0, zmm4, zmm8, zmm12, zmm16, zmm25, k1
        first   zmm1, zmm5, zmm9, zmm13, zmm17, zmm29, k2
        first   zmm2, zmm6, zmm10, zmm14, zmm18, zmm30, k3
        first   zmm3, zmm7, zmm11, zmm15, zmm19, zmm31, k4
        second  zmm0, zmm4, zmm8, zmm12, zmm16, zmm25, k1
        second  zmm1, zmm5, zmm9, zmm13, zmm17, zmm29, k2
        second  zmm2, zmm6, zmm10, zmm14, zmm18, zmm30, k3
        second  zmm3, zmm7, zmm11, zmm15, zmm19, zmm31, k4
        korw    k1, k1, k2
        korw    k3, k3, k4
        kortestw k1, k3
        jnz     .Lloop

        final   zmm3, zmm7, zmm11, zmm15, zmm19
        final   zmm2, zmm6, zmm10, zmm14, zmm18
        final   zmm1, zmm5, zmm9, zmm13, zmm17
        final   zmm0, zmm4, zmm8, zmm12, zmm16
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
END(hl_hardround_regular_avx512)

        RODATA
        .balign 8
.Lunit:                                 // 2^52: adding it with rounding down rounds to integers
        .double 4503599627370496
.Lone:
        .double 1
