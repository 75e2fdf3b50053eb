// The smallest x < `n` with d0 + d1 x + d2 x (x - 1) / 2 + d3 x (x - 1) (x - 2) / 6 mod 2^64 < `w`, or
// `n` if there is none.
//
//   uint64_t hl_hardround_exhaust_avx512(const uint64_t *d, uint64_t n, uint64_t w);
//
// In      rdi = d, rsi = n, rdx = w         Out  rax = the argument, or n
// Uses    rax, rcx, r8..r11, zmm0..zmm15, k1     Stack  376 bytes
// Loop    64 arguments; 4 additions and 4 minima; bound by two vector pipes (4 cycles; 6 where
//         anchors turn)
// Bound   4 cycles for 64 elements on Granite Rapids
// Tail    the last step includes arguments beyond n; reads exactly d[0..4]

#include "hl.h"

#define S           8
#define L           64
#define LOG_L       6
#define TABLE       0

#include "exhaust_x86_64.h"

// Anchors in zmm0..zmm3, their turning increments in zmm12..zmm15.
#define y           zmm4
#define first       zmm5
#define second      zmm6
#define high        zmm7
#define least       zmm8
#define least_odd   zmm9

        .macro origin
        vmovdqu64 y, [values]
        vmovdqu64 first, [values + 8*S]
        vmovdqu64 second, [values + 16*S]
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
        vmovdqu64 y, [values]
        vpbroadcastq first, [offset_at]
        .irp    i, 2, 3, 4, 5
        vpaddq  zmm10, y, first
        vshufps zmm1\i, y, zmm10, 0xdd
        vpaddq  y, zmm10, first
        .endr
        .endm

        .macro turn
        vpaddd  zmm0, zmm0, zmm12
        vpaddd  zmm1, zmm1, zmm13
        vpaddd  zmm2, zmm2, zmm14
        vpaddd  zmm3, zmm3, zmm15
        .endm

        .macro anchors
        vpbroadcastq high, [third]
        .irp    i, 0, 1, 2, 3
        next    zmm10, y
        vshufps zmm\i, y, zmm10, 0xdd
        next    y, zmm10
        .endr
        vmovdqu64 zmm10, [ahead]
        vpaddq  y, y, zmm10
        vpaddq  zmm10, zmm10, qword ptr [ahead_more]{1to8}
        vpaddq  first, first, qword ptr [slope_more]{1to8}
        vmovdqu64 [ahead], zmm10
        .endm

        .macro minima
        vpternlogd least, least, least, 0xff
        vpternlogd least_odd, least_odd, least_odd, 0xff
        .endm

        .macro step
        vpbroadcastd high, [offset_at + 4]
        .irp    i, 0, 2
        vpaddd  zmm10, zmm\i, high
        vpminud least, least, zmm10
        .endr
        .irp    i, 1, 3
        vpaddd  zmm11, zmm\i, high
        vpminud least_odd, least_odd, zmm11
        .endr
        .endm

        .macro alarm label
        vpminud least, least, least_odd
        vpcmpleud k1, least, dword ptr [limit]{1to16}
        kortestw k1, k1
        jnz     \label
        .endm

        .macro probe label
        step
        alarm   \label
        .endm

        .macro finish
        vzeroupper
        .endm

FUNC(hl_hardround_exhaust_avx512)
        exhaust
END(hl_hardround_exhaust_avx512)
