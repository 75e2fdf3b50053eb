// The sweep of bits, shared by SSE2, AVX2 and AVX-512: registers, frame, and the code for general registers.
//
// An including file defines V(n), vector register n; FRAME, the bytes of the frame, `count` and `degree` in
// it; and the macros
//
//   add_three a, b, c, carry    a and carry become the bits of a + b + c
//   add_two a, b, carry         a and carry become the bits of a + b

#define spins       rdi
#define own         rsi
#define links       rcx
#define signs       r8
#define slot        r9
#define random      r10
#define end         r11
#define left        ebx

// Offsets of the unions that the first five planes are compared with.
#define union_0     r12
#define union_1     r13
#define union_2     r14
#define union_3     r15
#define union_4     rdx

#define arg_random  qword ptr [rbp + 56]
#define arg_planes  qword ptr [rbp + 64]
#define arg_live    qword ptr [rbp + 72]
#define arg_flips   qword ptr [rbp + 80]

// The frame: the unions of the classes of a site or of the pool; for each site of a block, its classes, its
// flips and what is undecided; other vectors; and these words.
#define UNIONS      0
#define CLASS_0     1024
#define CLASS_1     1536
#define FLIPS       2048
#define UNDECIDED   2560
#define all_codes   qword ptr [rsp + FRAME - 64]
#define codes       qword ptr [rsp + FRAME - 56]
#define blocks      qword ptr [rsp + FRAME - 48]
#define visited     qword ptr [rsp + FRAME - 40]
#define used        qword ptr [rsp + FRAME - 32]

#define sum_1       V(0)
#define sum_2       V(9)
#define sum_4       V(10)
#define sum_8       V(8)
#define undecided   V(11)
#define certain     V(1)
#define even        V(2)

        .macro begin
        .irp    register, rbx, r12, r13, r14, r15, rbp
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        lea     rsp, [rsp - FRAME]
        and     rsp, -64
        mov     all_codes, r9
        mov     blocks, rdx
        mov     visited, rdx
        shl     own, 6
        add     own, spins
        mov     random, arg_random
        mov     rax, arg_planes
        mov     end, [rax]
        shl     end, 6
        add     end, random
        mov     used, random
        .endm

        // A block: all sites need their own planes.
        .macro next_block rule
.Lblock_\rule:
        sub     blocks, 1
        jb      .Ldone_\rule
        mov     edx, [links]
        add     links, 4
        movzx   left, dl
        movzx   edx, dh
        mov     count, left
        mov     degree, edx
        imul    eax, left, 5*64
        add     rax, random
        cmp     rax, end
        ja      .Ldone_\rule
        lea     rax, [rdx + 2*rdx]
        shl     rax, 4
        add     rax, all_codes
        mov     slot, rsp
        movzx   union_0, byte ptr [rax]
        movzx   union_1, byte ptr [rax + 1]
        movzx   union_2, byte ptr [rax + 2]
        movzx   union_3, byte ptr [rax + 3]
        movzx   union_4, byte ptr [rax + 4]
        .irp    union, union_0, union_1, union_2, union_3, union_4
        shl     \union, 6
        .endr
        add     rax, 5
        mov     codes, rax
        .endm

        // Adds n bonds: the bits of the number of unsatisfied ones.
        .macro add_bonds n
        .if \n == 2
        add_two V(0), V(1), sum_2
        .elseif \n > 2
        add_three V(0), V(1), V(2), sum_2
        .endif
        .if \n == 4
        add_two V(0), V(3), V(4)
        add_two sum_2, V(4), sum_4
        .elseif \n == 5
        add_three V(0), V(3), V(4), V(5)
        add_two sum_2, V(5), sum_4
        .endif
        .if \n > 5
        add_three V(3), V(4), V(5), V(8)
        .if \n == 6
        add_two V(0), V(3), V(1)
        .else
        add_three V(0), V(3), V(6), V(1)
        .endif
        add_three sum_2, V(8), V(1), sum_4
        .endif
        .if \n == 8
        add_two V(0), V(7), V(2)
        add_two sum_2, V(2), V(3)
        add_two sum_4, V(3), sum_8
        .endif
        .endm

        .macro popcount to, at
        popcnt  \to, [rsp + \at]
        .irp    word, 8, 16, 24, 32, 40, 48, 56
        popcnt  rax, [rsp + \at + \word]
        add     \to, rax
        .endr
        .endm

        // Adds rdx flips and stores the number of planes; rax becomes the number of visited blocks.
        .macro finish
        mov     rax, arg_flips
        add     [rax], rdx
        mov     rdx, used
        sub     rdx, arg_random
        shr     rdx, 6
        mov     rax, arg_planes
        mov     [rax], rdx
        mov     rax, visited
        sub     rax, blocks
        sub     rax, 1
        mov     rsp, rbp
        .cfi_def_cfa_register rsp
        .irp    register, rbp, r15, r14, r13, r12, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        .endm
