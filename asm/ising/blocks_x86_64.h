// The walk of the block sweeps along the streams, shared by SSE2, AVX2 and AVX-512. An including
// file defines
//
//   SPIN                 the bytes of a spin; a line of the couplings is 64 of these
//   line offset, base    adds the line at [couplings + offset] for the spins at `base` to the sums

#define spins       rdi
#define own         rsi
#define left        rdx
#define links       rcx
#define couplings   r8
#define flips       rbx
#define live        r12
#define slots       r13d
#define end         r14
#define LINE        (64 * SPIN)

        .macro enter frame
        .irp    register, rbx, rbp, r12, r13, r14
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        sub     rsp, \frame
        .cfi_adjust_cfa_offset \frame
        .endm

        // Code after the return begins with .cfi_restore_state.
        .macro leave frame
        .cfi_remember_state
        add     rsp, \frame
        .cfi_adjust_cfa_offset -\frame
        .irp    register, r14, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        .endm

        // The number of diagonals in eax.
        .macro header
        mov     eax, [links]
        mov     slots, [links + 4]
        mov     live, [links + 8]
        add     links, 16
        .endm

        // The diagonals, two at a time.
        .macro diagonals name
        sub     eax, 2
        jb      .Lfew_\name
.Ltwo_\name:
        movsxd  rbp, dword ptr [links]
        line    0, spins + SPIN * rbp
        movsxd  rbp, dword ptr [links + 4]
        line    LINE, spins + SPIN * rbp
        add     links, 8
        add     couplings, 2 * LINE
        sub     eax, 2
        jae     .Ltwo_\name
.Lfew_\name:
        inc     eax
        jnz     .Lsummed_\name
        movsxd  rbp, dword ptr [links]
        line    0, spins + SPIN * rbp
        add     links, 4
        add     couplings, LINE
.Lsummed_\name:
        .endm

        // The slots: the spin at index rax is copied to lane rbp of the buffer at rsp. Values in lanes
        // without an entry meet couplings of 0.
        .macro gather name
.Lslot_\name:
        mov     eax, [links]
        add     links, 4
        cmp     eax, 64
        je      .Lfull_\name
        test    eax, eax
        jz      .Lgathered_\name
        lea     end, [links + 4 * rax]
.Lentry_\name:
        mov     eax, [links]
        mov     ebp, eax
        and     ebp, 63
        shr     eax, 6
        .if     SPIN == 1
        movzx   eax, byte ptr [spins + rax]
        mov     [rsp + rbp], al
        .else
        mov     eax, [spins + SPIN * rax]
        mov     [rsp + SPIN * rbp], eax
        .endif
        add     links, 4
        cmp     links, end
        jne     .Lentry_\name
.Lgathered_\name:
        line    0, rsp
        add     couplings, LINE
        dec     slots
        jnz     .Lslot_\name
        jmp     .Ldecide_\name

        // A full slot lists the position for each lane.
.Lfull_\name:
        xor     ebp, ebp
.Lposition_\name:
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        mov     eax, [links + 4 * rbp + 4 * \n]
        .if     SPIN == 1
        movzx   eax, byte ptr [spins + rax]
        mov     [rsp + rbp + \n], al
        .else
        mov     eax, [spins + SPIN * rax]
        mov     [rsp + SPIN * rbp + SPIN * \n], eax
        .endif
        .endr
        add     ebp, 8
        cmp     ebp, 64
        jne     .Lposition_\name
        add     links, 256
        jmp     .Lgathered_\name
        .endm

        // Counts the bits of rbp in rax, without the instruction for it; overwrites r10.
        .macro count_bits
        mov     rax, rbp
        shr     rax, 1
        mov     r10, 0x5555555555555555
        and     rax, r10
        sub     rbp, rax
        mov     r10, 0x3333333333333333
        mov     rax, rbp
        shr     rax, 2
        and     rbp, r10
        and     rax, r10
        add     rbp, rax
        mov     rax, rbp
        shr     rax, 4
        add     rax, rbp
        mov     r10, 0x0f0f0f0f0f0f0f0f
        and     rax, r10
        mov     r10, 0x0101010101010101
        imul    rax, r10
        shr     rax, 56
        .endm
