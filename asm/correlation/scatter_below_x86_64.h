// Kernel scatter_below of SSE2 and AVX2: the frame, the walk over points and the additions to memory.
//
// Pairs below the limit are packed into a buffer. When it holds a batch of 64, the previous batch,
// whose bins are known, is added to its words, and the bins of this one are computed. Additions
// right after the square root that they depend on would fill the reorder buffer until it is done.
//
// The including file defines BYTES, the bytes of a vector, and the registers. `scatter_below` is the
// body of its function.

#include "hl.h"
#include "scatter_walk_x86_64.h"

#define BATCH       64
#define begin       qword ptr [rbp - 48]
#define saved_other qword ptr [rbp - 56]
#define saved_count qword ptr [rbp - 64]
// Number of pairs in the batch.
#define waiting     qword ptr [rbp - 72]
// 2^47, one pair.
#define one         r11
#define count       rcx
#define index       rdx

// The frame: squared distances and products of the buffer; bins and products of the batch; the rest
// of the points, padded with points that are infinitely far.
#define squares     0
#define products    320
#define bins        640
#define ready       896
#define rest_x      1152
#define rest_y      1216
#define rest_psi    1280
#define FRAME       1344

        // Adds the pair in lane `lane` of four to its word.
        .macro add_pair frame, lane, bin, table
        movsxd  rdi, dword ptr [\frame + ready + 4 * index + 4 * \lane]
        add     rdi, one
        add     [\table + 8 * \bin], rdi
        .endm

        // Adds all pairs of the batch to their words. `label` is a part of labels.
        .macro add_batch frame, label
        mov     rcx, waiting
        xor     edx, edx
        sub     rcx, 4
        jb      .Lpart_\label
        .balign 16
.Lfour_\label:
        mov     rax, [\frame + bins + 4 * index]
        mov     rbx, [\frame + bins + 4 * index + 8]
        mov     esi, eax
        add_pair \frame, 0, rsi, table_0
        shr     rax, 32
        add_pair \frame, 1, rax, table_1
        mov     esi, ebx
        add_pair \frame, 2, rsi, table_2
        shr     rbx, 32
        add_pair \frame, 3, rbx, table_3
        add     index, 4
        cmp     index, rcx
        jbe     .Lfour_\label
.Lpart_\label:
        add     rcx, 4
        sub     rcx, index
        jz      .Ladded_\label
        mov     esi, [\frame + bins + 4 * index]
        add_pair \frame, 0, rsi, table_0
        cmp     ecx, 2
        jb      .Ladded_\label
        mov     esi, [\frame + bins + 4 * index + 4]
        add_pair \frame, 1, rsi, table_1
        cmp     ecx, 2
        je      .Ladded_\label
        mov     esi, [\frame + bins + 4 * index + 8]
        add_pair \frame, 2, rsi, table_2
.Ladded_\label:
        .endm

        // Makes a batch of pairs of the buffer, rcx of them at most, in whole vectors.
        .macro fill_batch frame, label
        xor     edx, edx
        .balign 16
.Lfill_\label:
        .if     BYTES == 16
        movaps  xmm0, [\frame + 8 * index]
        movaps  xmm2, [\frame + 8 * index + 16]
        movaps  xmm1, xmm0
        shufps  xmm0, xmm2, 0x88
        shufps  xmm1, xmm2, 0xdd
        sqrtps  xmm0, xmm0
        mulps   xmm0, inverse
        maxps   xmm0, start
        subps   xmm0, start
        minps   xmm0, last
        cvttps2dq xmm0, xmm0
        movdqa  [\frame + bins + 4 * index], xmm0
        movaps  [\frame + ready + 4 * index], xmm1
        .else
        vsqrtps ymm0, [\frame + squares + 4 * index]
        vmovups ymm1, [\frame + products + 4 * index]
        vmulps  ymm0, ymm0, inverse
        vmaxps  ymm0, ymm0, start
        vsubps  ymm0, ymm0, start
        vminps  ymm0, ymm0, last
        vcvttps2dq ymm0, ymm0
        vmovaps [\frame + bins + 4 * index], ymm0
        vmovaps [\frame + ready + 4 * index], ymm1
        .endif
        add     index, WIDTH
        cmp     index, rcx
        jb      .Lfill_\label
        .endm

        // Appends pairs with other points to the buffer, where `count` pairs are already, and adds their
        // number to it.
        .macro step to_x, to_y, to_psi, label
        .if     BYTES == 16
        // The buffer holds a square and a product for each pair. A pair is stored, and overwritten by
        // the next one unless it is below the limit.
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
        movaps  xmm1, xmm0
        movaps  xmm3, xmm0
        cmpltps xmm1, limit
        unpcklps xmm0, xmm2
        unpckhps xmm3, xmm2
        movmskps ebx, xmm1
        movlps  [rsp+8 + 8 * count], xmm0
        shr     ebx
        adc     count, 0
        movhps  [rsp+8 + 8 * count], xmm0
        shr     ebx
        adc     count, 0
        movlps  [rsp+8 + 8 * count], xmm3
        shr     ebx
        adc     count, 0
        movhps  [rsp+8 + 8 * count], xmm3
        .else
        // Differences have the opposite sign, which squaring removes.
        vsubps  ymm0, x, [\to_x]
        vsubps  ymm1, y, [\to_y]
        vsubps  ymm0, ymm0, shift_x
        vsubps  ymm1, ymm1, shift_y
        vmulps  ymm0, ymm0, ymm0
        vmulps  ymm1, ymm1, ymm1
        vpmaddwd ymm2, psi, [\to_psi]
        vaddps  ymm0, ymm0, ymm1
        vcmpltps ymm1, ymm0, limit
        vmovmskps ebx, ymm1
        lea     rdi, [rip+.Lorders]
        vpmovzxbd ymm3, [rdi+8*rbx]
        popcnt  ebx, ebx
        vpermps ymm0, ymm3, ymm0
        vpermd  ymm2, ymm3, ymm2
        vmovups [rsp+8 + squares + 4 * count], ymm0
        vmovdqu [rsp+8 + products + 4 * count], ymm2
        .endif
        add     count, rbx
        cmp     count, BATCH
        jb      .Lstay_\label
        call    .Lbatch
.Lstay_\label:
        .endm

        .macro scatter_below
        enter   FRAME + 72, 64, rax

        // Other points: whole vectors, and a copy of the rest.
        mov     other_psi, arg_psi
        mov     edx, WIDTH - 1
        and     rdx, rax
        mov     rest, rdx
        sub     rax, rdx
        lea     other_x, [other_x + 4 * rax]
        lea     other_y, [other_y + 4 * rax]
        lea     other_psi, [other_psi + 4 * rax]
        neg     rax
        mov     begin, rax
        test    edx, edx
        jz      .Lcopied
        mov     ecx, WIDTH
.Lpad:
        mov     dword ptr [rsp + 8 + rest_x + 4 * rcx - 4], 0x7f800000
        mov     dword ptr [rsp + 8 + rest_y + 4 * rcx - 4], 0
        dec     ecx
        jnz     .Lpad
.Lcopy:
        mov     eax, [other_x + 4 * rdx - 4]
        mov     [rsp + 8 + rest_x + 4 * rdx - 4], eax
        mov     eax, [other_y + 4 * rdx - 4]
        mov     [rsp + 8 + rest_y + 4 * rdx - 4], eax
        mov     eax, [other_psi + 4 * rdx - 4]
        mov     [rsp + 8 + rest_psi + 4 * rdx - 4], eax
        dec     edx
        jnz     .Lcopy
.Lcopied:

        // Tables and constants; nothing waits.
        mov     rax, arg_shift
        mov     rbx, arg_bins
        mov     table_0, arg_words
        lea     table_1, [table_0 + 8 * rbx + 8]
        lea     table_2, [table_1 + 8 * rbx + 8]
        lea     table_3, [table_2 + 8 * rbx + 8]
        .if     BYTES == 16
        movaps  limit, xmm0
        shufps  limit, limit, 0
        movaps  inverse, xmm1
        shufps  inverse, inverse, 0
        movaps  start, xmm2
        shufps  start, start, 0
        cvtsi2ss last, rbx
        shufps  last, last, 0
        .else
        vbroadcastss limit, xmm0
        vbroadcastss inverse, xmm1
        vbroadcastss start, xmm2
        vcvtsi2ss xmm0, xmm0, rbx
        vbroadcastss last, xmm0
        .endif
        broadcast shift_x, [rax]
        broadcast shift_y, [rax+4]
        mov     one, 1 << 47
        xor     ecx, ecx
        mov     waiting, rcx

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
        step    other_x+4*other, other_y+4*other, other_psi+4*other, whole
        add     other, WIDTH
        jnz     .Lvector
.Lrest:
        cmp     rest, 0
        je      .Lnext
        step    rsp+8+rest_x, rsp+8+rest_y, rsp+8+rest_psi, part
.Lnext:
        inc     point
        jnz     .Lpoint

        // The batch, then the pairs in the buffer.
        mov     saved_count, count
        add_batch rsp+8, last_batch
        mov     rcx, saved_count
        mov     waiting, rcx
        fill_batch rsp+8, buffer
        add_batch rsp+8, buffer
.Lnone:
        ret

        // The buffer holds a batch.
.Lbatch:
        mov     saved_other, other
        mov     saved_count, count
        add_batch rsp+16, full
        mov     ecx, BATCH
        mov     waiting, rcx
        fill_batch rsp+16, full
        .if     BYTES == 16
        movaps  xmm0, [rsp+16 + 8 * BATCH]
        movaps  xmm1, [rsp+16 + 8 * BATCH + 16]
        movaps  [rsp+16], xmm0
        movaps  [rsp+16 + 16], xmm1
        .else
        vmovaps ymm0, [rsp+16 + squares + 4 * BATCH]
        vmovaps ymm1, [rsp+16 + products + 4 * BATCH]
        vmovaps [rsp+16 + squares], ymm0
        vmovaps [rsp+16 + products], ymm1
        .endif
        mov     other, saved_other
        mov     count, saved_count
        sub     count, BATCH
        ret
        .endm
