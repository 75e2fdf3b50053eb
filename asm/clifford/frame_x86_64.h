// The saved registers of functions whose frame is aligned: rbp points to the caller's. For SSE2, AVX2 and AVX-512.
        .macro save_registers
        push    rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        push    rbx
        .cfi_offset rbx, -24
        push    r12
        .cfi_offset r12, -32
        push    r13
        .cfi_offset r13, -40
        push    r14
        .cfi_offset r14, -48
        push    r15
        .cfi_offset r15, -56
        .endm

        .macro restore_registers
        lea     rsp, [rbp - 40]
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbx
        .cfi_def_cfa_register rsp
        pop     rbp
        .cfi_def_cfa_offset 8
        .endm
