// The walk of the gather sweep over the sites, shared by AVX2 and AVX-512.
//
// The acceptance `rule` is fast, poly, heat_fast or heat_poly; `heat` and `poly` are flags of it.
// An including file defines these macros; `sweep` is then the body of its function:
//
//   constants    loads the values that stay in registers: space and tau from xmm0 and xmm1, the
//                counters from [rax]
//   start        starts the sum of the site at `links` with its field h
//   couple at    adds the link at [links + at]; eax becomes the offset of the neighbour's row
//   wait         moves the sum to `waiting`
//   visit        decides the site at `index` with the waiting sum
//   finish       stores the counters to [rax]
//
// From the neighbours of a spin to its flip takes 50 cycles, and the registers of a CPU cannot hold
// all instructions that start in this time. So the sum of the next site is computed before the
// current site, whose sum waits, is decided. If the two sites are neighbours, the sum is discarded
// and computed again after the decision.

#define spins       rdi
#define index       rsi
#define last        rdx
#define below       rcx
#define above       r8
#define links       r9
#define random      r10
#define left        r11d
#define header      qword ptr [rsp]

        .macro sweep rule, heat, poly
        mov     random, [rsp + 8]
        mov     rax, [rsp + 16]
        test    rdx, rdx
        jz      .Lnone_\rule
        sub     rsp, 8
        .cfi_adjust_cfa_offset 8

        // `index` is the offset of a row in its group, for all arrays.
        shl     rsi, 6
        shl     rdx, 6
        sub     below, index
        sub     above, index
        sub     random, index
        lea     last, [index + rdx - 64]

        // Clamp tau to 2^126 in magnitude: its products with -2, 0 and 2 are exact, so they may be
        // fused.
        vmulss  xmm0, xmm0, dword ptr [rip + .Lfactor_\rule]
        vmulss  xmm1, xmm1, dword ptr [rip + .Lfactor_\rule]
        vmovss  xmm2, dword ptr [rip + .Llargest]
        vminss  xmm1, xmm2, xmm1
        vmovss  xmm2, dword ptr [rip + .Lleast]
        vmaxss  xmm1, xmm2, xmm1
        constants \rule, \heat, \poly
        jmp     .Lalone_\rule

        // Decide the waiting site before computing the sum of the next one.
.Lcoupled_\rule:
        mov     links, header
        visit   \rule, \heat, \poly
        cmp     index, last
        je      .Ldone_\rule
        add     index, 64
.Lalone_\rule:
        mov     left, [links]
        start
        add     links, 8
        test    left, left
        jz      .Lsite_\rule
.Llink_\rule:
        couple  0
        add     links, 8
        dec     left
        jnz     .Llink_\rule

        // Compute the sum of the next site before deciding the waiting one.
        .balign 32
.Lsite_\rule:
        wait
        mov     header, links
        cmp     index, last
        je      .Lcoupled_\rule
        mov     left, [links]
        start
        add     links, 8
        sub     left, 4
        jb      .Lfew_\rule
.Lfour_\rule:
        .irp    at, 0, 8, 16, 24
        couple  \at
        cmp     eax, esi
        je      .Lcoupled_\rule
        .endr
        add     links, 32
        sub     left, 4
        jae     .Lfour_\rule
.Lfew_\rule:
        add     left, 4
        jz      .Lvisit_\rule
.Lone_\rule:
        couple  0
        cmp     eax, esi
        je      .Lcoupled_\rule
        add     links, 8
        dec     left
        jnz     .Lone_\rule
.Lvisit_\rule:
        visit   \rule, \heat, \poly
        add     index, 64
        jmp     .Lsite_\rule

.Ldone_\rule:
        mov     rax, [rsp + 24]
        finish
        vzeroupper
        add     rsp, 8
        .cfi_adjust_cfa_offset -8
.Lnone_\rule:
        ret
        .endm
