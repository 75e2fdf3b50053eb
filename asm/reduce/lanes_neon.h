// Sums in 256 bytes of lanes with NEON: of numbers, or of products where DOT is defined; of floats where SHIFT is 2, of doubles
// where it is 3.
//
// The 16 vectors of lanes are v16..v31. Few numbers use the first 1, 2, 4 or 8 of them, half of which or more they fill, and the
// numbers behind those are added to the same lanes: in the tree they would come there first. Lanes left out hold -0, which
// adds nothing.

#define x           x0
#ifdef DOT
# define y          x1
# define n          x2
#else
# define n          x1
#endif
#define left        x3      // bytes
#define used        x4      // bytes of lanes
#define whole       x5      // vectors of the tail
#define x_end       x6
#define y_end       x7
#define entry       x8
#define size        x9

#if SHIFT == 2
# define SUM        s0
# define NAN        w0, #0x7fc00000
        .macro vectors operation, to, of, by
        \operation v\to\().4s, v\of\().4s, v\by\().4s
        .endm
        .macro negative_zero to
        movi    v\to\().4s, #0x80, lsl #24
        .endm
#else
# define SUM        d0
# define NAN        x0, #0x7ff8000000000000
        .macro vectors operation, to, of, by
        \operation v\to\().2d, v\of\().2d, v\by\().2d
        .endm
        .macro negative_zero to
        movi    v\to\().2d, #0
        fneg    v\to\().2d, v\to\().2d
        .endm
#endif

// A vector of numbers or products.
        .macro value to, at
        ldr     q\to, [x, #(\at)]
#ifdef DOT
        ldr     q4, [y, #(\at)]
        vectors fmul, \to, \to, 4
#endif
        .endm

// Two of them.
        .macro values to, next, at
        ldp     q\to, q\next, [x, #(\at)]
#ifdef DOT
        ldp     q4, q5, [y, #(\at)]
        vectors fmul, \to, \to, 4
        vectors fmul, \next, \next, 5
#endif
        .endm

        .macro add_to to, of
        vectors fadd, \to, \to, \of
        .endm

        .macro add_four to, to1, to2, to3, at
        values  0, 1, \at
        values  2, 3, \at + 32
        add_to  \to, 0
        add_to  \to1, 1
        add_to  \to2, 2
        add_to  \to3, 3
        .endm

// A lane or two from the end of the numbers; `bytes` is how many they are.
        .macro lanes name, lane, bytes
        ld1     {v0.\name}[\lane], [x_end], #\bytes
#ifdef DOT
        ld1     {v4.\name}[\lane], [y_end], #\bytes
#endif
        .endm

        .macro advance by
        add     x, x, \by
#ifdef DOT
        add     y, y, \by
#endif
        .endm

FUNC(NAME)
        cbz     n, .Lnothing
        lsl     left, n, #SHIFT

        // The first numbers begin lanes.
        negative_zero 16
        mov     used, #0
        cmp     left, #16
        b.ls    .Lbegun
        value   16, 0
        mov     used, #16
        cmp     left, #32
        b.ls    .Lbegun
        value   17, 16
        mov     used, #32
        cmp     left, #64
        b.ls    .Lbegun
        values  18, 19, 32
        mov     used, #64
        cmp     left, #128
        b.ls    .Lbegun
        values  20, 21, 64
        values  22, 23, 96
        mov     used, #128
        cmp     left, #256
        b.lo    .Lbegun
        values  24, 25, 128
        values  26, 27, 160
        values  28, 29, 192
        values  30, 31, 224
        mov     used, #256
.Lbegun:
        advance used
        sub     left, left, used
        subs    left, left, #256
        b.lo    .Ltail

        .balign 32
.Lloop:
        add_four 16, 17, 18, 19, 0
        add_four 20, 21, 22, 23, 64
        add_four 24, 25, 26, 27, 128
        add_four 28, 29, 30, 31, 192
        advance #256
        subs    left, left, #256
        b.hs    .Lloop

        // The last vector may be partial: then it is filled with -0, of products with those of -0 and +0.
.Ltail:
        ubfx    whole, left, #4, #4
        negative_zero 0
        add     x_end, x, whole, lsl #4
#ifdef DOT
        movi    v4.2d, #0
        add     y_end, y, whole, lsl #4
#endif
#if SHIFT == 2
        tbz     left, #3, .Lone
        lanes   d, 0, 8
        tbz     left, #2, .Lwhole
        lanes   s, 2, 4
        b       .Lwhole
.Lone:
        tbz     left, #2, .Lwhole
        lanes   s, 0, 4
#else
        tbz     left, #3, .Lwhole
        lanes   d, 0, 8
#endif

        // It is added to the lanes behind those of the whole vectors, which follow, the last one first.
.Lwhole:
#ifdef DOT
        vectors fmul, 0, 0, 4
        mov     size, #20
#else
        mov     size, #12
#endif
        adr     entry, .Lfirst
        msub    entry, whole, size, entry
        br      entry
        .irp    v, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17
        hint    #36     // bti j
        add_to  \v, 0
        value   0, 16 * (\v - 17)
        .endr
.Lfirst:
        hint    #36
        add_to  16, 0

        // The upper half of the lanes to the lower half.
        cmp     used, #128
        b.lo    .Lfour
        b.eq    .Leight
        add_to  16, 24
        add_to  17, 25
        add_to  18, 26
        add_to  19, 27
        add_to  20, 28
        add_to  21, 29
        add_to  22, 30
        add_to  23, 31
.Leight:
        add_to  16, 20
        add_to  17, 21
        add_to  18, 22
        add_to  19, 23
.Lfour:
        cmp     used, #32
        b.lo    .Lvector
        b.eq    .Ltwo
        add_to  16, 18
        add_to  17, 19
.Ltwo:
        add_to  16, 17
.Lvector:
#if SHIFT == 2
        ext     v0.16b, v16.16b, v16.16b, #8
        fadd    v16.2s, v16.2s, v0.2s
        faddp   s0, v16.2s
#else
        faddp   d0, v16.2d
#endif
        fcmp    SUM, SUM
        b.vs    .Lnan
        ret

.Lnan:
        mov     NAN
#if SHIFT == 2
        fmov    s0, w0
#else
        fmov    d0, x0
#endif
        ret

.Lnothing:
        movi    d0, #0
        ret
END(NAME)
