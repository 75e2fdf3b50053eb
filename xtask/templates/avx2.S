// Magnitudes of `x[0..n]`.
//
//   void hl_FAMILY_NAME_avx2(const float *x, float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  y[0..n]
// Uses    rdx, rsi, rdi, ymm0, ymm1           Stack  none
// Loop    8 floats; bound by the store (1 cycle)
// Bound   1 cycles for 8 elements on Zen 3
// Tail    one float at a time; reads exactly x[0..n]

#include "hl.h"

#define x       rdi
#define y       rsi
#define n       rdx
#define signs   ymm1

FUNC(hl_FAMILY_NAME_avx2)
        vmovaps signs, [rip + .Lmagnitude]
        sub     n, 8
        jb      .Lrest
        .balign 32
.Lloop:
        vandps  ymm0, signs, [x]
        vmovups [y], ymm0
        add     x, 32
        add     y, 32
        sub     n, 8
        jae     .Lloop
.Lrest:
        add     n, 8
        jz      .Ldone
.Ltail:
        vmovss  xmm0, [x]
        vandps  xmm0, xmm0, xmm1
        vmovss  [y], xmm0
        add     x, 4
        add     y, 4
        dec     n
        jnz     .Ltail
.Ldone:
        vzeroupper
        ret
END(hl_FAMILY_NAME_avx2)

        RODATA
        .balign 32
.Lmagnitude:                            // all bits but the sign
        .fill   8, 4, 0x7fffffff
