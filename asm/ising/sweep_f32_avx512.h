// The gather sweep with AVX-512, but for the probability of acceptance.
//
// A file includes this one, defines `load_constants` (into zmm9..zmm15) and `probability` (from v in `waiting` to the
// probability times 2^24; t and zmm16..zmm19 are free), and writes `sweep` as the body of its function.

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
        probability
        vpsrld  t, [random + index], 8
        vcvtdq2ps t, t
        vcmpltps accepted, t, waiting
        vpsubd  flips{accepted}, flips, minus_one
        vpxord  spin{accepted}, spin, sign
        vmovups [spins + index], spin
        .endm

        .macro finish
        vmovdqu32 [rax], flips
        .endm
