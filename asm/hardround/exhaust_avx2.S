// The smallest x < `n` with d0 + d1 x + d2 x (x - 1) / 2 + d3 x (x - 1) (x - 2) / 6 mod 2^64 < `w`, or
// `n` if there is none.
//
//   uint64_t hl_hardround_exhaust_avx2(const uint64_t *d, uint64_t n, uint64_t w);
//
// In      rdi = d, rsi = n, rdx = w         Out  rax = the argument, or n
// Uses    rax, rcx, r8..r11, ymm0..ymm15    Stack  504 bytes
// Loop    64 arguments; 8 additions and 8 minima; bound by the four vector pipes (4 cycles; 6 where
//         anchors turn)
// Bound   4 cycles for 64 elements on Zen 3
// Tail    the last step includes arguments beyond n; reads exactly d[0..4]

#include "hl.h"

#define S           4
#define L           64
#define LOG_L       6
#define TABLE       4*L

#include "exhaust_x86_64.h"

// Anchors in ymm0..ymm7.
#define y           ymm8
#define first       ymm9
#define second      ymm10
#define high        ymm11
#define least       ymm12
#define least_odd   ymm13

        .macro origin
        vmovdqu y, [values]
        vmovdqu first, [values + 8*S]
        vmovdqu second, [values + 16*S]
        vpsubq  second, second, first
        vpsubq  first, first, y
        vpsubq  second, second, first
        .endm

        // A step of the difference scheme.
        .macro next to, from
        vpaddq  \to, \from, first
        vpaddq  first, first, second
        vpaddq  second, second, high
        .endm

        .macro turns
        vmovdqu y, [values]
        vpbroadcastq first, [offset_at]
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpaddq  ymm14, y, first
        vshufps ymm15, y, ymm14, 0xdd
        vpaddq  y, ymm14, first
        vmovdqu [turned_by + 32*\i], ymm15
        .endr
        .endm

        .macro turn
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpaddd  ymm\i, ymm\i, [turned_by + 32*\i]
        .endr
        .endm

        .macro anchors
        vpbroadcastq high, [third]
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        next    ymm14, y
        vshufps ymm\i, y, ymm14, 0xdd
        next    y, ymm14
        .endr
        vmovdqu ymm14, [ahead]
        vpbroadcastq ymm15, [ahead_more]
        vpbroadcastq high, [slope_more]
        vpaddq  y, y, ymm14
        vpaddq  ymm14, ymm14, ymm15
        vpaddq  first, first, high
        vmovdqu [ahead], ymm14
        .endm

        .macro minima
        vpcmpeqd least, least, least
        vpcmpeqd least_odd, least_odd, least_odd
        .endm

        .macro step
        vpbroadcastd high, [offset_at + 4]
        .irp    i, 0, 2, 4, 6
        vpaddd  ymm14, ymm\i, high
        vpminud least, least, ymm14
        .endr
        .irp    i, 1, 3, 5, 7
        vpaddd  ymm15, ymm\i, high
        vpminud least_odd, least_odd, ymm15
        .endr
        .endm

        .macro alarm label
        vpbroadcastd high, [limit]
        vpminud least, least, least_odd
        vpminud high, high, least
        vpcmpeqd high, high, least
        vptest  high, high
        jnz     \label
        .endm

        .macro probe label
        step
        alarm   \label
        .endm

        .macro finish
        vzeroupper
        .endm

FUNC(hl_hardround_exhaust_avx2)
        exhaust
END(hl_hardround_exhaust_avx2)
