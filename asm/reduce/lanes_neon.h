// Sums in 256 bytes of lanes with NEON: of numbers, or of products where DOT is defined; of floats where SHIFT is 2, of doubles
// where it is 3.
//
// The 16 vectors of lanes are v16..v31. Of few numbers, a half or more begin lanes of their own, and the others are added there:
// lanes that are left out would hold -0, and adding it changes nothing.

#define x           x0
#ifdef DOT
# define y          x1
# define n          x2
#else
# define n          x1
#endif
#define left        x3      // bytes
#define lanes       x4      // bytes
#define whole       x5      // vectors of the tail
#define entry       x6
#define size        x7
#define x_end       x8
#define y_end       x9

#if SHIFT == 2
# define SUM        s0
# define NAN        w0, #0x7fc00000
        .macro vector operation, to, of, by
        \operation v\to\().4s, v\of\().4s, v\by\().4s
        .endm
#else
# define SUM        d0
# define NAN        x0, #0x7ff8000000000000
        .macro vector operation, to, of, by
        \operation v\to\().2d, v\of\().2d, v\by\().2d
        .endm
#endif

// A vector of numbers or products.
        .macro value to, at
        ldr     q\to, [x, #\at]
#ifdef DOT
        ldr     q4, [y, #\at]
        vector  fmul, \to, \to, 4
#endif
        .endm

// Two of them.
        .macro values to, next, at
        ldp     q\to, q\next, [x, #\at]
#ifdef DOT
        ldp     q4, q5, [y, #\at]
        vector  fmul, \to, \to, 4
        vector  fmul, \next, \next, 5
#endif
        .endm

        .macro add_to to, of
        vector  fadd, \to, \to, \of
        .endm

        .macro add_four to, to1, to2, to3, at
        values  0, 1, (\at)
        values  2, 3, (\at + 32)
        add_to  \to, 0
        add_to  \to1, 1
        add_to  \to2, 2
        add_to  \to3, 3
        .endm

// Some numbers of the last vector.
        .macro some lane:vararg
        ld1     {v0.\lane, [x_end], #8
#ifdef DOT
        ld1     {v4.\lane, [y_end], #8
#endif
        .endm

FUNC(NAME)
        cbz     n, .Lnothing
        lsl     left, n, #SHIFT
        movi    v16.16b, #0
        fneg    v16.2d, v16.2d
