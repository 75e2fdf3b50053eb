// Kernel scatter of SSE2 and AVX2: the frame, the walk over points and the additions to memory.
//
// Bins and increments are computed in vectors and pass through a ring of 64 pairs before they are
// added to their words. Additions right after the square root that they depend on would fill the
// reorder buffer until it is done.
//
// The including file defines BYTES, the bytes of a vector; MOVE, an aligned vector move; the
// registers; and .Lone. `scatter` is the body of its function.

#include "hl.h"
#include "scatter_walk_x86_64.h"

#define begin       r11

// The ring: bins, then the increments of their pairs in two parts. It starts at a multiple of 256,
// so that the low byte of the pointer wraps.
#define ring        rcx
#define ring_end    cl
#define RING        256

// The rest, padded; the count of a pair, 0 for the padding.
#define rest_x      rsp + 776
#define rest_y      rsp + 840
#define rest_psi    rsp + 904
#define rest_one    rsp + 968
#define FRAME       1024

        // Adds the oldest vector in the ring, each time two pairs of four and the two others.
        .macro add_vector
        .irp    lane, 0, 16, 32, 48
        .if     \lane < BYTES
        mov     rbx, [ring + \lane]
        mov     esi, ebx
        shr     rbx, 32
        mov     rdi, [ring + RING+\lane]
        mov     rdx, [ring + RING+\lane + 8]
        add     [table_0 + 8 * rsi], rdi
        add     [table_1 + 8 * rbx], rdx
        mov     rbx, [ring + \lane+8]
        mov     esi, ebx
        shr     rbx, 32
        mov     rdi, [ring + 2*RING+\lane]
        mov     rdx, [ring + 2*RING+\lane + 8]
        add     [table_2 + 8 * rsi], rdi
        add     [table_3 + 8 * rbx], rdx
        .endif
        .endr
        .endm

        // Computes the bins of other points and the increments of their pairs, of each four two in `low`
        // and two in `high`; they take the place of the oldest ones in the ring, which are added.
        .macro step to_x, to_y, to_psi, count
        .if     BYTES == 16
        movups  xmm0, [\to_x]
        movups  xmm1, [\to_y]
        movdqu  xmm2, [\to_psi]
        subps   xmm0, x
        subps   xmm1, y
        pmaddwd xmm2, psi
        addps   xmm0, shift_x
        addps   xmm1, shift_y
        mulps   xmm0, xmm0
        mulps   xmm1, xmm1
        addps   xmm0, xmm1
        sqrtps  xmm0, xmm0
        mulps   xmm0, inverse
        maxps   xmm0, start
        subps   xmm0, start
        minps   xmm0, last
        cvttps2dq bin, xmm0
        movdqa  xmm3, xmm2
        movdqa  high, xmm2
        psrad   xmm3, 31
        paddd   xmm3, \count
        punpckldq low, xmm3
        punpckhdq high, xmm3
        .else
        // Differences have the opposite sign, which squaring removes.
        vsubps  ymm0, x, [\to_x]
        vsubps  ymm1, y, [\to_y]
        vsubps  ymm0, ymm0, shift_x
        vsubps  ymm1, ymm1, shift_y
        vmulps  ymm0, ymm0, ymm0
        vmulps  ymm1, ymm1, ymm1
        vaddps  ymm0, ymm0, ymm1
        vsqrtps ymm0, ymm0
        vmulps  ymm0, ymm0, inverse
        vmaxps  ymm0, ymm0, start
        vsubps  ymm0, ymm0, start
        vminps  ymm0, ymm0, last
        vcvttps2dq bin, ymm0
        vpmaddwd ymm2, psi, [\to_psi]
        vpsrad  ymm3, ymm2, 31
        vpaddd  ymm3, ymm3, \count
        vpunpckldq low, ymm2, ymm3
        vpunpckhdq high, ymm2, ymm3
        .endif
        add_vector
        MOVE    [ring], bin
        MOVE    [ring + RING], low
        MOVE    [ring + 2 * RING], high
        add     ring_end, BYTES
        .endm

        .macro scatter
        enter   FRAME + 40, RING, begin

        // Tables, constants and an empty ring (zeros).
        mov     rax, arg_shift
        mov     rbx, arg_bins
        mov     table_0, arg_words
        lea     table_1, [table_0 + 8 * rbx + 8]
        lea     table_2, [table_1 + 8 * rbx + 8]
        lea     table_3, [table_2 + 8 * rbx + 8]
        .if     BYTES == 16
        movaps  inverse, xmm0
        shufps  inverse, inverse, 0
        movaps  start, xmm1
        shufps  start, start, 0
        cvtsi2ss last, rbx
        shufps  last, last, 0
        .else
        vbroadcastss inverse, xmm0
        vbroadcastss start, xmm1
        vcvtsi2ss xmm1, xmm1, rbx
        vbroadcastss last, xmm1
        .endif
        broadcast shift_x, [rax]
        broadcast shift_y, [rax+4]
        broadcast one, [rip+.Lone]
        lea     ring, [rsp + 8]
        .if     BYTES == 16
        pxor    bin, bin
        .else
        vpxor   bin, bin, bin
        .endif
        xor     eax, eax
.Lclear:
        MOVE    [ring + rax], bin
        add     eax, BYTES
        cmp     eax, FRAME
        jne     .Lclear

        // Other points: whole vectors, and a copy of the rest.
        mov     other_psi, arg_psi
        mov     edx, WIDTH - 1
        and     rdx, begin
        mov     rest, rdx
        sub     begin, rdx
        lea     other_x, [other_x + 4 * begin]
        lea     other_y, [other_y + 4 * begin]
        lea     other_psi, [other_psi + 4 * begin]
        neg     begin
        test    edx, edx
        jz      .Lpoint
.Lcopy:
        mov     eax, [other_x + 4 * rdx - 4]
        mov     [rest_x + 4 * rdx - 4], eax
        mov     eax, [other_y + 4 * rdx - 4]
        mov     [rest_y + 4 * rdx - 4], eax
        mov     eax, [other_psi + 4 * rdx - 4]
        mov     [rest_psi + 4 * rdx - 4], eax
        mov     dword ptr [rest_one + 4 * rdx - 4], 0x8000
        dec     edx
        jnz     .Lcopy

.Lpoint:
        mov     rax, point
        mov     rbx, end_x
        mov     rsi, end_y
        mov     rdi, end_psi
        broadcast x, [rbx+4*rax]
        broadcast y, [rsi+4*rax]
        broadcast psi, [rdi+4*rax]
        mov     other, begin
        test    other, other
        jz      .Lrest
        .balign 32
.Lvector:
        step    other_x+4*other, other_y+4*other, other_psi+4*other, one
        add     other, WIDTH
        jnz     .Lvector
.Lrest:
        cmp     rest, 0
        je      .Lnext
        step    rest_x, rest_y, rest_psi, [rest_one]
.Lnext:
        inc     point
        jnz     .Lpoint

        // Drain the ring.
        mov     eax, RING / BYTES
.Ldrain:
        add_vector
        add     ring_end, BYTES
        dec     eax
        jnz     .Ldrain
.Lnone:
        ret
        .endm
