// Adds the rows of up to 64 flipped spins to the local fields.
//
//   void hl_ising_dense_update_avx2(int16_t *fields, size_t columns, const int8_t *couplings,
//       size_t stride, uint64_t spins, uint64_t flips, size_t depth);
//
// In      rdi = fields, rsi = columns, rdx = couplings, rcx = stride, r8 = spins, r9 = flips,
//         [rsp+8] = depth                   Out  fields[0..columns]
// Uses    rax, rcx, rdx, rsi, rdi, r8..r11, ymm0..ymm8     Stack  512 bytes
// Loop    1 row: 256 columns in 8 vectors of bytes, which are added to the fields after `depth` rows;
//         bound by the loads from the second-level cache. With a depth below 4, 128 columns in 8
//         vectors of words; bound by the extensions (8 cycles)
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
        tzcnt   r11, r10
        imul    r11, rcx
        mov     [rax], r11
        add     rax, 8
        blsr    r10, r10
        jnz     .Lbit_\name
.Lend_\name:
        .endm

        // All whole pieces of `size` columns, by sums of rows in bytes, 32 columns a vector,
        // or of rows in words, 16 columns a vector.
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
        vpxor   xmm\n, xmm\n, xmm\n
        .endr
        cmp     next, ups_end
        jae     .Lsubtract_\name
.Ladd_\name:
        mov     row, [next]
        add     next, 8
        .irp    n, \vectors
        .if     \words
        vpmovsxbw ymm8, [couplings + row + 16 * \n]
        vpaddw  ymm\n, ymm\n, ymm8
        .else
        vpaddb  ymm\n, ymm\n, [couplings + row + 32 * \n]
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
        vpmovsxbw ymm8, [couplings + row + 16 * \n]
        vpsubw  ymm\n, ymm\n, ymm8
        .else
        vpsubb  ymm\n, ymm\n, [couplings + row + 32 * \n]
        .endif
        .endr
        cmp     next, run_end
        jne     .Lsubtract_\name
.Lflush_\name:
        .irp    n, \vectors
        .if     \words
        vpaddw  ymm\n, ymm\n, ymm\n
        vpaddw  ymm\n, ymm\n, [fields + 32 * \n]
        vmovdqu [fields + 32 * \n], ymm\n
        .else
        vpmovsxbw ymm8, xmm\n
        vextracti128 xmm\n, ymm\n, 1
        vpaddw  ymm8, ymm8, ymm8
        vpmovsxbw ymm\n, xmm\n
        vpaddw  ymm8, ymm8, [fields + 64 * \n]
        vpaddw  ymm\n, ymm\n, ymm\n
        vmovdqu [fields + 64 * \n], ymm8
        vpaddw  ymm\n, ymm\n, [fields + 64 * \n + 32]
        vmovdqu [fields + 64 * \n + 32], ymm\n
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

FUNC(hl_ising_dense_update_avx2)
        sub     rsp, 512
        .cfi_adjust_cfa_offset 512
        mov     rax, rsp

        // The list has the rows of spins that become +1, then the others.
        mov     r10, r8
        and     r10, r9
        append  up
        andn    r10, r8, r9
        mov     ups_end, rax
        append  down
        mov     list_end, rax
        cmp     list_end, rsp
        je      .Ldone

        mov     depth, [rsp + 520]
        cmp     depth, 4
        jb      .Lwide
        shl     depth, 3
        pieces  bytes_256, 0, 256, 0, 1, 2, 3, 4, 5, 6, 7
        pieces  bytes_64, 0, 64, 0, 1
        jmp     .Ldone

        // All rows in one run of words.
.Lwide:
        mov     depth, 512
        pieces  words_128, 1, 128, 0, 1, 2, 3, 4, 5, 6, 7
        pieces  words_64, 1, 64, 0, 1, 2, 3
.Ldone:
        add     rsp, 512
        .cfi_adjust_cfa_offset -512
        vzeroupper
        ret
END(hl_ising_dense_update_avx2)
