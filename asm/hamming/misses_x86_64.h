// The miss counter without its vector operations: pointers, loops and choice of the levels, for SSE2 and AVX-512.
//
// AVX2 has intrinsics only, in src/hamming/index/lanes.rs.
//
// The file that includes this defines the registers ones, twos, fours, dead, dead_all, carry, spare
// and invert, BYTES of a vector, PARTS of a line, and macros:
//
//   load r, m / store m, r / splat r, m      a vector; a word in all places
//   everywhere v, r                          a word of a register in all places
//   adders               adds the planes of a chunk to ones, twos and fours; the rest is in carry
//   inverted             carry ^= invert
//   level e, i           (e, carry) = (e ^ carry, e & carry); level 0 inverts the carry before
//   either x, y / both x, y                  x |= y, x &= y
//   full x               all ones
//   live                 eax = 1 if dead_all has a zero, else 0

#define planes_at   rdi
#define offsets     rsi
// The end of the offsets.
#define end         rdx
#define offset      rcx
// The list of groups: the next one that is read, and the place of the next live one.
#define list        r8
#define left        r9
#define kept        r10
// Slots i and j, and bytes of a slot.
#define from        r11
#define to          rbx
#define size        r12
#define fresh       rbp
// The line of the group in plane 0, a level, the offsets of the chunk, vectors of the line.
#define line        rax
#define at_level    r13
#define at          r14
#define parts       r15d

        .macro save register
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endm

        .macro restore register
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endm

// Saves registers and the list, and sets up the pointers.
        .macro enter
        save    rbx
        save    rbp
        save    r12
        save    r13
        save    r14
        save    r15
        push    list
        .cfi_adjust_cfa_offset 8
        mov     fresh, [rsp + 64]
        mov     from, [rsp + 72]
        mov     size, [rsp + 80]
        everywhere invert, rcx
        mov     to, from
        mov     kept, list
        shl     end, 5
        add     end, offsets
        .endm

// Returns the number of live groups.
        .macro finish
        pop     list
        .cfi_adjust_cfa_offset -8
        sub     kept, list
        mov     rax, kept
        shr     rax, 1
        restore r15
        restore r14
        restore r13
        restore r12
        restore rbp
        restore rbx
        .endm

// The lines of a state from line `first` on, in the given registers.
        .macro load_lines first, registers:vararg
        .set    AT, \first
        .irp    r, \registers
        load    \r, [from + 64 * AT]
        .set    AT, AT + 1
        .endr
        .endm

        .macro splat_lines first, registers:vararg
        .set    AT, \first
        .irp    r, \registers
        splat   \r, [fresh + 8 * AT]
        .set    AT, AT + 1
        .endr
        .endm

        .macro store_lines first, registers:vararg
        .set    AT, \first
        .irp    r, \registers
        store   [to + 64 * AT], \r
        .set    AT, AT + 1
        .endr
        .endm

// All groups, with the levels in registers; `name` ends the labels.
        .macro count name, levels:vararg
.Lgroup_\name:
        movzx   eax, word ptr [list]
        shl     line, 6
        add     line, planes_at
        mov     parts, PARTS
        full    dead_all
.Lpart_\name:
        test    fresh, fresh
        jz      .Lstored_\name
        splat_lines 0, ones, twos, fours, dead
        .ifnb   \levels
        splat_lines 4, \levels
        .endif
        jmp     .Lloaded_\name
.Lstored_\name:
        load_lines 0, ones, twos, fours, dead
        .ifnb   \levels
        load_lines 4, \levels
        .endif
.Lloaded_\name:
        mov     at, offsets
        cmp     at, end
        je      .Ladded_\name

        .balign 32
.Lloop_\name:
        adders
        .set    LEVEL, 0
        .irp    e, \levels
        .ifnb   \e
        level   \e, LEVEL
        .set    LEVEL, LEVEL + 1
        .endif
        .endr
        .if     LEVEL == 0
        inverted
        .endif
        either  dead, carry
        add     at, 32
        cmp     at, end
        jne     .Lloop_\name
.Ladded_\name:
        store_lines 0, ones, twos, fours, dead
        .ifnb   \levels
        store_lines 4, \levels
        .endif
        both    dead_all, dead
        next    \name
        .endm

// The next part of the lines, then the next group.
        .macro next name
        .if     PARTS > 1
        add     line, BYTES
        add     from, BYTES
        add     to, BYTES
        dec     parts
        jnz     .Lpart_\name
        sub     from, 64
        sub     to, 64
        .endif
        movzx   eax, word ptr [list]
        mov     [kept], ax
        live
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

// All groups, with the levels in the slot.
        .macro count_many name
.Lgroup_\name:
        movzx   eax, word ptr [list]
        shl     line, 6
        add     line, planes_at
        mov     parts, PARTS
        full    dead_all
.Lpart_\name:
        mov     at_level, 256
        test    fresh, fresh
        jz      .Lstored_\name
        splat_lines 0, ones, twos, fours, dead
        mov     at, fresh
.Lsplat_\name:
        splat   carry, [at + 32]
        store   [to + at_level], carry
        add     at, 8
        add     at_level, 64
        cmp     at_level, size
        jne     .Lsplat_\name
        jmp     .Lloaded_\name
.Lstored_\name:
        load_lines 0, ones, twos, fours, dead
.Lcopy_\name:
        load    carry, [from + at_level]
        store   [to + at_level], carry
        add     at_level, 64
        cmp     at_level, size
        jne     .Lcopy_\name
.Lloaded_\name:
        mov     at, offsets
        cmp     at, end
        je      .Ladded_\name
.Lloop_\name:
        adders
        inverted
        mov     at_level, 256
.Llevel_\name:
        load    spare, [to + at_level]
        level   spare, 1
        store   [to + at_level], spare
        add     at_level, 64
        cmp     at_level, size
        jne     .Llevel_\name
        either  dead, carry
        add     at, 32
        cmp     at, end
        jne     .Lloop_\name
.Ladded_\name:
        store_lines 0, ones, twos, fours, dead
        both    dead_all, dead
        next    \name
        .endm

// Chooses by the number of levels, which are four registers or in the slot.
        .macro misses e0, e1, e2, e3
        enter
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
        count   none
        count   one, \e0
        count   two, \e0, \e1
        count   three, \e0, \e1, \e2
        count   four, \e0, \e1, \e2, \e3
        count_many many
.Ldone:
        finish
        .endm
