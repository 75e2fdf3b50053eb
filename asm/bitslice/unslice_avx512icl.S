// Unslicing with AVX-512 VBMI and GFNI, for elements of four bytes, 256 elements at a time.

#include "hl.h"
#include "planes_avx512icl.h"

#define planes      rdi
#define stride      rsi
#define halves      rdx
#define dst         rcx
#define stride3     r8
#define stride5     r9
#define stride7     r10
#define plane       r11

#define unit        zmm17
#define pair_0      zmm18

// 256 bytes from 8 planes. The vectors are first indexed by the complement of k1 k0. Interleaving moves k1 k0 into
// the byte index and e7 e6 into the vector index. The transposition leaves each eight elements in order.
        .macro eight a, b, c, d, pair
        vmovdqu ymm\a, [plane+stride3]
        vmovdqu64 spare_half, [plane+stride7]
        vpermt2b zmm\a, \pair, spare
        vmovdqu ymm\b, [plane+2*stride]
        vmovdqu64 spare_half, [plane+2*stride3]
        vpermt2b zmm\b, \pair, spare
        vmovdqu ymm\c, [plane+stride]
        vmovdqu64 spare_half, [plane+stride5]
        vpermt2b zmm\c, \pair, spare
        vmovdqu ymm\d, [plane]
        vmovdqu64 spare_half, [plane+4*stride]
        vpermt2b zmm\d, \pair, spare
        interleave zmm\a, zmm\c
        interleave zmm\b, zmm\d
        interleave zmm\a, zmm\b
        interleave zmm\c, zmm\d
        vgf2p8affineqb zmm\a, unit, zmm\a, 0
        vgf2p8affineqb zmm\b, unit, zmm\b, 0
        vgf2p8affineqb zmm\c, unit, zmm\c, 0
        vgf2p8affineqb zmm\d, unit, zmm\d, 0
        .endm

#define pair_1      zmm19
#define even_0      zmm20
#define even_1      zmm21
#define odd_0       zmm22
#define odd_1       zmm23
#define upper       k1

// Two vectors of elements: moves b1 in and e4 out.
        .macro join a, b, index_a, index_b, at
        choose  zmm\a, zmm\b, \index_a, \index_b
        vmovdqu64 [dst + \at], zmm\a
        vmovdqu64 [dst + \at + 64], zmm\b
        .endm

// Puts 512 `chunks` elements together from 32 planes: the inverse of slice_u32.
//
//   void hl_bitslice_unslice_u32_avx512icl(const uint8_t *planes, size_t stride, size_t chunks,
//       uint32_t *dst);
//
// In      rdi = planes, rsi = stride, rdx = chunks, rcx = dst      Out  dst[0..512 chunks]
// Uses    rax, rcx, rdx, rdi, r8..r11, zmm0..zmm23, k1     Stack  none
// Loop    256 elements; 16 vectors of 6 operations; bound by the three 256-bit pipes for all except the blends (53
//         cycles). Not measured; llvm-mca, which runs interleaving on two of them: 64 cycles on Zen 4
// Tail    none, a chunk is 512 elements
FUNC(hl_bitslice_unslice_u32_avx512icl)
        add     halves, halves
        jz      .Ldone_u32
        lea     stride3, [stride + 2*stride]
        lea     stride5, [stride + 4*stride]
        lea     stride7, [stride3 + 4*stride]
        vpbroadcastq unit, [rip + .Lunit]
        vmovdqu64 pair_0, [rip + .Lpair_0]
        vmovdqu64 pair_1, [rip + .Lpair_1]
        vmovdqu64 even_0, [rip + .Leven]
        vmovdqu64 even_1, [rip + .Leven + 64]
        vmovdqu64 odd_0, [rip + .Lodd]
        vmovdqu64 odd_1, [rip + .Lodd + 64]
        kmovq   upper, [rip + .Lupper]

        // The bytes of the elements: b1 b0 index the groups of four vectors.
        .balign 64
.Lloop_u32:
        mov     plane, planes
        eight   0, 1, 2, 3, pair_0
        lea     plane, [plane + 8*stride]
        eight   4, 5, 6, 7, pair_1
        lea     plane, [plane + 8*stride]
        eight   8, 9, 10, 11, pair_0
        lea     plane, [plane + 8*stride]
        eight   12, 13, 14, 15, pair_1

        // Exchange b0 and e5. The bytes of b0 are at e5 ^ b0, so that bytes to exchange have the same position.
        exchange zmm0, zmm4, upper
        exchange zmm1, zmm5, upper
        exchange zmm2, zmm6, upper
        exchange zmm3, zmm7, upper
        exchange zmm8, zmm12, upper
        exchange zmm9, zmm13, upper
        exchange zmm10, zmm14, upper
        exchange zmm11, zmm15, upper

        // b1 e5 e7 e6 now index the vectors.
        join    0, 8, even_0, even_1, 0
        join    4, 12, odd_0, odd_1, 128
        join    1, 9, even_0, even_1, 256
        join    5, 13, odd_0, odd_1, 384
        join    2, 10, even_0, even_1, 512
        join    6, 14, odd_0, odd_1, 640
        join    3, 11, even_0, even_1, 768
        join    7, 15, odd_0, odd_1, 896
        add     planes, 32
        add     dst, 1024
        dec     halves
        jnz     .Lloop_u32

.Ldone_u32:
        vzeroupper
        ret
END(hl_bitslice_unslice_u32_avx512icl)

        RODATA
        .balign 64
.Lpair_1:                               // .Lpair_0 with e5 complemented
        index   68, 4, 2, 16, 8, 1, 64
.Leven:                                 // e3 e2 e1 e0 b1 b0 for e5 = 0; then for e4 = 1, with b1 complemented
        index   0, 8, 4, 2, 1, 64, 32
        index   80, 8, 4, 2, 1, 64, 32
.Lodd:                                  // for e5 = 1: with b0 complemented
        index   32, 8, 4, 2, 1, 64, 32
        index   112, 8, 4, 2, 1, 64, 32
        .balign 8
.Lupper:                                // the bytes from 32 on
        .quad   0xffffffff00000000
        .balign 64
.Lpair_0:                               // e5 e4 e7 e6 e3, and the complement of k2
        index   64, 4, 2, 16, 8, 1, 64
.Lunit:                                 // byte i = 1 << i
        .quad   0x8040201008040201
