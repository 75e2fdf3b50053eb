// Distances of the 32 planes of 2048 bits of a block in tiles: `distances[32 i + j]` for i < j is the number of
// bits in which planes i and j differ, and `distances[33 i]` the number of ones of plane i.
//
//   void hl_hamming_slices_neon(const uint8_t *tiles, uint32_t *distances);
//
// In      x0 = tiles, x1 = distances        Out  the distances on and above the diagonal
// Uses    x2..x5, v0..v7, v16..v30     Stack  none
// Loop    1 tile; 2 distances for each of up to 20 accumulators; bound by 3 vector operations an accumulator; all
//         passes 6 761 cycles with four pipes (modelled, Neoverse V1), 13 432 with two (N1)
// Tail    the last tile, which would overflow the byte sums

#include "hl.h"

#define tiles       x0
#define distances   x1
#define tile        x2
#define left        x3
#define out0        x4
#define out1        x5
#define planes      v28.16b
#define ones        v29.16b
#define zero        v30.8h

// A pass compares planes row and row + 1 with `count` planes each, starting `first` planes further
// on. `each` repeats a statement for each accumulator v of the pass; k is its index.
        .macro each statement:vararg
        .set    k, 0
        .irp    v, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
        .if     k < count
        \statement
        .endif
        .set    k, k + 1
        .endr
        .endm

        .macro clear v
        movi    v\v\().16b, #0
        .endm

// Adds the popcount of each byte: of the bits in which the planes differ, or of the planes themselves
// on the diagonal. A tile has no word 32. The last tile would overflow the bytes.
        .macro accumulate v, last
        .if     first + k == 0
        cnt     ones, planes
        .else
        .if     row + first + k < 31
        ldur    q29, [tile, #8 * (row + first + k)]
        .else
        ldur    d29, [tile, #8 * (row + first + k)]
        .endif
        eor     ones, ones, planes
        cnt     ones, ones
        .endif
        .if     \last
        uaddlp  v\v\().8h, v\v\().16b
        uadalp  v\v\().8h, ones
        .else
        add     v\v\().16b, v\v\().16b, ones
        .endif
        .endm

// Writes accumulators k to k + 3 of a pass, up to the last plane.
        .macro finish a, b, c, d
        .if     k < count
        addp    v\a\().8h, v\a\().8h, v\b\().8h
        addp    v\c\().8h, v\c\().8h, v\d\().8h
        addp    v\a\().8h, v\a\().8h, v\c\().8h
        trn1    v\b\().8h, v\a\().8h, zero
        trn2    v\c\().8h, v\a\().8h, zero
        .if     row + first + k <= 28
        str     q\b, [out0], #16
        .else
        str     d\b, [out0]
        .endif
        .if     row + first + k < 28
        str     q\c, [out1], #16
        .elseif row + first + k == 28
        str     d\c, [out1], #8
        st1     {v\c\().s}[2], [out1]
        .else
        str     s\c, [out1]
        .endif
        .endif
        .set    k, k + 4
        .endm

        .macro pass of, from, length
        .set    row, \of
        .set    first, \from
        .set    count, \length

        // All tiles except the last.
        each    clear \v
        mov     tile, tiles
        mov     left, #31
.Lplanes_\of\()_\from:
        ldr     q28, [tile, #8 * row]
        each    accumulate \v, 0
        add     tile, tile, #256
        subs    left, left, #1
        b.ne    .Lplanes_\of\()_\from

        // The last tile, then the sums of eight bytes.
        ldr     q28, [tile, #8 * row]
        each    accumulate \v, 1
        .set    k, 0
        finish  0, 1, 2, 3
        finish  4, 5, 6, 7
        finish  16, 17, 18, 19
        finish  20, 21, 22, 23
        finish  24, 25, 26, 27
        .endm

FUNC(hl_hamming_slices_neon)
        movi    zero, #0

        // All passes of planes row and row + 1.
        .irp    row, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
        add     out0, distances, #132 * \row
        add     out1, out0, #132
        .if     \row < 12
        pass    \row, 0, 20
        pass    \row, 20, 12 - \row
        .else
        pass    \row, 0, 32 - \row
        .endif
        .endr
        ret
END(hl_hamming_slices_neon)
