// Prelude of every assembly file: function frame, landing pads, notes, read-only data.
//
//   FUNC(name)      begins a global function: section, alignment, CFI, landing pad
//   END(name)       ends it
//   RODATA          opens the constants at the foot of a file
//   RODATA_OF(name) opens the constants of one function of several, such as a table of its addresses
//
// Macros that emit several lines are gas macros: on some targets `;` begins a comment.

#if defined(__APPLE__)
# define SYMBOL(name) _##name
#else
# define SYMBOL(name) name
#endif

#if defined(__x86_64__)
        .intel_syntax noprefix
# define LANDING_PAD endbr64
#else
# define LANDING_PAD hint #34
#endif

#define FUNC(name) hl_func SYMBOL(name), name
#define END(name) hl_end SYMBOL(name)

#if defined(__ELF__)

// Constants are in a section named after the first function: a program links only those that it uses.
        .macro hl_func symbol, name
        .ifndef .Lhl_rodata
        .set    .Lhl_rodata, 1
        .macro hl_rodata
        .section .rodata.\name, "a", %progbits
        .endm
        .endif
        .section .text.\name, "ax", %progbits
        .globl  \symbol
        .hidden \symbol
        .type   \symbol, %function
        .balign 64
\symbol:
        .cfi_startproc
        LANDING_PAD
        .endm

        .macro hl_end symbol
        .cfi_endproc
        .size   \symbol, . - \symbol
        .endm

# define RODATA hl_rodata
# define RODATA_OF(name) .section .rodata.name, "a", %progbits

// The stack is not executable, and every indirect branch lands on a pad:
// x86 feature bits IBT | SHSTK, AArch64 feature bit BTI.
        .section .note.GNU-stack, "", %progbits
        .section .note.gnu.property, "a", %note
        .balign 8
        .long   4, 16, 5
        .asciz  "GNU"
# if defined(__x86_64__)
        .long   0xc0000002, 4, 3, 0
# else
        .long   0xc0000000, 4, 1, 0
# endif

#elif defined(__APPLE__) // Mach-O

        .macro hl_func symbol, name
        .text
        .globl  \symbol
        .private_extern \symbol
        .p2align 6
\symbol:
        .cfi_startproc
        LANDING_PAD
        .endm

        .macro hl_end symbol
        .cfi_endproc
        .endm

# define RODATA .section __TEXT,__const
# define RODATA_OF(name) RODATA

#else // COFF: frames for debuggers, nothing for the unwinder of Windows

        .cfi_sections .debug_frame

        .macro hl_func symbol, name
        .section .text$\name, "xr"
        .globl  \symbol
        .balign 64
\symbol:
        .cfi_startproc
        LANDING_PAD
        .endm

        .macro hl_end symbol
        .cfi_endproc
        .endm

# define RODATA .section .rdata, "dr"
# define RODATA_OF(name) RODATA

#endif
