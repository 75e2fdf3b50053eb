// Pairs of two rows by the difference of their x: the walk over both rows, for AVX2.
//
// An including file defines these macros; `offsets` is then the body of its function:
//
//   constants    loads the constants that stay in registers
//   own width    loads the `width` orientations at [rax]; may change r8
//   pairs width  adds the pairs of these with the orientation at [other_psi + 4 j] to the words at
//                r8 + 8 at, r9 + 8 at, ...
//
// The increment 2^47 + p, with a product p far below 2^31, is p in the lower half and 2^15 in the
// upper half, or 2^15 - 1 if p is negative.
//
// A pair costs a load, an addition and a store, and a CPU stores once a cycle. The loop reaches
// that rate with about half of the pairs added in integer registers and the others in vectors:
// moving all values from vectors to integer registers is too slow. Several pairs may share a word:
// each addition ends before the next begins.

#define words       qword ptr [rbp + 56]
#define x           rdi
#define other_x     rcx
#define other_psi   rsi
#define at          rbx
// From -m to 0; the pointers to the other row point to its end.
#define j           rdx

#define left        qword ptr [rbp - 8]
#define psi         qword ptr [rbp - 16]
#define minus_m     qword ptr [rbp - 24]

        // All pairs of the next `width` points, at most 8. r8 and on point to the words where
        // other_x is 0.
        .macro block width
        mov     rax, psi
        own     \width
        add     psi, 4 * \width
        mov     rax, words
        .irp    k, 8, 9, 10, 11, 12, 13, 14, 15
        .if     \k - 8 < \width
        movsxd  r\k, dword ptr [x + 4 * (\k - 8)]
        neg     r\k
        lea     r\k, [rax + 8*r\k]
        .endif
        .endr
        add     x, 4 * \width
        mov     j, minus_m
        .balign 32
.Lpairs\width:
        movsxd  at, dword ptr [other_x + 4*j]
        pairs   \width
        inc     j
        jnz     .Lpairs\width
        .endm

        // The frame code is kept apart from the body: some assemblers accept CFI directives only at
        // distances that they know when they read them.
        .macro offsets finish:vararg
        .irp    register, rbp, rbx, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        sub     rsp, 24
        .cfi_remember_state
        call    .Lwalk
        mov     rsp, rbp
        .cfi_def_cfa_register rsp
        .irp    register, r15, r14, r13, r12, rbx, rbp
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        \finish
        ret
        .cfi_restore_state

.Lwalk:
        constants
        mov     left, rdx
        mov     psi, rsi
        lea     other_x, [rcx + 4*r9]
        lea     other_psi, [r8 + 4*r9]
        neg     r9
        jz      .Ldone
        mov     minus_m, r9
        jmp     .Lnext
.Lblock:
        block   8
.Lnext:
        sub     left, 8
        jae     .Lblock

        // The points left.
        mov     rax, left
        .irp    width, 7, 6, 5, 4, 3, 2, 1
        cmp     rax, \width - 8
        je      .Lfew\width
        .endr
        ret
        .irp    width, 7, 6, 5, 4, 3, 2, 1
.Lfew\width:
        block   \width
        ret
        .endr
.Ldone:
        ret
        .endm
