// Loads and stores of the common kernels if the 128 bits of each part of a vector come from one
// multivector, for SSE2 and AVX2. GROUP coefficients, 128 bits, are transposed together. The file that
// includes this defines, for floats and doubles,
//
//   load_t from, g, a, b, c, d, other     registers a, b, .. = coefficients g, g + 1, ..
//   store_t to, g, a, b, c, d, other      the inverse
//
// Doubles have no c and d. Register `other` may change. If 16 coefficients are in registers 16 to
// 31, the others are free.

        .macro load t, from, to
        .irp    g, 0, 2, 4, 6, 8, 10, 12, 14
        .if     (\g < BLADES) && ((\g & (GROUP - 1)) == 0)
        .set    R, SUMS
        .if     \to < ROWS
        .set    R, \to + \g
        .endif
        .altmacro
        load_\t \from, \g, %(R), %(R + 1), %(R + 2), %(R + 3), %(PRODUCT)
        .irp    i, 0, 1, 2, 3
        .if     (\i < GROUP) && (\to >= ROWS)
        put     %(R + \i), %(\to - ROWS + \g + \i)
        .endif
        .endr
        .noaltmacro
        .endif
        .endr
        .endm

        .macro store t, from, to
        .irp    g, 0, 2, 4, 6, 8, 10, 12, 14
        .if     (\g >= BEGIN) && (\g < END) && ((\g & (GROUP - 1)) == 0)
        .set    R, SUMS
        .set    SPARE, PRODUCT
        .if     \from < ROWS
        .set    R, \from + \g
        .if     (\from == 16) && (BLADES == 16)
        .set    SPARE, 0
        .endif
        .endif
        .altmacro
        .irp    i, 0, 1, 2, 3
        .if     (\i < GROUP) && (\from >= ROWS)
        get     %(R + \i), %(\from - ROWS + \g + \i)
        .endif
        .endr
        store_\t \to, \g, %(R), %(R + 1), %(R + 2), %(R + 3), %(SPARE)
        .noaltmacro
        .endif
        .endr
        .endm
