// Slicing with AVX-512 VBMI and GFNI, for elements of four bytes.

#include "hl.h"
#include "planes_avx512icl.h"

#define src         rdi
#define chunks      rsi
#define planes      rdx
#define stride      rcx
#define stride3     r8
#define stride5     r9
#define stride7     r10

// The byte indices of the planes and the units for e7 e6 = 0 .. 3. An index moves e8 in and k2 out, and
// undoes the permutations by the units; for k2 = 1 with the vectors in the other order.
#define gather_0    zmm17
#define gather_1    zmm18
#define gather_2    zmm19
#define gather_3    zmm20
#define gather_4    zmm21
#define gather_5    zmm22
#define gather_6    zmm23
#define gather_7    zmm24
#define unit_0      zmm25
#define unit_1      zmm26
#define unit_2      zmm27
#define unit_3      zmm28

// Masks of the bytes whose index has bit 1 set, and bit 0.
#define bit_1       k1
#define bit_0       k2

// Transposes the 8 x 8 bit blocks of these vectors and exchanges bytes until k1 k0 index the
// vectors. The unit puts the bytes of vector e7 e6 at k1 k0 ^ e7 e6, so that bytes to exchange have
// the same position. Vector k1 k0 then has the bytes of e7 e6 at e7 e6 ^ k1 k0.
        .macro transpose a, b, c, d
        vgf2p8affineqb zmm\a, unit_0, zmm\a, 0
        vgf2p8affineqb zmm\b, unit_1, zmm\b, 0
        vgf2p8affineqb zmm\c, unit_2, zmm\c, 0
        vgf2p8affineqb zmm\d, unit_3, zmm\d, 0
        exchange zmm\a, zmm\c, bit_1
        exchange zmm\b, zmm\d, bit_1
        exchange zmm\a, zmm\b, bit_0
        exchange zmm\c, zmm\d, bit_0
        .endm

// Writes the planes k = 0, 1, 4 and 5 of 8 (`first` 0), or 2, 3, 6 and 7 (2), from two vectors of e8 = 0
// and two of e8 = 1.
        .macro write first, a, b, c, d, plane
        .if     \first == 0
        choose  zmm\a, zmm\c, gather_0, gather_4
        vmovdqu64 [\plane], zmm\a
        vmovdqu64 [\plane + 4*stride], zmm\c
        choose  zmm\b, zmm\d, gather_1, gather_5
        vmovdqu64 [\plane + stride], zmm\b
        vmovdqu64 [\plane + stride5], zmm\d
        .else
        choose  zmm\a, zmm\c, gather_2, gather_6
        vmovdqu64 [\plane + 2*stride], zmm\a
        vmovdqu64 [\plane + 2*stride3], zmm\c
        choose  zmm\b, zmm\d, gather_3, gather_7
        vmovdqu64 [\plane + stride3], zmm\b
        vmovdqu64 [\plane + stride7], zmm\d
        .endif
        .endm

#define plane_8     rax

#define plane       r11
#define split       zmm29

// Loads four vectors, indexed by e7 e6, the first of which is `at` bytes into the chunk, with the bytes of
// each eight elements in descending order: moves e4 in and b1 out.
        .macro read a, b, c, d, at
        vmovdqu64 zmm\a, [src + \at]
        vpermt2b zmm\a, split, [src + 64 + \at]
        vmovdqu64 zmm\b, [src + 256 + \at]
        vpermt2b zmm\b, split, [src + 320 + \at]
        vmovdqu64 zmm\c, [src + 512 + \at]
        vpermt2b zmm\c, split, [src + 576 + \at]
        vmovdqu64 zmm\d, [src + 768 + \at]
        vpermt2b zmm\d, split, [src + 832 + \at]
        .endm

// Writes the 16 planes of one b1 and reads the elements for the next, alternating four vectors of
// each. The vectors are indexed by e8 e5 e7 e6 when read and by e8 b0 k1 k0 when written. Each turn
// assigns the registers differently.
        .macro turn a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p
        .if     writing
        write   0, \a, \b, \c, \d, plane
        .endif
        .if     reading
        read    \a, \b, \c, \d, 0
        .endif
        .if     writing
        write   0, \e, \f, \g, \h, plane_8
        .endif
        .if     reading
        read    \e, \f, \g, \h, 128
        transpose \a, \b, \c, \d
        .endif
        .if     writing
        write   2, \i, \j, \k, \l, plane
        .endif
        .if     reading
        read    \i, \j, \k, \l, 1024
        transpose \e, \f, \g, \h
        interleave zmm\a, zmm\e
        interleave zmm\b, zmm\f
        interleave zmm\c, zmm\g
        interleave zmm\d, zmm\h
        .endif
        .if     writing
        write   2, \m, \n, \o, \p, plane_8
        .endif
        .if     reading
        read    \m, \n, \o, \p, 1152
        transpose \i, \j, \k, \l
        transpose \m, \n, \o, \p
        interleave zmm\i, zmm\m
        interleave zmm\j, zmm\n
        interleave zmm\k, zmm\o
        interleave zmm\l, zmm\p
        .endif
        .endm

// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u32_avx512icl(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride      Out  the planes
// Uses    rax, rsi, rdx, rdi, r8..r11, zmm0..zmm29, k1, k2      Stack  none
// Loop    512 elements; 32 vectors of 6 operations; bound by the four 256-bit vector pipes
//         (96 cycles). Not measured; llvm-mca: 102 cycles on Zen 4
// Tail    none, a chunk is 512 elements
FUNC(hl_bitslice_slice_u32_avx512icl)
        test    chunks, chunks
        jz      .Ldone_u32
        lea     stride3, [stride + 2*stride]
        lea     stride5, [stride + 4*stride]
        lea     stride7, [stride3 + 4*stride]
        .set    AT, 0
        .irp    gather, gather_0, gather_1, gather_2, gather_3, gather_4, gather_5, gather_6, gather_7
        vmovdqu64 \gather, [rip + .Lgather + AT]
        .set    AT, AT + 64
        .endr
        vpbroadcastq unit_0, [rip + .Lunits]
        vpbroadcastq unit_1, [rip + .Lunits + 8]
        vpbroadcastq unit_2, [rip + .Lunits + 16]
        vpbroadcastq unit_3, [rip + .Lunits + 24]
        kmovq   bit_1, [rip + .Lbit_1]
        kmovq   bit_0, [rip + .Lbit_0]

        // Two passes read the whole chunk, one for each b1: the registers hold 16 vectors and the
        // constants. The first pass, b1 = 0.
        .set    writing, 0
        .set    reading, 1
        vmovdqu64 split, [rip + .Lsplit]
        turn    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

        // Write the planes of b1 = 0 while b1 = 1 is read.
        .set    writing, 1
        .balign 64
.Lloop_u32:
        mov     plane, planes
        lea     plane_8, [plane + 8*stride]
        vmovdqu64 split, [rip + .Lsplit + 64]
        turn    0, 1, 8, 9, 4, 5, 12, 13, 2, 3, 10, 11, 6, 7, 14, 15
        lea     plane, [plane_8 + 8*stride]
        lea     plane_8, [plane + 8*stride]
        dec     chunks
        jz      .Llast_u32

        // Write the planes of b1 = 1 while b1 = 0 of the next chunk is read.
        add     src, 2048
        add     planes, 64
        vmovdqu64 split, [rip + .Lsplit]
        turn    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        jmp     .Lloop_u32

.Llast_u32:
        .set    reading, 0
        turn    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

.Ldone_u32:
        vzeroupper
        ret
END(hl_bitslice_slice_u32_avx512icl)

        RODATA
        .balign 8
.Lunits:                                // byte i = 1 << (i ^ e7 e6)
        .quad   0x8040201008040201, 0x4080102004080102, 0x2010804002010804, 0x1020408001020408
.Lbit_1:                                // bytes whose index has bit 1 set
        .quad   0xcccccccccccccccc
.Lbit_0:                                // bytes whose index has bit 0 set
        .quad   0xaaaaaaaaaaaaaaaa
        .balign 64
.Lsplit:                                // e4 e3 b0, and the complement of e2 e1 e0, for b1 = 0 and 1
        index   28, 64, 32, 1, 16, 8, 4
        index   30, 64, 32, 1, 16, 8, 4
.Lgather:                               // e8, e7 ^ k1, e6 ^ k0, e5 e4 e3; from k = 4 on e8 complemented
        .irp    k, 0, 2, 4, 6, 72, 74, 76, 78
        index   \k, 64, 4, 2, 1, 32, 16
        .endr
