// Puts elements of one, two, four or eight bytes together from bit planes or tiles, 128 elements a
// step.

#include "hl.h"

#define planes  x0
#define stride  x1
#define steps   x2
#define dst     x3
#define plane   x4
#define next    x5
#define again   x6
#define scratch x7
#define limit   x10

#include "network_neon.h"

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

        // Moves the bit that distinguishes i and j into the lowest lane bit; the highest lane bit then
        // distinguishes `low` and `high`.
        .macro zip low, high, i, j
        zip1    r(low), r(i), r(j)
        zip2    r(high), r(i), r(j)
        .endm

        // Exchanges bit 1 of the bit index with the bit that distinguishes i and j, and that with
        // the highest lane bit.
        .macro split2 i, j
        shl     t, r(j), #2
        ushr    u, r(i), #2
        bit     t, r(i), pairs
        bit     r(j), u, pairs
        zip1    r(i), t, r(j)
        zip2    r(j), t, r(j)
        .endm

        // The same with bit 0 of the bit index.
        .macro split1 i, j
        add     t, r(j), r(j)
        ushr    u, r(i), #1
        bit     t, r(i), even
        bit     r(j), u, even
        zip1    r(i), t, r(j)
        zip2    r(j), t, r(j)
        .endm

        // Reads the eight planes of a byte; the registers are then indexed by k2 e6 k0, and the lanes
        // by e5 e4 e3 e1.
        .macro split_rows i, j, k, l, m, n, o, p
        .irp    bits, \i, \j, \k, \l, \m, \n, \o, \p
        read    \bits
        .endr
        split2  \i, \k
        split2  \j, \l
        split2  \m, \o
        split2  \n, \p
        .endm

        .macro split_tiles i, j, k, l, m, n, o, p
        ldp     q\i, q\j, [tile], #32
        ldp     q\m, q\n, [tile], #32
        ldp     q\k, q\l, [next], #32
        ldp     q\o, q\p, [next], #32
        split2  \i, \j
        split2  \k, \l
        split2  \m, \n
        split2  \o, \p
        .endm

        // Reads the eight planes of a byte; the registers are then indexed by k2 e6 e5, and the lanes
        // by e4 e3 e1 e0.
        .macro byte_u64 layout, i, j, k, l, m, n, o, p
        split_\layout \i, \j, \k, \l, \m, \n, \o, \p
        split1  \i, \j
        split1  \k, \l
        split1  \m, \n
        split1  \o, \p
        .endm

        // Moves b2 into the lanes and writes 32 elements' bytes of b1 b0 to the stack, indexed by e4
        // and k2. i and j, indexed by k2, are for b2 = 0, k and l for b2 = 1.
        .macro write_u64 i, j, k, l
        zip     24, 26, \i, \k
        zip     25, 27, \j, \l
        stp     q24, q25, [scratch], #32
        stp     q26, q27, [scratch], #32
        .endm

        // Reads k2 = 0 into i and k2 = 1 into j, from `at` on, and exchanges k2 with e2.
        .macro exchange4 i, j, at
        ldp     q\i, q\j, [scratch, #\at]
        ldr     q28, [scratch, #\at]
        sli     r(i), r(j), #4
        sri     r(j), t, #4
        .endm

        // Puts 16 elements of eight bytes together from what `write_u64` wrote: 32 bytes for each
        // b1 b0.
        .macro join_u64
        exchange4 0, 1, 0
        exchange4 2, 3, 256
        exchange4 4, 5, 512
        exchange4 6, 7, 768
        add     scratch, scratch, #32
        zip     16, 20, 0, 4
        zip     17, 21, 1, 5
        zip     18, 22, 2, 6
        zip     19, 23, 3, 7
        zip     0, 2, 16, 18
        zip     1, 3, 17, 19
        zip     4, 6, 20, 22
        zip     5, 7, 21, 23
        stp     q0, q2, [dst], #32
        stp     q1, q3, [dst], #32
        stp     q4, q6, [dst], #32
        stp     q5, q7, [dst], #32
        .endm

        // `layout` is rows (planes) or tiles.
        .macro unslice name, bytes, layout
        .set    BYTES, \bytes
        .if     BYTES == 4
        push_registers
        .elseif BYTES == 8
        push_scratch
        add     limit, sp, #256
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
        .elseif BYTES == 8
        // The bytes b and b + 4 of all elements, for b = 0 to 3, then eight groups of 16 elements.
        mov     scratch, sp
.Lbyte_\name:
        byte_u64 \layout, 0, 1, 2, 3, 4, 5, 6, 7
        raise_\layout
        byte_u64 \layout, 16, 17, 18, 19, 20, 21, 22, 23
        lower_\layout
        write_u64 0, 4, 16, 20
        write_u64 1, 5, 17, 21
        write_u64 2, 6, 18, 22
        write_u64 3, 7, 19, 23
        cmp     scratch, frame
        b.ne    .Lbyte_\name
        mov     scratch, sp
.Lgroup_\name:
        join_u64
        cmp     scratch, limit
        b.ne    .Lgroup_\name
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
        .elseif BYTES == 8
        mov     sp, frame
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

// Puts 512 `chunks` elements together from 64 planes: the inverse of slice_u64.
//
//   void hl_bitslice_unslice_u64_neon(const uint8_t *planes, size_t stride, size_t chunks, uint64_t *dst);
//
// In      x0 = planes, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// Uses    x0, x2, x3, x4, x7, x9, x10, v0..v7, v16..v31     Stack  1024 bytes
// Loop    128 elements; 640 vector operations and 64 stores of two vectors
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_unslice_u64_neon)
        unslice unslice_u64, 8, rows
END(hl_bitslice_unslice_u64_neon)

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

// Puts 512 `chunks` elements together from tiles: the inverse of tile_u64.
//
//   void hl_bitslice_untile_u64_neon(const uint8_t *tiles, size_t stride, size_t chunks, uint64_t *dst);
//
// In      x0 = tiles, x1 = stride, x2 = chunks, x3 = dst     Out  the elements
// Uses    x0, x2, x3, x4, x5, x7, x9, x10, v0..v7, v16..v31     Stack  1024 bytes
// Loop    128 elements; 640 vector operations and 64 stores of two vectors
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_untile_u64_neon)
        unslice untile_u64, 8, tiles
END(hl_bitslice_untile_u64_neon)
