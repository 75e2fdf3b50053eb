// Loads and stores of the common kernels if the 128 bits of each part of a vector come from one
// multivector, for SSE2 and AVX2. GROUP coefficients, 128 bits, are transposed together. The file that
// includes this defines, for floats and, with a and b only, for doubles,
//
//   load_group from, g, a, b, c, d, other     registers a, b, .. = coefficients g, g + 1, ..
//   store_group to, g, a, b, c, d, other      the inverse
//
// Register `other` may change.

        .macro  load from, to
        .irp    g, 0, 2, 4, 6, 8, 10, 12, 14
        .if     (\g < BLADES) && ((\g & (GROUP - 1)) == 0)
        .set    R, SUMS
        .if     \to < ROWS
        .set    R, \to + \g
        .endif
        .altmacro
        load_group \from, \g, %(R), %(R + 1), %(R + 2), %(R + 3), %(PRODUCT)
        .noaltmacro
        .irp    i, 0, 1, 2, 3
        .if     (\i < GROUP) && (\to >= ROWS)
        set_place (\to + \g + \i), (R + \i)
        .endif
        .endr
        .endif
        .endr
        .endm

        .macro  store from, to
        .irp    g, 0, 2, 4, 6, 8, 10, 12, 14
        .if     (\g >= BEGIN) && (\g < END) && ((\g & (GROUP - 1)) == 0)
        .set    R, SUMS
        .if     \from < ROWS
        .set    R, \from + \g
        .endif
        .irp    i, 0, 1, 2, 3
        .if     (\i < GROUP) && (\from >= ROWS)
        set_place (R + \i), (\from + \g + \i)
        .endif
        .endr
        .altmacro
        store_group \to, \g, %(R), %(R + 1), %(R + 2), %(R + 3), %(PRODUCT)
        .noaltmacro
        .endif
        .endr
        .endm
