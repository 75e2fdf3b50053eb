// Puts elements of one, two or four bytes together from bit planes or tiles, 128 elements a step.

#include "hl.h"
#include "network_neon.h"

#define planes  x0
#define stride  x1
#define steps   x2
#define dst     x3
#define plane   x4
#define next    x5
#define again   x6

        // Moves e2 into the lanes in place of their highest bit. Before, k2 distinguishes i and j;
        // afterwards, that bit does. t is i, read a second time, which saves a move.
        .macro open i, j
        sli     t, r(j), #4
        sri     r(j), r(i), #4
        zip1    r(i), t, r(j)
        zip2    r(j), t, r(j)
        .endm

        // Exchanges bit 0 of the bit index with the bit that distinguishes i and j.
        .macro exchange1 i, j
        add     t, r(j), r(j)
        ushr    u, r(i), #1
        bif     r(i), t, even
        bit     r(j), u, even
        .endm

        // Exchanges bit 1 of the bit index likewise.
        .macro exchange2 i, j
        shl     t, r(j), #2
        ushr    u, r(i), #2
        bif     r(i), t, pairs
        bit     r(j), u, pairs
        .endm

        // Exchanges k1 k0 with e1 e0.
        .macro exchange i, j, k, l
        exchange1 \i, \j
        exchange1 \k, \l
        exchange2 \i, \k
        exchange2 \j, \l
        .endm

        // i, j, k, l = m, n, o, p with e1 e0 in the lanes; e5 e4 then index the registers.
        .macro join i, j, k, l, m, n, o, p
        zip1    t, r(m), r(o)
        zip1    u, r(n), r(p)
        zip2    r(i), r(m), r(o)
        zip2    r(j), r(n), r(p)
        zip1    r(k), r(i), r(j)
        zip2    r(l), r(i), r(j)
        zip1    r(i), t, u
        zip2    r(j), t, u
        .endm

        // A step reads 16 bytes of each plane.
        .macro begin_rows
        mov     plane, planes
        add     planes, planes, #16
        .endm

        .macro read i
        ld1     {r(i)}, [plane], stride
        .endm

        .macro open_planes i, j
        ld1     {t}, [again], stride
        open    \i, \j
        .endm

        // Reads the eight planes of a byte: the low 64 elements into i, j, k, l, the high ones into
        // m, n, o, p.
        .macro fetch_rows i, j, k, l, m, n, o, p
        mov     again, plane
        .irp    bits, \i, \j, \k, \l, \m, \n, \o, \p
        read    \bits
        .endr
        open_planes \i, \m
        open_planes \j, \n
        open_planes \k, \o
        open_planes \l, \p
        .endm

#define tile    plane

        // A step reads two tiles.
        .macro begin_tiles
        mov     tile, planes
        add     next, planes, stride
        add     planes, next, stride
        .endm

        .macro fetch_tile place, i, j, k, l
        ldp     q\i, q\k, [\place]
        ldp     q\j, q\l, [\place, #32]
        ldr     q28, [\place]
        open    \i, \j
        ldr     q28, [\place, #16]
        open    \k, \l
        add     \place, \place, #64
        .endm

        // Reads the eight planes of a byte: the low 64 elements into i, j, k, l, the high ones into
        // m, n, o, p.
        .macro fetch_tiles i, j, k, l, m, n, o, p
        fetch_tile tile, \i, \j, \k, \l
        fetch_tile next, \m, \n, \o, \p
        .endm

        // Reads the planes of a byte and turns them into bytes: complete in i, j, k, l for the low
        // elements; the high ones still need `join`.
        .macro gather layout, i, j, k, l, m, n, o, p
        fetch_\layout \i, \j, \k, \l, \m, \n, \o, \p
        exchange \i, \j, \k, \l
        join    \i, \j, \k, \l, \i, \j, \k, \l
        exchange \m, \n, \o, \p
        .endm

        // Stores 64 elements of two bytes from their bytes.
        .macro store2
        st2     {v0.16b, v1.16b}, [dst], #32
        st2     {v2.16b, v3.16b}, [dst], #32
        st2     {v4.16b, v5.16b}, [dst], #32
        st2     {v6.16b, v7.16b}, [dst], #32
        .endm

        // Stores 64 elements of four bytes from their bytes.
        .macro store4
        st4     {v12.16b, v13.16b, v14.16b, v15.16b}, [dst], #64
        st4     {v16.16b, v17.16b, v18.16b, v19.16b}, [dst], #64
        st4     {v20.16b, v21.16b, v22.16b, v23.16b}, [dst], #64
        st4     {v24.16b, v25.16b, v26.16b, v27.16b}, [dst], #64
        .endm

        // `layout` is rows (planes) or tiles.
        .macro unslice name, bytes, layout
        .set    BYTES, \bytes
        .if     BYTES == 4
        push_registers
        .endif
        lsl     steps, steps, #2
        cbz     steps, .Ldone_\name
        load_masks
.Lloop_\name:
        begin_\layout
        .if     BYTES == 4
        // The low 64 elements; the first byte of the high ones goes to the stack.
        gather  \layout, 12, 16, 20, 24, 0, 1, 2, 3
        stp     q0, q1, [sp]
        stp     q2, q3, [sp, #32]
        gather  \layout, 13, 17, 21, 25, 4, 5, 6, 7
        gather  \layout, 14, 18, 22, 26, 8, 9, 10, 11
        gather  \layout, 15, 19, 23, 27, 0, 1, 2, 3
        store4

        // The high 64 elements.
        ldp     q12, q16, [sp]
        ldp     q20, q24, [sp, #32]
        join    12, 16, 20, 24, 12, 16, 20, 24
        join    13, 17, 21, 25, 4, 5, 6, 7
        join    14, 18, 22, 26, 8, 9, 10, 11
        join    15, 19, 23, 27, 0, 1, 2, 3
        store4
        .elseif BYTES == 2
        // The low 64 elements, then the high ones.
        gather  \layout, 0, 2, 4, 6, 16, 17, 18, 19
        gather  \layout, 1, 3, 5, 7, 20, 21, 22, 23
        store2
        join    0, 2, 4, 6, 16, 17, 18, 19
        join    1, 3, 5, 7, 20, 21, 22, 23
        store2
        .else
        // The planes of both halves, then the bytes.
        gather  \layout, 0, 1, 2, 3, 4, 5, 6, 7
        join    4, 5, 6, 7, 4, 5, 6, 7
        st1     {v0.16b, v1.16b, v2.16b, v3.16b}, [dst], #64
        st1     {v4.16b, v5.16b, v6.16b, v7.16b}, [dst], #64
        .endif
        subs    steps, steps, #1
        b.ne    .Lloop_\name

.Ldone_\name:
        .if     BYTES == 4
        pop_registers
        .endif
        ret
        .endm

// Puts 512 `chunks` elements together from 8 planes: the inverse of slice_u8.
//
//   void hl_bitslice_unslice_u8_neon(const uint8_t *planes, size_t stride, size_t chunks, uint8_t *dst);
//
// In      x0 = planes, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// Uses    x0, x2, x3, x4, x6, v0..v7, v28..v31     Stack  none
// Loop    128 elements; bound by 72 vector operations, stores included: 20 cycles with four pipes
//         (modelled, Neoverse V1), 37 with two (N1)
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_unslice_u8_neon)
        unslice unslice_u8, 1, rows
END(hl_bitslice_unslice_u8_neon)

// Puts 512 `chunks` elements together from 16 planes: the inverse of slice_u16.
//
//   void hl_bitslice_unslice_u16_neon(const uint8_t *planes, size_t stride, size_t chunks, uint16_t *dst);
//
// In      x0 = planes, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// Uses    x0, x2, x3, x4, x6, v0..v7, v16..v23, v28..v31     Stack  none
// Loop    128 elements; 136 vector operations; 8 of them are stores that interleave the bytes
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_unslice_u16_neon)
        unslice unslice_u16, 2, rows
END(hl_bitslice_unslice_u16_neon)

// Puts 512 `chunks` elements together from 32 planes: the inverse of slice_u32.
//
//   void hl_bitslice_unslice_u32_neon(const uint8_t *planes, size_t stride, size_t chunks, uint32_t *dst);
//
// In      x0 = planes, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// Uses    x0, x2, x3, x4, x6, x9, v0..v31     Stack  128 bytes
// Loop    128 elements; bound by 308 vector operations, stores included: 80 cycles with four pipes
//         (modelled, Neoverse V1), 166 with two (N1)
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_unslice_u32_neon)
        unslice unslice_u32, 4, rows
END(hl_bitslice_unslice_u32_neon)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u8.
//
//   void hl_bitslice_untile_u8_neon(const uint8_t *tiles, size_t stride, size_t chunks, uint8_t *dst);
//
// In      x0 = tiles, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// Uses    x0, x2, x3, x4, x5, v0..v7, v28..v31     Stack  none
// Loop    128 elements; bound by 72 vector operations, stores included: 19 cycles with four pipes
//         (modelled, Neoverse V1), 37 with two (N1)
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_untile_u8_neon)
        unslice untile_u8, 1, tiles
END(hl_bitslice_untile_u8_neon)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u16.
//
//   void hl_bitslice_untile_u16_neon(const uint8_t *tiles, size_t stride, size_t chunks, uint16_t *dst);
//
// In      x0 = tiles, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// Uses    x0, x2, x3, x4, x5, v0..v7, v16..v23, v28..v31     Stack  none
// Loop    128 elements; 136 vector operations; 8 of them are stores that interleave the bytes
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_untile_u16_neon)
        unslice untile_u16, 2, tiles
END(hl_bitslice_untile_u16_neon)

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u32.
//
//   void hl_bitslice_untile_u32_neon(const uint8_t *tiles, size_t stride, size_t chunks, uint32_t *dst);
//
// In      x0 = tiles, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// Uses    x0, x2, x3, x4, x5, x9, v0..v31     Stack  128 bytes
// Loop    128 elements; bound by 308 vector operations, stores included: 79 cycles with four pipes
//         (modelled, Neoverse V1), 162 with two (N1)
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_untile_u32_neon)
        unslice untile_u32, 4, tiles
END(hl_bitslice_untile_u32_neon)
