// Adds rows of 64 couplings to the local fields of a block, and subtracts others.
//
//   void hl_ising_dense_update_i32_avx512(int32_t *fields, const int32_t *couplings,
//       const uint32_t *up, size_t ups, const uint32_t *down, size_t downs);
//
// In      rdi = fields, rsi = couplings, rdx = up, rcx = ups, r8 = down, r9 = downs
//                                           Out  fields[0..64]
// Uses    rax, rcx, rdx, r8, r9, zmm0..zmm3     Stack  none
// Loop    1 row: 4 vectors; bound by the loads from the second-level cache
// Tail    none; reads exactly the rows listed

#include "hl.h"

#define fields      rdi
#define couplings   rsi
#define up          rdx
#define ups         rcx
#define down        r8
#define downs       r9
#define row         rax

        // Adds or subtracts the rows of a list, 256 bytes each.
        .macro rows name, op, list, count
        test    \count, \count
        jz      .Lend_\name
.Lloop_\name:
        mov     eax, [\list]
        add     \list, 4
        shl     row, 8
        .irp    n, 0, 1, 2, 3
        \op     zmm\n, zmm\n, [couplings + row + 64 * \n]
        .endr
        dec     \count
        jnz     .Lloop_\name
.Lend_\name:
        .endm

FUNC(hl_ising_dense_update_i32_avx512)
        .irp    n, 0, 1, 2, 3
        vmovdqu64 zmm\n, [fields + 64 * \n]
        .endr
        rows    up, vpaddd, up, ups
        rows    down, vpsubd, down, downs
        .irp    n, 0, 1, 2, 3
        vmovdqu64 [fields + 64 * \n], zmm\n
        .endr
        vzeroupper
        ret
END(hl_ising_dense_update_i32_avx512)
