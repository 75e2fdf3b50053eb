// Adds the rows of up to 64 flipped spins to the local fields.
//
//   void hl_ising_dense_update_sse2(int16_t *fields, size_t columns, const int8_t *couplings,
//       size_t stride, uint64_t spins, uint64_t flips, size_t depth);
//
// In      rdi = fields, rsi = columns, rdx = couplings, rcx = stride, r8 = spins, r9 = flips,
//         [rsp+8] = depth                   Out  fields[0..columns]
// Uses    rax, rcx, rdx, rsi, rdi, r8..r11, xmm0..xmm9     Stack  512 bytes
// Loop    1 row: 128 columns in 8 vectors of bytes, which are added to the fields after `depth` rows;
//         bound by the loads. With a depth below 4, 64 columns in 8 vectors of words; bound by issue
// Tail    64 columns at a time; reads exactly the rows of `flips`

#include "hl.h"

#define fields      rdi
#define columns     rsi
#define couplings   rdx
#define row         rax
#define run_end     rcx
#define ups_end     r8
#define list_end    r9
#define next        r10
#define depth       r11

        // Appends the offsets of the rows in the bits of r10 to the list at rax. They may be any
        // multiples of the stride.
        .macro append name
        test    r10, r10
        jz      .Lend_\name
.Lbit_\name:
        bsf     r11, r10
        imul    r11, rcx
        mov     [rax], r11
        add     rax, 8
        lea     r11, [r10 - 1]
        and     r10, r11
        jnz     .Lbit_\name
.Lend_\name:
        .endm

        // All whole pieces of `size` columns, by sums of rows in bytes, 16 columns a vector,
        // or of twice the rows in words, 8 columns a vector.
        .macro pieces name, words, size, vectors:vararg
        cmp     columns, \size
        jb      .Lless_\name
.Lpiece_\name:
        mov     next, rsp
.Lrun_\name:
        lea     run_end, [next + depth]
        cmp     run_end, list_end
        cmova   run_end, list_end
        .irp    n, \vectors
        pxor    xmm\n, xmm\n
        .endr
        cmp     next, ups_end
        jae     .Lsubtract_\name
.Ladd_\name:
        mov     row, [next]
        add     next, 8
        .irp    n, \vectors
        .if     \words
        pxor    xmm9, xmm9
        movq    xmm8, [couplings + row + 8 * \n]
        punpcklbw xmm9, xmm8
        psraw   xmm9, 7
        paddw   xmm\n, xmm9
        .else
        movdqu  xmm8, [couplings + row + 16 * \n]
        paddb   xmm\n, xmm8
        .endif
        .endr
        cmp     next, run_end
        je      .Lflush_\name
        cmp     next, ups_end
        jne     .Ladd_\name
.Lsubtract_\name:
        mov     row, [next]
        add     next, 8
        .irp    n, \vectors
        .if     \words
        pxor    xmm9, xmm9
        movq    xmm8, [couplings + row + 8 * \n]
        punpcklbw xmm9, xmm8
        psraw   xmm9, 7
        psubw   xmm\n, xmm9
        .else
        movdqu  xmm8, [couplings + row + 16 * \n]
        psubb   xmm\n, xmm8
        .endif
        .endr
        cmp     next, run_end
        jne     .Lsubtract_\name
.Lflush_\name:
        .irp    n, \vectors
        .if     \words
        movdqu  xmm8, [fields + 16 * \n]
        paddw   xmm\n, xmm8
        movdqu  [fields + 16 * \n], xmm\n
        .else
        // Twice a byte is a word with the byte in its upper half, shifted down by 7.
        pxor    xmm8, xmm8
        pxor    xmm9, xmm9
        punpcklbw xmm8, xmm\n
        punpckhbw xmm9, xmm\n
        psraw   xmm8, 7
        psraw   xmm9, 7
        movdqu  xmm\n, [fields + 32 * \n]
        paddw   xmm8, xmm\n
        movdqu  xmm\n, [fields + 32 * \n + 16]
        paddw   xmm9, xmm\n
        movdqu  [fields + 32 * \n], xmm8
        movdqu  [fields + 32 * \n + 16], xmm9
        .endif
        .endr
        cmp     next, list_end
        jne     .Lrun_\name
        add     couplings, \size
        add     fields, 2 * \size
        sub     columns, \size
        cmp     columns, \size
        jae     .Lpiece_\name
.Lless_\name:
        .endm

FUNC(hl_ising_dense_update_sse2)
        sub     rsp, 512
        .cfi_adjust_cfa_offset 512
        mov     rax, rsp

        // The list has the rows of spins that become +1, then the others.
        mov     r10, r8
        and     r10, r9
        append  up
        mov     r10, r8
        not     r10
        and     r10, r9
        mov     ups_end, rax
        append  down
        mov     list_end, rax
        cmp     list_end, rsp
        je      .Ldone

        mov     depth, [rsp + 520]
        cmp     depth, 4
        jb      .Lwide
        shl     depth, 3
        pieces  bytes_128, 0, 128, 0, 1, 2, 3, 4, 5, 6, 7
        pieces  bytes_64, 0, 64, 0, 1, 2, 3
        jmp     .Ldone

        // All rows in one run of words.
.Lwide:
        mov     depth, 512
        pieces  words_64, 1, 64, 0, 1, 2, 3, 4, 5, 6, 7
.Ldone:
        add     rsp, 512
        .cfi_adjust_cfa_offset -512
        ret
END(hl_ising_dense_update_sse2)
