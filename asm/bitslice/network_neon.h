// The exchange network of bit planes with NEON: what both directions share.
//
// Bit i of the number of an element is called e_i, of a plane k_i, of a byte of an element b_i. A register holds 16 bytes;
// in planes its lanes are e6 e5 e4 e3, in tiles k0 e5 e4 e3, and bits e2 e1 e0 are inside a byte.
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

        // Keeps the callee-saved registers, above 64 bytes for four registers that find no room. CFI may stand only before
        // the first label (Mach-O), therefore frame holds what sp was to the end.
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

        .macro pop_registers
        ldp     d8, d9, [sp, #64]
        ldp     d10, d11, [sp, #80]
        ldp     d12, d13, [sp, #96]
        ldp     d14, d15, [sp, #112]
        mov     sp, frame
        .endm
