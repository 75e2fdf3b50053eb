// Half of a chunk, 256 elements, put together from where planes and tiles agree: for AVX2 with GFNI.
//
// A file defines BYTES, those of an element, includes this one, defines these macros and writes `walk` as the body of its
// function:
//
//   fetch b              loads byte b of the elements into ymm0..ymm7: vectors for [e6 k1 k0] = 0..7, with lanes
//                        [e5 e4 e3 1-k2]; may overwrite ymm8..ymm13
//   next                 steps src to where the next half is
//
// An element is e8 .. e0 in its chunk, and bit k2 k1 k0 of its byte b1 b0. The lanes of a vector are the two e7; in brackets
// stand the bits that number the bytes of a lane, the highest first. Unpacking two vectors by bytes appends below the bit
// in which they differ, and the highest bit comes to tell the two results apart.

#define src         rdi
#define stride      rsi
#define halves      rdx
#define dst         rcx
#define stride3     r8
#define row         rax
#define upper       r10
#define scratch     r9
#define diagonal    ymm15

#define FRAME       800

        .macro unpack unit, low, high, x, y
        vpunpckl\unit \low, \x, \y
        vpunpckh\unit \high, \x, \y
        .endm

// Vectors for [k1 k0] = 0..3 with lanes [e5 e4 e3 1-k2] become vectors for [e5 e4] = 0..3 with lanes [e3 e2 e1 e0].
        .macro bytes x, y, z, w
        unpack  bw, ymm8, ymm9, \z, \x
        unpack  bw, ymm10, ymm11, \w, \y
        unpack  bw, \x, \y, ymm10, ymm8
        unpack  bw, \z, \w, ymm11, ymm9
        .irp to, \x, \y, \z, \w
        vgf2p8affineqb \to, diagonal, \to, 0
        .endr
        .endm

// Stores 32 bytes of each e7, the second 16 of which are those of the second vector.
        .macro store at, x, y
        vperm2i128 ymm8, \x, \y, 0x20
        vperm2i128 ymm9, \x, \y, 0x31
        vmovdqu [dst + \at], ymm8
        vmovdqu [dst + 128*BYTES + \at], ymm9
        .endm

// Byte b: vectors for [e6 e5 e4] = 0..7, with lanes [e3 e2 e1 e0], in ymm0..ymm7.
        .macro join b
        fetch   \b
        bytes   ymm0, ymm1, ymm2, ymm3
        bytes   ymm4, ymm5, ymm6, ymm7
        .endm

        .macro walk
#if BYTES == 4
        // 24 vectors, those of three bytes, wait for the fourth at a multiple of 32.
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME
        lea     scratch, [rsp + 31]
        and     scratch, -32
#endif
        add     halves, halves
        jz      .Ldone
        lea     stride3, [stride + 2*stride]
        vpbroadcastq diagonal, [rip + .Ldiagonal]

        .balign 64
.Lloop:
        mov     row, src
#if BYTES == 1
        join    0
        store   0, ymm0, ymm1
        store   32, ymm2, ymm3
        store   64, ymm4, ymm5
        store   96, ymm6, ymm7
#else
        .irp    b, 0, 1, 2
        join    \b
        .irp    g, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa [scratch + 256*\b + 32*\g], ymm\g
        .endr
        .endr
        join    3

        // Lanes [e3 e2 e1 e0] of the four bytes become [e1 e0 b1 b0] of the four e3 e2.
        .irp    g, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm8, [scratch + 32*\g]
        vmovdqa ymm9, [scratch + 512 + 32*\g]
        unpack  bw, ymm10, ymm11, ymm8, [scratch+256+32*\g]
        unpack  bw, ymm8, ymm9, ymm9, ymm\g
        unpack  wd, ymm12, ymm13, ymm10, ymm8
        unpack  wd, ymm10, ymm11, ymm11, ymm9
        store   64*\g, ymm12, ymm13
        store   64*\g+32, ymm10, ymm11
        .endr
#endif
        add     dst, 256*BYTES
        next
        dec     halves
        jnz     .Lloop

.Ldone:
#if BYTES == 4
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -FRAME
#endif
        vzeroupper
        ret
        .endm

        RODATA
        .balign 8
.Ldiagonal:                             // bit i in byte i
        .quad   0x8040201008040201
