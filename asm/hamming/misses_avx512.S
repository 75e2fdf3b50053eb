// Counts the misses of 512 rows at once, for `n` groups of 512 rows, and returns how many groups
// have a row that is not dead.
//
//   size_t hl_hamming_misses_avx512(const uint8_t *planes, const uint32_t *offsets, size_t chunks,
//       uint64_t invert, uint16_t *groups, size_t n, const uint64_t *fresh, uint64_t *states,
//       size_t levels);
//
// In      rdi = planes, rsi = offsets, rdx = chunks, rcx = invert, r8 = groups, r9 = n,
//         [rsp+8] = fresh, [rsp+16] = states, [rsp+24] = levels     Out  rax = live groups
// Uses    rax, rbx, rcx, rdx, rbp, r8..r15, k1, zmm0..zmm14     Stack  56 bytes
// Loop    8 planes of 512 rows, 2 levels: 19 operations, 2 a cycle, and 16 loads
// Bound   9.5 cycles for 1 elements on Granite Rapids
// Tail    none; reads whole lines
//
// A full adder is two operations: the sum replaces a summand, and the carry is a function of it and
// of the other two.

#include "hl.h"

#define BYTES       64
#define PARTS       1

#define ones        zmm0
#define twos        zmm1
#define fours       zmm2
#define dead        zmm3
#define carry       zmm10
#define spare       zmm4
// A line is one vector.
#define dead_all    dead
#define invert      zmm8

#include "misses_x86_64.h"

        .macro load register, at_memory
        vmovdqu64 \register, \at_memory
        .endm

        .macro store at_memory, register
        vmovdqu64 \at_memory, \register
        .endm

        .macro splat register, at_memory
        vpbroadcastq \register, \at_memory
        .endm

        .macro everywhere register, word
        vpbroadcastq \register, \word
        .endm

        // Adds a and b to `sum`; the carry replaces a.
        .macro full_adder sum, a, b
        vpternlogq \sum, \a, \b, 0x96
        vpternlogq \a, \sum, \b, 0xb2
        .endm

        // Adds planes 2 k and 2 k + 1 to `ones`.
        .macro pair out, k
        mov     ecx, [at + 8 * \k]
        vmovdqu64 \out, [line + offset]
        mov     ecx, [at + 8 * \k + 4]
        vmovdqu64 zmm9, [line + offset]
        full_adder ones, \out, zmm9
        .endm

        .macro adders
        pair    zmm10, 0
        pair    zmm11, 1
        pair    zmm12, 2
        pair    zmm13, 3
        full_adder twos, zmm10, zmm11
        full_adder twos, zmm12, zmm13
        full_adder fours, zmm10, zmm12
        .endm

        .macro inverted
        vpxorq  carry, carry, invert
        .endm

        // Level 0 inverts the carry in the same two operations.
        .macro level e, i
        .if     \i == 0
        vpternlogq \e, carry, invert, 0x96
        vpternlogq carry, \e, invert, 0x12
        .else
        vpxorq  \e, \e, carry
        vpandnq carry, \e, carry
        .endif
        .endm

        .macro either x, y
        vporq   \x, \x, \y
        .endm

        .macro both x, y
        .endm

        .macro full x
        .endm

        .macro live
        vpternlogq zmm14, zmm14, zmm14, 0xff
        vpcmpneqq k1, dead_all, zmm14
        kmovw   eax, k1
        neg     eax
        sbb     eax, eax
        neg     eax
        .endm

FUNC(hl_hamming_misses_avx512)
        misses  zmm4, zmm5, zmm6, zmm7
        vzeroupper
        ret
END(hl_hamming_misses_avx512)
