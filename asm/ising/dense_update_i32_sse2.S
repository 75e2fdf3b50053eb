// Adds rows of 64 couplings to the local fields of a block, and subtracts others.
//
//   void hl_ising_dense_update_i32_sse2(int32_t *fields, const int32_t *couplings,
//       const uint32_t *up, size_t ups, const uint32_t *down, size_t downs);
//
// In      rdi = fields, rsi = couplings, rdx = up, rcx = ups, r8 = down, r9 = downs
//                                           Out  fields[0..64]
// Uses    rax, rsi, rdi, r10, r11, xmm0..xmm11     Stack  none
// Loop    1 row: 8 vectors of one half of the columns; bound by the loads
// Tail    none; reads exactly the rows listed

#include "hl.h"

#define fields      rdi
#define couplings   rsi
#define up          rdx
#define ups         rcx
#define down        r8
#define downs       r9
#define row         rax
#define next        r10
#define left        r11

        // Adds or subtracts one half of the rows of a list, 256 bytes each.
        .macro rows name, op, list, count
        mov     next, \list
        mov     left, \count
        test    left, left
        jz      .Lend_\name
.Lloop_\name:
        mov     eax, [next]
        add     next, 4
        shl     row, 8
        add     row, couplings
        .irp    n, 0, 4
        movdqu  xmm8, [row + 16 * \n]
        movdqu  xmm9, [row + 16 * \n + 16]
        movdqu  xmm10, [row + 16 * \n + 32]
        movdqu  xmm11, [row + 16 * \n + 48]
        .if     \n == 0
        \op     xmm0, xmm8
        \op     xmm1, xmm9
        \op     xmm2, xmm10
        \op     xmm3, xmm11
        .else
        \op     xmm4, xmm8
        \op     xmm5, xmm9
        \op     xmm6, xmm10
        \op     xmm7, xmm11
        .endif
        .endr
        dec     left
        jnz     .Lloop_\name
.Lend_\name:
        .endm

        .macro half name
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        movdqu  xmm\n, [fields + 16 * \n]
        .endr
        rows    up_\name, paddd, up, ups
        rows    down_\name, psubd, down, downs
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        movdqu  [fields + 16 * \n], xmm\n
        .endr
        .endm

FUNC(hl_ising_dense_update_i32_sse2)
        half    first
        sub     fields, -128
        sub     couplings, -128
        half    second
        ret
END(hl_ising_dense_update_i32_sse2)
