// Writes the distances of 8 planes from each other and their popcounts, with AVX-512.
//
// In      ymm0 = popcount of plane i in lane i; zmm1 = distances of plane i from planes i + 1 and i
//         + 2, zmm3 = from i + 3 and i + 4 (modulo 8; of i + 4 only lanes 0 to 3 are read);
//         r10 = row 0 of 8, 128 bytes apart
// Uses    rax, k1, k2, zmm19
//
// Writes nothing below the diagonal. The including file ends with `triangle_rodata`.

        .macro write_triangle
        mov     eax, 0xff
        kmovd   k1, eax
        mov     eax, 1
        kmovd   k2, eax
        lea     rax, [rip + .Lplaces]
        .irp i, 0, 1, 2, 3, 4, 5, 6, 7
        vpmovzxbd ymm19, [rax + 8*\i]
        vpermi2d zmm19, zmm1, zmm3
        vmovdqa32 ymm19{k2}, ymm0
        vmovdqu32 [r10 + 128*\i]{k1}, ymm19
        kaddb   k1, k1, k1
        kaddb   k2, k2, k2
        .endr
        .endm

        .macro triangle_rodata
        RODATA
        .balign 8
.Lplaces:                               // index of column j > i in row i: 8 (j - i - 1) + i,
                                        // or 8 (7 - j + i) + j if j - i > 4
        .byte   0, 0, 8, 16, 24, 21, 14, 7
        .byte   0, 0, 1, 9, 17, 25, 22, 15
        .byte   0, 0, 0, 2, 10, 18, 26, 23
        .byte   0, 0, 0, 0, 3, 11, 19, 27
        .byte   0, 0, 0, 0, 0, 4, 12, 20
        .byte   0, 0, 0, 0, 0, 0, 5, 13
        .byte   0, 0, 0, 0, 0, 0, 0, 6
        .byte   0, 0, 0, 0, 0, 0, 0, 0
        .endm
