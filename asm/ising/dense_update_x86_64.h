// Adds rows to the local fields: the walk, shared by SSE2, AVX2 and AVX-512. An including file defines
//
//   BYTES                       the bytes of a vector
//   accumulate words, op, n     adds or subtracts vector n of `row`: the sums are in bytes, or in words
//   flush words, n              adds twice the sum of rows in vector n to the fields

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
        .if     BYTES == 16
        bsf     r11, r10
        .else
        tzcnt   r11, r10
        .endif
        imul    r11, rcx
        mov     [rax], r11
        add     rax, 8
        .if     BYTES == 16
        lea     r11, [r10 - 1]
        and     r10, r11
        .else
        blsr    r10, r10
        .endif
        jnz     .Lbit_\name
.Lend_\name:
        .endm

        // Goes to .Ldone if no spin flips, and to .Lwide if sums of `depth` rows do not fit bytes.
        .macro list_rows
        sub     rsp, 512
        .cfi_adjust_cfa_offset 512
        mov     rax, rsp

        // The list has the rows of spins that become +1, then the others.
        mov     r10, r8
        and     r10, r9
        append  up
        .if     BYTES == 16
        mov     r10, r8
        not     r10
        and     r10, r9
        .else
        andn    r10, r8, r9
        .endif
        mov     ups_end, rax
        append  down
        mov     list_end, rax
        cmp     list_end, rsp
        je      .Ldone

        mov     depth, [rsp + 520]
        cmp     depth, 4
        jb      .Lwide
        shl     depth, 3
        .endm

        // All whole pieces of `size` columns.
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
        .if     BYTES == 16
        pxor    xmm\n, xmm\n
        .else
        vpxor   xmm\n, xmm\n, xmm\n
        .endif
        .endr
        cmp     next, ups_end
        jae     .Lsubtract_\name
.Ladd_\name:
        mov     row, [next]
        add     next, 8
        .irp    n, \vectors
        accumulate \words, add, \n
        .endr
        cmp     next, run_end
        je      .Lflush_\name
        cmp     next, ups_end
        jne     .Ladd_\name
.Lsubtract_\name:
        mov     row, [next]
        add     next, 8
        .irp    n, \vectors
        accumulate \words, sub, \n
        .endr
        cmp     next, run_end
        jne     .Lsubtract_\name
.Lflush_\name:
        .irp    n, \vectors
        flush   \words, \n
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
