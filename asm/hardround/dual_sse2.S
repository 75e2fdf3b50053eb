// The rows of pieces of arcs that may hold a case: bit i of `hits[32 b + j]` for row j of piece i of
// bundle b.
//
//   void hl_hardround_dual_sse2(const hl_hardround_bundle *bundles, size_t count, uint32_t *hits);
//
// In      rdi = bundles, rsi = count, rdx = hits
//                                           Out  hits[32 * b + j]
// Uses    rax, rcx, rdx, rsi, rdi, r8..r11, xmm0..xmm15     Stack  none
// Loop    8 rows: 2 vectors of pieces, 12 operations each; bound by the 3 vector ports (8 cycles on
//         Granite Rapids, where the 2 square roots take 6)
// Bound   8 cycles for 8 elements on Granite Rapids
// Tail    none

#include "hl.h"

#define bundles     rdi
#define count       rsi
#define hits        rdx
#define last        rcx         // the number of the row after the last one
#define number      rax         // of a row
#define fields      r9          // 8 pieces of a bundle
#define out         r10         // the bytes of words that belong to them
#define end         r11
#define bits        r8d

// The rows of 4 pieces, whose heights are in `t`: all ones where both positions exceed the limit.
        .macro test_rows t, u, scale, from, limit
        sqrtps  \t, \t
        mulps   \t, \scale
        cvtps2dq \t, \t
        pslld   \t, 18
        movdqa  \u, \from
        psubd   \u, \t
        paddd   \t, \from
        pcmpgtd \u, \limit
        pcmpgtd \t, \limit
        pand    \t, \u
        .endm

// Writes the bits of 8 pieces.
        .macro put
        packssdw xmm0, xmm2
        packsswb xmm0, xmm0
        pmovmskb bits, xmm0
        not     bits
        mov     [out], r8b
        .endm

FUNC(hl_hardround_dual_sse2)
        test    count, count
        jz      .Ldone

.Lbundle:
        mov     ecx, [bundles + 896]
        mov     eax, 32
        cmp     ecx, eax
        cmova   ecx, eax
        test    ecx, ecx
        jz      .Lnext
        shl     ecx, 4
        lea     rax, [rip + .Lnumbers]
        add     last, rax
        mov     fields, bundles
        mov     out, hits
        lea     end, [hits + 4]

.Lpieces:
        movups  xmm12, [fields + 128]           // height
        movups  xmm13, [fields + 144]
        movups  xmm4, [fields]                  // scale
        movups  xmm5, [fields + 16]
        movdqu  xmm6, [fields + 256]            // base
        movdqu  xmm7, [fields + 272]
        movdqu  xmm8, [fields + 384]            // step
        movdqu  xmm9, [fields + 400]
        movdqu  xmm14, [fields + 640]           // extra
        movdqu  xmm15, [fields + 656]
        movdqu  xmm10, [fields + 768]           // first
        movdqu  xmm11, [fields + 784]
        movaps  xmm0, xmm12
        movaps  xmm2, xmm13
        paddd   xmm14, xmm6
        paddd   xmm15, xmm7
        lea     number, [rip + .Lnumbers + 16]
        test_rows xmm0, xmm1, xmm4, xmm14, xmm10
        test_rows xmm2, xmm3, xmm5, xmm15, xmm11
        movdqu  xmm10, [fields + 512]           // limit
        movdqu  xmm11, [fields + 528]
        put
        cmp     number, last
        jae     .Lfilled

.Lrow:
        movaps  xmm0, [number]
        movaps  xmm2, xmm0
        addps   xmm0, xmm12
        addps   xmm2, xmm13
        psubd   xmm6, xmm8
        psubd   xmm7, xmm9
        add     out, 4
        add     number, 16
        test_rows xmm0, xmm1, xmm4, xmm6, xmm10
        test_rows xmm2, xmm3, xmm5, xmm7, xmm11
        put
        cmp     number, last
        jb      .Lrow

.Lfilled:
        add     fields, 32
        mov     out, fields
        sub     out, bundles
        shr     out, 5
        add     out, hits
        cmp     out, end
        jb      .Lpieces

.Lnext:
        add     bundles, 900
        add     hits, 128
        sub     count, 1
        jnz     .Lbundle
.Ldone:
        ret
END(hl_hardround_dual_sse2)

        RODATA
        .balign 16
.Lnumbers:                              // of rows, each four times
        .irp    row, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        .float  \row, \row, \row, \row
        .endr
        .irp    row, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        .float  \row, \row, \row, \row
        .endr
