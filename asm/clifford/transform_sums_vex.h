// Signed sums of the straight code for AVX2 and AVX-512: see transform_forms_vex.h and transform_blades_vex.h.
//
// A number is a register of the width `v` or, as two arguments, `row` and an address. The sums have the order
// of the kernels' lists; two sums may share their first terms. A sum -a + b of parts or forms is written b - a,
// which has the same bits.

// to = from and further signed terms; `from` may be empty. The address of a row is the next argument.
        .macro  sum to, from, sign, number, next, more:vararg
        .ifb    \from
        .ifc    \sign, -

        // -0 - number is -number.
        .if     BYTES == 8
        vmovaps \to, [rip + .Lminus_f64]
        .else
        vmovaps \to, [rip + .Lminus_f32]
        .endif
        sum     \to, \to, -, \number, \next, \more
        .else
        .ifc    \number, row
        vmovups \to, \next
        sum     \to, \to, \more
        .else
        .ifb    \next
        vmovaps \to, \number
        .else
        sum     \to, \number, \next, \more
        .endif
        .endif
        .endif
        .else
        .ifnb   \sign
        .ifc    \number, row
        sum     \to, \from, \sign, \next, \more
        .else
        .ifc    \sign, +
        .if     BYTES == 8
        vaddpd  \to, \from, \number
        .else
        vaddps  \to, \from, \number
        .endif
        .else
        .if     BYTES == 8
        vsubpd  \to, \from, \number
        .else
        vsubps  \to, \from, \number
        .endif
        .endif
        sum     \to, \to, \next, \more
        .endif
        .endif
        .endif
        .endm

// A number of later sums.
        .macro  keep to, next, more:vararg
        .ifnc   \to, row
        sum     \to, , \next, \more
        .elseif WIDTH == 16
        sum     xmm0, , \more
        vmovaps \next, xmm0
        .else
        sum     V(0), , \more
        vmovaps \next, V(0)
        .endif
        .endm
