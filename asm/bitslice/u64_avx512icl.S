// Slices 64-bit elements into planes or tiles and back with AVX-512 VBMI and GFNI.
//
// A tile is the transpose of 64 elements as a 64 x 64 matrix of bits. Bits of an index are named x for the rows, y
// for the columns: x5 x4 x3 number eight vectors, whose bytes are [x2 x1 x0 y5 y4 y3]. The first permutation makes
// them [y5 y4 y3 7-(x2 x1 x0)], the transposition of 8 x 8 bits [y5 y4 y3 y2 y1 y0]. Then x5 x4 x3 are exchanged
// with y5 y4 y3 by blends, for which bytes to exchange must have the same position: in vector v, index i of the
// upper three bits is at i ^ v. The last permutation undoes this: [y2 y1 y0 x5 x4 x3] of the vectors y5 y4 y3.

#include "hl.h"
#include "planes_avx512icl.h"

#define unit        zmm28
#define turned      zmm29

// Masks of the bytes whose index has bit 5, 4 or 3 set.
#define bit_5       k1
#define bit_4       k2
#define bit_3       k3

// zmm20 .. zmm27 are the indices of the first permutation, zmm10 .. zmm17 those of the last.
        .macro constants
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa64 zmm2\i, [rip + .Lbefore + 64*\i]
        vmovdqa64 zmm1\i, [rip + .Lafter + 64*\i]
        .endr
        vpbroadcastq unit, [rip + .Lunits]
        kmovq   bit_5, [rip + .Lbits]
        kmovq   bit_4, [rip + .Lbits + 8]
        kmovq   bit_3, [rip + .Lbits + 16]
        .endm

// Swaps the bytes of a and b under the mask; a moves to `to`.
        .macro swap to, a, b, mask
        vpblendmb zmm\to{\mask}, zmm\a, zmm\b
        vpblendmb zmm\b{\mask}, zmm\b, zmm\a
        .endm

// Exchanges the bits that number vectors 0 .. 7 with the upper three bits of a byte's index. The
// results are in the registers 5, 8, 3, 2, 1, 4, 0, 7.
        .macro exchange_eight
        swap    8, 0, 4, bit_5
        swap    0, 1, 5, bit_5
        swap    1, 2, 6, bit_5
        swap    2, 3, 7, bit_5
        swap    3, 8, 1, bit_4
        swap    8, 0, 2, bit_4
        swap    0, 4, 6, bit_4
        swap    4, 5, 7, bit_4
        swap    5, 3, 8, bit_3
        swap    3, 1, 2, bit_3
        swap    1, 0, 4, bit_3
        swap    0, 6, 7, bit_3
        .endm

        .macro put z, i, to
        vpermb  zmm\z, zmm1\i, zmm\z
        vmovdqu64 [\to + 64*\i], zmm\z
        .endm

// The tile at `to` from the 64 elements at `from`. A unit other than the first flips bits of
// y2 y1 y0 in the result.
        .macro cut from, to
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpermb  zmm\i, zmm2\i, [\from + 64*\i]
        .endr
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vgf2p8affineqb zmm\i, unit, zmm\i, 0
        .endr
        exchange_eight
        put     5, 0, \to
        put     8, 1, \to
        put     3, 2, \to
        put     2, 3, \to
        put     1, 4, \to
        put     4, 5, \to
        put     0, 6, \to
        put     7, 7, \to
        .endm

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u64.
//
//   void hl_bitslice_untile_u64_avx512icl(const uint8_t *tiles, size_t stride, size_t chunks, uint64_t *dst);
//
// In      rdi = tiles, rsi = stride, rdx = chunks, rcx = dst      Out  dst[0..512 chunks]
// Uses    rcx, rdx, rdi, zmm0..zmm8, zmm10..zmm17, zmm20..zmm28, k1..k3      Stack  none
// Loop    64 elements; 8 vectors of 6 operations; bound by the four 256-bit vector pipes (24 cycles)
// Tail    none, a chunk is 8 tiles
FUNC(hl_bitslice_untile_u64_avx512icl)
        shl     rdx, 3
        jz      .Ldone_untile_u64
        constants

        .balign 64
.Lloop_untile_u64:
        cut     rdi, rcx
        add     rdi, rsi
        add     rcx, 512
        dec     rdx
        jnz     .Lloop_untile_u64

.Ldone_untile_u64:
        vzeroupper
        ret
END(hl_bitslice_untile_u64_avx512icl)

// The 8 tiles of a chunk, and bytes to align them.
#define FRAME       4160

#define stride3     r8
#define stride5     r9
#define stride7     r10
#define scratch     r11
#define plane       rax

// Stores a plane, whose words are at i ^ v.
        .macro put_flipped z, v, to
        vmovdqa64 turned, [rip + .Lflips + 64*\v]
        vpermq  zmm\z, turned, zmm\z
        vmovdqu64 [\to], zmm\z
        .endm

// Cuts 512 `chunks` elements into 64 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u64_avx512icl(const uint64_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride      Out  the planes
// Uses    rax, rsi, rdx, rdi, r8..r11, zmm0..zmm8, zmm10..zmm17, zmm20..zmm29, k1..k3     Stack  4160 bytes
// Loop    512 elements; 64 vectors of 10 operations; bound by the four 256-bit vector pipes (320 cycles)
// Tail    none, a chunk is 512 elements
FUNC(hl_bitslice_slice_u64_avx512icl)
        // A chunk's tiles are on the stack at `scratch`. On Windows, a frame larger than a page is
        // touched page by page.
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME
        mov     [rsp + FRAME/2], rsp
        lea     scratch, [rsp + 63]
        and     scratch, -64
        test    rsi, rsi
        jz      .Ldone_slice
        constants
        lea     stride3, [rcx + 2*rcx]
        lea     stride5, [rcx + 4*rcx]
        lea     stride7, [stride3 + 4*rcx]

        // Eight tiles, e8 e7 e6, with k2 k1 k0 flipped by their number.
        .balign 64
.Lloop_slice:
        .irp    t, 0, 1, 2, 3, 4, 5, 6, 7
        vpbroadcastq unit, [rip + .Lunits + 8*\t]
        cut     rdi + 512*\t, scratch + 512*\t
        .endr

        // For each byte, e8 e7 e6 are exchanged with k2 k1 k0.
        mov     plane, rdx
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa64 zmm\i, [scratch + 64*\b + 512*\i]
        .endr
        exchange_eight
        vmovdqu64 [plane], zmm5
        put_flipped 8, 1, plane + rcx
        put_flipped 3, 2, plane + 2*rcx
        put_flipped 2, 3, plane + stride3
        put_flipped 1, 4, plane + 4*rcx
        put_flipped 4, 5, plane + stride5
        put_flipped 0, 6, plane + 2*stride3
        put_flipped 7, 7, plane + stride7
        lea     plane, [plane + 8*rcx]
        .endr
        add     rdi, 4096
        add     rdx, 64
        dec     rsi
        jnz     .Lloop_slice

.Ldone_slice:
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -FRAME
        vzeroupper
        ret
END(hl_bitslice_slice_u64_avx512icl)

        RODATA
        .balign 64
.Lbefore:                               // y5 y4 y3, and the complement of x2 x1 x0, for v = 0 .. 7
        .irp    v, 56, 57, 58, 59, 60, 61, 62, 63
        index   \v, 4, 2, 1, 32, 16, 8
        .endr
.Lafter:                                // y2 y1 y0 x5 x4 x3, for v = 0 .. 7
        .irp    v, 0, 8, 16, 24, 32, 40, 48, 56
        index   \v, 4, 2, 1, 32, 16, 8
        .endr
.Lflips:                                // words i ^ v, for v = 0 .. 7
        .irp    v, 0, 1, 2, 3, 4, 5, 6, 7
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .quad   \i ^ \v
        .endr
        .endr
.Lunits:                                // byte i = 1 << (i ^ v)
        .quad   0x8040201008040201, 0x4080102004080102, 0x2010804002010804, 0x1020408001020408
        .quad   0x0804020180402010, 0x0408010240801020, 0x0201080420108040, 0x0102040810204080
.Lbits:                                 // bytes whose index has bit 5, 4 or 3 set
        .quad   0xffffffff00000000, 0xffff0000ffff0000, 0xff00ff00ff00ff00
