// Counts the misses of 512 rows at once, for `n` groups of 512 rows, and returns how many groups
// have a row that is not dead.
//
//   size_t hl_hamming_misses_sse2(const uint8_t *planes, const uint32_t *offsets, size_t chunks,
//       uint64_t invert, uint16_t *groups, size_t n, const uint64_t *fresh, uint64_t *states,
//       size_t levels);
//
// In      rdi = planes, rsi = offsets, rdx = chunks, rcx = invert, r8 = groups, r9 = n,
//         [rsp+8] = fresh, [rsp+16] = states, [rsp+24] = levels     Out  rax = live groups
// Uses    rax, rbx, rcx, rdx, rbp, r8..r15, xmm0..xmm15     Stack  56 bytes
// Loop    8 planes of 128 rows, 2 levels: 41 operations, 3 a cycle, 16 moves, 16 loads
// Bound   54.6 cycles for 1 elements on Granite Rapids
// Tail    none; reads whole lines
//
// Seven full adders of five operations and two moves. The states' lines are taken in four parts.

#include "hl.h"

#define BYTES       16
#define PARTS       4

#define ones        xmm0
#define twos        xmm1
#define fours       xmm2
#define dead        xmm3
#define carry       xmm12
#define spare       xmm4
#define dead_all    xmm14
#define invert      xmm15

#include "misses_x86_64.h"

        .macro load register, at_memory
        movdqu  \register, \at_memory
        .endm

        .macro store at_memory, register
        movdqu  \at_memory, \register
        .endm

        .macro splat register, at_memory
        movq    \register, qword ptr \at_memory
        punpcklqdq \register, \register
        .endm

        .macro everywhere register, word
        movq    \register, \word
        punpcklqdq \register, \register
        .endm

        // Adds a and b to `sum`; the carry replaces a.
        .macro full_adder sum, a, b
        pxor    \a, \sum
        movdqa  xmm8, \a
        pandn   xmm8, \sum
        movdqa  \sum, \a
        pand    \a, \b
        pxor    \sum, \b
        por     \a, xmm8
        .endm

        // Adds planes 2 k and 2 k + 1 to `ones`.
        .macro pair out, k
        mov     ecx, [at + 8 * \k]
        movdqu  \out, [line + offset]
        mov     ecx, [at + 8 * \k + 4]
        movdqu  xmm13, [line + offset]
        full_adder ones, \out, xmm13
        .endm

        .macro adders
        pair    xmm12, 0
        pair    xmm11, 1
        full_adder twos, xmm12, xmm11
        pair    xmm10, 2
        pair    xmm11, 3
        full_adder twos, xmm10, xmm11
        full_adder fours, carry, xmm10
        .endm

        .macro inverted
        pxor    carry, invert
        .endm

        .macro level e, i
        .if     \i == 0
        inverted
        .endif
        movdqa  xmm9, \e
        pxor    \e, carry
        pand    carry, xmm9
        .endm

        .macro either x, y
        por     \x, \y
        .endm

        .macro both x, y
        pand    \x, \y
        .endm

        .macro full x
        pcmpeqd \x, \x
        .endm

        .macro live
        full    xmm8
        pcmpeqb xmm8, dead_all
        pmovmskb eax, xmm8
        sub     eax, 0xffff
        neg     eax
        sbb     eax, eax
        neg     eax
        .endm

FUNC(hl_hamming_misses_sse2)
        misses  xmm4, xmm5, xmm6, xmm7
        ret
END(hl_hamming_misses_sse2)
