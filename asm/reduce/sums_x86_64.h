// Sums in fixed lanes, added up in a tree: macros for SSE2, AVX2 and AVX-512. The lanes are 256 bytes,
// whatever the type.
//
// A lane starts with its first element or -0, and adds -0 in place of a missing element, which
// changes no sum. So the tree can leave out vectors without an element.
//
// The including file defines `add_to to, from` (adds vector `from` to vector `to`) and
// `add_last to` (adds the partial vector at the end to vector `to`).

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

        // With `count` vectors left, adds the last one, `from`, to vector `to`.
        .macro halve name, count, to, from
.Ltree_\name\()_\count:
        add_to  \to, \from
        .endm

        .macro halve_4 name
        halve   \name, 4, 1, 3
        halve   \name, 3, 0, 2
        halve   \name, 2, 0, 1
.Ltree_\name\()_1:
        .endm

        .macro halve_8 name
        halve   \name, 8, 3, 7
        halve   \name, 7, 2, 6
        halve   \name, 6, 1, 5
        halve   \name, 5, 0, 4
        halve_4 \name
        .endm

        // Like `halve`, with `left` whole vectors and a partial one at the end.
        .macro halve_last name, left, to
.Lfew_\name\()_\left:
        add_last \to
        jmp     .Ltree_\name\()_\left
        .endm

        .macro halve_last_4 name
        halve_last \name, 3, 1
        halve_last \name, 2, 0
        halve_last \name, 1, 0
.Lfew_\name\()_0:
        .endm

        .macro halve_last_8 name
        halve_last \name, 7, 3
        halve_last \name, 6, 2
        halve_last \name, 5, 1
        halve_last \name, 4, 0
        halve_last_4 \name
        .endm

        // Zeros with this sign bit.
        .macro zeros sign, count
        .rept   \count
        .if     BYTES == 4
        .long   \sign << 31
        .else
        .quad   \sign << 63
        .endif
        .endr
        .endm

        .macro quiet
        .if     BYTES == 4
        .long   0x7fc00000
        .else
        .quad   0x7ff8000000000000
        .endif
        .endm
