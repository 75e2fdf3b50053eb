// Slices elements of one, two, four or eight bytes into bit planes or tiles, 128 elements a step.

#include "hl.h"

#define src     x0
#define steps   x1
#define planes  x2
#define stride  x3
#define plane   x4
#define next    x5
#define scratch x6
#define limit   x7

#include "network_neon.h"

        // i, j = m, n with e5 in place of e0 in the lanes, and e0 in place of k0 in the bytes.
        .macro merge1 i, j, m, n
        uzp1    t, r(m), r(n)
        uzp2    r(j), r(m), r(n)
        add     r(i), r(j), r(j)
        ushr    u, t, #1
        bit     r(i), t, even
        bit     r(j), u, even
        .endm

        // Moves the bit that distinguishes i and j into the lanes in place of e1, and e1 into the
        // bytes in place of k1.
        .macro merge2 i, j
        uzp1    t, r(i), r(j)
        uzp2    r(j), r(i), r(j)
        shl     r(i), r(j), #2
        ushr    u, t, #2
        bit     r(i), t, pairs
        bit     r(j), u, pairs
        .endm

        // Writes the eight planes of a byte. The registers are indexed by k2 k0, those of the low
        // 64 elements first.
        .macro place layout, i, j, k, l, m, n, o, p
        .ifc    \layout, rows
        merge2  \i, \m
        merge2  \j, \n
        merge2  \k, \o
        merge2  \l, \p
        .irp    bits, r(i), r(j), r(m), r(n), r(k), r(l), r(o), r(p)
        st1     {\bits}, [plane], stride
        .endr
        .else
        merge2  \i, \j
        merge2  \k, \l
        merge2  \m, \n
        merge2  \o, \p
        stp     q\i, q\j, [tile], #32
        stp     q\k, q\l, [tile], #32
        stp     q\m, q\n, [next], #32
        stp     q\o, q\p, [next], #32
        .endif
        .endm

        // Reads eight elements into two registers, indexed by e2, and exchanges e2 with k2. i is
        // also read into t, which saves a move.
        .macro read i, j
        ldr     q28, [src]
        ldp     q\i, q\j, [src], #32
        sli     r(i), r(j), #4
        sri     r(j), t, #4
        .endm

        // Moves e4 e3, which index i, j, k, l, into the lanes; b1 b0 then index the registers.
        .macro split i, j, k, l
        uzp1    t, r(k), r(l)
        uzp2    u, r(k), r(l)
        uzp1    r(k), r(i), r(j)
        uzp2    r(l), r(i), r(j)
        uzp1    r(i), r(k), t
        uzp2    r(k), r(k), t
        uzp1    r(j), r(l), u
        uzp2    r(l), r(l), u
        .endm

        // Loads 64 elements; registers 12 .. 27 are then indexed by e5 b1 b0 k2.
        .macro load
        read    12, 13
        read    14, 15
        read    16, 17
        read    18, 19
        read    20, 21
        read    22, 23
        read    24, 25
        read    26, 27
        split   12, 14, 16, 18
        split   13, 15, 17, 19
        split   20, 22, 24, 26
        split   21, 23, 25, 27
        .endm

        // Moves e4 into the lanes in place of e2, and e2 into the bytes in place of k2.
        .macro merge4 i, j
        uzp1    v28.4s, v\i\().4s, v\j\().4s
        uzp2    v\j\().4s, v\i\().4s, v\j\().4s
        mov     r(i), t
        sli     r(i), r(j), #4
        sri     r(j), t, #4
        .endm

        // Slices a byte of 128 elements into its eight planes. The registers are indexed by e6 e5 e4;
        // those of elements of eight bytes by e6 e5 k2.
        .macro cut layout, i, j, k, l, m, n, o, p
        .if     BYTES < 8
        merge4  \i, \j
        merge4  \k, \l
        merge4  \m, \n
        merge4  \o, \p
        .endif
        merge1  \i, \k, \i, \k
        merge1  \j, \l, \j, \l
        merge1  \m, \o, \m, \o
        merge1  \n, \p, \n, \p
        place   \layout, \i, \k, \j, \l, \m, \o, \n, \p
        .endm

        // Moves the bit that distinguishes i and j to the top of the lanes; the lowest lane bit then
        // distinguishes `low` and `high`.
        .macro unzip low, high, i, j
        uzp1    r(low), r(i), r(j)
        uzp2    r(high), r(i), r(j)
        .endm

        // Exchanges e2, which distinguishes i and j, with k2. i is read once more, from `at`.
        .macro exchange4 i, j, at
        ldr     q28, [src, #\at]
        sli     r(i), r(j), #4
        sri     r(j), t, #4
        .endm

        // Reads the bytes b1 b0 of 32 elements from the stack; e4 moves into the lanes. i and j, indexed
        // by k2, are for b2 = 0, k and l for b2 = 1.
        .macro read_u64 i, j, k, l
        ldp     q24, q25, [scratch], #32
        ldp     q26, q27, [scratch], #32
        unzip   \i, \k, 24, 26
        unzip   \j, \l, 25, 27
        .endm

        // `layout` is rows (planes) or tiles.
        .macro slice name, bytes, layout
        .set    BYTES, \bytes
        .if     BYTES == 4
        push_registers
        .elseif BYTES == 8
        mov     frame, sp
        sub     sp, sp, #1024
        .cfi_def_cfa frame, 0
        add     limit, sp, #256
        .endif
        lsl     steps, steps, #2
        cbz     steps, .Ldone_\name
        movi    even, #0x55
        movi    pairs, #0x33
.Lloop_\name:
        .ifc    \layout, rows
        mov     plane, planes
        add     planes, planes, #16
        .else
        mov     tile, planes
        add     next, planes, stride
        add     planes, next, stride
        .endif
        .if     BYTES == 4
        // The low 64 elements; their last byte goes to the stack.
        load
        merge1  0, 1, 12, 20
        merge1  2, 3, 13, 21
        merge1  4, 5, 14, 22
        merge1  6, 7, 15, 23
        merge1  8, 9, 16, 24
        merge1  10, 11, 17, 25
        merge1  18, 26, 18, 26
        merge1  19, 27, 19, 27
        stp     q18, q26, [sp]
        stp     q19, q27, [sp, #32]

        // The high 64 elements, byte by byte.
        load
        merge1  12, 20, 12, 20
        merge1  13, 21, 13, 21
        place   \layout, 0, 1, 2, 3, 12, 20, 13, 21
        merge1  14, 22, 14, 22
        merge1  15, 23, 15, 23
        place   \layout, 4, 5, 6, 7, 14, 22, 15, 23
        merge1  16, 24, 16, 24
        merge1  17, 25, 17, 25
        place   \layout, 8, 9, 10, 11, 16, 24, 17, 25
        ldp     q0, q1, [sp]
        ldp     q2, q3, [sp, #32]
        merge1  18, 26, 18, 26
        merge1  19, 27, 19, 27
        place   \layout, 0, 1, 2, 3, 18, 26, 19, 27
        .elseif BYTES == 2
        // 128 elements; the even registers hold their low bytes.
        ld2     {v0.16b, v1.16b}, [src], #32
        ld2     {v2.16b, v3.16b}, [src], #32
        ld2     {v4.16b, v5.16b}, [src], #32
        ld2     {v6.16b, v7.16b}, [src], #32
        ld2     {v16.16b, v17.16b}, [src], #32
        ld2     {v18.16b, v19.16b}, [src], #32
        ld2     {v20.16b, v21.16b}, [src], #32
        ld2     {v22.16b, v23.16b}, [src], #32
        cut     \layout, 0, 2, 4, 6, 16, 18, 20, 22
        cut     \layout, 1, 3, 5, 7, 17, 19, 21, 23
        .elseif BYTES == 8
        // Read groups of 16 elements, exchange e2 with k2 and write them to the stack: 32 bytes,
        // indexed by k2, for each b1 b0, with the lanes e3 e1 e0 b2.
        mov     scratch, sp
.Lgroup_\name:
        ldp     q0, q1, [src]
        ldp     q2, q3, [src, #32]
        ldp     q4, q5, [src, #64]
        ldp     q6, q7, [src, #96]
        exchange4 0, 2, 0
        exchange4 1, 3, 16
        exchange4 4, 6, 64
        exchange4 5, 7, 80
        unzip   16, 17, 0, 1
        unzip   18, 19, 2, 3
        unzip   20, 21, 4, 5
        unzip   22, 23, 6, 7
        unzip   0, 4, 16, 20
        unzip   1, 5, 17, 21
        unzip   2, 6, 18, 22
        unzip   3, 7, 19, 23
        stp     q0, q2, [scratch], #32
        stp     q1, q3, [scratch, #224]
        stp     q4, q6, [scratch, #480]
        stp     q5, q7, [scratch, #736]
        add     src, src, #128
        cmp     scratch, limit
        b.ne    .Lgroup_\name

        // The bytes b and b + 4 of all elements, for b = 0 to 3: planes 8 b .. 8 b + 7, then the
        // planes 32 further on.
        mov     scratch, sp
.Lbyte_\name:
        read_u64 0, 1, 16, 17
        read_u64 2, 3, 18, 19
        read_u64 4, 5, 20, 21
        read_u64 6, 7, 22, 23
        cut     \layout, 0, 1, 2, 3, 4, 5, 6, 7
        .ifc    \layout, rows
        add     plane, plane, stride, lsl #5
        sub     plane, plane, stride, lsl #3
        .else
        add     tile, tile, #192
        add     next, next, #192
        .endif
        cut     \layout, 16, 17, 18, 19, 20, 21, 22, 23
        .ifc    \layout, rows
        sub     plane, plane, stride, lsl #5
        .else
        sub     tile, tile, #256
        sub     next, next, #256
        .endif
        cmp     scratch, frame
        b.ne    .Lbyte_\name
        .else
        // 128 elements; the registers are first indexed by e6 e5 e4.
        ld1     {v0.16b, v1.16b, v2.16b, v3.16b}, [src], #64
        ld1     {v4.16b, v5.16b, v6.16b, v7.16b}, [src], #64
        cut     \layout, 0, 1, 2, 3, 4, 5, 6, 7
        .endif
        subs    steps, steps, #1
        b.ne    .Lloop_\name

.Ldone_\name:
        .if     BYTES == 4
        ldp     d8, d9, [sp, #64]
        ldp     d10, d11, [sp, #80]
        ldp     d12, d13, [sp, #96]
        ldp     d14, d15, [sp, #112]
        .endif
        .if     BYTES == 4 || BYTES == 8
        mov     sp, frame
        .endif
        ret
        .endm

// Cuts 512 `chunks` elements into 8 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u8_neon(const uint8_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = planes, x3 = stride     Out  the planes
// Uses    x0, x1, x2, x4, v0..v7, v28..v31     Stack  none
// Loop    128 elements; bound by 76 vector operations, stores included: 19 cycles with four pipes
//         (modelled, Neoverse V1), 38 with two (N1)
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_slice_u8_neon)
        slice   slice_u8, 1, rows
END(hl_bitslice_slice_u8_neon)

// Cuts 512 `chunks` elements into 16 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u16_neon(const uint16_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = planes, x3 = stride     Out  the planes
// Uses    x0, x1, x2, x4, v0..v7, v16..v23, v28..v31     Stack  none
// Loop    128 elements; 152 vector operations, stores included, beside 8 loads that separate the bytes
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_slice_u16_neon)
        slice   slice_u16, 2, rows
END(hl_bitslice_slice_u16_neon)

// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u32_neon(const uint32_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = planes, x3 = stride     Out  the planes
// Uses    x0, x1, x2, x4, x9, v0..v31     Stack  128 bytes
// Loop    128 elements; bound by 324 vector operations, stores included: 82 cycles with four pipes
//         (modelled, Neoverse V1), 163 with two (N1)
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_slice_u32_neon)
        slice   slice_u32, 4, rows
END(hl_bitslice_slice_u32_neon)

// Cuts 512 `chunks` elements into 64 planes: bit i of byte o of plane j is bit j of element 8 o + i.
//
//   void hl_bitslice_slice_u64_neon(const uint64_t *src, size_t chunks, uint8_t *planes, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = planes, x3 = stride     Out  the planes
// Uses    x0, x1, x2, x4, x6, x7, x9, v0..v7, v16..v31     Stack  1024 bytes
// Loop    128 elements; 704 vector operations, stores to the planes included, and 32 stores of two
//         vectors to the stack
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_slice_u64_neon)
        slice   slice_u64, 8, rows
END(hl_bitslice_slice_u64_neon)

// Cuts 512 `chunks` elements into tiles of 64: the 64 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 8 planes in turn.
//
//   void hl_bitslice_tile_u8_neon(const uint8_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = tiles, x3 = stride     Out  the tiles
// Uses    x0, x1, x2, x4, x5, v0..v7, v28..v31     Stack  none
// Loop    128 elements; bound by 76 vector operations, stores included: 18 cycles with four pipes
//         (modelled, Neoverse V1), 38 with two (N1)
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_tile_u8_neon)
        slice   tile_u8, 1, tiles
END(hl_bitslice_tile_u8_neon)

// Cuts 512 `chunks` elements into tiles of 64: the 128 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 16 planes in turn.
//
//   void hl_bitslice_tile_u16_neon(const uint16_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = tiles, x3 = stride     Out  the tiles
// Uses    x0, x1, x2, x4, x5, v0..v7, v16..v23, v28..v31     Stack  none
// Loop    128 elements; 152 vector operations, stores included, beside 8 loads that separate the bytes
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_tile_u16_neon)
        slice   tile_u16, 2, tiles
END(hl_bitslice_tile_u16_neon)

// Cuts 512 `chunks` elements into tiles of 64: the 256 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 32 planes in turn.
//
//   void hl_bitslice_tile_u32_neon(const uint32_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = tiles, x3 = stride     Out  the tiles
// Uses    x0, x1, x2, x4, x5, x9, v0..v31     Stack  128 bytes
// Loop    128 elements; bound by 324 vector operations, stores included: 78 cycles with four pipes
//         (modelled, Neoverse V1), 165 with two (N1)
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_tile_u32_neon)
        slice   tile_u32, 4, tiles
END(hl_bitslice_tile_u32_neon)

// Cuts 512 `chunks` elements into tiles of 64: the 512 bytes at `tiles + t * stride` are bytes
// 8 t .. 8 t + 8 of each of the 64 planes in turn.
//
//   void hl_bitslice_tile_u64_neon(const uint64_t *src, size_t chunks, uint8_t *tiles, size_t stride);
//
// In      x0 = src, x1 = chunks, x2 = tiles, x3 = stride     Out  the tiles
// Uses    x0, x1, x2, x4, x5, x6, x7, x9, v0..v7, v16..v31     Stack  1024 bytes
// Loop    128 elements; 704 vector operations, stores to the tiles included, and 32 stores of two
//         vectors to the stack
// Tail    none: a chunk is four iterations
FUNC(hl_bitslice_tile_u64_neon)
        slice   tile_u64, 8, tiles
END(hl_bitslice_tile_u64_neon)
