// Puts elements of one, two, four or eight bytes together from bit planes or tiles, 128 elements a step.

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

        // Exchanges a bit of the bit index with the bit that distinguishes i and j: bit 0 (`shift` 1,
        // `mask` even) or bit 1 (2, pairs).
        .macro exchange shift, mask, i, j
        .if     \shift == 1
        add     t, r(j), r(j)
        .else
        shl     t, r(j), #2
        .endif
        ushr    u, r(i), #\shift
        bif     r(i), t, \mask
        bit     r(j), u, \mask
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

        // Reads the eight planes of a byte and turns them into bytes: complete in i, j, k, l for the low
        // 64 elements; the high ones, in m, n, o, p, still need `join`.
        .macro gather layout, i, j, k, l, m, n, o, p
        .ifc    \layout, rows
        mov     again, plane
        .irp    bits, r(i), r(j), r(k), r(l), r(m), r(n), r(o), r(p)
        ld1     {\bits}, [plane], stride
        .endr
        ld1     {t}, [again], stride
        open    \i, \m
        ld1     {t}, [again], stride
        open    \j, \n
        ld1     {t}, [again], stride
        open    \k, \o
        ld1     {t}, [again], stride
        open    \l, \p
        .else
        ldp     q\i, q\k, [tile]
        ldp     q\j, q\l, [tile, #32]
        ldr     q28, [tile]
        open    \i, \j
        ldr     q28, [tile, #16]
        open    \k, \l
        add     tile, tile, #64
        ldp     q\m, q\o, [next]
        ldp     q\n, q\p, [next, #32]
        ldr     q28, [next]
        open    \m, \n
        ldr     q28, [next, #16]
        open    \o, \p
        add     next, next, #64
        .endif

        // Exchange k1 k0 with e1 e0.
        exchange 1, even, \i, \j
        exchange 1, even, \k, \l
        exchange 2, pairs, \i, \k
        exchange 2, pairs, \j, \l
        join    \i, \j, \k, \l, \i, \j, \k, \l
        exchange 1, even, \m, \n
        exchange 1, even, \o, \p
        exchange 2, pairs, \m, \o
        exchange 2, pairs, \n, \p
        .endm

        // Moves the bit that distinguishes i and j into the lowest lane bit; the highest lane bit then
        // distinguishes `low` and `high`.
        .macro zip low, high, i, j
        zip1    r(low), r(i), r(j)
        zip2    r(high), r(i), r(j)
        .endm

        // Exchanges a bit of the bit index, like `exchange`, with the bit that distinguishes i and j, and
        // that with the highest lane bit.
        .macro split shift, mask, i, j
        .if     \shift == 1
        add     t, r(j), r(j)
        .else
        shl     t, r(j), #2
        .endif
        ushr    u, r(i), #\shift
        bit     t, r(i), \mask
        bit     r(j), u, \mask
        zip1    r(i), t, r(j)
        zip2    r(j), t, r(j)
        .endm

        // Reads the eight planes of a byte; the registers are then indexed by k2 e6 k0, and the lanes
        // by e5 e4 e3 e1. The last steps index the registers by k2 e6 e5, and the lanes by e4 e3 e1 e0.
        .macro byte_u64 layout, i, j, k, l, m, n, o, p
        .ifc    \layout, rows
        .irp    bits, r(i), r(j), r(k), r(l), r(m), r(n), r(o), r(p)
        ld1     {\bits}, [plane], stride
        .endr
        split   2, pairs, \i, \k
        split   2, pairs, \j, \l
        split   2, pairs, \m, \o
        split   2, pairs, \n, \p
        .else
        ldp     q\i, q\j, [tile], #32
        ldp     q\m, q\n, [tile], #32
        ldp     q\k, q\l, [next], #32
        ldp     q\o, q\p, [next], #32
        split   2, pairs, \i, \j
        split   2, pairs, \k, \l
        split   2, pairs, \m, \n
        split   2, pairs, \o, \p
        .endif
        split   1, even, \i, \j
        split   1, even, \k, \l
        split   1, even, \m, \n
        split   1, even, \o, \p
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

        // `layout` is rows (planes) or tiles.
        .macro unslice name, bytes, layout
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
        // The low 64 elements; the first byte of the high ones goes to the stack.
        gather  \layout, 12, 16, 20, 24, 0, 1, 2, 3
        stp     q0, q1, [sp]
        stp     q2, q3, [sp, #32]
        gather  \layout, 13, 17, 21, 25, 4, 5, 6, 7
        gather  \layout, 14, 18, 22, 26, 8, 9, 10, 11
        gather  \layout, 15, 19, 23, 27, 0, 1, 2, 3
        st4     {v12.16b, v13.16b, v14.16b, v15.16b}, [dst], #64
        st4     {v16.16b, v17.16b, v18.16b, v19.16b}, [dst], #64
        st4     {v20.16b, v21.16b, v22.16b, v23.16b}, [dst], #64
        st4     {v24.16b, v25.16b, v26.16b, v27.16b}, [dst], #64

        // The high 64 elements.
        ldp     q12, q16, [sp]
        ldp     q20, q24, [sp, #32]
        join    12, 16, 20, 24, 12, 16, 20, 24
        join    13, 17, 21, 25, 4, 5, 6, 7
        join    14, 18, 22, 26, 8, 9, 10, 11
        join    15, 19, 23, 27, 0, 1, 2, 3
        st4     {v12.16b, v13.16b, v14.16b, v15.16b}, [dst], #64
        st4     {v16.16b, v17.16b, v18.16b, v19.16b}, [dst], #64
        st4     {v20.16b, v21.16b, v22.16b, v23.16b}, [dst], #64
        st4     {v24.16b, v25.16b, v26.16b, v27.16b}, [dst], #64
        .elseif BYTES == 2
        // The low 64 elements, then the high ones.
        gather  \layout, 0, 2, 4, 6, 16, 17, 18, 19
        gather  \layout, 1, 3, 5, 7, 20, 21, 22, 23
        st2     {v0.16b, v1.16b}, [dst], #32
        st2     {v2.16b, v3.16b}, [dst], #32
        st2     {v4.16b, v5.16b}, [dst], #32
        st2     {v6.16b, v7.16b}, [dst], #32
        join    0, 2, 4, 6, 16, 17, 18, 19
        join    1, 3, 5, 7, 20, 21, 22, 23
        st2     {v0.16b, v1.16b}, [dst], #32
        st2     {v2.16b, v3.16b}, [dst], #32
        st2     {v4.16b, v5.16b}, [dst], #32
        st2     {v6.16b, v7.16b}, [dst], #32
        .elseif BYTES == 8
        // The bytes b and b + 4 of all elements, for b = 0 to 3: planes 8 b .. 8 b + 7, then the
        // planes 32 further on.
        mov     scratch, sp
.Lbyte_\name:
        byte_u64 \layout, 0, 1, 2, 3, 4, 5, 6, 7
        .ifc    \layout, rows
        add     plane, plane, stride, lsl #5
        sub     plane, plane, stride, lsl #3
        .else
        add     tile, tile, #192
        add     next, next, #192
        .endif
        byte_u64 \layout, 16, 17, 18, 19, 20, 21, 22, 23
        .ifc    \layout, rows
        sub     plane, plane, stride, lsl #5
        .else
        sub     tile, tile, #256
        sub     next, next, #256
        .endif
        write_u64 0, 4, 16, 20
        write_u64 1, 5, 17, 21
        write_u64 2, 6, 18, 22
        write_u64 3, 7, 19, 23
        cmp     scratch, frame
        b.ne    .Lbyte_\name

        // Eight groups of 16 elements, from 32 bytes for each b1 b0.
        mov     scratch, sp
.Lgroup_\name:
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
