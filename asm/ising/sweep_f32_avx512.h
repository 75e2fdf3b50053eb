// The gather sweep with AVX-512, but for the acceptance.
//
// A file names its registers, includes this one, defines `load_constants` (into zmm9..zmm15 and zmm20..zmm22) and `accept` (from v in `waiting` to
// the mask `accepted`; t, zmm16..zmm19 and k2 are free), and writes `sweep` as the body of its function.

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

// Metropolis acceptance; the including file defines `small`, `slope` and `half`.
#define linear      zmm18
#define magnitude   zmm19
#define is_small    k2

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

        // Less than `probability` of `waiting` times 2^24; moves of small v are made with probability 1/2 + v/4.
        .macro metropolis
        vmulps  linear, waiting, slope
        vpandnd magnitude, sign, waiting
        vaddps  linear, linear, half
        vcmpltps is_small, magnitude, small
        probability
        vmovaps waiting{is_small}, linear
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
