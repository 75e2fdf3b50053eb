// Tests of domains, whose gaps on the circle are integers below 2^53. `d` is the distance of b from
// the start of its gap if that is a gap p; in a gap q it is p plus this distance. floor(x / y) is (x
// - (y - 1) / 2) / y rounded to nearest. The rounding of 1 / y causes an error of less than 1 /
// (2 y), the distance to the midpoint between two integers.

#include "hl.h"

#define a_at    x0
#define b_at    x1
#define count   x2
#define n       x3
#define w       x4
#define bits    x5
#define at      x6
#define word    x7
#define hits    x8
#define here    x9
#define frame   x10

// v0..v19: p, q, d, u and v of four vectors; v24..v27: masks of the lanes whose last quotient is
// still to come.
#define one     v20.2d
#define half    v21.2d
#define round   v22.2d
#define last    v23.2d
#define inverse v28.2d
#define middle  v29.2d
#define k       v30.2d
#define cut     v31.2d

// In Lefevre's test, w; v24 collects the masks.
#define most    v20.2d

// k = y / x, rounded down, or 0 outside the mask, where u + v would reach n. Updates u and y.
        .macro quotient x, y, u, v, mask
        fdiv    inverse, one, \x\().2d
        fmov    middle, #-0.5
        fmla    middle, half, \x\().2d
        fsub    cut, \y\().2d, middle
        mov     v30.16b, v22.16b
        fmla    k, cut, inverse
        fadd    cut, \u\().2d, \v\().2d
        fsub    k, k, round
        fmla    cut, k, \v\().2d
        fcmgt   \mask\().2d, last, cut
        and     v30.16b, v30.16b, \mask\().16b
        fmls    \y\().2d, k, \x\().2d
        fmla    \u\().2d, k, \v\().2d
        .endm

// Gaps q are cut by gaps p.
        .macro first p, q, d, u, v, mask
        quotient \p, \q, \u, \v, \mask
        fsub    middle, \d\().2d, middle
        mov     v31.16b, v22.16b
        fmla    cut, middle, inverse
        fsub    cut, cut, round
        fmin    cut, cut, k
        fmls    \d\().2d, cut, \p\().2d
        .endm

// Gaps p are cut by gaps q, from their ends.
        .macro second p, q, d, u, v, mask
        quotient \q, \p, \v, \u, v31
        and     \mask\().16b, \mask\().16b, v31.16b
        fsub    middle, \d\().2d, middle
        fsub    middle, middle, \p\().2d
        mov     v31.16b, v22.16b
        fmla    cut, middle, inverse
        movi    v29.2d, #0
        fsub    cut, cut, round
        fmax    cut, cut, middle
        fmls    \d\().2d, cut, \q\().2d
        .endm

// The last quotient of the half step that is due, limited by n. The bits go below those already in
// hits. Adding a half to d avoids 0 / 0, which is NaN.
        .macro final p, q, d, u, v
        fcmge   v25.2d, \q\().2d, \p\().2d
        mov     v26.16b, v25.16b
        mov     v27.16b, v25.16b
        mov     v28.16b, v25.16b
        bsl     v26.16b, \p\().16b, \q\().16b
        bsl     v27.16b, \q\().16b, \p\().16b
        bsl     v28.16b, \v\().16b, \u\().16b
        fsub    v29.2d, last, \u\().2d
        fsub    v29.2d, v29.2d, \v\().2d
        fdiv    v29.2d, v29.2d, v28.2d
        fdiv    k, v27.2d, v26.2d
        frintp  v29.2d, v29.2d
        frintm  k, k
        fmin    k, k, v29.2d
        fmls    v27.2d, k, v26.2d
        bic     v28.16b, v27.16b, v25.16b
        fadd    cut, \d\().2d, half
        fsub    cut, cut, v28.2d
        fdiv    cut, cut, v26.2d
        frintm  cut, cut
        movi    v28.2d, #0
        fmax    cut, cut, v28.2d
        fmin    cut, cut, k
        fmls    \d\().2d, cut, v26.2d

        // The distance in the gap.
        bsl     v25.16b, v26.16b, v27.16b
        fcmge   v26.2d, \d\().2d, v25.2d
        and     v26.16b, v26.16b, v25.16b
        fsub    \d\().2d, \d\().2d, v26.2d
        fcmgt   \d\().2d, v24.2d, \d\().2d
        umov    at, \d\().d[1]
        umov    word, \d\().d[0]
        sub     hits, at, hits, lsl #1
        neg     hits, hits
        sub     hits, word, hits, lsl #1
        neg     hits, hits
        .endm

// Loads two domains.
        .macro load p, q, d, u, v
        ldr     q\p, [a_at], #16
        ldr     q\d, [b_at], #16
        ushr    v\p\().2d, v\p\().2d, #12
        ushr    v\d\().2d, v\d\().2d, #12
        ucvtf   v\p\().2d, v\p\().2d
        ucvtf   v\d\().2d, v\d\().2d
        fsub    v\q\().2d, cut, v\p\().2d
        mov     v\u\().16b, v20.16b
        mov     v\v\().16b, v20.16b
        .endm

// The gaps that b is not in are cut by its own gap, which is then cut once by what remains. Domains
// leave the mask when b is less than w from the start of its gap, and when u + v reaches n.
        .macro turn p, q, d, u, v, place
        ldp     q25, q26, [sp, #128 + \place]
        fcmgt   v27.2d, \p\().2d, \d\().2d
        mov     v28.16b, \q\().16b
        bit     v28.16b, \p\().16b, v27.16b
        mov     v29.16b, \p\().16b
        bit     v29.16b, \q\().16b, v27.16b
        bic     v30.16b, \p\().16b, v27.16b
        fsub    \d\().2d, \d\().2d, v30.2d
        fcmgt   v30.2d, most, \d\().2d
        and     v30.16b, v30.16b, v25.16b
        orr     v26.16b, v26.16b, v30.16b
        eor     v25.16b, v25.16b, v30.16b

        // k = v29 / v28.
        fmov    v30.2d, #-0.5
        fmov    v31.2d, #1.0
        fmla    v30.2d, half, v28.2d
        fdiv    v31.2d, v31.2d, v28.2d
        fsub    v29.2d, v29.2d, v30.2d
        mov     v28.16b, v22.16b
        fmla    v28.2d, v29.2d, v31.2d
        fsub    v28.2d, v28.2d, round
        and     v29.16b, v28.16b, v27.16b
        bic     v30.16b, v28.16b, v27.16b
        fmls    \q\().2d, v29.2d, \p\().2d
        fmls    \p\().2d, v30.2d, \q\().2d
        fmla    \u\().2d, v29.2d, \v\().2d
        fmla    \v\().2d, v30.2d, \u\().2d
        and     v28.16b, \q\().16b, v27.16b
        bic     v29.16b, \p\().16b, v27.16b
        and     v30.16b, \u\().16b, v27.16b
        bic     v31.16b, \v\().16b, v27.16b
        fsub    \p\().2d, \p\().2d, v28.2d
        fsub    \q\().2d, \q\().2d, v29.2d
        fadd    \v\().2d, \v\().2d, v30.2d
        fadd    \u\().2d, \u\().2d, v31.2d
        fmin    v28.2d, \p\().2d, \q\().2d
        fmax    v29.2d, \u\().2d, \v\().2d
        fcmgt   v28.2d, v28.2d, #0.0
        fcmgt   v29.2d, last, v29.2d
        and     v25.16b, v25.16b, v28.16b
        and     v25.16b, v25.16b, v29.16b
        stp     q25, q26, [sp, #128 + \place]
        orr     v24.16b, v24.16b, v25.16b
        .endm

// Domains with d below w have a case, those without gaps p no other.
        .macro start p, d, place
        fcmgt   v26.2d, most, \d\().2d
        fcmgt   v25.2d, \p\().2d, #0.0
        bic     v25.16b, v25.16b, v26.16b
        stp     q25, q26, [sp, #128 + \place]
        .endm

// A test of domains, block by block.
        .macro domains name
        // Mach-O accepts CFI only before the first label, so `frame` keeps the old sp to the end.
        mov     frame, sp
        sub     sp, sp, #320            // copies of the last domains, masks, and d8..d15
        .cfi_def_cfa frame, 0
        stp     d8, d9, [frame, #-64]
        stp     d10, d11, [frame, #-48]
        stp     d12, d13, [frame, #-32]
        stp     d14, d15, [frame, #-16]
        .cfi_offset d8, -64
        .cfi_offset d9, -56
        .cfi_offset d10, -48
        .cfi_offset d11, -40
        .cfi_offset d12, -32
        .cfi_offset d13, -24
        .cfi_offset d14, -16
        .cfi_offset d15, -8
        cbz     count, .Ldone_\name

        // n is at least 3. The strip is w, rounded up to 52 bits, plus n - 1.
        mov     at, #3
        cmp     n, at
        csel    n, n, at, hs
        tst     w, #4095
        cset    at, ne
        add     w, at, w, lsr #12
        add     w, w, n
        sub     w, w, #1
        dup     v23.2d, n
        ucvtf   last, v23.2d
        fmov    one, #1.0
        fmov    half, #0.5
        mov     at, #0x4338000000000000 // 1.5 2^52: adding it rounds to integers
        dup     round, at

        // The next 8 domains, or the last ones.
.Lblock_\name:
        mov     here, #8
        cmp     count, here
        csel    here, count, here, lo
        b.hs    .Lload_\name
        movi    v0.2d, #0
        .irp    offset, 0, 32, 64, 96
        stp     q0, q0, [sp, #\offset]
        .endr
        add     word, sp, #64
        sub     at, here, #1
.Lcopy_\name:
        ldr     hits, [a_at, at, lsl #3]
        str     hits, [sp, at, lsl #3]
        ldr     hits, [b_at, at, lsl #3]
        str     hits, [word, at, lsl #3]
        subs    at, at, #1
        b.pl    .Lcopy_\name
        mov     a_at, sp
        mov     b_at, word
.Lload_\name:
        mov     at, #0x4330000000000000 // 2^52
        dup     cut, at
        load    0, 4, 8, 12, 16
        load    1, 5, 9, 13, 17
        load    2, 6, 10, 14, 18
        load    3, 7, 11, 15, 19

        .ifc    \name, regular
        // The regular test of a block: bits of hits. The last quotient is replaced by 0, which keeps the
        // state. A half step that is not due, because its divisor is the larger gap, has quotients of 0 too.
        .balign 16
.Lloop_regular:
        first   v0, v4, v8, v12, v16, v24
        first   v1, v5, v9, v13, v17, v25
        first   v2, v6, v10, v14, v18, v26
        first   v3, v7, v11, v15, v19, v27
        second  v0, v4, v8, v12, v16, v24
        second  v1, v5, v9, v13, v17, v25
        second  v2, v6, v10, v14, v18, v26
        second  v3, v7, v11, v15, v19, v27
        orr     v24.16b, v24.16b, v25.16b
        orr     v26.16b, v26.16b, v27.16b
        orr     v24.16b, v24.16b, v26.16b
        umaxv   s24, v24.4s
        fmov    w6, s24
        cbnz    w6, .Lloop_regular

        dup     v24.2d, w
        ucvtf   v24.2d, v24.2d
        mov     hits, #0
        final   v3, v7, v11, v15, v19
        final   v2, v6, v10, v14, v18
        final   v1, v5, v9, v13, v17
        final   v0, v4, v8, v12, v16
        .else
        // Lefevre's test of a block: bits of hits. Domains with d below w have a case; those without gaps p
        // have no other.
        dup     most, w
        ucvtf   most, most
        start   v0, v8, 0
        start   v1, v9, 32
        start   v2, v10, 64
        start   v3, v11, 96
        mov     word, #1024

        .balign 16
.Lloop_lefevre:
        movi    v24.16b, #0
        turn    v0, v4, v8, v12, v16, 0
        turn    v1, v5, v9, v13, v17, 32
        turn    v2, v6, v10, v14, v18, 64
        turn    v3, v7, v11, v15, v19, 96
        umaxv   s24, v24.4s
        fmov    w6, s24
        cbz     w6, .Lfound_lefevre
        subs    word, word, #1
        b.ne    .Lloop_lefevre

.Lfound_lefevre:
        mov     hits, #0

        // The bits of two domains go below those already in hits. Those without an answer may have a case.
        .irp    place, 96, 64, 32, 0
        ldp     q25, q26, [sp, #128 + \place]
        orr     v26.16b, v26.16b, v25.16b
        umov    at, v26.d[1]
        umov    word, v26.d[0]
        sub     hits, at, hits, lsl #1
        neg     hits, hits
        sub     hits, word, hits, lsl #1
        neg     hits, hits
        .endr
        fmov    one, #1.0
        .endif

        // The bits of the block.
        mov     at, #-1
        lsl     at, at, here
        bic     hits, hits, at
        strb    w8, [bits], #1
        subs    count, count, here
        b.ne    .Lblock_\name

.Ldone_\name:
        ldp     d8, d9, [frame, #-64]
        ldp     d10, d11, [frame, #-48]
        ldp     d12, d13, [frame, #-32]
        ldp     d14, d15, [frame, #-16]
        mov     sp, frame
        ret
        .endm

// The regular test on domains: bit i mod 8 of `bits[i / 8]` is 0 if no x < `n` has b - a x mod 1 <
// w, for `a[i]`, `b[i]` and `w` in units of 2^-64.
//
//   void hl_hardround_regular_neon(const uint64_t *a, const uint64_t *b, size_t count, uint64_t n,
//       uint64_t w, uint8_t *bits);
//
// In      x0 = a, x1 = b, x2 = count, x3 = n, x4 = w, x5 = bits              Out  bits
// Uses    x0..x10, v0..v31     Stack  320 bytes
// Loop    a step of 8 domains: 8 half steps of 15 or 16 operations and a division; 108 cycles with
//         Neoverse N1, of which the two vector pipes need 80, and 66 with V1 (modelled)
// Tail    fewer domains are copied, with zeros after them
FUNC(hl_hardround_regular_neon)
        domains regular
END(hl_hardround_regular_neon)

// Lefevre's test on domains, with the arguments, results and limits of regular; after 1024 turns it
// says 1.
//
//   void hl_hardround_lefevre_neon(const uint64_t *a, const uint64_t *b, size_t count, uint64_t n,
//       uint64_t w, uint8_t *bits);
//
// In      x0 = a, x1 = b, x2 = count, x3 = n, x4 = w, x5 = bits              Out  bits
// Uses    x0..x10, v0..v31     Stack  320 bytes
// Loop    a turn of 8 domains: four times 39 operations and a division; bound by the two vector
//         pipes of Neoverse N1: 80 cycles (counted)
// Tail    fewer domains are copied, with zeros after them
FUNC(hl_hardround_lefevre_neon)
        domains lefevre
END(hl_hardround_lefevre_neon)
