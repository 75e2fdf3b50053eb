// Counts the misses of 512 rows at once, for `n` groups of 512 rows, and returns how many groups
// have a row that is not dead.
//
//   size_t hl_hamming_misses_avx512(const uint8_t *planes, const uint32_t *offsets, size_t chunks,
//       uint64_t invert, uint16_t *groups, size_t n, const uint64_t *fresh, uint64_t *states,
//       size_t levels);
//
// In      rdi = planes, rsi = offsets, rdx = chunks, rcx = invert, r8 = groups, r9 = n,
//         [rsp+8] = fresh, [rsp+16] = states, [rsp+24] = levels     Out  rax = live groups
// Uses    rax, rbx, rcx, rdx, rbp, r8..r14, k1, zmm0..zmm14     Stack  48 bytes
// Loop    8 planes of 512 rows, 2 levels: 19 operations, 2 a cycle, and 16 loads
// Bound   9.5 cycles for 1 elements on Granite Rapids
// Tail    none; reads whole lines
//
// A full adder is two operations: the sum replaces a summand, and the carry is a function of it and
// of the other two.

#include "hl.h"
#include "misses_x86_64.h"

#define ones        zmm0
#define twos        zmm1
#define fours       zmm2
#define dead        zmm3
#define spare       zmm4
#define invert      zmm8
#define carry       zmm10

// Functions of three bits for vpternlog: the sum of a full adder, and its carry from the first summand, the
// new sum and the other summand. The carry replaces the first summand.
#define SUM         0x96
#define CARRY       0xb2

// All groups. Up to four levels are in registers, from zmm4 on, five or more in the slot.
        .macro count name, levels
        .set    MANY, \levels > 4
        .set    LINES, 4 + \levels
        .if     MANY
        .set    LINES, 4
        .endif
.Lgroup_\name:
        movzx   eax, word ptr [list]
        shl     line, 6
        add     line, planes_at
        .if     MANY
        mov     at_level, 256
        .endif
        test    fresh, fresh
        jz      .Lstored_\name
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < LINES
        vpbroadcastq zmm\i, [fresh + 8*\i]
        .endif
        .endr
        .if     MANY
        mov     at, fresh
.Lsplat_\name:
        vpbroadcastq carry, [at + 32]
        vmovdqu64 [to + at_level], carry
        add     at, 8
        add     at_level, 64
        cmp     at_level, size
        jne     .Lsplat_\name
        .endif
        jmp     .Lloaded_\name
.Lstored_\name:
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < LINES
        vmovdqu64 zmm\i, [from + 64*\i]
        .endif
        .endr
        .if     MANY
.Lcopy_\name:
        vmovdqu64 carry, [from + at_level]
        vmovdqu64 [to + at_level], carry
        add     at_level, 64
        cmp     at_level, size
        jne     .Lcopy_\name
        .endif
.Lloaded_\name:
        mov     at, offsets
        cmp     at, end
        je      .Ladded_\name

        // Add the eight planes of a chunk to ones, twos and fours; the rest is in carry.
        .if     MANY == 0
        .balign 32
        .endif
.Lloop_\name:
        .irp    k, 0, 1, 2, 3
        mov     ecx, [at + 8*\k]
        vmovdqu64 zmm1\k, [line + offset]
        mov     ecx, [at + 8*\k + 4]
        vmovdqu64 zmm9, [line + offset]
        vpternlogq ones, zmm1\k, zmm9, SUM
        vpternlogq zmm1\k, ones, zmm9, CARRY
        .endr
        vpternlogq twos, zmm10, zmm11, SUM
        vpternlogq zmm10, twos, zmm11, CARRY
        vpternlogq twos, zmm12, zmm13, SUM
        vpternlogq zmm12, twos, zmm13, CARRY
        vpternlogq fours, zmm10, zmm12, SUM
        vpternlogq zmm10, fours, zmm12, CARRY

        // Add the carry, inverted or not, to the levels; the rest is dead. The first level in a register
        // inverts it in the same two operations.
        .if     MANY
        vpxorq  carry, carry, invert
        mov     at_level, 256
.Llevel_\name:
        vmovdqu64 spare, [to + at_level]
        vpxorq  spare, spare, carry
        vpandnq carry, spare, carry
        vmovdqu64 [to + at_level], spare
        add     at_level, 64
        cmp     at_level, size
        jne     .Llevel_\name
        .elseif LINES == 4
        vpxorq  carry, carry, invert
        .else
        vpternlogq zmm4, carry, invert, SUM
        vpternlogq carry, zmm4, invert, 0x12
        .irp    i, 5, 6, 7
        .if     \i < LINES
        vpxorq  zmm\i, zmm\i, carry
        vpandnq carry, zmm\i, carry
        .endif
        .endr
        .endif
        vporq   dead, dead, carry
        add     at, 32
        cmp     at, end
        jne     .Lloop_\name
.Ladded_\name:
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < LINES
        vmovdqu64 [to + 64*\i], zmm\i
        .endif
        .endr

        // The next group. A group with a row that is not dead keeps its slot.
        movzx   eax, word ptr [list]
        mov     [kept], ax
        vpternlogq zmm14, zmm14, zmm14, 0xff
        vpcmpneqq k1, dead, zmm14
        kmovw   eax, k1
        neg     eax
        sbb     eax, eax
        neg     eax
        lea     kept, [kept + 2*rax]
        neg     rax
        and     rax, size
        add     to, rax
        add     list, 2
        add     from, size
        dec     left
        jnz     .Lgroup_\name
        jmp     .Ldone
        .endm

FUNC(hl_hamming_misses_avx512)
        .irp    register, rbx, rbp, r12, r13, r14
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        push    list
        .cfi_adjust_cfa_offset 8
        mov     fresh, [rsp + 56]
        mov     from, [rsp + 64]
        mov     size, [rsp + 72]
        vpbroadcastq invert, rcx
        mov     to, from
        mov     kept, list
        shl     end, 5
        add     end, offsets
        test    left, left
        jz      .Ldone

        mov     rax, size
        add     size, 4
        shl     size, 6
        cmp     rax, 1
        jb      .Lgroup_none
        je      .Lgroup_one
        cmp     rax, 3
        jb      .Lgroup_two
        je      .Lgroup_three
        cmp     rax, 4
        je      .Lgroup_four
        jmp     .Lgroup_many
        count   none, 0
        count   one, 1
        count   two, 2
        count   three, 3
        count   four, 4
        count   many, 5

        // Return the number of live groups.
.Ldone:
        pop     list
        .cfi_adjust_cfa_offset -8
        sub     kept, list
        mov     rax, kept
        shr     rax, 1
        .irp    register, r14, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        vzeroupper
        ret
END(hl_hamming_misses_avx512)
