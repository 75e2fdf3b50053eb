// The walk of the block sweeps along the streams, shared by both files for NEON. An including file
// defines
//
//   SPIN         the bytes of a spin
//   bits         a vector: the bit of each lane in its byte of a word
//   line base    adds the line at `couplings` for the spins at `base` to the sums, and advances
//                `couplings`

#define spins       x0
#define own         x1
#define left        x2
#define links       x3
#define couplings   x4
#define flips       x8
#define slots       w10
#define diagonals   w11
#define entries     w11
#define place       x12
#define lane        x13
#define table       x14

        // Gathers four vectors of masks into a word in d16; overwrites v16 to v19.
        .macro gather a, b, c, d
        and     v16.16b, v\a\().16b, bits
        and     v17.16b, v\b\().16b, bits
        and     v18.16b, v\c\().16b, bits
        and     v19.16b, v\d\().16b, bits
        addp    v16.16b, v16.16b, v17.16b
        addp    v18.16b, v18.16b, v19.16b
        addp    v16.16b, v16.16b, v18.16b
        addp    v16.16b, v16.16b, v16.16b
        .endm

        .macro add_diagonals name
        cbz     diagonals, .Lsummed_\name
.Ldiagonal_\name:
        ldrsw   place, [links], #4
        .if     SPIN == 1
        add     place, spins, place
        .else
        add     place, spins, place, lsl #2
        .endif
        line    place
        subs    diagonals, diagonals, #1
        b.ne    .Ldiagonal_\name
.Lsummed_\name:
        .endm

        // The slots: their spins are copied to the buffer at sp. Values in lanes without an entry
        // meet couplings of 0.
        .macro add_slots name
.Lslot_\name:
        ldr     entries, [links], #4
        cbz     entries, .Lgathered_\name
        cmp     entries, #64
        b.eq    .Lfull_\name
.Lentry_\name:
        ldr     w12, [links], #4
        and     lane, place, #63
        lsr     place, place, #6
        .if     SPIN == 1
        ldrb    w12, [spins, place]
        strb    w12, [sp, lane]
        .else
        ldr     w12, [spins, place, lsl #2]
        str     w12, [sp, lane, lsl #2]
        .endif
        subs    entries, entries, #1
        b.ne    .Lentry_\name
.Lgathered_\name:
        mov     place, sp
        line    place
        subs    slots, slots, #1
        b.ne    .Lslot_\name
        b       .Ldecide_\name

        // A full slot lists the position for each lane.
.Lfull_\name:
        mov     table, sp
.Lposition_\name:
        ldp     w12, w13, [links], #8
        .if     SPIN == 1
        ldrb    w12, [spins, place]
        ldrb    w13, [spins, lane]
        strb    w12, [table], #1
        strb    w13, [table], #1
        .else
        ldr     w12, [spins, place, lsl #2]
        ldr     w13, [spins, lane, lsl #2]
        stp     w12, w13, [table], #8
        .endif
        subs    entries, entries, #2
        b.ne    .Lposition_\name
        b       .Lgathered_\name
        .endm
