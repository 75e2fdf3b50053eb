// The gather sweep with AVX-512, but for the acceptance.
//
// A file names its registers, includes this one, defines `load_constants` (into zmm9..zmm15, zmm20 and zmm21) and `accept` (from v
// in `waiting` to the mask `accepted`; t, zmm16 and zmm17 are free), and writes `sweep` as the body of its function.

#include "sweep_walk_x86_64.h"

#define sum         zmm0
#define waiting     zmm1
#define t           zmm2
#define spin        zmm3
#define space       zmm4
#define tau         zmm5
#define flips       zmm6
#define sign        zmm7
#define minus_one   zmm8
#define accepted    k1

// Exponential; the including file defines its coefficients a, b, c, d, s.
#define power       zmm16
#define u           zmm17

        .macro constants
        vbroadcastss space, xmm0
        vbroadcastss tau, xmm1
        vpbroadcastd sign, dword ptr [rip + .Lsign]
        vpternlogd minus_one, minus_one, minus_one, 0xff
        vmovdqu32 flips, [rax]
        load_constants
        .endm

        .macro start
        vbroadcastss sum, dword ptr [links + 4]
        .endm

        .macro couple at
        mov     eax, [links + \at]
        vmovups t, [spins + rax]
        vfmadd231ps sum, t, dword ptr [links + \at + 4]{1to16}
        .endm

        .macro wait
        vmovaps waiting, sum
        .endm

        .macro visit
        vmovups t, [below + index]
        vaddps  t, t, [above + index]
        vmovups spin, [spins + index]
        vmulps  waiting, waiting, space
        vfmadd231ps waiting, t, tau
        vpternlogd waiting, spin, sign, 0x78
        accept
        vpsubd  flips{accepted}, flips, minus_one
        vpxord  spin{accepted}, spin, sign
        vmovups [spins + index], spin
        .endm

        // Less than `waiting`, the probability times 2^24.
        .macro metropolis
        vpsrld  t, [random + index], 8
        vcvtdq2ps t, t
        vcmpltps accepted, t, waiting
        .endm

        // x, an odd number below 2^24, in t; 2^24 - x in u.
        .macro odds
        vpsrld  t, [random + index], 8
        vpord   t, t, one
        vcvtdq2ps t, t
        vsubps  u, range, t
        .endm

        // `waiting` becomes 2^waiting: s ((f + a) f + b)^2 ((f + c) f + d)^2 times the power of two at the nearest integer; f is
        // the rest.
        .macro exp2
        vrndscaleps power, waiting, 8
        vsubps  waiting, waiting, power
        vaddps  t, waiting, a
        vaddps  u, waiting, c
        vmulps  t, t, waiting
        vmulps  u, u, waiting
        vaddps  t, t, b
        vaddps  u, u, d
        vmulps  t, t, u
        vmulps  t, t, t
        vmulps  t, t, s
        vscalefps waiting, t, power
        .endm

        .macro finish
        vmovdqu32 [rax], flips
        .endm
