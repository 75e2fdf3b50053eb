// Registers and frame of the exchange network of bit planes with NEON, for both directions.
//
// e_i is bit i of an element's index, k_i of a plane's index, b_i of a byte's index in the element.
// The 16 bytes of a register are indexed by e6 e5 e4 e3 in planes, by k0 e5 e4 e3 in tiles; e2 e1
// e0 index the bits of a byte. Macros take register numbers and overwrite t and u.

#define t       v28.16b
#define u       v29.16b
#define even    v30.16b                         // the even bits
#define pairs   v31.16b                         // the even pairs of bits
#define r(i)    v\i\().16b
#define frame   x9
#define tile    plane

        // Saves the callee-saved registers, above 64 bytes for four spilled registers. Mach-O
        // accepts CFI only before the first label, so `frame` keeps the old sp to the end.
        .macro push_registers
        mov     frame, sp
        sub     sp, sp, #128
        .cfi_def_cfa frame, 0
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
