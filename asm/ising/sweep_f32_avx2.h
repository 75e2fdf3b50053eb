// The gather sweep with AVX2, but for the acceptance.
//
// A file names its registers, includes this one, defines `load_constants` (into ymm12..ymm15), `weigh` (replaces v in the
// `waiting` of each half by what the random numbers are compared with) and `accept` (from there to the mask t, for half h), in
// both of which J, t, u and `power` are free, and writes `sweep` as the body of its function.

#include "sweep_walk_x86_64.h"

// Half h of a row.
#define sum         ymm\h
#define waiting     ymm1\h

#define J           ymm2
#define t           ymm3
#define u           ymm4
#define power       ymm5
#define space       ymm6
#define tau         ymm7
#define flips0      ymm8
#define flips1      ymm9

        .macro each statement:vararg
        .irp    h, 0, 1
        \statement
        .endr
        .endm

        .macro constants
        vbroadcastss space, xmm0
        vbroadcastss tau, xmm1
        vmovdqu flips0, [rax]
        vmovdqu flips1, [rax + 32]
        load_constants
        .endm

        .macro start
        vbroadcastss ymm0, dword ptr [links + 4]
        vmovaps ymm1, ymm0
        .endm

        .macro couple at
        mov     eax, [links + \at]
        vbroadcastss J, dword ptr [links + \at + 4]
        each    vfmadd231ps sum, J, [spins + rax + 32 * \h]
        .endm

        .macro wait
        each    vmovaps waiting, sum
        .endm

        .macro visit
        each    exponent \h
        weigh
        decide  0, flips0
        decide  1, flips1
        .endm

        .macro exponent h
        vmovups t, [below + index + 32 * \h]
        vaddps  t, t, [above + index + 32 * \h]
        vmulps  waiting, waiting, space
        vfmadd231ps waiting, t, tau
        vmulps  waiting, waiting, [spins + index + 32 * \h]
        .endm

        .macro decide h, flips
        accept  \h
        vpsubd  \flips, \flips, t
        vpslld  t, t, 31
        vxorps  t, t, [spins + index + 32 * \h]
        vmovups [spins + index + 32 * \h], t
        .endm

        // Less than `waiting`, the probability times 2^24.
        .macro metropolis h
        vmovdqu t, [random + index + 32 * \h]
        vpsrld  t, t, 8
        vcvtdq2ps t, t
        vcmpltps t, t, waiting
        .endm

        // `waiting` becomes 2^waiting: s ((f + a) f + b)^2 ((f + c) f + d)^2 times the power of two at the nearest integer; f is the rest.
        .macro exp2 h
        vcvtps2dq power, waiting
        vcvtdq2ps u, power
        vsubps  u, waiting, u
        vaddps  t, u, a
        vaddps  J, u, c
        vmulps  t, t, u
        vmulps  J, J, u
        vaddps  t, t, b
        vaddps  J, J, d
        vmulps  t, t, J
        vmulps  t, t, t
        vmulps  t, t, [rip + .Ls]
        vpslld  power, power, 23
        vpaddd  waiting, t, power
        .endm

        // Eight times a value of 32 bits.
        .macro eight name, value
\name:
        .rept   8
        .long   \value
        .endr
        .endm

        .macro finish
        vmovdqu [rax], flips0
        vmovdqu [rax + 32], flips1
        .endm
