// The walk of the kernels scatter and scatter_below over points, with SSE2 and AVX2: the arguments
// and the frame.

#define WIDTH       (BYTES / 4)
#define arg_psi     [rbp + 56]
#define arg_m       [rbp + 64]
#define arg_shift   [rbp + 72]
#define arg_bins    [rbp + 80]
#define arg_words   [rbp + 88]
#define end_x       qword ptr [rbp - 8]
#define end_y       qword ptr [rbp - 16]
#define end_psi     qword ptr [rbp - 24]
// Number of points after the last whole vector.
#define rest        qword ptr [rbp - 32]
// `point` runs from -n to 0, and `other` from `begin`, minus the points in whole vectors, to 0; pointers
// point to the ends.
#define point       qword ptr [rbp - 40]
#define other       rax
#define other_x     r8
#define other_y     r9
#define other_psi   r10
#define table_0     r12
#define table_1     r13
#define table_2     r14
#define table_3     r15

        .macro broadcast to, from
        .if     BYTES == 16
        movss   \to, \from
        shufps  \to, \to, 0
        .else
        vbroadcastss \to, \from
        .endif
        .endm

        // Begins the function with an aligned frame of `bytes` bytes, and puts m in a register. The code
        // that follows ends with .Lnone, and is kept apart from the frame code: some assemblers accept CFI
        // directives only at distances that they know when they read them.
        .macro enter bytes, align, m
        .irp    register, rbp, rbx, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        lea     rsp, [rsp - (\bytes)]
        and     rsp, -\align
        .cfi_remember_state
        call    .Lpairs
        mov     rsp, rbp
        .cfi_def_cfa_register rsp
        .irp    register, r15, r14, r13, r12, rbx, rbp
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        .if     BYTES == 32
        vzeroupper
        .endif
        ret
        .cfi_restore_state

.Lpairs:
        mov     \m, arg_m
        test    rcx, rcx
        jz      .Lnone
        test    \m, \m
        jz      .Lnone
        lea     rdi, [rdi + 4 * rcx]
        lea     rsi, [rsi + 4 * rcx]
        lea     rdx, [rdx + 4 * rcx]
        neg     rcx
        mov     end_x, rdi
        mov     end_y, rsi
        mov     end_psi, rdx
        mov     point, rcx
        .endm
