#include "hl.h"

#define spins       rdi
#define bytes       rsi
#define site        rcx
#define above       r8
#define below       r9
#define links       r10
#define random      r11
#define table       rbx
#define left        edx
#define first       rbp

// Column c of a row: 16 lanes.
#define sum         xmm\c
#define stays       xmm\c
#define tied        xmm1\c
#define offset      rsp + 32 * \c
#define own         bytes + 8 * site + 16 * \c
#define one         rsp + 128 + 16 * \c
#define end         qword ptr [rsp + 192]
#define tables      qword ptr [rsp + 200]
#define live        qword ptr [rsp + 288]

#define flips       xmm14
#define bits        xmm8
#define zero        xmm15

        .macro each statement:vararg
        .irp    c, 0, 1, 2, 3
        \statement
        .endr
        .endm

        // Makes of the word in `low` the vectors `low` and `high`, each the bytes of two columns four times.
        .macro spread low, high
        punpcklbw \low, \low
        movdqa  \high, \low
        punpcklwd \low, \low
        punpckhwd \high, \high
        .endm

        // The bit of each lane of column c, of a word that is spread, in place.
        .macro pick to, low, high, c
        .if     \c < 2
        pshufd  \to, \low, 0x50 + 0xaa * (\c & 1)
        .else
        pshufd  \to, \high, 0x50 + 0xaa * (\c & 1)
        .endif
        pand    \to, bits
        .endm

        .macro fill c
        pick    xmm4, xmm0, xmm1, \c
        pcmpeqb xmm4, bits
        movdqu  [r10 + 16 * \c], xmm4
        .endm

        .macro unit c
        pick    xmm4, xmm0, xmm1, \c
        pcmpeqb xmm4, bits
        pand    xmm4, [rip + .Lones]
        movdqa  [one], xmm4
        .endm

        .macro couple at
        mov     eax, [links + \at]
        movzx   ebx, al
        imul    ebx, ebx, 0x01010101
        movd    xmm4, ebx
        pshufd  xmm4, xmm4, 0
        shr     eax, 8
        shl     eax, 6
        each    add_coupling \c
        .endm

        .macro add_coupling c
        movdqu  xmm5, [bytes + rax + 16 * \c]
        pand    xmm5, xmm4
        psubb   sum, xmm5
        .endm

        .macro locate c
        movdqu  xmm5, [own]
        pxor    sum, xmm5
        pand    xmm5, xmm13
        psubb   sum, xmm5
        paddb   sum, sum
        pick    xmm5, xmm9, xmm11, \c
        pcmpeqb xmm5, zero
        pick    xmm6, xmm10, xmm12, \c
        pcmpeqb xmm6, zero
        paddb   xmm5, xmm6
        movdqa  xmm6, sum
        punpcklbw sum, xmm5
        punpckhbw xmm6, xmm5
        movdqa  [offset], sum
        movdqa  [offset + 16], xmm6
        .endm

        .macro look c
        mov     rax, [offset + 0]
        movsx   rdx, ax
        movd    tied, dword ptr [table + rdx]
        sar     rax, 16
        movsx   rdx, ax
        pinsrw  tied, word ptr [table + rdx], 1
        sar     rax, 16
        movsx   rdx, ax
        pinsrw  tied, word ptr [table + rdx], 2
        sar     rax, 16
        pinsrw  tied, word ptr [table + rax], 3
        mov     rax, [offset + 16]
        movsx   rdx, ax
        movd    xmm4, dword ptr [table + rdx]
        sar     rax, 16
        movsx   rdx, ax
        pinsrw  xmm4, word ptr [table + rdx], 1
        sar     rax, 16
        movsx   rdx, ax
        pinsrw  xmm4, word ptr [table + rdx], 2
        sar     rax, 16
        pinsrw  xmm4, word ptr [table + rax], 3
        mov     rax, [offset + 8]
        movsx   rdx, ax
        pinsrw  tied, word ptr [table + rdx], 4
        sar     rax, 16
        movsx   rdx, ax
        pinsrw  tied, word ptr [table + rdx], 5
        sar     rax, 16
        movsx   rdx, ax
        pinsrw  tied, word ptr [table + rdx], 6
        sar     rax, 16
        pinsrw  tied, word ptr [table + rax], 7
        mov     rax, [offset + 24]
        movsx   rdx, ax
        pinsrw  xmm4, word ptr [table + rdx], 4
        sar     rax, 16
        movsx   rdx, ax
        pinsrw  xmm4, word ptr [table + rdx], 5
        sar     rax, 16
        movsx   rdx, ax
        pinsrw  xmm4, word ptr [table + rdx], 6
        sar     rax, 16
        pinsrw  xmm4, word ptr [table + rax], 7
        movdqu  xmm5, [random + 64 + 16 * \c]
        movdqu  xmm6, [random + 16 * \c]
        movdqa  xmm7, xmm5
        punpcklbw xmm5, xmm6
        punpckhbw xmm7, xmm6
        movdqa  stays, tied
        movdqa  xmm6, xmm4
        psubusw stays, xmm5
        psubusw xmm6, xmm7
        pcmpeqw tied, xmm5
        pcmpeqw xmm4, xmm7
        packsswb stays, xmm6
        packsswb tied, xmm4
        pcmpeqb stays, zero
        .endm

        .macro flip c
        movdqu  xmm4, [own]
        pcmpeqb xmm4, stays
        pmovmskb eax, xmm4
        movdqu  [own], xmm4
        mov     [spins + site + 2 * \c], ax
        pandn   stays, [one]
        .endm

        .macro collect c
        pmovmskb edx, tied
        shl     rdx, 16 * \c
        or      rax, rdx
        .endm

FUNC(hl_ising_sweep_i8_sse2)
        xor     eax, eax
        test    r8, r8
        jz      .Lnone
        sub     rsp, 232
        .cfi_adjust_cfa_offset 232
        mov     [rsp + 216], rbx
        mov     [rsp + 224], rbp
        .cfi_rel_offset rbx, 216
        .cfi_rel_offset rbp, 224

        movdqa  bits, [rip + .Lbits]
        // A group begins: the bytes of all sites.
        test    rcx, rcx
        jnz     .Lfilled
        mov     r10, bytes
        mov     rax, spins
        lea     rdx, [spins + 8 * rdx]
        jmp     .Lfill_test
.Lfill:
        movq    xmm0, qword ptr [rax]
        spread  xmm0, xmm1
        each    fill \c
        add     rax, 8
        add     r10, 64
.Lfill_test:
        cmp     rax, rdx
        jne     .Lfill
.Lfilled:

        movq    xmm0, qword ptr [rsp + 232 + 40]
        spread  xmm0, xmm1
        each    unit \c
        pxor    zero, zero
        pxor    flips, flips
        lea     site, [8 * rcx]
        mov     first, site
        lea     rax, [site + 8 * r8]
        mov     end, rax
        sub     below, site
        mov     above, [rsp + 232 + 8]
        sub     above, site
        mov     links, [rsp + 232 + 16]
        mov     rax, [rsp + 232 + 24]
        add     rax, 512
        mov     tables, rax
        mov     random, [rsp + 232 + 32]

        .balign 32
.Lsite:
        mov     eax, [links]
        movzx   left, ah
        movzx   ebx, al
        imul    ebx, ebx, 0x01010101
        movd    xmm0, ebx
        pshufd  xmm0, xmm0, 0
        movdqa  xmm1, xmm0
        movdqa  xmm2, xmm0
        movdqa  xmm3, xmm0
        shr     eax, 16
        lea     ebx, [rax - 1]
        movd    xmm13, ebx
        pshufd  xmm13, xmm13, 0
        imul    eax, eax, 864
        add     rax, tables
        mov     [rsp + 208], rax
        add     links, 4
        sub     left, 4
        jb      .Lfew
.Lfour:
        .irp    at, 0, 4, 8, 12
        couple  \at
        .endr
        add     links, 16
        sub     left, 4
        jae     .Lfour
.Lfew:
        add     left, 4
        jz      .Lfield
.Lone:
        couple  0
        add     links, 4
        dec     left
        jnz     .Lone

.Lfield:
        mov     table, [rsp + 208]
        movq    xmm4, qword ptr [spins + site]
        movq    xmm9, qword ptr [below + site]
        movq    xmm10, qword ptr [above + site]
        pxor    xmm9, xmm4
        pxor    xmm10, xmm4
        spread  xmm9, xmm11
        spread  xmm10, xmm12
        each    locate \c
        each    look \c

        // A tie in a live lane ends the call.
        movdqa  xmm4, xmm10
        movdqa  xmm5, xmm12
        por     xmm4, xmm11
        por     xmm5, xmm13
        por     xmm4, xmm5
        pmovmskb eax, xmm4
        test    eax, eax
        jnz     .Ltied
.Lflip:
        each    flip \c
        paddb   xmm0, xmm1
        paddb   xmm2, xmm3
        paddb   xmm0, xmm2
        psadbw  xmm0, zero
        paddq   flips, xmm0
        add     site, 8
        add     random, 128
        cmp     site, end
        jne     .Lsite

.Ldone:
        mov     rdx, [rsp + 232 + 48]
        movq    rax, flips
        add     [rdx], rax
        punpckhqdq flips, flips
        movq    rax, flips
        add     [rdx], rax
        mov     rax, site
        sub     rax, first
        shr     rax, 3
        mov     rbx, [rsp + 216]
        mov     rbp, [rsp + 224]
        add     rsp, 232
        .cfi_adjust_cfa_offset -232
        .cfi_restore rbx
        .cfi_restore rbp
.Lnone:
        ret

.Ltied:
        .cfi_adjust_cfa_offset 232
        .cfi_rel_offset rbx, 216
        .cfi_rel_offset rbp, 224
        xor     eax, eax
        each    collect \c
        and     rax, [rsp + 232 + 40]
        jz      .Lflip
        jmp     .Ldone
END(hl_ising_sweep_i8_sse2)

RODATA
        .balign 16
.Lbits:         // the bit of each lane in its byte
        .quad   0x8040201008040201, 0x8040201008040201
.Lones:
        .quad   0x0101010101010101, 0x0101010101010101
