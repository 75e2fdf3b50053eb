// Tests of domains, whose gaps on the circle are integers below 2^53. `d` is the distance of b from
// the start of its gap if that is a gap p; in a gap q it is p plus this distance. floor(x / y) is (x
// - (y - 1) / 2) / y rounded to nearest. The error of a rounded quotient is less than 1 / (2 y), the
// distance to the midpoint between two integers.

#include "hl.h"

#define a       rdi
#define b       rsi
#define count   rdx
#define n       rcx
#define w       r8
#define bits    r9
#define at      rax
#define end     r10
#define here    r11

// The state of 16 domains, and copies of the last ones.
#define P       0
#define Q       128
#define D       256
#define U       384
#define V       512
#define MORE    640
#define HITS    768
#define REST    896
#define FRAME   1152

#define divisor xmm0
#define rest    xmm1
#define u       xmm2
#define v       xmm3
#define d       xmm4
#define product xmm5
#define cut     xmm6
#define k       xmm7
#define more    xmm8
#define any     xmm9
#define most    xmm10
#define zero    xmm11
#define one     xmm12
#define half    xmm13
#define round   xmm14
#define last    xmm15

// In Lefevre's test, the mask of the domains whose b is in a gap p.
#define in_p    xmm11

// k = rest / divisor, rounded down, or 0 where u + v would reach n. cut = (divisor - 1) / 2.
        .macro quotient x, y, u_of, v_of
        movapd  divisor, [at + \x]
        movapd  cut, divisor
        mulpd   cut, half
        subpd   cut, half
        movapd  rest, [at + \y]
        movapd  k, rest
        subpd   k, cut
        floor   k
        movapd  u, [at + \u_of]
        movapd  v, [at + \v_of]
        movapd  d, [at + D]
        movapd  product, k
        mulpd   product, v
        movapd  more, u
        addpd   more, v
        addpd   more, product
        cmpltpd more, last
        andpd   k, more
        mulpd   v, k
        addpd   u, v
        movapd  [at + \u_of], u
        movapd  product, k
        mulpd   product, divisor
        subpd   rest, product
        movapd  [at + \y], rest
        .endm

// Rounds down the quotient of X, given x = X - (divisor - 1) / 2.
        .macro floor x
        divpd   \x, divisor
        addpd   \x, round
        subpd   \x, round
        .endm

// Selects `value` where the mask is set, `other` where it is not.
        .macro choose mask, value, other
        andpd   \value, \mask
        movapd  product, \mask
        andnpd  product, \other
        orpd    \value, product
        .endm

// The gaps that b is not in are cut by its own gap, which is then cut once by what remains. Domains
// leave the mask when b is less than w from the start of its gap, and when u + v reaches n.
        .macro turn
        movapd  divisor, [at + P]
        movapd  rest, [at + Q]
        movapd  d, [at + D]
        movapd  in_p, d
        cmpltpd in_p, divisor

        // k = cut / u, the gap that b is not in by its own: (p xor q) in p xor either.
        movapd  k, divisor
        xorpd   k, rest
        andpd   k, in_p
        movapd  u, rest
        xorpd   u, k
        xorpd   k, divisor
        movapd  cut, u
        mulpd   cut, half
        subpd   k, cut
        addpd   k, half
        divpd   k, u
        addpd   k, round
        subpd   k, round
        movapd  cut, in_p
        andnpd  cut, divisor
        subpd   d, cut
        movapd  [at + D], d
        movapd  more, [at + MORE]
        cmpltpd d, most
        andpd   d, more
        xorpd   more, d
        orpd    d, [at + HITS]
        movapd  [at + HITS], d
        movapd  u, [at + U]
        movapd  v, [at + V]
        movapd  cut, in_p
        andpd   cut, k
        movapd  d, in_p
        andnpd  d, k
        movapd  product, cut
        mulpd   product, divisor
        subpd   rest, product
        movapd  product, d
        mulpd   product, rest
        subpd   divisor, product
        mulpd   cut, v
        addpd   u, cut
        mulpd   d, u
        addpd   v, d
        movapd  cut, in_p
        andpd   cut, rest
        movapd  d, in_p
        andnpd  d, divisor
        subpd   divisor, cut
        subpd   rest, d
        movapd  cut, in_p
        andpd   cut, u
        andnpd  in_p, v
        addpd   v, cut
        addpd   u, in_p
        movapd  [at + P], divisor
        movapd  [at + Q], rest
        movapd  [at + U], u
        movapd  [at + V], v
        xorpd   cut, cut
        minpd   rest, divisor
        maxpd   v, u
        cmpltpd cut, rest
        cmpltpd v, last
        andpd   more, cut
        andpd   more, v
        movapd  [at + MORE], more
        orpd    any, more
        .endm

// The regular test of a block: bits of r10d. The last quotient is replaced by 0, which keeps the
// state. A half step that is not due, because its divisor is the larger gap, has quotients of 0 too.
        .macro test_regular
        // Gaps q are cut by gaps p.
        lea     end, [rsp + 128]
.Lloop_regular:
        mov     at, rsp
        .balign 32
.Lfirst_regular:
        quotient P, Q, U, V
        movapd  [at + MORE], more
        movapd  product, d
        subpd   product, cut
        floor   product
        minpd   product, k
        mulpd   product, divisor
        subpd   d, product
        movapd  [at + D], d
        add     at, 16
        cmp     at, end
        jne     .Lfirst_regular

        // Gaps p are cut by gaps q, from their ends.
        xorpd   any, any
        mov     at, rsp
        .balign 32
.Lsecond_regular:
        quotient Q, P, V, U
        andpd   more, [at + MORE]
        orpd    any, more
        movapd  product, d
        subpd   product, cut
        subpd   product, rest
        floor   product
        maxpd   product, zero
        mulpd   product, divisor
        subpd   d, product
        movapd  [at + D], d
        add     at, 16
        cmp     at, end
        jne     .Lsecond_regular
        movmskpd eax, any
        test    eax, eax
        jnz     .Lloop_regular

        // The last quotients of the half step that is due, limited by n.
        mov     at, rsp
        xor     r10d, r10d
        xor     ecx, ecx
.Llast_regular:
        movapd  k, [at + P]
        movapd  d, [at + Q]
        movapd  u, [at + U]
        movapd  v, [at + V]
        movapd  more, k
        cmplepd more, d
        movapd  rest, d
        movapd  any, k
        choose  more, rest, any
        choose  more, k, d
        movapd  d, last
        subpd   d, u
        subpd   d, v
        movapd  divisor, v
        choose  more, divisor, u

        // The limit from n, rounded up.
        movapd  cut, divisor
        mulpd   cut, half
        subpd   cut, half
        addpd   cut, d
        floor   cut
        movapd  u, cut
        movapd  divisor, k
        movapd  cut, divisor
        mulpd   cut, half
        subpd   cut, half
        movapd  k, rest
        subpd   k, cut
        floor   k
        minpd   k, u
        movapd  product, k
        mulpd   product, divisor
        subpd   rest, product
        movapd  d, [at + D]
        movapd  v, more
        andnpd  v, rest
        movapd  u, d
        subpd   u, cut
        subpd   u, v
        floor   u
        maxpd   u, zero
        minpd   u, k
        mulpd   u, divisor
        subpd   d, u

        // The distance in the gap.
        choose  more, divisor, rest
        movapd  rest, divisor
        cmplepd rest, d
        andpd   rest, divisor
        subpd   d, rest
        cmpltpd d, most
        movmskpd r8d, d
        shl     r8d, cl
        or      r10d, r8d
        add     ecx, 2
        add     at, 16
        cmp     ecx, 16
        jne     .Llast_regular
        .endm

// Lefevre's test of a block: bits of r10d. Domains with d below w have a case; those without gaps p
// have no other.
        .macro test_lefevre
        mov     at, rsp
        lea     end, [rsp + 128]
.Lstart_lefevre:
        movapd  d, [at + D]
        movapd  more, zero
        cmpltpd more, [at + P]
        cmpltpd d, most
        movapd  k, d
        andnpd  k, more
        movapd  [at + MORE], k
        movapd  [at + HITS], d
        add     at, 16
        cmp     at, end
        jne     .Lstart_lefevre

        mov     ecx, 1024
.Lloop_lefevre:
        xorpd   any, any
        mov     at, rsp
        .balign 32
.Lturn_lefevre:
        turn
        add     at, 16
        cmp     at, end
        jne     .Lturn_lefevre
        movmskpd eax, any
        test    eax, eax
        jz      .Lfound_lefevre
        sub     ecx, 1
        jnz     .Lloop_lefevre

        // Domains without an answer may have a case.
.Lfound_lefevre:
        xorpd   zero, zero
        mov     at, rsp
        xor     r10d, r10d
        xor     ecx, ecx
.Lbits_lefevre:
        movapd  d, [at + HITS]
        orpd    d, [at + MORE]
        movmskpd r8d, d
        shl     r8d, cl
        or      r10d, r8d
        add     ecx, 2
        add     at, 16
        cmp     ecx, 16
        jne     .Lbits_lefevre
        .endm

// A test of domains, block by block.
        .macro domains name
        push    rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        and     rsp, -32
        lea     rsp, [rsp - FRAME]
        test    count, count
        jz      .Ldone_\name

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
        cvtsi2sd last, n
        cvtsi2sd most, w
        unpcklpd last, last
        unpcklpd most, most
        movapd  one, [rip + .Lone]
        movapd  half, [rip + .Lhalf]
        movapd  round, [rip + .Lround]
        xorpd   zero, zero

        // The next 16 domains, or the last ones.
.Lblock_\name:
        mov     here, 16
        cmp     count, here
        cmovb   here, count
        cmp     here, 16
        je      .Lload_\name
        .irp    offset, 0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240
        movapd  [rsp + REST + \offset], zero
        .endr
        lea     at, [here - 1]
.Lcopy_\name:
        mov     r10, [a + 8*at]
        mov     [rsp + 8*at + REST], r10
        mov     r10, [b + 8*at]
        mov     [rsp + 8*at + REST + 128], r10
        sub     at, 1
        jns     .Lcopy_\name
        lea     a, [rsp + REST]
        lea     b, [rsp + REST + 128]
.Lload_\name:
        movapd  k, [rip + .Lunit]
        xor     eax, eax
.Ldomains_\name:
        movupd  divisor, [a + at]
        movupd  d, [b + at]
        psrlq   divisor, 12
        psrlq   d, 12
        orpd    divisor, k
        orpd    d, k
        subpd   divisor, k
        subpd   d, k
        movapd  rest, k
        subpd   rest, divisor
        movapd  [rsp + at + P], divisor
        movapd  [rsp + at + Q], rest
        movapd  [rsp + at + D], d
        movapd  [rsp + at + U], one
        movapd  [rsp + at + V], one
        add     at, 16
        cmp     at, 128
        jne     .Ldomains_\name
        test_\name
        sub     count, here
        jz      .Lrest_\name
        mov     [bits], r10w
        add     bits, 2
        add     a, 128
        add     b, 128
        jmp     .Lblock_\name

        // Bits of the last domains.
.Lrest_\name:
        mov     rcx, here
        mov     eax, -1
        shl     eax, cl
        not     eax
        and     r10d, eax
.Lbyte_\name:
        mov     [bits], r10b
        shr     r10d, 8
        add     bits, 1
        sub     ecx, 8
        ja      .Lbyte_\name

.Ldone_\name:
        mov     rsp, rbp
        .cfi_def_cfa_register rsp
        pop     rbp
        .cfi_def_cfa_offset 8
        .cfi_restore rbp
        ret
        .endm

// The regular test on domains: bit i mod 8 of `bits[i / 8]` is 0 if no x < `n` has b - a x mod 1 <
// w, for `a[i]`, `b[i]` and `w` in units of 2^-64.
//
//   void hl_hardround_regular_sse2(const uint64_t *a, const uint64_t *b, size_t count, uint64_t n,
//       uint64_t w, uint8_t *bits);
//
// In      rdi = a, rsi = b, rdx = count, rcx = n, r8 = w, r9 = bits          Out  bits
// Uses    rax, rcx, rdx, rsi, rdi, rbp, r8..r11, xmm0..xmm15     Stack  1176 bytes
// Loop    half a step of 2 of 16 domains: 19 or 20 operations and 2 divisions (8 cycles); 14 cycles
//         on Zen 3
// Tail    fewer domains are copied, with zeros after them
FUNC(hl_hardround_regular_sse2)
        domains regular
END(hl_hardround_regular_sse2)

// Lefevre's test on domains, with the arguments, results and limits of regular; after 1024 turns it
// says 1.
//
//   void hl_hardround_lefevre_sse2(const uint64_t *a, const uint64_t *b, size_t count, uint64_t n,
//       uint64_t w, uint8_t *bits);
//
// In      rdi = a, rsi = b, rdx = count, rcx = n, r8 = w, r9 = bits          Out  bits
// Uses    rax, rcx, rdx, rsi, rdi, rbp, r8..r11, xmm0..xmm15     Stack  1176 bytes
// Loop    a turn of 2 of 16 domains: 41 operations, a division, 7 loads and 6 stores; bound by the
//         vector ports: 14 cycles with Golden Cove (counted)
// Tail    fewer domains are copied, with zeros after them
FUNC(hl_hardround_lefevre_sse2)
        domains lefevre
END(hl_hardround_lefevre_sse2)

        RODATA
        .balign 16
.Lunit:                                 // 2^52
        .double 4503599627370496, 4503599627370496
.Lone:
        .double 1, 1
.Lhalf:
        .double 0.5, 0.5
.Lround:                                // 1.5 2^52: adding it rounds to integers
        .double 6755399441055744, 6755399441055744
