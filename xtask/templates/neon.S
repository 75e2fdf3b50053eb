// Magnitudes of `x[0..n]`.
//
//   void hl_FAMILY_NAME_neon(const float *x, float *y, size_t n);
//
// In      x0 = x, x1 = y, x2 = n            Out  y[0..n]
// Uses    x0..x2, v0                        Stack  none
// Loop    4 floats; bound by the store (1 cycle)
// Tail    one float at a time; reads exactly x[0..n]

#include "hl.h"

#define x       x0
#define y       x1
#define n       x2

FUNC(hl_FAMILY_NAME_neon)
        subs    n, n, #4
        b.lo    .Lrest
        .balign 32
.Lloop:
        ldr     q0, [x], #16
        fabs    v0.4s, v0.4s
        str     q0, [y], #16
        subs    n, n, #4
        b.hs    .Lloop
.Lrest:
        adds    n, n, #4
        b.eq    .Ldone
.Ltail:
        ldr     s0, [x], #4
        fabs    s0, s0
        str     s0, [y], #4
        subs    n, n, #1
        b.ne    .Ltail
.Ldone:
        ret
END(hl_FAMILY_NAME_neon)
