// Magnitudes of `x[0..n]`.
//
//   void hl_FAMILY_NAME_avx512(const float *x, float *y, size_t n);
//
// In      rdi = x, rsi = y, rdx = n         Out  y[0..n]
// Uses    rdx, rsi, rdi, zmm0, zmm1           Stack  none
// Loop    16 floats; bound by the store (1 cycle)
// Bound   1 cycles for 16 elements on Granite Rapids
// Tail    one float at a time; reads exactly x[0..n]

#include "hl.h"

#define x       rdi
#define y       rsi
#define n       rdx
#define signs   zmm1

FUNC(hl_FAMILY_NAME_avx512)
        vmovaps signs, [rip + .Lmagnitude]
        sub     n, 16
        jb      .Lrest
        .balign 32
.Lloop:
        vandps  zmm0, signs, [x]
        vmovups [y], zmm0
        add     x, 64
        add     y, 64
        sub     n, 16
        jae     .Lloop
.Lrest:
        add     n, 16
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
END(hl_FAMILY_NAME_avx512)

        RODATA
        .balign 64
.Lmagnitude:                            // all bits but the sign
        .fill   16, 4, 0x7fffffff
