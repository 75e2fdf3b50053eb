// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u32_avx512(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      rdi = src, rsi = chunks, rdx = planes, rcx = stride     Out  the planes
// Uses    rax, rdx, rsi, rdi, r8..r11, zmm0..zmm31     Stack  1088 bytes
// Loop    512 elements; 12 operations for each of 32 vectors; bound by the two ports of Skylake-X for 64 bytes (192 cycles);
//         modelled at 268 on Zen 4
// Bound   192 cycles for 512 elements on Granite Rapids
// Tail    none; reads and writes exactly the elements and the planes, none of the gaps

#include "hl.h"

#define BYTES 4
#define FRAME 1088
#include "cut_avx512.h"

#define stride8     r10
#define stride24    r11

FUNC(hl_bitslice_slice_u32_avx512)
        enter
        lea     stride8, [8*stride]
        lea     stride24, [stride8 + 2*stride8]

        .balign 64
.Lloop:
        // One half of the elements waits for the other: [b1][k2 k1 k0] with lanes [b0 e5 e4 e3].
        cut     0
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        unpack  dq, zmm8, zmm9, zmm\k, zmm1\k
        vmovdqa64 [scratch + 64*\k], zmm8
        vmovdqa64 [scratch + 512 + 64*\k], zmm9
        .endr

        // Together they are whole rows, [b1 b0 k2 k1 k0] with lanes [e6 e5 e4 e3].
        cut     1
        mov     row, dst
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7
        unpack  dq, zmm8, zmm9, zmm\k, zmm1\k
        vmovdqa64 zmm18, [scratch + 64*\k]
        vmovdqa64 zmm28, [scratch + 512 + 64*\k]
        unpack  qdq, zmm19, zmm18, zmm18, zmm8
        vmovdqu64 [row], zmm19
        vmovdqu64 [row + stride8], zmm18
        unpack  qdq, zmm19, zmm28, zmm28, zmm9
        vmovdqu64 [row + 2*stride8], zmm19
        vmovdqu64 [row + stride24], zmm28
        add     row, stride
        .endr
        add     src, 2048
        add     dst, 64
        dec     chunks
        jnz     .Lloop

        leave
END(hl_bitslice_slice_u32_avx512)
