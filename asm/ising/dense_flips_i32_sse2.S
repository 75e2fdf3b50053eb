// Decides 64 sites one after the other in 32 bits, and returns which of them flip, a bit for each.
//
//   uint64_t hl_ising_dense_flips_i32_sse2(uint64_t spins, const int32_t *fields,
//       const int32_t *levels, const int32_t *couplings);
//
// In      rdi = spins, rsi = fields, rdx = levels, rcx = couplings     Out  rax
// Uses    rax, rcx, rdi, r8..r11, xmm0..xmm11     Stack  256 bytes
// Loop    4 sites: their fields are one vector. T is the level, or its complement for a spin of -1; the new
//         spin is +1 if the field exceeds T. The rows of spins of +1 are subtracted first; then the row
//         of each new spin of +1 is added, without a branch; bound by the latency of
//         5 operations a site. Then 5 operations for each flip and 4 later sites
// Tail    none; does not read rows of sites that cannot flip

#include "hl.h"

#define spins       rdi
#define levels      rdx
#define couplings   rcx
#define flips       r8
#define group       r9
#define accepted    eax
#define row         r10
#define column      r11

#define own         xmm0
#define down        xmm1
#define limit       xmm2
#define above       xmm6
#define sign        xmm7

        // The row of site `i` at the later places in `to`; adds it to xmm8 if the spin is +1.
        .macro subtract_up i, to
        movdqu  \to, [couplings + 256 * \i]
        pand    \to, [rip + .Llater + 16 * \i]
        pshufd  sign, down, 85 * \i
        pandn   sign, \to
        paddd   xmm8, sign
        .endm

        .macro decide i, later
        movdqa  above, own
        pcmpgtd above, limit
        pshufd  above, above, 85 * \i
        pand    above, \later
        paddd   own, above
        .endm

FUNC(hl_ising_dense_flips_i32_sse2)
        sub     rsp, 256
        .cfi_adjust_cfa_offset 256
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movdqu  xmm0, [rsi + 16 * \n]
        movdqu  [rsp + 16 * \n], xmm0
        .endr
        movdqa  xmm11, [rip + .Lbits]
        xor     r8d, r8d
        xor     r9d, r9d

        // A group of four sites, at the diagonal of the couplings.
.Lgroup:
        movdqu  own, [rsp + group]
        movd    down, edi
        pshufd  down, down, 0
        pand    down, xmm11
        pcmpeqd down, xmm11
        movdqu  limit, [levels + group]
        pxor    limit, down

        // The sites that flip, of four.
        movdqa  above, own
        pcmpgtd above, limit
        movmskps accepted, above
        xor     eax, edi
        not     eax
        and     eax, 15
        ror     flips, 4
        test    eax, eax
        jz      .Lnone
        pxor    xmm8, xmm8
        subtract_up 0, xmm3
        subtract_up 1, xmm4
        subtract_up 2, xmm5
        psubd   own, xmm8
        decide  0, xmm3
        decide  1, xmm4
        decide  2, xmm5
        movdqa  above, own
        pcmpgtd above, limit
        movmskps accepted, above
        xor     eax, edi
        not     eax
        and     eax, 15
        or      flips, rax

        // Each flip changes the fields of the later groups.
        test    eax, eax
        jz      .Lnone
.Lflip:
        bsf     r10d, eax
        lea     r11d, [rax - 1]
        and     eax, r11d
        bt      edi, r10d
        sbb     r11d, r11d
        not     r11d
        movd    sign, r11d
        pshufd  sign, sign, 0
        shl     row, 8
        add     row, couplings
        sub     row, group
        lea     column, [group + 16]
        cmp     column, 256
        je      .Lapplied
.Lapply:
        movdqu  xmm9, [row + column]
        movdqu  xmm10, [rsp + column]
        pxor    xmm9, sign
        psubd   xmm9, sign
        paddd   xmm10, xmm9
        movdqu  [rsp + column], xmm10
        add     column, 16
        cmp     column, 256
        jne     .Lapply
.Lapplied:
        test    eax, eax
        jnz     .Lflip
.Lnone:
        shr     spins, 4
        add     couplings, 1040
        add     group, 16
        cmp     group, 256
        jne     .Lgroup

        ror     flips, 4
        mov     rax, flips
        add     rsp, 256
        .cfi_adjust_cfa_offset -256
        ret
END(hl_ising_dense_flips_i32_sse2)

        RODATA
        .balign 16
.Llater:                                // -1 after place i
        .long   0, -1, -1, -1
        .long   0, 0, -1, -1
        .long   0, 0, 0, -1
.Lbits:                                 // bit i in place i
        .long   1, 2, 4, 8
