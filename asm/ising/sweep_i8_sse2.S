// The exact sweep with SSE2: looks up thresholds, in any table.
//
// A row of `bytes` holds 255 for each spin with bit 1, else 0. Thresholds are at 16-bit offsets,
// `(2 k & 255) + 256 c`, which are needed in integer registers. So the offsets go through memory
// and come back four to a register, since loads cost more than shifts.
//
// The work from the links of a site to its flips exceeds the reorder window of a CPU. So a site is
// located, which ends with its offsets in memory, while the previous site, which waits, is decided.
// If the two are neighbours, the waiting site is decided first.

#include "hl.h"

#define spins       rdi
#define bytes       rsi
#define above       r8
#define below       r9
#define links       r10
#define random      r11
#define left        edx
// 8 times the index of the site being located; the one before it waits.
#define site        rcx
// The offset of the waiting row, negative if there is none.
#define waiting     rbp
#define table       r15
#define header      r14
// The positions of the offsets on the stack: of the site being located, and of the waiting one.
#define located     r12
#define decided     r13

// Column c of a row: 16 lanes.
#define sum         xmm\c
#define stays       xmm\c
#define tied        xmm1\c
#define own         bytes + 8 * site + 16 * \c
#define own_waiting bytes + 8 * site - 64 + 16 * \c
#define live_units  rsp + 264 + 16 * \c

#define t           xmm4
#define u           xmm5
#define w           xmm6
#define units       xmm7
#define bits        xmm8
// 255 at an even site; free once a site is located.
#define even        xmm13
#define flips       xmm14
#define zero        xmm15

#define end         qword ptr [rsp + 328]
#define tables      qword ptr [rsp + 336]
#define next_table  qword ptr [rsp + 344]
#define first       qword ptr [rsp + 352]
#define argument    rsp + 416 + 8 *

        // Repeats each byte of the word in `low` four times: columns 0 and 1 go to `low`, 2 and 3
        // to `high`.
        .macro spread low, high
        punpcklbw \low, \low
        movdqa  \high, \low
        punpcklwd \low, \low
        punpckhwd \high, \high
        .endm

        // The bits of column c of a spread word, as 0 or 1.
        .macro unit to, low, high, c
        .if     \c < 2
        pshufd  \to, \low, 0x50 + 0xaa * (\c & 1)
        .else
        pshufd  \to, \high, 0x50 + 0xaa * (\c & 1)
        .endif
        pand    \to, bits
        pminub  \to, units
        .endm

        .macro couple rule, at
        mov     eax, [links + \at]
        movzx   ebx, al
        imul    ebx, ebx, 0x01010101
        movd    t, ebx
        pshufd  t, t, 0
        shr     eax, 2
        and     eax, -64
        cmp     rax, waiting
        je      .Lalone_\rule
        .irp    c, 0, 1, 2, 3
        movdqu  u, [bytes + rax + 16 * \c]
        pand    u, t
        psubb   sum, u
        .endr
        .endm

        // Turns the sum into offsets. xmm9..xmm12 hold the spread bits in which the adjacent layers
        // differ from the site.
        .macro locate c
        movdqu  u, [own]
        pxor    sum, u
        pand    u, even
        psubb   sum, u
        paddb   sum, sum
        unit    u, xmm10, xmm9, \c
        unit    w, xmm11, xmm12, \c
        paddb   u, w
        movdqa  w, sum
        punpcklbw sum, u
        punpckhbw w, u
        movdqa  [rsp + located + 32 * \c + 8], sum
        movdqa  [rsp + located + 32 * \c + 24], w
        .endm

        // Words `from` to `from` + 3 of 8 thresholds, whose offsets are `at` bytes into those of
        // `decided`.
        .macro look_up to, at, from
        mov     rax, [rsp + decided + \at + 2 * \from + 8]
        movzx   edx, ax
        .if     \from == 0
        movd    \to, dword ptr [table + rdx]
        .else
        pinsrw  \to, word ptr [table + rdx], \from
        .endif
        .irp    next, 1, 2
        shr     rax, 16
        movzx   edx, ax
        pinsrw  \to, word ptr [table + rdx], \from + \next
        .endr
        shr     rax, 16
        pinsrw  \to, word ptr [table + rax], \from + 3
        .endm

        // The masks of the lanes that keep their spin, and of the tied lanes.
        .macro decide c
        look_up tied, 32*\c, 0
        look_up t, 32*\c+16, 0
        look_up tied, 32*\c, 4
        look_up t, 32*\c+16, 4
        movdqu  u, [random + 64 + 16 * \c]
        movdqu  w, [random + 16 * \c]
        movdqa  stays, u
        punpcklbw u, w
        punpckhbw stays, w
        movdqa  w, t
        psubusw w, stays
        pcmpeqw t, stays
        movdqa  stays, tied
        psubusw stays, u
        pcmpeqw tied, u
        packsswb stays, w
        packsswb tied, t
        pcmpeqb stays, zero
        .endm

        // The frame code is kept apart from the body: some assemblers accept CFI directives only at
        // distances that they know when they read them.
        .macro sweep rule
        .irp    register, rbx, rbp, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        sub     rsp, 360
        .cfi_adjust_cfa_offset 360
        .cfi_remember_state
        call    .Lvisit_\rule
        add     rsp, 360
        .cfi_adjust_cfa_offset -360
        .irp    register, r15, r14, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        ret

        .cfi_restore_state
        .cfi_adjust_cfa_offset 8
.Lvisit_\rule:
        xor     eax, eax
        test    r8, r8
        jz      .Lnone_\rule
        movdqa  bits, [rip + .Lbits]
        movdqa  units, [rip + .Lunits]
        pxor    zero, zero
        pxor    flips, flips

        // At the start of a group, fill the rows of all sites.
        test    rcx, rcx
        jnz     .Lfilled_\rule
        mov     r10, bytes
        mov     rax, spins
        lea     rdx, [spins + 8 * rdx]
.Lfill_\rule:
        movq    xmm0, qword ptr [rax]
        spread  xmm0, xmm1
        .irp    c, 0, 1, 2, 3
        unit    t, xmm0, xmm1, \c
        pcmpeqb t, units
        movdqu  [r10 + 16 * \c], t
        .endr
        add     rax, 8
        add     r10, 64
        cmp     rax, rdx
        jne     .Lfill_\rule

        // `site` is the offset of a word in all arrays of words.
.Lfilled_\rule:
        movq    xmm0, qword ptr [argument 5]
        spread  xmm0, xmm1
        .irp    c, 0, 1, 2, 3
        unit    t, xmm0, xmm1, \c
        movdqa  [live_units], t
        .endr
        shl     site, 3
        mov     first, site
        lea     rax, [site + 8 * r8]
        mov     end, rax
        sub     below, site
        mov     above, [argument 1]
        sub     above, site
        mov     links, [argument 2]
        mov     rax, [argument 3]
        mov     tables, rax
        mov     random, [argument 4]
        xor     r12d, r12d
        mov     r13d, 128
        mov     waiting, -1

        .balign 32
.Lsite_\rule:
        mov     header, links
        mov     eax, [links]
        movzx   left, ah
        movzx   ebx, al
        imul    ebx, ebx, 0x01010101
        movd    xmm0, ebx
        pshufd  xmm0, xmm0, 0
        movdqa  xmm1, xmm0
        movdqa  xmm2, xmm0
        movdqa  xmm3, xmm0
        shr     eax, 16
        lea     ebx, [rax - 1]
        movd    even, ebx
        pshufd  even, even, 0
        imul    eax, eax, 864
        add     rax, tables
        mov     next_table, rax
        add     links, 4
        sub     left, 4
        jb      .Lfew_\rule
.Lfour_\rule:
        .irp    at, 0, 4, 8, 12
        couple  \rule, \at
        .endr
        add     links, 16
        sub     left, 4
        jae     .Lfour_\rule
.Lfew_\rule:
        add     left, 4
        jz      .Lbeside_\rule
.Lone_\rule:
        couple  \rule, 0
        add     links, 4
        dec     left
        jnz     .Lone_\rule
.Lbeside_\rule:
        movq    t, qword ptr [spins + site]
        movq    xmm10, qword ptr [below + site]
        movq    xmm11, qword ptr [above + site]
        pxor    xmm10, t
        pxor    xmm11, t
        spread  xmm10, xmm9
        spread  xmm11, xmm12
        test    waiting, waiting
        js      .Lfirst_\rule
        locate  0
        locate  1
        decide  0
        locate  2
        decide  1
        locate  3
        decide  2
        decide  3

        // A tie in a live lane ends the call.
.Ldecided_\rule:
        movdqa  t, xmm10
        movdqa  u, xmm12
        por     t, xmm11
        por     u, xmm13
        por     t, u
        pmovmskb eax, t
        test    eax, eax
        jnz     .Ltied_\rule
.Lflip_\rule:
        .irp    c, 0, 1, 2, 3
        movdqu  t, [own_waiting]
        pcmpeqb t, stays
        movdqu  [own_waiting], t
        pmovmskb eax, t
        mov     [spins + site - 8 + 2 * \c], ax
        pandn   stays, [live_units]
        .endr
        paddb   xmm0, xmm1
        paddb   xmm2, xmm3
        paddb   xmm0, xmm2
        psadbw  xmm0, zero
        paddq   flips, xmm0
        add     random, 128
        test    waiting, waiting
        js      .Lflipped_\rule

        // The located site becomes the waiting one.
.Lnext_\rule:
        lea     waiting, [8 * site]
        mov     table, next_table
        xor     located, 128
        xor     decided, 128
        add     site, 8
        cmp     site, end
        jne     .Lsite_\rule

        // Decide the waiting site alone: it is the last one, or a neighbour of the next.
.Lalone_\rule:
        mov     links, header
        mov     waiting, -1
        .irp    c, 0, 1, 2, 3
        decide  \c
        .endr
        jmp     .Ldecided_\rule
.Lflipped_\rule:
        cmp     site, end
        jne     .Lsite_\rule
        jmp     .Ldone_\rule
.Lfirst_\rule:
        .irp    c, 0, 1, 2, 3
        locate  \c
        .endr
        jmp     .Lnext_\rule

.Ltied_\rule:
        xor     eax, eax
        .irp    c, 0, 1, 2, 3
        pmovmskb edx, tied
        shl     rdx, 16 * \c
        or      rax, rdx
        .endr
        and     rax, [argument 5]
        jz      .Lflip_\rule
        sub     site, 8

.Ldone_\rule:
        movdqa  xmm0, flips
        punpckhqdq xmm0, xmm0
        paddq   xmm0, flips
        movq    rax, xmm0
        mov     rdx, [argument 6]
        add     [rdx], rax
        mov     rax, site
        sub     rax, first
        shr     rax, 3
.Lnone_\rule:
        ret
        .endm

// Visits up to `count` sites of one group of 64 layers in order, with exact acceptance, and returns
// how many: it stops before a site where 16 random bits do not suffice.
//
//   size_t hl_ising_sweep_i8_sse2(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first, size_t count,
//       const uint64_t *below, const uint64_t *above, const uint32_t *links, const uint16_t *thresholds,
//       const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      rdi = spins, rsi = bytes, rdx = sites, rcx = first, r8 = count, r9 = below,
//         [rsp+8] = above, [rsp+16] = links, [rsp+24] = thresholds, [rsp+32] = random,
//         [rsp+40] = live, [rsp+48] = flips     Out  rax, spins, bytes, flips
// Uses    rax, rcx, rdx, rbx, rbp, r8..r15, xmm0..xmm15     Stack  416 bytes
// Loop    1 site of 64 spins; 395 instructions and 20 a link, of these 107 loads and 5 a link;
//         bound by issue, six a cycle on Zen 3 (83 cycles with 5 links; 93 measured)
// Bound   83 cycles for 64 elements on Zen 3
// Tail    none, a row is 64 spins; reads the words and rows of the sites and rows of their
//         neighbours, the links, random[0..32 count], two thresholds at a time, never beyond the
//         864
FUNC(hl_ising_sweep_i8_sse2)
        sweep   metropolis
END(hl_ising_sweep_i8_sse2)

// sweep_i8 with acceptance by the heat bath: the values of `thresholds` are those of
// heat_thresholds.
//
//   size_t hl_ising_sweep_heat_i8_sse2(uint64_t *spins, uint8_t *bytes, size_t sites, size_t first,
//       size_t count, const uint64_t *below, const uint64_t *above, const uint32_t *links,
//       const uint16_t *thresholds, const uint32_t *random, uint64_t live, uint64_t *flips);
//
// In      rdi = spins, rsi = bytes, rdx = sites, rcx = first, r8 = count, r9 = below,
//         [rsp+8] = above, [rsp+16] = links, [rsp+24] = thresholds, [rsp+32] = random,
//         [rsp+40] = live, [rsp+48] = flips     Out  rax, spins, bytes, flips
// Uses    rax, rcx, rdx, rbx, rbp, r8..r15, xmm0..xmm15     Stack  416 bytes
// Loop    1 site of 64 spins; 395 instructions and 20 a link, of these 107 loads and 5 a link;
//         bound by issue, six a cycle on Zen 3 (83 cycles with 5 links)
// Bound   83 cycles for 64 elements on Zen 3
// Tail    none, a row is 64 spins; reads the words and rows of the sites and rows of their
//         neighbours, the links, random[0..32 count], two thresholds at a time, never beyond the
//         864
FUNC(hl_ising_sweep_heat_i8_sse2)
        sweep   heat
END(hl_ising_sweep_heat_i8_sse2)

        RODATA
        .balign 16
.Lbits:                                 // the bit of each lane in its byte
        .quad   0x8040201008040201, 0x8040201008040201
.Lunits:
        .quad   0x0101010101010101, 0x0101010101010101
