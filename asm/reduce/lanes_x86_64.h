// Fixed lanes and their tree: what all vector lengths share. Lanes are 256 bytes of either type.
//
// A file defines BYTES, the size of an element, and DOT for the sum of products; it includes the header of its instruction set, and
// writes `lanes` as the body of its function and `lanes_constants` as its constants.
//
// A lane begins with its first element or as -0, and takes -0 where an element is missing: that adds nothing to any number. So the
// tree leaves out vectors that no element reached.
//
// The header defines `add_to to, from` (vector `from` onto vector `to`) and `add_last to` (what is behind the last whole vector).

#if BYTES == 4
# define P(operation) operation##ps
# define S(operation) operation##ss
#else
# define P(operation) operation##pd
# define S(operation) operation##sd
#endif

#define x           rdi
#ifdef DOT
# define y          rsi
# define n          rdx
#else
# define n          rsi
#endif

        .macro step
        add     x, 256
#ifdef DOT
        add     y, 256
#endif
        .endm

        // With `count` vectors left, the last of them goes onto vector `to`.
        .macro halve count, to, from
.Ltree\count:
        add_to  \to, \from
        .endm

        .macro halve_4
        halve   4, 1, 3
        halve   3, 0, 2
        halve   2, 0, 1
.Ltree1:
        .endm

        .macro halve_8
        halve   8, 3, 7
        halve   7, 2, 6
        halve   6, 1, 5
        halve   5, 0, 4
        halve_4
        .endm

        // The same where the last is a part and `left` are whole.
        .macro halve_last left, to
.Lfew\left:
        add_last \to
        jmp     .Ltree\left
        .endm

        .macro halve_last_4
        halve_last 3, 1
        halve_last 2, 0
        halve_last 1, 0
.Lfew0:
        .endm

        .macro halve_last_8
        halve_last 7, 3
        halve_last 6, 2
        halve_last 5, 1
        halve_last 4, 0
        halve_last_4
        .endm

        // Zeros with this sign bit.
        .macro zeros sign, count
        .rept   \count
#if BYTES == 4
        .long   \sign << 31
#else
        .quad   \sign << 63
#endif
        .endr
        .endm

        .macro quiet
#if BYTES == 4
        .long   0x7fc00000
#else
        .quad   0x7ff8000000000000
#endif
        .endm
