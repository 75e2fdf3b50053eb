// Sums of terms of products of multivectors, for the vectors of SSE2, AVX2 and AVX-512.
//
// A vector holds one coefficient of several multivectors, one per lane. Its place is a number: a
// register below ROWS, and from there on a row of the frame. A multivector is named by the place of
// its coefficient 0; the others follow. The file that includes this sets REGISTERS, 16 or 32.

#include "vectors_x86_64.h"

#define ROWS    32
#define TO_15   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

// Bit b is 1 if blade b has an odd number of generators; digit b is the number of generators.
#define PARITIES 0x6996
#define GRADES  0x4332322132212110

// A place = a place; one of both is a register. Names of registers need literal numbers: in `.altmacro`,
// %(..) is the value of an expression.
        .macro  set_place to, from
        .altmacro
        set_number %(\to), %(\from)
        .noaltmacro
        .endm

        .macro  set_number to, from
        .if     \to >= ROWS
        move    [rsp + ROW*(\to - ROWS)], V(\from)
        .else
        move    V(\to), [rsp + ROW*(\from - ROWS)]
        .endif
        .endm

// Register `to` = register a op place b. If `to` is b, SSE2 changes a.
        .macro  op_place name, to, a, b
        .altmacro
        op_number \name, %(\to), %(\a), %(\b)
        .noaltmacro
        .endm

        .macro  op_number name, to, a, b
        .if     \b >= ROWS
        op      \name, V(\to), V(\a), [rsp + ROW*(\b - ROWS)]
        .else
        op      \name, V(\to), V(\a), V(\b)
        .endif
        .endm

// The registers of 8 sums, of 6 factors, of a sum of weighted products and of a product; or if the
// sums are those of one parity, of 4 sums and a factor, and 8 registers before them are free.
        .set    SIDE, -1
        .macro  name_registers
        .if     SIDE >= 0
        .set    SUMS, 8
        .set    FACTORS, 12
        .set    PRODUCT, 15
        .elseif REGISTERS == 16
        .set    SUMS, 0
        .set    FACTORS, 8
        .set    SUM, 14
        .set    PRODUCT, 15
        .else
        .set    SUMS, 16
        .set    FACTORS, 24
        .set    SUM, 30
        .set    PRODUCT, 31
        .endif
        .endm
        name_registers
        .set    FIRST_BY_RANK, 0
        .set    SECOND_BY_RANK, 0

// IS_NEGATIVE = the sign of the product of two blades: the parity of the number of pairs of a
// generator of the first one and an earlier generator of the second one.
        .macro  sign first, second
        .set    IS_NEGATIVE, (PARITIES >> (\second & ((\first >> 1) ^ (\first >> 2) ^ (\first >> 3)))) & 1
        .endm

// Begins or continues the sum in register `to` with plus or minus register `factor` times place
// `second`. Register `product` holds this product. If the first term is negative, the sum is
// negated with the second one, because -a + b = b - a; until then IS_PENDING is 1.
        .macro  accumulate t, to, factor, second, begins, product
        .if     \begins
        op_place mul\t, \to, \factor, \second
        .set    IS_PENDING, IS_NEGATIVE
        .else
        op_place mul\t, \product, \factor, \second
        .if     IS_PENDING && IS_NEGATIVE
        .if     ROW == 16
        op_place xorps, \to, \to, MINUS
        .else
        op_place xor\t, \to, \to, MINUS
        .endif
        .endif
        .if     IS_NEGATIVE
        op_place sub\t, \to, \to, \product
        .elseif IS_PENDING
        op_place sub\t, \to, \product, \to
        .else
        op_place add\t, \to, \to, \product
        .endif
        .set    IS_PENDING, 0
        .endif
        .endm

// J = the blade of coefficient j, and IS_SELECTED = whether it is summed: if BEGIN <= j < END, the
// blade has the generators HALF of square 0 and, if SIDE is not -1, the parity SIDE.
        .macro  select j
        .set    J, (BLADES_IN_ORDER >> (4*\j)) & 15
        .set    IS_SELECTED, 0
        .set    IS_ODD, (PARITIES >> J) & 1
        .if     (\j >= BEGIN) && (\j < END) && ((J & ZERO) == HALF) && ((SIDE < 0) || (SIDE == IS_ODD))
        .set    IS_SELECTED, 1
        .endif
        .endm

// The selected coefficients of the product of the multivectors at places `first` and `second`.
// Their sums are in registers `to` + j, or in SUMS and the following registers if `to` is in rows.
//
// If REVERSE is 1, the second factor is reversed. The reverse of blade q has the sign of q q, and
// the signs of p q and q q are together that of blades p ^ q and q. If EVEN is 1, terms with odd
// blades of r are left out; r is the first factor or, reversed, the second one.
//
// If FIRST_BY_RANK is 1, only coefficients of one parity of the first factor are there, in order;
// SECOND_BY_RANK says so of the second factor.
        .macro  product t, first, second, to
        .set    BEGUN, 0
        .set    PENDING, 0
        .irp    p, TO_15
        .if     \p < BLADES
        .set    P, (BLADES_IN_ORDER >> (4*\p)) & 15
        .set    FACTOR, -1
        .set    K, 0
        .irp    j, TO_15
        select  \j
        .if     IS_SELECTED
        .set    SUM_AT, SUMS + K
        .if     \to < ROWS
        .set    SUM_AT, \to + \j
        .endif

        // The term of blade J with coefficient p of the first factor, if there is one.
        .set    Q, P ^ J
        .if     REVERSE
        .set    IS_ODD, (PARITIES >> Q) & 1
        sign    J, Q
        .else
        .set    IS_ODD, (PARITIES >> P) & 1
        sign    P, Q
        .endif
        .if     (P & Q & ZERO) == 0
        .if     (EVEN & IS_ODD) == 0

        // FACTOR = a register with this coefficient.
        .if     FACTOR < 0
        .set    FACTOR, FACTORS
        .if     FIRST_BY_RANK
        .set    FACTOR, \first + ((RANKS >> (4*\p)) & 15)
        .elseif \first < ROWS
        .set    FACTOR, \first + \p
        .else
        set_place FACTORS, (\first + \p)
        .endif
        .endif
        .set    IS_PENDING, (PENDING >> K) & 1
        .set    SECOND_AT, (COEFFICIENTS >> (4*Q)) & 15
        .if     SECOND_BY_RANK
        .set    SECOND_AT, (RANKS >> (4*SECOND_AT)) & 15
        .endif
        .set    SECOND_AT, \second + SECOND_AT
        accumulate \t, SUM_AT, FACTOR, SECOND_AT, (((BEGUN >> K) & 1) == 0), PRODUCT
        .set    BEGUN, BEGUN | (1 << K)
        .set    PENDING, (PENDING & ~(1 << K)) | (IS_PENDING << K)
        .endif
        .endif
        .set    K, K + 1
        .endif
        .endr
        .endif
        .endr
        .if     PENDING != 0
        .error  "a sum is still to be negated"
        .endif
        .endm

// All coefficients of a product, half by half; `sums` is product or weighted_product. If 16 sums
// are in registers and y is in the other 16, factors and products are in those of sums that have
// not begun, and then in those of coefficients of y that have no more terms. If `to` is in rows, each
// half is put there.
        .macro  all_sums t, sums, first, second, to
        .set    BEGIN, 0
        .set    END, BLADES
        .irp    half, 1, 0
        .if     \half <= ZERO
        .set    HALF, \half
        .if     (\to < ROWS) & (BLADES == 16)
        .set    FACTORS, \to
        .set    PRODUCT, \to + 2
        .if     \half == 0
        .set    FACTORS, \second + 1
        .set    PRODUCT, \second + 5
        .endif
        .endif
        \sums   \t, \first, \second, \to
        .if     \to >= ROWS
        .set    K, 0
        .irp    j, TO_15
        select  \j
        .if     IS_SELECTED
        set_place (\to + \j), (SUMS + K)
        .set    K, K + 1
        .endif
        .endr
        .endif
        .endif
        .endr
        name_registers
        .endm

// Transposes 4 x 4 floats, or 2 x 2 doubles in a and b, of each 128 bits.
        .macro  transpose_parts a, b, c, d, other
        .if     LOG == 2
        op      unpcklps, V(\other), V(\a), V(\b)
        op      unpckhps, V(\a), V(\a), V(\b)
        op      unpcklps, V(\b), V(\c), V(\d)
        op      unpckhps, V(\c), V(\c), V(\d)
        op      unpckhpd, V(\d), V(\a), V(\c)
        op      unpcklpd, V(\c), V(\a), V(\c)
        op      unpcklpd, V(\a), V(\other), V(\b)
        op      unpckhpd, V(\b), V(\other), V(\b)
        .elseif ROW == 16
        movaps  xmm\other, xmm\a
        movlhps xmm\a, xmm\b
        movhlps xmm\b, xmm\other
        .else
        vunpckhpd V(\other), V(\a), V(\b)
        vunpcklpd V(\a), V(\a), V(\b)
        vmovapd V(\b), V(\other)
        .endif
        .endm
