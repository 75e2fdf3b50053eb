// Constants for NEON. An including file defines `scratch`, a 32-bit register.

        // Puts the value into all lanes of a vector.
        .macro constant register, value
        mov     scratch, #(\value & 0xffff)
        movk    scratch, #(\value >> 16), lsl #16
        dup     \register, scratch
        .endm
