// Fixed lanes and their tree with SSE2: 16 vectors.
//
// 16 vectors and a term are more than 16 registers, so the last vectors stay in memory. Operands in memory must be aligned: where
// x is (for dot products, y is), a term needs one register less, and one vector more has its own.

#include "lanes_x86_64.h"

#define bytes       n
#ifdef DOT
# define aligned    sil
# define low_bits   dl
# define factor     xmm14
# define own        factor
# define own_memory memory(14)
#else
# define aligned    dil
# define low_bits   sil
# define own        term
# define own_memory memory(15)
#endif
#define at          rax
#define term        xmm15

// On the stack, aligned: vector i, and what is behind the last whole vector.
#define memory(i)   [rsp + 16*(i - 13)]
#define last        [rsp]

        .macro each_in_register instruction:vararg
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
        \instruction
        .endr
#ifndef DOT
        .irp    i, 14
        \instruction
        .endr
#endif
        .endm

        .macro each_in_memory instruction:vararg
#ifdef DOT
        .irp    i, 14, 15
#else
        .irp    i, 15
#endif
        \instruction
        .endr
        .endm

        .macro load to, i
        P(movu) \to, [x + 16*\i]
#ifdef DOT
        P(movu) factor, [y + 16*\i]
        P(mul)  \to, factor
#endif
        .endm

        // Vector i, in a register or in memory, goes on.
        .macro next i
        load    term, \i
        P(add)  xmm\i, term
        .endm

        .macro next_memory i
        load    term, \i
        P(add)  term, memory(\i)
        P(mova) memory(\i), term
        .endm

        .macro next_aligned i
#ifdef DOT
        P(movu) term, [x + 16*\i]
        P(mul)  term, [y + 16*\i]
        P(add)  xmm\i, term
#else
        P(add)  xmm\i, [x + 16*\i]
#endif
        .endm

        // The elements behind the last whole vector, and -0; a factor that is missing is +0.
        .macro load_last name
        P(mova) term, [rip + .Lminus]
#ifdef DOT
        xorps   factor, factor
#endif
#if BYTES == 4
        test    low_bits, 4
        jz      .Leven_\name
        movss   term, [x + bytes - 4]
        orps    term, [rip + .Lupper]
# ifdef DOT
        movss   factor, [y + bytes - 4]
# endif
.Leven_\name:
        test    low_bits, 8
        jz      .Lwhole_\name
        mov     at, bytes
        and     at, -16
        movlhps term, term
        movlps  term, [x + at]
# ifdef DOT
        movlhps factor, factor
        movlps  factor, [y + at]
# endif
#else
        test    low_bits, 8
        jz      .Lwhole_\name
        movlpd  term, [x + bytes - 8]
# ifdef DOT
        movsd   factor, [y + bytes - 8]
# endif
#endif
.Lwhole_\name:
#ifdef DOT
        P(mul)  term, factor
#endif
        .endm

        // What is left for vector i and those behind it: at most a part, or more.
        .macro rest_from i
        cmp     bytes, 16*\i + 16
        jb      .Lrest\i
        next    \i
        .endm

        .macro rest i
.Lrest\i:
        P(add)  xmm\i, last
        jmp     .Ltree
        .endm

        .macro add_to to, from
        P(add)  xmm\to, xmm\from
        .endm

        .macro add_last to
        P(add)  xmm\to, term
        .endm

        .macro lanes
        shl     bytes, BYTES / 4 + 1
        cmp     bytes, 128
        jb      .Lfew
        sub     rsp, 56
        .cfi_adjust_cfa_offset 56

        P(mova) term, [rip + .Lminus]
        each_in_register P(mova) xmm\i, term
        each_in_memory P(mova) memory(\i), term
        sub     bytes, 256
        jb      .Llast
        test    aligned, 15
        jz      .Laligned

        .balign 32
.Lloop:
        each_in_register next \i
        each_in_memory next_memory \i
        step
        sub     bytes, 256
        jae     .Lloop

        // The rest: whole vectors, then a part.
.Llast:
        add     bytes, 256
        jz      .Ltree
        load_last rest
        P(mova) last, term
        each_in_register rest_from \i
#ifdef DOT
        cmp     bytes, 240
        jb      .Lrest14
        next_memory 14
#endif
        P(mova) term, last
        P(add)  term, memory(15)
        P(mova) memory(15), term

        // The upper half of the lanes onto the lower half, until one is left.
.Ltree:
        P(add)  xmm7, memory(15)
#ifdef DOT
        P(add)  xmm6, memory(14)
#else
        P(add)  xmm6, xmm14
#endif
        .cfi_remember_state
        add     rsp, 56
        .cfi_adjust_cfa_offset -56
        P(add)  xmm5, xmm13
        P(add)  xmm4, xmm12
        P(add)  xmm3, xmm11
        P(add)  xmm2, xmm10
        P(add)  xmm1, xmm9
        P(add)  xmm0, xmm8
        halve_8
        movhlps xmm1, xmm0
#if BYTES == 4
        addps   xmm0, xmm1
        movaps  xmm1, xmm0
        shufps  xmm1, xmm1, 0x55
#endif
        S(add)  xmm0, xmm1
        S(ucomi) xmm0, xmm0
        jp      .Lnan
        ret
.Lnan:
        S(mov)  xmm0, [rip + .Lquiet]
        ret
        .cfi_restore_state

        // Aligned operands.
.Laligned:
#ifdef DOT
        P(mova) own, term
#endif
        .balign 32
.Laligned_loop:
        each_in_register next_aligned \i
#ifdef DOT
        next_aligned 14
        P(movu) term, [x + 240]
        P(mul)  term, [y + 240]
        P(add)  term, memory(15)
        P(mova) memory(15), term
#else
        next_aligned 15
#endif
        step
        sub     bytes, 256
        jae     .Laligned_loop
        P(mova) own_memory, own
        jmp     .Llast

        each_in_register rest \i
#ifdef DOT
.Lrest14:
        P(mova) term, last
        P(add)  term, memory(14)
        P(mova) memory(14), term
        jmp     .Ltree
#endif

        // Less than half as many elements as lanes.
.Lfew:
        .cfi_def_cfa_offset 8
        test    bytes, bytes
        jz      .Lnothing
        load_last few
        .irp    i, 0, 1, 2, 3, 4, 5, 6
        cmp     bytes, 16*\i + 16
        jb      .Lfew\i
        load    xmm\i, \i
        .endr
        halve_last_8
        P(mova) xmm0, term
        jmp     .Ltree1
.Lnothing:
        xorps   xmm0, xmm0
        ret
        .endm

        .macro lanes_constants
        .balign 16
.Lminus:                                // -0
        zeros   1, 16 / BYTES
#if BYTES == 4
.Lupper:                                // -0 but for the first
        .long   0, 1 << 31, 1 << 31, 1 << 31
#endif
.Lquiet:                                // NaN
        quiet
        .endm
