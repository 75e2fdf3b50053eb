// Tests of domains, whose gaps on the circle are integers below 2^53. `d` is the distance of b from
// the start of its gap if that is a gap p; in a gap q it is p plus this distance. floor(x / y) is (x
// - (y - 1) / 2) / y rounded to nearest. The rounding of 1 / y causes an error of less than 1 /
// (2 y), the distance to the midpoint between two integers.

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

// The state of 32 domains, and copies of the last ones.
#define P       0
#define Q       256
#define D       512
#define U       768
#define V       1024
#define MORE    1280
#define REST    1792
#define FRAME   2304

#define divisor ymm0
#define rest    ymm1
#define u       ymm2
#define v       ymm3
#define d       ymm4
#define inverse ymm5
#define cut     ymm6
#define k       ymm7
#define more    ymm8
#define any     ymm9
#define most    ymm10
#define zero    ymm11
#define one     ymm12
#define half    ymm13
#define round   ymm14
#define last    ymm15

// k = rest / divisor, rounded down, or 0 where u + v would reach n. cut = -(divisor - 1) / 2; added
// to a dividend, it makes the quotient round down.
        .macro quotient x, y, u_of, v_of
        vmovapd divisor, [at + \x]
        vdivpd  inverse, one, divisor
        vmovapd cut, half
        vfnmadd231pd cut, half, divisor
        vmovapd rest, [at + \y]
        vaddpd  k, cut, rest
        vfmadd213pd k, inverse, round
        vsubpd  k, k, round
        vmovapd u, [at + \u_of]
        vmovapd v, [at + \v_of]
        vmovapd d, [at + D]
        vaddpd  more, u, v
        vfmadd231pd more, k, v
        vcmpltpd more, more, last
        vandpd  k, k, more
        vfnmadd231pd rest, k, divisor
        vmovapd [at + \y], rest
        vfmadd231pd u, k, v
        vmovapd [at + \u_of], u
        .endm

// The regular test on domains: bit i mod 8 of `bits[i / 8]` is 0 if no x < `n` has b - a x mod 1 <
// w, for `a[i]`, `b[i]` and `w` in units of 2^-64.
//
//   void hl_hardround_regular_avx2(const uint64_t *a, const uint64_t *b, size_t count, uint64_t n,
//       uint64_t w, uint8_t *bits);
//
// In      rdi = a, rsi = b, rdx = count, rcx = n, r8 = w, r9 = bits          Out  bits
// Uses    rax, rcx, rdx, rsi, rdi, rbp, r8..r11, ymm0..ymm15     Stack  2328 bytes
// Loop    half a step of 4 of 32 domains: 14 or 15 operations, a division (4.5 cycles), 9 loads and
//         stores; 9 cycles on Zen 3
// Tail    fewer domains are copied, with zeros after them
FUNC(hl_hardround_regular_avx2)
        push    rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        and     rsp, -32
        lea     rsp, [rsp - FRAME]
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
        vbroadcastsd one, [rip + .Lone]
        vbroadcastsd half, [rip + .Lhalf]
        vbroadcastsd round, [rip + .Lround]
        vxorpd  zero, zero, zero

        // The next 32 domains, or the last ones.
.Lblock:
        mov     here, 32
        cmp     count, here
        cmovb   here, count
        cmp     here, 32
        je      .Lload
        .irp    offset, 0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480
        vmovapd [rsp + REST + \offset], zero
        .endr
        lea     at, [here - 1]
.Lcopy:
        mov     r10, [a + 8*at]
        mov     [rsp + 8*at + REST], r10
        mov     r10, [b + 8*at]
        mov     [rsp + 8*at + REST + 256], r10
        sub     at, 1
        jns     .Lcopy
        lea     a, [rsp + REST]
        lea     b, [rsp + REST + 256]
.Lload:
        vbroadcastsd k, [rip + .Lunit]
        xor     eax, eax
.Ldomains:
        vmovupd divisor, [a + at]
        vmovupd d, [b + at]
        vpsrlq  divisor, divisor, 12
        vpsrlq  d, d, 12
        vorpd   divisor, divisor, k
        vorpd   d, d, k
        vsubpd  divisor, divisor, k
        vsubpd  d, d, k
        vsubpd  rest, k, divisor
        vmovapd [rsp + at + P], divisor
        vmovapd [rsp + at + Q], rest
        vmovapd [rsp + at + D], d
        vmovapd [rsp + at + U], one
        vmovapd [rsp + at + V], one
        add     at, 32
        cmp     at, 256
        jne     .Ldomains

        // The regular test of a block: bits of r10d. The last quotient is replaced by 0, which keeps the
        // state. A half step that is not due, because its divisor is the larger gap, has quotients of 0
        // too. Gaps q are cut by gaps p.
        lea     end, [rsp + 256]
.Lloop:
        mov     at, rsp
        .balign 32
.Lfirst:
        quotient P, Q, U, V
        vmovapd [at + MORE], more
        vaddpd  cut, cut, d
        vfmadd213pd cut, inverse, round
        vsubpd  cut, cut, round
        vminpd  cut, cut, k
        vfnmadd231pd d, cut, divisor
        vmovapd [at + D], d
        add     at, 32
        cmp     at, end
        jne     .Lfirst

        // Gaps p are cut by gaps q, from their ends.
        vxorpd  any, any, any
        mov     at, rsp
        .balign 32
.Lsecond:
        quotient Q, P, V, U
        vandpd  more, more, [at + MORE]
        vorpd   any, any, more
        vsubpd  cut, cut, rest
        vaddpd  cut, cut, d
        vfmadd213pd cut, inverse, round
        vsubpd  cut, cut, round
        vmaxpd  cut, cut, zero
        vfnmadd231pd d, cut, divisor
        vmovapd [at + D], d
        add     at, 32
        cmp     at, end
        jne     .Lsecond
        vtestpd any, any
        jnz     .Lloop

        // The last quotients of the half step that is due, limited by n.
        mov     at, rsp
        xor     r10d, r10d
        xor     ecx, ecx
.Llast:
        vmovapd d, [at + P]
        vmovapd k, [at + Q]
        vmovapd u, [at + U]
        vmovapd v, [at + V]
        vcmplepd more, d, k
        vblendvpd divisor, k, d, more
        vblendvpd rest, d, k, more
        vsubpd  inverse, last, u
        vsubpd  inverse, inverse, v
        vblendvpd u, u, v, more
        vdivpd  inverse, inverse, u
        vroundpd inverse, inverse, 2
        vdivpd  k, rest, divisor
        vroundpd k, k, 1
        vminpd  k, k, inverse
        vfnmadd231pd rest, k, divisor
        vandnpd v, more, rest
        vmovapd d, [at + D]
        vaddpd  cut, d, half
        vsubpd  cut, cut, v
        vdivpd  cut, cut, divisor
        vroundpd cut, cut, 1
        vmaxpd  cut, cut, zero
        vminpd  cut, cut, k
        vfnmadd231pd d, cut, divisor

        // The distance in the gap.
        vblendvpd rest, rest, divisor, more
        vcmplepd more, rest, d
        vandpd  more, more, rest
        vsubpd  d, d, more
        vcmpltpd d, d, most
        vmovmskpd r8d, d
        shl     r8d, cl
        or      r10d, r8d
        add     ecx, 4
        add     at, 32
        cmp     ecx, 32
        jne     .Llast

        // The bits of the block.
        sub     count, here
        jz      .Lrest
        mov     [bits], r10d
        add     bits, 4
        add     a, 256
        add     b, 256
        jmp     .Lblock

        // Bits of the last domains.
.Lrest:
        mov     rcx, -1
        mov     r8, here
        bzhi    rcx, rcx, r8
        and     r10, rcx
.Lbyte:
        mov     [bits], r10b
        shr     r10, 8
        add     bits, 1
        sub     r8, 8
        ja      .Lbyte

.Ldone:
        mov     rsp, rbp
        .cfi_def_cfa_register rsp
        pop     rbp
        .cfi_def_cfa_offset 8
        .cfi_restore rbp
        vzeroupper
        ret
END(hl_hardround_regular_avx2)

        RODATA
        .balign 8
.Lunit:                                 // 2^52
        .double 4503599627370496
.Lone:
        .double 1
.Lhalf:
        .double 0.5
.Lround:                                // 1.5 2^52: adding it rounds to integers
        .double 6755399441055744
