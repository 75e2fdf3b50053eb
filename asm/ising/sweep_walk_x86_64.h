// The walk of the gather sweep over the sites, the same for AVX2 and AVX-512.
//
// A file includes this one, defines these macros and writes `sweep` as the body of its function:
//
//   constants    loads what registers keep throughout: space and tau from xmm0 and xmm1, the counters from [rax]
//   start        the sum of the site at `links`: its field h
//   couple at    adds the link at [links + at]; eax becomes the offset of the neighbour's row
//   wait         moves the sum aside
//   visit        decides the site at `index` with the sum that waits
//   finish       stores the counters to [rax]
//
// From the neighbours of a spin to its flip it takes 50 cycles, in which more is begun than the registers of a CPU hold.
// So the sum of a site is formed before the site visited just before, whose sum waits, is decided. Where these two
// sites are neighbours, the sum is dropped, and formed again after the decision.

#define spins       rdi
#define index       rsi
#define last        rdx
#define below       rcx
#define above       r8
#define links       r9
#define random      r10
#define left        r11d
#define header      qword ptr [rsp]

        .macro couple_unless_waiting at
        couple  \at
        cmp     eax, esi
        je      .Lcoupled
        .endm

        .macro sweep
        mov     random, [rsp + 8]
        mov     rax, [rsp + 16]
        test    rdx, rdx
        jz      .Lnone
        sub     rsp, 8
        .cfi_adjust_cfa_offset 8

        // `index` is the offset of a row in its group, for all arrays.
        shl     rsi, 6
        shl     rdx, 6
        sub     below, index
        sub     above, index
        sub     random, index
        lea     last, [index + rdx - 64]

        // tau is cut at 2^126: its product with -2, 0 or 2 is exact and may be fused.
        vmulss  xmm0, xmm0, dword ptr [rip + .Lfactor]
        vmulss  xmm1, xmm1, dword ptr [rip + .Lfactor]
        vmovss  xmm2, dword ptr [rip + .Llargest]
        vminss  xmm1, xmm2, xmm1
        vmovss  xmm2, dword ptr [rip + .Lleast]
        vmaxss  xmm1, xmm2, xmm1
        constants
        jmp     .Lalone

        // The waiting site is decided before the sum of the next one is formed.
.Lcoupled:
        mov     links, header
        visit
        cmp     index, last
        je      .Ldone
        add     index, 64
.Lalone:
        mov     left, [links]
        start
        add     links, 8
        test    left, left
        jz      .Lsite
.Llink:
        couple  0
        add     links, 8
        dec     left
        jnz     .Llink

        // The sum of the next site is formed before the waiting one is decided.
        .balign 32
.Lsite:
        wait
        mov     header, links
        cmp     index, last
        je      .Lcoupled
        mov     left, [links]
        start
        add     links, 8
        sub     left, 4
        jb      .Lfew
.Lfour:
        .irp    at, 0, 8, 16, 24
        couple_unless_waiting \at
        .endr
        add     links, 32
        sub     left, 4
        jae     .Lfour
.Lfew:
        add     left, 4
        jz      .Lvisit
.Lone:
        couple_unless_waiting 0
        add     links, 8
        dec     left
        jnz     .Lone
.Lvisit:
        visit
        add     index, 64
        jmp     .Lsite

.Ldone:
        mov     rax, [rsp + 24]
        finish
        vzeroupper
        add     rsp, 8
        .cfi_adjust_cfa_offset -8
.Lnone:
        ret
        .endm
