// The gather sweep with SSE2.
//
// The columns of a row go through each step together. An instruction takes a physical register at
// dispatch, so instructions that wait long for their operands would hold too many.

#include "hl.h"

#define LANES       4
#include "constants_x86_64.h"

#define spins       rdi
#define index       rsi
#define last        rdx
#define below       rcx
#define above       r8
#define links       r9
#define random      r10
#define left        r11d

// Column c of a row.
#define sum         xmm\c
#define flips       xmm1\c

#define J           xmm4
#define t           xmm5
#define u           xmm6
#define space       xmm7
#define tau         xmm8

        .macro each statement:vararg
        .irp    c, 0, 1, 2, 3
        \statement
        .endr
        .endm

        // An instruction with a memory operand, which SSE2 requires to be aligned.
        .macro with instruction, register, address:vararg
        .if     aligned
        \instruction \register, \address
        .else
        movups  u, \address
        \instruction \register, u
        .endif
        .endm

        .macro couple at
        mov     eax, [links + \at]
        movss   J, dword ptr [links + \at + 4]
        shufps  J, J, 0
        .irp    c, 0, 1, 2, 3
        movaps  t, J
        with    mulps, t, [spins + rax + 16 * \c]
        addps   sum, t
        .endr
        .endm

        .macro sites rule, heat, poly, name
        .balign 32
.Lsite_\name\()_\rule:
        mov     left, [links]
        movss   xmm0, dword ptr [links + 4]
        shufps  xmm0, xmm0, 0
        movaps  xmm1, xmm0
        movaps  xmm2, xmm0
        movaps  xmm3, xmm0
        add     links, 8
        sub     left, 4
        jb      .Lfew_\name\()_\rule
.Lfour_\name\()_\rule:
        .irp    at, 0, 8, 16, 24
        couple  \at
        .endr
        add     links, 32
        sub     left, 4
        jae     .Lfour_\name\()_\rule
.Lfew_\name\()_\rule:
        add     left, 4
        jz      .Lvisit_\name\()_\rule
.Lone_\name\()_\rule:
        couple  0
        add     links, 8
        dec     left
        jnz     .Lone_\name\()_\rule
.Lvisit_\name\()_\rule:
        .irp    c, 0, 1, 2, 3
        movups  t, [below + index + 16 * \c]
        with    addps, t, [above + index + 16 * \c]
        mulps   t, tau
        mulps   sum, space
        addps   sum, t
        .endr
        each    with mulps, sum, [spins + index + 16 * \c]

        // The value to compare with the random numbers replaces the exponent.
        each    minps   sum, [rip + .Lmost_\rule]
        .if     \heat | \poly
        each    maxps   sum, [rip + .Lleast_exponent_\rule]
        .endif
        .if     \poly
        // `sum` becomes 2^sum = 2^n s ((f + a) f + b)^2 ((f + c) f + d)^2, where n is the nearest
        // integer and f the remainder.
        .irp    c, 0, 1, 2, 3
        cvtps2dq u, sum
        cvtdq2ps t, u
        subps   sum, t
        movaps  t, sum
        addps   t, [rip + .La]
        mulps   t, sum
        addps   t, [rip + .Lb]
        movaps  J, sum
        addps   J, [rip + .Lc]
        mulps   sum, J
        addps   sum, [rip + .Ld]
        mulps   sum, t
        mulps   sum, sum
        mulps   sum, [rip + .Ls_\rule]
        pslld   u, 23
        paddd   sum, u
        .endr
        .else
        each    cvtps2dq sum, sum
        .if     \heat == 0
        each    paddd   sum, [rip + .Lunit_fast]
        each    mulps   sum, [rip + .Lscale_fast]
        .endif
        .endif

        // The mask t of accepted flips.
        .irp    c, 0, 1, 2, 3
        movups  t, [random + index + 16 * \c]
        psrld   t, 8
        .if     \heat
        // x, an odd number below 2^24, in t; 2^24 - x in u.
        por     t, [rip + .Llowest_bit]
        cvtdq2ps t, t
        movaps  u, [rip + .Lrange]
        subps   u, t
        .if     \poly
        // x < (2^24 - x) 2^v
        mulps   sum, u
        cmpltps t, sum
        .else
        // x e(-n) < (2^24 - x) e(n)
        movaps  J, [rip + .Lunit_heat_fast]
        psubd   J, sum
        paddd   sum, [rip + .Lunit_heat_fast]
        mulps   t, J
        mulps   u, sum
        cmpltps t, u
        .endif
        .else
        // Accepts where the random number is less than `sum`, the probability times 2^24.
        cvtdq2ps t, t
        cmpltps t, sum
        .endif
        psubd   flips, t
        pslld   t, 31
        with    xorps, t, [spins + index + 16 * \c]
        movups  [spins + index + 16 * \c], t
        .endr
        cmp     index, last
        je      .Ldone_\rule
        add     index, 64
        jmp     .Lsite_\name\()_\rule
        .endm

        .macro sweep rule, heat, poly
        mov     random, [rsp + 8]
        mov     rax, [rsp + 16]
        test    rdx, rdx
        jz      .Lnone_\rule

        // `index` is the offset of a row in its group, for all arrays.
        shl     rsi, 6
        shl     rdx, 6
        sub     below, index
        sub     above, index
        sub     random, index
        lea     last, [index + rdx - 64]

        // Clamp tau to 2^126 in magnitude: its products with -2, 0 and 2 are exact, so other
        // variants may fuse them.
        movss   space, dword ptr [rip + .Lfactor_\rule]
        mulss   xmm0, space
        mulss   xmm1, space
        movss   t, dword ptr [rip + .Llargest]
        minss   t, xmm1
        movss   tau, dword ptr [rip + .Lleast]
        maxss   tau, t
        movaps  space, xmm0
        shufps  space, space, 0
        shufps  tau, tau, 0
        each    movups flips, [rax + 16 * \c]

        // Memory operands need aligned rows.
        mov     eax, edi
        or      eax, ecx
        or      eax, r8d
        test    al, 15
        jnz     .Lsite_unaligned_\rule
        .set    aligned, 1
        sites   \rule, \heat, \poly, aligned
        .set    aligned, 0
        sites   \rule, \heat, \poly, unaligned

.Ldone_\rule:
        mov     rax, [rsp + 16]
        each    movups [rax + 16 * \c], flips
.Lnone_\rule:
        ret
        .endm

// Visits `count` sites of one group in order, acceptance by the fast exponential; neighbours are
// read.
//
//   void hl_ising_sweep_fast_f32_sse2(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau,
//       const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         xmm0 = beta_space, xmm1 = beta_tau, [rsp+8] = random, [rsp+16] = flips
//         Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, xmm0..xmm8, xmm10..xmm13     Stack  none
// Loop    1 site of 16 spins; 60 vector operations and 9 a link; bound by loads, two a cycle: 35,
//         and 6 a link
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_fast_f32_sse2)
        sweep   fast, 0, 0
END(hl_ising_sweep_fast_f32_sse2)

// sweep_fast_f32 with acceptance by the polynomial exponential.
//
//   void hl_ising_sweep_poly_f32_sse2(float *spins, size_t first, size_t count, const float *below,
//       const float *above, const hl_ising_link *links, float beta_space, float beta_tau,
//       const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         xmm0 = beta_space, xmm1 = beta_tau, [rsp+8] = random, [rsp+16] = flips
//         Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, xmm0..xmm8, xmm10..xmm13     Stack  none
// Loop    1 site of 16 spins; 108 vector operations and 9 a link; bound by loads, two a cycle: 51,
//         and 6 a link
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_poly_f32_sse2)
        sweep   poly, 0, 1
END(hl_ising_sweep_poly_f32_sse2)

// sweep_fast_f32 with acceptance by the heat bath of the fast exponential.
//
//   void hl_ising_sweep_heat_fast_f32_sse2(float *spins, size_t first, size_t count,
//       const float *below, const float *above, const hl_ising_link *links, float beta_space,
//       float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         xmm0 = beta_space, xmm1 = beta_tau, [rsp+8] = random, [rsp+16] = flips
//         Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, xmm0..xmm8, xmm10..xmm13     Stack  none
// Loop    1 site of 16 spins; 92 vector operations and 9 a link; bound by loads, two a cycle: 51,
//         and 6 a link
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_heat_fast_f32_sse2)
        sweep   heat_fast, 1, 0
END(hl_ising_sweep_heat_fast_f32_sse2)

// sweep_fast_f32 with acceptance by the heat bath of the polynomial exponential.
//
//   void hl_ising_sweep_heat_poly_f32_sse2(float *spins, size_t first, size_t count,
//       const float *below, const float *above, const hl_ising_link *links, float beta_space,
//       float beta_tau, const uint32_t *random, uint32_t *flips);
//
// In      rdi = spins, rsi = first, rdx = count, rcx = below, r8 = above, r9 = links,
//         xmm0 = beta_space, xmm1 = beta_tau, [rsp+8] = random, [rsp+16] = flips
//         Out  spins, flips
// Uses    rax, rcx, rdx, rsi, r8..r11, xmm0..xmm8, xmm10..xmm13     Stack  none
// Loop    1 site of 16 spins; 136 vector operations and 9 a link; bound by loads, two a cycle: 67,
//         and 6 a link
// Tail    none, a row is 16 spins; reads the rows of the sites and of their neighbours, the links,
//         random[0..16 count]
FUNC(hl_ising_sweep_heat_poly_f32_sse2)
        sweep   heat_poly, 1, 1
END(hl_ising_sweep_heat_poly_f32_sse2)

        RODATA
        .balign 16
        constant .Lmost_fast, 0
        constant .Lunit_fast, 0x3fe98000                // the bits of 1.82421875
        constant .Lscale_fast, 0x4b03902c               // 15/16 2^24 / 1.82421875
        constant .Lmost_heat_fast, 0x4d000000           // 2^27, and its negative: odds of 2^32
        constant .Lleast_exponent_heat_fast, 0xcd000000
        constant .Lunit_heat_fast, 0x3f800000           // the bits of 1.0
        constant .Lmost_poly, 0
        constant .Lleast_exponent_poly, 0xc2fc0000      // -126
        constant .Lmost_heat_poly, 0x42000000           // 32, and its negative: odds of 2^32
        constant .Lleast_exponent_heat_poly, 0xc2000000
        constant .La, 0x411fa717                        // the coefficients of the polynomial
        constant .Lb, 0x41fb8bd9
        constant .Lc, 0x3fc5280f
        constant .Ld, 0x4252c7df
        constant .Ls_poly, 0x40b7558d                   // times 15/16 2^24
        constant .Ls_heat_poly, 0x34c38e74
        constant .Lrange, 0x4b800000                    // 2^24
        constant .Llowest_bit, 1
        constant .Lfactor_fast, 0xcbb8aa3b, 1           // -2^24 log2 e
        constant .Lfactor_heat_fast, 0xcb38aa3b, 1      // -2^23 log2 e
.Lfactor_poly:                          // -2 log2 e
        constant .Lfactor_heat_poly, 0xc038aa3b, 1
        constant .Llargest, 0x7e800000, 1               // 2^126, and its negative
        constant .Lleast, 0xfe800000, 1
