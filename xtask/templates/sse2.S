// Magnitudes of `x[0..n]`.
//
//   void hl_FAMILY_NAME_sse2(const float *x, float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  y[0..n]
// Uses    rdx, rsi, rdi, xmm0, xmm1           Stack  none
// Loop    4 floats; bound by the store (1 cycle)
// Bound   1 cycles for 4 elements on Zen 3
// Tail    one float at a time; reads exactly x[0..n]

#include "hl.h"

#define x       rdi
#define y       rsi
#define n       rdx
#define signs   xmm1

FUNC(hl_FAMILY_NAME_sse2)
        movaps  signs, [rip + .Lmagnitude]
        sub     n, 4
        jb      .Lrest
        .balign 32
.Lloop:
        movups  xmm0, [x]
        andps   xmm0, signs
        movups  [y], xmm0
        add     x, 16
        add     y, 16
        sub     n, 4
        jae     .Lloop
.Lrest:
        add     n, 4
        jz      .Ldone
.Ltail:
        movss   xmm0, [x]
        andps   xmm0, signs
        movss   [y], xmm0
        add     x, 4
        add     y, 4
        dec     n
        jnz     .Ltail
.Ldone:
        ret
END(hl_FAMILY_NAME_sse2)

        RODATA
        .balign 16
.Lmagnitude:                            // all bits but the sign
        .fill   4, 4, 0x7fffffff
