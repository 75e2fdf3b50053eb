// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u32_avx512icl(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride      Out  the planes
// Uses    rax, rsi, rdx, rdi, r8..r11, zmm0..zmm29, k1, k2      Stack  none
// Loop    512 elements; 32 vectors of 6 operations; bound by the vector pipes, four of half a vector (96 cycles). Modelled by
//         llvm-mca, not measured: 102 cycles on Zen 4
// Tail    none, a chunk is 512 elements

#include "hl.h"
#include "slice_avx512icl.h"

#define plane       r11
#define plane_8     rax
#define split       zmm29

// Brings e4 in and b1 out.
        .macro load z, i, at
        vmovdqu64 \z, [src + 256*\i + \at]
        vpermt2b \z, split, [src + 256*\i + \at + 64]
        .endm

        .macro interleave_four a, b, c, d, e, f, g, h
        interleave zmm\a, zmm\e
        interleave zmm\b, zmm\f
        interleave zmm\c, zmm\g
        interleave zmm\d, zmm\h
        .endm

// Writes the 16 planes of one b1 and reads for those of the next, four vectors after four. The vectors' numbers are e8 e5 e7 e6 when they
// are read, and e8 b0 k1 k0 when they are written; the registers for these change with each turn.
        .macro turn a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p
        .if     writing
        write_0145 \a, \b, \c, \d, plane
        .endif
        .if     reading
        read    \a, \b, \c, \d, 0
        .endif
        .if     writing
        write_0145 \e, \f, \g, \h, plane_8
        .endif
        .if     reading
        read    \e, \f, \g, \h, 128
        transpose \a, \b, \c, \d
        .endif
        .if     writing
        write_2367 \i, \j, \k, \l, plane
        .endif
        .if     reading
        read    \i, \j, \k, \l, 1024
        transpose \e, \f, \g, \h
        interleave_four \a, \b, \c, \d, \e, \f, \g, \h
        .endif
        .if     writing
        write_2367 \m, \n, \o, \p, plane_8
        .endif
        .if     reading
        read    \m, \n, \o, \p, 1152
        transpose \i, \j, \k, \l
        transpose \m, \n, \o, \p
        interleave_four \i, \j, \k, \l, \m, \n, \o, \p
        .endif
        .endm

FUNC(hl_bitslice_slice_u32_avx512icl)
        test    chunks, chunks
        jz      .Ldone
        constants

        // Each half reads the whole chunk: there are registers for its 16 vectors and the constants. The first one, b1 = 0.
        .set    writing, 0
        .set    reading, 1
        vmovdqu64 split, [rip + .Lsplit]
        turn    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

        // Write it while b1 = 1 is read.
        .set    writing, 1
        .balign 64
.Lloop:
        mov     plane, planes
        lea     plane_8, [plane + 8*stride]
        vmovdqu64 split, [rip + .Lsplit + 64]
        turn    0, 1, 8, 9, 4, 5, 12, 13, 2, 3, 10, 11, 6, 7, 14, 15
        lea     plane, [plane_8 + 8*stride]
        lea     plane_8, [plane + 8*stride]
        dec     chunks
        jz      .Llast

        // Write that while b1 = 0 of the next chunk is read.
        add     src, 2048
        add     planes, 64
        vmovdqu64 split, [rip + .Lsplit]
        turn    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        jmp     .Lloop

.Llast:
        .set    reading, 0
        turn    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

.Ldone:
        vzeroupper
        ret
END(hl_bitslice_slice_u32_avx512icl)

        RODATA
        .balign 64
.Lsplit:                                // e4 e3 b0, and the complement of e2 e1 e0, for b1 = 0 and 1
        index   28, 64, 32, 1, 16, 8, 4
        index   30, 64, 32, 1, 16, 8, 4
.Lgather:                               // e8, e7 ^ k1, e6 ^ k0, e5 e4 e3; from k = 4 on e8 complemented
        .irp    k, 0, 2, 4, 6, 72, 74, 76, 78
        index   \k, 64, 4, 2, 1, 32, 16
        .endr
