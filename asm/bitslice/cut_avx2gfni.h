// Half of a chunk, 256 elements, cut as far as planes and tiles agree: for AVX2 with GFNI.
//
// A file defines BYTES, those of an element, includes this one, defines these macros and writes `walk` as the body of its
// function:
//
//   put q, x, y, z, w    stores rows 4 q .. 4 q + 3, that is [b1 b0 k2] = q, from vectors for [e6 e5] = 0..3 with lanes
//                        [k1 k0 e4 e3]; y and w may be memory; overwrites ymm8..ymm13
//   next                 steps dst to where the next half goes
//
// An element is e8 .. e0 in its chunk, and bit k2 k1 k0 of its byte b1 b0. The lanes of a vector are the two e7; in brackets
// stand the bits that number the bytes of a lane, the highest first. Unpacking two vectors by bytes appends below the bit
// in which they differ, and the highest bit comes to tell the two results apart.

#define src         rdi
#define halves      rsi
#define dst         rdx
#define stride      rcx
#define stride3     r8
#define row         rax
#define scratch     r9
#define order       ymm14
#define diagonal    ymm15

#define FRAME       800

        .macro unpack unit, low, high, x, y
        vpunpckl\unit \low, \x, \y
        vpunpckh\unit \high, \x, \y
        .endm

// 16 bytes from `at` of both lanes, put in order.
        .macro load to, at
        vbroadcasti128 \to, [src + 128*BYTES + \at]
        vpblendd \to, \to, [src + \at], 0x0f
        vpshufb \to, \to, order
        .endm

// Bit k of byte 7 - e becomes bit e of byte k, in each 8 bytes.
        .macro transpose to
        vgf2p8affineqb \to, diagonal, \to, 0
        .endm

#if BYTES == 1

// Group [e6 e5] = g: vectors for both k2, with lanes [k1 k0 e4 e3].
        .macro cut g, low, high
        load    \low, 32*\g
        load    \high, 32*\g+16
        transpose \low
        transpose \high
        unpack  bw, ymm12, ymm13, \low, \high
        unpack  bw, \low, \high, ymm12, ymm13
        .endm

#else

// Elements e1 e0 for both e2: vectors for both b1, with lanes [b0 k2 k1 k0].
        .macro octets low, high, at
        load    ymm8, \at+16
        load    ymm9, \at
        unpack  dq, \low, \high, ymm8, ymm9
        transpose \low
        transpose \high
        .endm

// Vectors for [e4 e3] = 0..3 with lanes [b0 k2 k1 k0] become vectors for [b0 k2] = 0..3 with lanes [k1 k0 e4 e3].
        .macro exchange x, y, z, w
        unpack  bw, ymm8, ymm9, \x, \y
        unpack  bw, ymm10, ymm11, \z, \w
        unpack  wd, \x, \y, ymm8, ymm10
        unpack  wd, \z, \w, ymm9, ymm11
        .endm

// Group [e6 e5] = g: vectors for [b1 b0 k2] = 0..7, with lanes [k1 k0 e4 e3], in ymm0..ymm7.
        .macro cut g
        octets  ymm0, ymm4, 128*\g
        octets  ymm1, ymm5, 128*\g+32
        octets  ymm2, ymm6, 128*\g+64
        octets  ymm3, ymm7, 128*\g+96
        exchange ymm0, ymm1, ymm2, ymm3
        exchange ymm4, ymm5, ymm6, ymm7
        .endm

#endif

        .macro walk
#if BYTES == 4
        // 24 vectors, those of three groups, wait for the fourth at a multiple of 32.
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME
        lea     scratch, [rsp + 31]
        and     scratch, -32
#endif
        add     halves, halves
        jz      .Ldone
        lea     stride3, [stride + 2*stride]
        vbroadcasti128 order, [rip + .Lorder]
        vpbroadcastq diagonal, [rip + .Ldiagonal]

        .balign 64
.Lloop:
        mov     row, dst
#if BYTES == 1
        cut     0, ymm0, ymm1
        cut     1, ymm2, ymm3
        cut     2, ymm4, ymm5
        cut     3, ymm6, ymm7
        put     0, ymm0, ymm2, ymm4, ymm6
        put     1, ymm1, ymm3, ymm5, ymm7
#else
        .irp    g, 0, 1, 2
        cut     \g
        .irp    q, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa [scratch + 256*\g + 32*\q], ymm\q
        .endr
        .endr
        cut     3
        .irp    q, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa ymm8, [scratch + 32*\q]
        vmovdqa ymm9, [scratch + 512 + 32*\q]
        put     \q, ymm8, [scratch+256+32*\q], ymm9, ymm\q
        .endr
#endif
        add     src, 256*BYTES
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
        .balign 16
.Lorder:                                // bytes of a lane from [e3 e2 e1 e0] to [e3 7-(e2 e1 e0)], or from [e1 e0 b1 b0] to
                                        // [b1 b0 3-(e1 e0)]
#if BYTES == 1
        .byte   7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8
#else
        .byte   12, 8, 4, 0, 13, 9, 5, 1, 14, 10, 6, 2, 15, 11, 7, 3
#endif
.Ldiagonal:                             // bit i in byte i
        .quad   0x8040201008040201
