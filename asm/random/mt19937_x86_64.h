// The walk over the MT19937 state, shared by SSE2, AVX2 and AVX-512.
//
// An including file defines STEP, the bytes of a vector; the registers; and a macro:
//
//   generate a, b, back  twists the vectors in `a` at offset i, interleaved with tempering the
//                        vectors in `b`, twisted before, and writes their numbers at offset i -
//                        back; `a` and `b` are masks of 6 bits
//
// `walk` is then the body of its functions. It writes the numbers as integers, or as floats if
// `uniform` is 1.

// Repeats a statement for each vector v that is twisted or tempered; the statement names registers
// by v.
        .macro twist statement:vararg
        .irp v, 0, 1, 2, 3, 4, 5
        .if (twisted >> \v) & 1
        \statement
        .endif
        .endr
        .endm

        .macro temper statement:vararg
        .irp v, 0, 1, 2, 3, 4, 5
        .if (tempered >> \v) & 1
        \statement
        .endif
        .endr
        .endm

#define state       rdi
#define lanes       rsi
#define position    rdx
#define dst         rcx
#define wanted      r8

#define offset      rax
#define end227      r9
#define end623      r10
#define end624      r11
#define temporary   r15

// One run of words: i counts from minus its length to 0, the pointers point to its end.
#define i           r13
#define word        r14
#define next        rbx
#define partner     r12

        .macro walk name, uniform
        .set    UNIFORM, \uniform
        .irp    register, rbx, r12, r13, r14, r15
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr

        // Count everything in bytes.
        mov     offset, [position]
        shl     offset, 2
        shl     lanes, 2
        shl     wanted, 2
        imul    end227, lanes, 227
        imul    end623, lanes, 623
        lea     end624, [end623 + lanes]
        .if     STEP == 16
        movdqa  upper, [rip + .Lupper]
        movdqa  one, [rip + .Lone]
        movdqa  matrix, [rip + .Lmatrix]
        movdqa  mask_b, [rip + .Lmask_b]
        .else
        vpbroadcastd upper, [rip + .Lupper]
        .if     STEP == 32
        vbroadcastf128 matrix, [rip + .Lmatrix]
        .else
        vbroadcasti32x4 matrix, [rip + .Lmatrix]
        .endif
        vpbroadcastd mask_b, [rip + .Lmask_b]
        vpbroadcastd mask_c, [rip + .Lmask_c]
        .if     STEP == 64 && UNIFORM
        vpbroadcastd scale, [rip + .Lscale]
        .endif
        .endif
        test    wanted, wanted
        jz      .Ldone_\name

.Lrun_\name:
        // The partner of rows 0..227 is 397 rows ahead; the partner of later rows is 227 rows
        // behind.
        mov     i, end227
        mov     partner, end624
        sub     partner, end227
        mov     temporary, end227
        neg     temporary
        cmp     offset, end227
        cmovae  i, end623
        cmovae  partner, temporary

        // The row after row 623 is row 0.
        mov     next, lanes
        mov     temporary, end623
        neg     temporary
        cmp     offset, end623
        cmovae  i, end624
        cmovae  next, temporary

        // The run ends with these rows or with the last wanted number.
        sub     i, offset
        cmp     i, wanted
        cmova   i, wanted
        sub     wanted, i
        add     offset, i
        add     dst, i
        lea     word, [state + offset]
        add     next, word
        add     partner, word
        neg     i

        // Six vectors a turn: three are tempered while the other three are twisted.
        cmp     i, -6 * STEP
        jg      .Lvectors_\name
        generate 0b000111, 0, 0
        jmp     .Lenter_\name
        .balign 64
.Lloop_\name:
        generate 0b000111, 0b111000, 6*STEP
.Lenter_\name:
        generate 0b111000, 0b000111, 0
        add     i, 6 * STEP
        cmp     i, -6 * STEP
        jle     .Lloop_\name
        generate 0, 0b111000, 6*STEP

.Lvectors_\name:
        cmp     i, -STEP
        jg      .Lrest_\name
        generate 0b000001, 0, 0
        generate 0, 0b000001, 0
        add     i, STEP
        jmp     .Lvectors_\name

.Lrest_\name:
        test    i, i
        jz      .Lnext_\name

        // Fewer words than a vector, one by one or under a mask.
        .if     STEP == 16
.Lone_by_one_\name:
        generate 1, 0, 0, movd
        generate 0, 1, 0, movd
        add     i, 4
        jnz     .Lone_by_one_\name
        .elseif STEP == 32
.Lone_by_one_\name:
        vmovd   xmm0, [word + i]
        vmovd   xmm1, [next + i]
        vmovd   xmm2, [partner + i]
        vpxor   ymm0, ymm0, ymm1
        vpand   ymm0, ymm0, upper
        vpxor   ymm0, ymm0, ymm1
        vpermilps ymm1, matrix, ymm1
        vpsrld  ymm0, ymm0, 1
        vpxor   ymm1, ymm1, ymm2
        vpxor   ymm0, ymm0, ymm1
        vmovd   [word + i], xmm0
        generate 0, 1, 0, vmovd, xmm
        add     i, 4
        jnz     .Lone_by_one_\name
        .else
        mov     temporary, i
        neg     temporary
        shr     temporary, 2
        bzhi    r15d, [rip + .Lones], r15d
        kmovw   rest, r15d
        vmovdqu32 zmm0{rest}{z}, [word + i]
        vmovdqu32 zmm1{rest}{z}, [next + i]
        vmovdqu32 zmm2{rest}{z}, [partner + i]
        vpternlogd zmm0, upper, zmm1, 0xe2
        vpermilps zmm1, matrix, zmm0
        vpsrld  zmm0, zmm0, 1
        vpternlogd zmm0, zmm1, zmm2, 0x96
        vmovdqu32 [word + i]{rest}, zmm0
        vpsrld  zmm1, zmm0, 11
        vpxord  zmm0, zmm0, zmm1
        vpslld  zmm1, zmm0, 7
        vpternlogd zmm0, zmm1, mask_b, 0x78
        vpslld  zmm1, zmm0, 15
        vpternlogd zmm0, zmm1, mask_c, 0x78
        vpsrld  zmm1, zmm0, 18
        vpxord  zmm0, zmm0, zmm1
        .if     UNIFORM
        vpsrld  zmm0, zmm0, 8
        vcvtdq2ps zmm0, zmm0
        vmulps  zmm0, zmm0, scale
        .endif
        vmovdqu32 [dst + i]{rest}, zmm0
        .endif

.Lnext_\name:
        xor     temporary, temporary
        cmp     offset, end624
        cmove   offset, temporary
        test    wanted, wanted
        jnz     .Lrun_\name

.Ldone_\name:
        shr     offset, 2
        mov     [position], offset
        .if     STEP > 16
        vzeroupper
        .endif
        .irp    register, r15, r14, r13, r12, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
        ret
        .endm
