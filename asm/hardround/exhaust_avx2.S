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
//
// The arguments of a run are x + L k + i, for k < K and i < L. With anchors y(x + i), their values
// are, modulo 2^64,
//
//   y(x + L k + i) = anchor i + offset k + (i - L/2) L k d2,
//   offset k = L k (d1 + L/2 d2) + L k (L k - 1) / 2 d2
//
// where d1 is the first difference at x and d3 = 0; otherwise K = 1. The last term is neglected
// where it stays below 2^47, which bounds K. If that makes a run too short, the anchors turn: each
// step adds to each anchor the growth of its last term.
//
// Only the upper halves are added; each is less than 1 too low. Offset 0 is `bias` instead of 0, so
// that a value below w gives a sum from 0 to `limit`. If a run has a sum in this range, its steps
// are searched, then L arguments one by one.

#include "hl.h"

#define S           4
#define L           64
#define LOG_L       6
#define TABLE       4*L

#define d           rdi
#define n           rsi
#define w           rdx
#define x           rax
#define left        rcx                 // steps
#define end         rcx                 // arguments left, or their end
#define offset      r8
#define slope       r9
#define bend        r10

#define values      rsp                 // 3 S words
#define ahead       rsp + 24*S          // S words: y(x + L K + lane) - y(x + L + lane) ..
#define ahead_more  rsp + 32*S          // .. and its difference from run to run
#define slope_more  rsp + 32*S + 8      // increment of the first difference of vectors there
#define third       rsp + 32*S + 16     // the third difference of vectors
#define offset_at   rsp + 32*S + 24
#define limit       rsp + 32*S + 32
#define bias        rsp + 32*S + 40
#define first_slope rsp + 32*S + 48     // offset 1 - offset 0 ..
#define next_slope  rsp + 32*S + 56     // .. and its difference from run to run
#define most        rsp + 32*S + 64     // K
#define length      rsp + 32*S + 72     // L K
#define slope_at    rsp + 32*S + 80
#define run_end     rsp + 32*S + 88
#define turning     rsp + 32*S + 96
#define turned_by   rsp + 32*S + 112    // L upper halves, or none
#define FRAME       32*S + 120 + TABLE

// Fewer arguments are cheaper one by one.
#define FEWEST      64
// If more than one argument in 2^OFTEN is expected to have a value below w, runs do not pay.
#define OFTEN       9
// K is 1 from |d2| = 2^BITS on and doubles with each bit less, up to runs of 2^11.
#define BITS        (47 - 2*LOG_L)
#define LOG_K       (11 - LOG_L)
// If K would be less than 2^FEW and there are arguments for that many steps, the anchors turn
// instead.
#define FEW         (9 - LOG_L)

// Anchors in ymm0..ymm7.
#define y           ymm8
#define first       ymm9
#define second      ymm10
#define high        ymm11
#define least       ymm12
#define least_odd   ymm13

        // Adds the upper half of the word at `offset_at` to the anchors and updates the minima.
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

FUNC(hl_hardround_exhaust_avx2)
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME
        xor     eax, eax
        cmp     n, FEWEST
        jb      .Lfew
        lea     r8, [w - 1]
        mov     r9, r8
        shr     r9, 64 - OFTEN
        jnz     .Loften

        // K from the bits of |d2|.
        mov     r9, [d + 16]
        mov     rcx, r9
        neg     rcx
        cmovs   rcx, r9
        mov     r10, rcx
        or      r10, 1
        bsr     r11, r10
        mov     r10d, BITS
        sub     r10d, r11d
        cmovs   r10d, eax
        mov     r11d, LOG_K
        cmp     r10d, r11d
        cmova   r10d, r11d
        mov     [turning], rax
        cmp     [d + 24], rax
        cmovne  r10d, eax
        jne     .Lsteps
        cmp     r10d, FEW
        jae     .Lsteps
        cmp     n, L << FEW
        jb      .Lsteps
        mov     r10d, r11d
        mov     [turning], r11
.Lsteps:
        bts     rax, r10
        mov     [most], rax

        // The neglected term is at most 2^32 (r11 + 1) in magnitude.
        lea     r11, [rax - 1]
        imul    r11, r11, L*L/2
        imul    r11, rcx
        shr     r11, 32
        cmp     qword ptr [turning], 0
        cmovne  r11, rax
        shr     r8, 32
        lea     r8, [r8 + 2*r11 + 3]
        mov     [limit], r8
        lea     r8, [r11 + 2]
        shl     r8, 32
        mov     [bias], r8

        // Differences of offsets.
        shl     rax, LOG_L
        mov     [length], rax
        imul    r8, r9, L*L - L/2
        mov     rcx, [d + 8]
        shl     rcx, LOG_L
        add     rcx, r8
        mov     [first_slope], rcx
        mov     r8, rax
        imul    r8, r9
        mov     r10, r8
        shl     r10, LOG_L
        mov     [next_slope], r10

        // The step from the argument after the anchors of a run to the next run, for lane 0, and
        // its increment from lane to lane.
        lea     r11, [rax - L]
        imul    r8, r11
        mov     [ahead_more], r8
        lea     rcx, [r11 - 1]
        mov     r10, r11
        shr     r10, 1
        imul    rcx, r10
        imul    r10, r11, L
        add     rcx, r10
        imul    rcx, r9
        mov     r10, r11
        imul    r10, [d + 8]
        add     rcx, r10
        imul    r11, r9
        imul    r10, r11, S
        mov     [slope_more], r10
        .set    lane, 0
        .rept   S
        mov     [ahead + 8*lane], rcx
        add     rcx, r11
        .set    lane, lane + 1
        .endr

        // The turning increments of the anchors.
        cmp     qword ptr [turning], 0
        je      .Lvalues
        shl     r9, LOG_L
        imul    r8, r9, S
        mov     [offset_at], r8
        imul    r8, r9, -L/2
        .set    lane, 0
        .rept   S
        mov     [values + 8*lane], r8
        add     r8, r9
        .set    lane, lane + 1
        .endr

        // The first S values are at `values`. Each next S values are larger by the word at `offset_at`.
        vmovdqu y, [values]
        vpbroadcastq first, [offset_at]
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpaddq  ymm14, y, first
        vshufps ymm15, y, ymm14, 0xdd
        vpaddq  y, ymm14, first
        vmovdqu [turned_by + 32*\i], ymm15
        .endr

        // The first values.
.Lvalues:
        mov     r11, [d + 24]
        imul    r10, r11, S*S*S
        mov     [third], r10
        mov     r8, [d]
        mov     r9, [d + 8]
        mov     r10, [d + 16]
        .set    lane, 0
        .rept   3*S
        mov     [values + 8*lane], r8
        add     r8, r9
        add     r9, r10
        add     r10, r11
        .set    lane, lane + 1
        .endr

        // y(x + lane) and its first two differences, with step S.
        vmovdqu y, [values]
        vmovdqu first, [values + 8*S]
        vmovdqu second, [values + 16*S]
        vpsubq  second, second, first
        vpsubq  first, first, y
        vpsubq  second, second, first
        xor     eax, eax

        // A run of K steps, fewer at the end. Arguments beyond n may give a false alarm.
.Lrun:
        mov     left, n
        sub     left, x
        dec     left
        shr     left, LOG_L
        inc     left
        cmp     left, [most]
        cmova   left, [most]
        mov     slope, [first_slope]
        mov     offset, [next_slope]
        add     offset, slope
        mov     [first_slope], offset
        mov     offset, [bias]
        mov     bend, [d + 16]
        shl     bend, 2*LOG_L

        // L anchors, two steps of the difference scheme for each vector, which advances to the next run.
        vpbroadcastq high, [third]
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpaddq  ymm14, y, first
        vpaddq  first, first, second
        vpaddq  second, second, high
        vshufps ymm\i, y, ymm14, 0xdd
        vpaddq  y, ymm14, first
        vpaddq  first, first, second
        vpaddq  second, second, high
        .endr
        vmovdqu ymm14, [ahead]
        vpbroadcastq ymm15, [ahead_more]
        vpbroadcastq high, [slope_more]
        vpaddq  y, y, ymm14
        vpaddq  ymm14, ymm14, ymm15
        vpaddq  first, first, high
        vmovdqu [ahead], ymm14
        vpcmpeqd least, least, least
        vpcmpeqd least_odd, least_odd, least_odd
        cmp     qword ptr [turning], 0
        jne     .Lturn
        .balign 32
.Lstep:
        mov     [offset_at], offset
        step
        add     offset, slope
        add     slope, bend
        dec     left
        jnz     .Lstep
.Lstepped:
        mov     end, n
        sub     end, x

        // An alarm if a minimum is at most `limit`.
        vpbroadcastd high, [limit]
        vpminud least, least, least_odd
        vpminud high, high, least
        vpcmpeqd high, high, least
        vptest  high, high
        jnz     .Lalarm
        mov     r8, [length]
        cmp     end, r8
        jbe     .Lnone
        add     x, r8
        jmp     .Lrun

        // A run with turning anchors.
        .balign 32
.Lturn:
        mov     [offset_at], offset
        step
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        vpaddd  ymm\i, ymm\i, [turned_by + 32*\i]
        .endr
        add     offset, slope
        add     slope, bend
        dec     left
        jnz     .Lturn
        jmp     .Lstepped

        // Search the steps of the run one by one, or all its arguments if the anchors turned.
.Lalarm:
        cmp     end, [length]
        cmova   end, [length]
        add     end, x
        mov     [run_end], end
        cmp     qword ptr [turning], 0
        jne     .Lscan
        mov     slope, [first_slope]
        sub     slope, [next_slope]
        mov     offset, [bias]
        vpcmpeqd least, least, least
        vpcmpeqd least_odd, least_odd, least_odd
.Lwhere:
        mov     [offset_at], offset
        add     offset, slope
        mov     [slope_at], slope
        step
        vpbroadcastd high, [limit]
        vpminud least, least, least_odd
        vpminud high, high, least
        vpcmpeqd high, high, least
        vptest  high, high
        jnz     .Lhere
        add     slope, bend
        add     x, L
.Lwhere_next:
        cmp     x, [run_end]
        jb      .Lwhere
        cmp     x, n
        jb      .Lrun
        jmp     .Lnone

        // Where runs do not pay, check all arguments one by one.
.Loften:
        test    w, w
        jz      .Lnone
.Lfew:
        mov     end, n
        mov     r8, [d]
        mov     r9, [d + 8]
        mov     r10, [d + 16]
        mov     r11, [d + 24]
        jmp     .Lcheck

.Lhere:
        lea     end, [x + L]
        cmp     end, [run_end]
        cmova   end, [run_end]

        // Check the arguments from x to `end`, with the differences at x. r10 becomes
        // x (x - 1) / 2; times x - 2 it is three times the factor of d3.
.Lscan:
        mov     r11, [d + 24]
        mov     r8, x
        shr     r8, 1
        lea     r10, [x - 1]
        imul    r10, r8
        lea     r8, [x - 2]
        imul    r8, r10
        mov     r9, 0xaaaaaaaaaaaaaaab
        imul    r8, r9
        imul    r8, r11
        add     r8, [d]
        mov     r9, [d + 8]
        imul    r9, x
        add     r8, r9
        mov     r9, [d + 16]
        imul    r9, r10
        add     r8, r9
        imul    r10, r11
        mov     r9, [d + 16]
        imul    r9, x
        add     r9, r10
        add     r9, [d + 8]
        mov     r10, r11
        imul    r10, x
        add     r10, [d + 16]
        jmp     .Lcheck
        .balign 32
.Lnext:
        cmp     r8, w
        jb      .Lfound
        add     r8, r9
        add     r9, r10
        add     r10, r11
        inc     x
.Lcheck:
        cmp     x, end
        jne     .Lnext
        cmp     x, n
        je      .Lnone
        mov     bend, [d + 16]
        shl     bend, 2*LOG_L
        mov     slope, [slope_at]
        mov     offset, [offset_at]
        add     offset, slope
        add     slope, bend
        vpcmpeqd least, least, least
        vpcmpeqd least_odd, least_odd, least_odd
        jmp     .Lwhere_next
.Lnone:
        mov     rax, n
.Lfound:
        vzeroupper
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -(FRAME)
        ret
END(hl_hardround_exhaust_avx2)
