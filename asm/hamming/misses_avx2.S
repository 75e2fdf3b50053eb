// Counts the misses of 512 rows at once, for `n` groups of 512 rows, and returns how many groups
// have a row that is not dead.
//
//   size_t hl_hamming_misses_avx2(const uint8_t *planes, const uint32_t *offsets, size_t chunks,
//       uint64_t invert, uint16_t *groups, size_t n, const uint64_t *fresh, uint64_t *states,
//       size_t levels);
//
// In      rdi = planes, rsi = offsets, rdx = chunks, rcx = invert, r8 = groups, r9 = n,
//         [rsp+8] = fresh, [rsp+16] = states, [rsp+24] = levels     Out  rax = live groups
// Uses    rax, rbx, rcx, rdx, rbp, r8..r15, ymm0..ymm15     Stack  56 bytes
// Loop    8 planes of 256 rows, 2 levels: 41 operations, 3 a cycle, and 16 loads
// Bound   27.3 cycles for 1 elements on Granite Rapids
// Tail    none; reads whole lines
//
// Seven full adders of five operations. The states' lines are taken in two halves.

#include "hl.h"

#define BYTES       32
#define PARTS       2

#define ones        ymm0
#define twos        ymm1
#define fours       ymm2
#define dead        ymm3
#define carry       ymm12
#define spare       ymm4
#define dead_all    ymm14
#define invert      ymm15

#include "misses_x86_64.h"

        .macro load register, at_memory
        vmovdqu \register, \at_memory
        .endm

        .macro store at_memory, register
        vmovdqu \at_memory, \register
        .endm

        .macro splat register, at_memory
        vpbroadcastq \register, \at_memory
        .endm

        .macro everywhere register, word
        vmovq   xmm15, \word
        vpbroadcastq \register, xmm15
        .endm

        // Adds a and b to `sum`; the carry goes to `out`, which may be a or b.
        .macro full_adder out, sum, a, b
        vpxor   ymm8, \sum, \a
        vpandn  ymm9, ymm8, \sum
        vpxor   \sum, ymm8, \b
        vpand   ymm8, ymm8, \b
        vpor    \out, ymm8, ymm9
        .endm

        // Adds planes 2 k and 2 k + 1 to `ones`.
        .macro pair out, k
        mov     ecx, [at + 8 * \k]
        vmovdqu \out, [line + offset]
        mov     ecx, [at + 8 * \k + 4]
        vmovdqu ymm13, [line + offset]
        full_adder \out, ones, \out, ymm13
        .endm

        .macro adders
        pair    ymm10, 0
        pair    ymm11, 1
        full_adder ymm12, twos, ymm10, ymm11
        pair    ymm10, 2
        pair    ymm11, 3
        full_adder ymm10, twos, ymm10, ymm11
        full_adder carry, fours, ymm10, ymm12
        .endm

        .macro inverted
        vpxor   carry, carry, invert
        .endm

        .macro level e, i
        .if     \i == 0
        inverted
        .endif
        vpand   ymm8, \e, carry
        vpxor   \e, \e, carry
        vmovdqa carry, ymm8
        .endm

        .macro either x, y
        vpor    \x, \x, \y
        .endm

        .macro both x, y
        vpand   \x, \x, \y
        .endm

        .macro full x
        vpcmpeqd \x, \x, \x
        .endm

        .macro live
        full    ymm8
        xor     eax, eax
        vptest  dead_all, ymm8
        setnc   al
        .endm

FUNC(hl_hamming_misses_avx2)
        misses  ymm4, ymm5, ymm6, ymm7
        vzeroupper
        ret
END(hl_hamming_misses_avx2)
