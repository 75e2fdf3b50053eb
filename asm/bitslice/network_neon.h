// The exchange network of bit planes with NEON.
//
// Bit i of the number of an element is called e_i, of a plane k_i. 64 elements are four registers, each with one byte of
// 16 elements: the lanes are e3 .. e0, the registers e5 e4. In planes the lanes are e6 .. e3, in tiles k0 e5 e4 e3.
// The macros take the numbers of registers; t and u are lost in each.

#define t       v28.16b
#define u       v29.16b
#define even    v30.16b                         // the bits whose place is even
#define pairs   v31.16b                         // the bits in the even pairs
#define r(i)    v\i\().16b
#define frame   x9

        .macro load_masks
        movi    even, #0x55
        movi    pairs, #0x33
        .endm

        // i, j, k, l = the registers m, n, o, p with e5 e4 in the lanes, and e1 e0 for the registers.
        .macro split i, j, k, l, m, n, o, p
        uzp1    t, r(o), r(p)
        uzp2    u, r(o), r(p)
        uzp1    r(k), r(m), r(n)
        uzp2    r(l), r(m), r(n)
        uzp1    r(i), r(k), t
        uzp2    r(k), r(k), t
        uzp1    r(j), r(l), u
        uzp2    r(l), r(l), u
        .endm

        // The inverse of split: i, j, k, l from m, n, o, p.
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

        // Exchanges bit 1 of the place in a byte with the choice between i and j.
        .macro exchange1 i, j
        add     t, r(j), r(j)
        ushr    u, r(i), #1
        bif     r(i), t, even
        bit     r(j), u, even
        .endm

        // The same for bit 2.
        .macro exchange2 i, j
        shl     t, r(j), #2
        ushr    u, r(i), #2
        bif     r(i), t, pairs
        bit     r(j), u, pairs
        .endm

        // Exchanges e1 e0 with k1 k0.
        .macro exchange i, j, k, l
        exchange1 \i, \j
        exchange1 \k, \l
        exchange2 \i, \k
        exchange2 \j, \l
        .endm

        // Brings what tells i and j apart into the lanes for e2, and e2 into the bytes for k2.
        .macro close i, j
        uzp1    t, r(i), r(j)
        uzp2    r(j), r(i), r(j)
        mov     r(i), t
        sli     r(i), r(j), #4
        sri     r(j), t, #4
        .endm

        // The inverse of close.
        .macro open i, j
        mov     t, r(i)
        sli     t, r(j), #4
        sri     r(j), r(i), #4
        zip1    r(i), t, r(j)
        zip2    r(j), t, r(j)
        .endm

        // Keeps the callee-saved registers, above 64 bytes for four registers that find no room. CFI may stand only before
        // the first label (Mach-O), therefore frame holds what sp was to the end.
        .macro push_registers
        mov     frame, sp
        .cfi_def_cfa frame, 0
        sub     sp, sp, #128
        stp     d8, d9, [sp, #64]
        stp     d10, d11, [sp, #80]
        stp     d12, d13, [sp, #96]
        stp     d14, d15, [sp, #112]
        .cfi_offset d8, -64
        .cfi_offset d9, -56
        .cfi_offset d10, -48
        .cfi_offset d11, -40
        .cfi_offset d12, -32
        .cfi_offset d13, -24
        .cfi_offset d14, -16
        .cfi_offset d15, -8
        .endm

        .macro pop_registers
        ldp     d8, d9, [sp, #64]
        ldp     d10, d11, [sp, #80]
        ldp     d12, d13, [sp, #96]
        ldp     d14, d15, [sp, #112]
        mov     sp, frame
        .endm
