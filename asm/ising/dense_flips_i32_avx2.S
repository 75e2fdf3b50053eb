// Decides 64 sites one after the other in 32 bits, and returns which of them flip, a bit for each.
//
//   uint64_t hl_ising_dense_flips_i32_avx2(uint64_t spins, const int32_t *fields,
//       const int32_t *levels, const int32_t *couplings);
//
// In      rdi = spins, rsi = fields, rdx = levels, rcx = couplings     Out  rax
// Uses    rax, rdi, r8, r9, ymm0..ymm15     Stack  256 bytes
// Loop    8 sites: their fields are two vectors. T is the level, or its complement for a spin of -1; the new
//         spin is +1 if the field exceeds T. The rows of spins of +1 are subtracted first; then the row
//         of each new spin of +1 is added, without a branch; bound by the latency of
//         4 operations a site. Then 2 operations for each flip and 8 later sites
// Tail    none; does not read rows of sites that cannot flip

#include "hl.h"

#define spins       edi
#define levels      rdx
#define couplings   rcx
#define flips       r8

        // Adds the row of site `i` of group `g`, at the places after it, to ymm4 if the spin is +1.
        .macro subtract_up g, i
        vpbroadcastd ymm5, dword ptr [rsp + 32 * \g + 4 * \i]
        vpandn  ymm5, ymm5, [rip + .Llater + 32 * \i]
        vpand   ymm5, ymm5, [couplings + 2080 * \g + 256 * \i]
        vpaddd  ymm4, ymm4, ymm5
        .endm

        // Decides site `i` of the first four: the row goes to both vectors.
        .macro decide_first g, i
        vmovdqa xmm5, [rip + .Llater + 32 * \i]
        vpand   xmm5, xmm5, [couplings + 2080 * \g + 256 * \i]
        vpcmpgtd xmm6, xmm0, xmm2
        vpshufd xmm6, xmm6, 85 * \i
        vpand   xmm5, xmm6, xmm5
        vpand   xmm6, xmm6, [couplings + 2080 * \g + 256 * \i + 16]
        vpaddd  xmm0, xmm0, xmm5
        vpaddd  xmm1, xmm1, xmm6
        .endm

        // Decides site 4 + `i`.
        .macro decide_second g, i
        vmovdqa xmm5, [rip + .Llater + 32 * \i]
        vpand   xmm5, xmm5, [couplings + 2080 * \g + 1024 + 256 * \i + 16]
        vpcmpgtd xmm6, xmm1, xmm3
        vpshufd xmm6, xmm6, 85 * \i
        vpand   xmm5, xmm6, xmm5
        vpaddd  xmm1, xmm1, xmm5
        .endm

        // Subtracts a row at r9, with the signs ymm6, from the fields of group `k` if it is later.
        .macro apply g, k, sums
        .if     \k > \g
        vmovdqu ymm4, [r9 + 2048 * \g + 32 * \k]
        vpsignd ymm4, ymm4, ymm6
        vpsubd  \sums, \sums, ymm4
        .endif
        .endm

        // The sites of group `g`, whose fields are `sums`.
        .macro decide_group g, sums
        vmovdqu ymm2, [rsp + 32 * \g]
        vpxor   ymm2, ymm2, [levels + 32 * \g]
        vpcmpgtd ymm4, \sums, ymm2
        vmovmskps eax, ymm4
        xor     eax, spins
        not     eax
        and     eax, 255
        jz      .Lnone_\g
        vpxor   xmm4, xmm4, xmm4
        .irp    i, 0, 1, 2, 3, 4, 5, 6
        subtract_up \g, \i
        .endr
        vpsubd  ymm0, \sums, ymm4
        vextracti128 xmm1, ymm0, 1
        vextracti128 xmm3, ymm2, 1
        decide_first \g, 0
        decide_first \g, 1
        decide_first \g, 2
        decide_first \g, 3
        decide_second \g, 0
        decide_second \g, 1
        decide_second \g, 2
        vinserti128 ymm0, ymm0, xmm1, 1
        vpcmpgtd ymm4, ymm0, ymm2
        vmovmskps eax, ymm4
        xor     eax, spins
        not     eax
        and     eax, 255
        mov     r9d, eax
        .if     \g > 0
        shl     r9, 8 * \g
        .endif
        or      flips, r9

        // Each flip changes the fields of the later groups.
        .if     \g < 7
        test    eax, eax
        jz      .Lnone_\g
.Lflip_\g:
        tzcnt   r9d, eax
        vpbroadcastd ymm6, dword ptr [rsp + 32 * \g + 4 * r9]
        vpor    ymm6, ymm6, ymm7
        shl     r9, 8
        add     r9, couplings
        apply   \g, 1, ymm9
        apply   \g, 2, ymm10
        apply   \g, 3, ymm11
        apply   \g, 4, ymm12
        apply   \g, 5, ymm13
        apply   \g, 6, ymm14
        apply   \g, 7, ymm15
        blsr    eax, eax
        jnz     .Lflip_\g
        .endif
.Lnone_\g:
        shr     rdi, 8
        .endm

FUNC(hl_ising_dense_flips_i32_avx2)
        sub     rsp, 256
        .cfi_adjust_cfa_offset 256
        xor     r8d, r8d

        // A mask for each site: -1 for a spin of -1.
        vmovq   xmm0, rdi
        vpbroadcastd ymm1, xmm0
        vpsrlq  xmm0, xmm0, 32
        vpbroadcastd ymm2, xmm0
        .irp    k, 0, 1, 2, 3
        vmovdqa ymm3, [rip + .Lbits + 32 * \k]
        vpand   ymm4, ymm1, ymm3
        vpcmpeqd ymm4, ymm4, ymm3
        vmovdqu [rsp + 32 * \k], ymm4
        vpand   ymm4, ymm2, ymm3
        vpcmpeqd ymm4, ymm4, ymm3
        vmovdqu [rsp + 128 + 32 * \k], ymm4
        .endr
        vmovdqa ymm7, [rip + .Lones]
        vmovdqu ymm8, [rsi]
        vmovdqu ymm9, [rsi + 32]
        vmovdqu ymm10, [rsi + 64]
        vmovdqu ymm11, [rsi + 96]
        vmovdqu ymm12, [rsi + 128]
        vmovdqu ymm13, [rsi + 160]
        vmovdqu ymm14, [rsi + 192]
        vmovdqu ymm15, [rsi + 224]

        // Group by group; a group is at the diagonal of the couplings, 2080 bytes after the one before.
        decide_group 0, ymm8
        decide_group 1, ymm9
        decide_group 2, ymm10
        decide_group 3, ymm11
        decide_group 4, ymm12
        decide_group 5, ymm13
        decide_group 6, ymm14
        decide_group 7, ymm15

        mov     rax, flips
        add     rsp, 256
        .cfi_adjust_cfa_offset -256
        vzeroupper
        ret
END(hl_ising_dense_flips_i32_avx2)

        RODATA
        .balign 32
.Llater:                                // -1 after place i
        .long   0, -1, -1, -1, -1, -1, -1, -1
        .long   0, 0, -1, -1, -1, -1, -1, -1
        .long   0, 0, 0, -1, -1, -1, -1, -1
        .long   0, 0, 0, 0, -1, -1, -1, -1
        .long   0, 0, 0, 0, 0, -1, -1, -1
        .long   0, 0, 0, 0, 0, 0, -1, -1
        .long   0, 0, 0, 0, 0, 0, 0, -1
.Lbits:                                 // the bits of 8 sites
        .irp    k, 0, 8, 16, 24
        .long   1 << \k, 2 << \k, 4 << \k, 8 << \k, 16 << \k, 32 << \k, 64 << \k, 128 << \k
        .endr
.Lones:
        .long   1, 1, 1, 1, 1, 1, 1, 1
