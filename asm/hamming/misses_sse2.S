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
#include "misses_x86_64.h"

#define ones        xmm0
#define twos        xmm1
#define fours       xmm2
#define dead        xmm3
#define spare       xmm4
#define carry       xmm12
#define dead_all    xmm14
#define invert      xmm15
#define parts       r15d

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
        mov     ecx, [at + 8*\k]
        movdqu  \out, [line + offset]
        mov     ecx, [at + 8*\k + 4]
        movdqu  xmm13, [line + offset]
        full_adder ones, \out, xmm13
        .endm

// All groups. Up to four levels are in registers, from xmm4 on, five or more in the slot.
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
        mov     parts, 4
        pcmpeqd dead_all, dead_all
.Lpart_\name:
        .if     MANY
        mov     at_level, 256
        .endif
        test    fresh, fresh
        jz      .Lstored_\name
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < LINES
        movq    xmm\i, qword ptr [fresh + 8*\i]
        punpcklqdq xmm\i, xmm\i
        .endif
        .endr
        .if     MANY
        mov     at, fresh
.Lsplat_\name:
        movq    carry, qword ptr [at + 32]
        punpcklqdq carry, carry
        movdqu  [to + at_level], carry
        add     at, 8
        add     at_level, 64
        cmp     at_level, size
        jne     .Lsplat_\name
        .endif
        jmp     .Lloaded_\name
.Lstored_\name:
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < LINES
        movdqu  xmm\i, [from + 64*\i]
        .endif
        .endr
        .if     MANY
.Lcopy_\name:
        movdqu  carry, [from + at_level]
        movdqu  [to + at_level], carry
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
        pair    xmm12, 0
        pair    xmm11, 1
        full_adder twos, xmm12, xmm11
        pair    xmm10, 2
        pair    xmm11, 3
        full_adder twos, xmm10, xmm11
        full_adder fours, xmm12, xmm10

        // Add the carry, inverted or not, to the levels; the rest is dead.
        pxor    carry, invert
        .if     MANY
        mov     at_level, 256
.Llevel_\name:
        movdqu  spare, [to + at_level]
        movdqa  xmm9, spare
        pxor    spare, carry
        pand    carry, xmm9
        movdqu  [to + at_level], spare
        add     at_level, 64
        cmp     at_level, size
        jne     .Llevel_\name
        .else
        .irp    i, 4, 5, 6, 7
        .if     \i < LINES
        movdqa  xmm9, xmm\i
        pxor    xmm\i, carry
        pand    carry, xmm9
        .endif
        .endr
        .endif
        por     dead, carry
        add     at, 32
        cmp     at, end
        jne     .Lloop_\name
.Ladded_\name:
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < LINES
        movdqu  [to + 64*\i], xmm\i
        .endif
        .endr

        // The next part of the lines, then the next group. A group with a row that is not dead keeps its slot.
        pand    dead_all, dead
        add     line, 16
        add     from, 16
        add     to, 16
        dec     parts
        jnz     .Lpart_\name
        sub     from, 64
        sub     to, 64
        movzx   eax, word ptr [list]
        mov     [kept], ax
        pcmpeqd xmm8, xmm8
        pcmpeqb xmm8, dead_all
        pmovmskb eax, xmm8
        sub     eax, 0xffff
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

FUNC(hl_hamming_misses_sse2)
        .irp    register, rbx, rbp, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        push    list
        .cfi_adjust_cfa_offset 8
        mov     fresh, [rsp + 64]
        mov     from, [rsp + 72]
        mov     size, [rsp + 80]
        movq    invert, rcx
        punpcklqdq invert, invert
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
        .irp    register, r15, r14, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        ret
END(hl_hamming_misses_sse2)
