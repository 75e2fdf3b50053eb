// Sums in fixed lanes, added up in a tree: macros for SSE2, AVX2 and AVX-512. The lanes are 256 bytes,
// whatever the type.
//
// A lane starts with its first element or -0, and adds -0 in place of a missing element, which
// changes no sum. So the tree can leave out vectors without an element.

        .macro P operation, operands:vararg
        .if     BYTES == 4
        \operation\()ps \operands
        .else
        \operation\()pd \operands
        .endif
        .endm

        .macro S operation, operands:vararg
        .if     BYTES == 4
        \operation\()ss \operands
        .else
        \operation\()sd \operands
        .endif
        .endm

#define x           rdi
#define y           rsi

        .macro step
        add     x, 256
        .if     DOT
        add     y, 256
        .endif
        .endm

        // With a partial vector after `left` whole ones, which `addition` adds, goes to the tree for these.
        .macro few name, left, addition:vararg
.Lfew_\name\()_\left:
        P \addition
        jmp     .Ltree_\name\()_\left
        .endm

        // A constant, given as bits of either type.
        .macro number single, double
        .if     BYTES == 4
        .long   \single
        .else
        .quad   \double
        .endif
        .endm
