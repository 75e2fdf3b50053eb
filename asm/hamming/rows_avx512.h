// Kernels of single rows, with AVX-512: all instances of one template.
//
// Eight rows at a time, each with a sum in 64-bit lanes. The last vector of a row is read under a
// mask. The including file sets TABLES to 1 if it counts with nibble tables, to 0 with VPOPCNTQ.

#define query       rdi
#define rows        rsi
#define n           rdx
#define bits        rcx
#define stride      r8
#define out         r9

// The next vector of rows 0 to 3, of rows 4 to 7, and of the query.
#define low         rax
#define high        r10
#define at          r11
#define stride3     rbx

// The vectors of a row: blocks of 4, single ones, and a last one unless `rest` is 0.
#define left        rcx
#define blocks      rbp
#define singles     r12
#define rest        r13

// zmm0 to zmm7 are the sums of eight rows. The mask of the last vector, and the query's last vector.
#define of_query    zmm14
#define rest_bits   zmm15
#define of_rest     zmm16

#define by_1        zmm24
#define by_2        zmm25
#define nibble      zmm26
#define zero        zmm27

// Functions of three bits for vpternlog: exclusive or, and majority.
#define XOR         0x96
#define MAJORITY    0xe8

// A vector of a row, combined with the query: `op` is and, xor or none.
        .macro vector op, to, row, offset
        .ifc    \op, none
        vmovdqu64 \to, [\row+\offset]
        .else
        vmovdqu64 \to, [at+\offset]
        vp\op\()q \to, \to, [\row+\offset]
        .endif
        .endm

// Calls a macro for each of 8 rows, or for one: with the number of its sum and the row's address.
        .macro each number, statement, arguments:vararg
        \statement 0, low, \arguments
        .if     \number > 1
        \statement 1, low+stride, \arguments
        \statement 2, low+2*stride, \arguments
        \statement 3, low+stride3, \arguments
        \statement 4, high, \arguments
        \statement 5, high+stride, \arguments
        \statement 6, high+2*stride, \arguments
        \statement 7, high+stride3, \arguments
        .endif
        .endm

// The popcount of each byte of v, times a weight.
        .macro ones v, t, by, mask
        vpsrlw  \t, \v, 4
        vpandq  \v, \v, \mask
        vpandq  \t, \t, \mask
        vpshufb \v, \by, \v
        vpshufb \t, \by, \t
        vpaddb  \v, \v, \t
        .endm

// The popcount of each 64-bit lane of register 8 of the class v, zmm or ymm; overwrites register 9.
        .macro count v
        .if     TABLES
        ones    \v\()8, \v\()9, \v\()24, \v\()26
        vpsadbw \v\()8, \v\()8, \v\()27
        .else
        vpopcntq \v\()8, \v\()8
        .endif
        .endm

// Adds four vectors to the sum zmm<i>. With tables, a full adder reduces three of them to two.
        .macro four i, row, op
        vector  \op, zmm8, \row, 0
        vector  \op, zmm9, \row, 64
        vector  \op, zmm10, \row, 128
        vector  \op, zmm11, \row, 192
        .if     TABLES
        vmovdqa64 zmm12, zmm8
        vpternlogq zmm12, zmm9, zmm10, MAJORITY
        vpternlogq zmm8, zmm9, zmm10, XOR
        ones    zmm12, zmm13, by_2, nibble
        ones    zmm8, zmm9, by_1, nibble
        ones    zmm11, zmm10, by_1, nibble
        vpaddb  zmm8, zmm8, zmm12
        vpaddb  zmm8, zmm8, zmm11
        vpsadbw zmm8, zmm8, zero
        vpaddq  zmm\i, zmm\i, zmm8
        .else
        vpopcntq zmm8, zmm8
        vpopcntq zmm9, zmm9
        vpopcntq zmm10, zmm10
        vpopcntq zmm11, zmm11
        vpaddq  zmm8, zmm8, zmm9
        vpaddq  zmm10, zmm10, zmm11
        vpaddq  zmm\i, zmm\i, zmm8
        vpaddq  zmm\i, zmm\i, zmm10
        .endif
        .endm

        .macro single i, row, op
        .ifc    \op, none
        vmovdqu64 zmm8, [\row]
        .else
        vp\op\()q zmm8, of_query, [\row]
        .endif
        count   zmm
        vpaddq  zmm\i, zmm\i, zmm8
        .endm

// The last vector, under its mask: added to a sum in zmm, or the only one, in ymm.
        .macro last i, row, op, v
        vmovdqu8 \v\()8{k1}{z}, [\row]
        .ifc    \op, none
        vpandq  \v\()8, \v\()8, \v\()15
        .endif
        .ifc    \op, and
        vpternlogq \v\()8, \v\()16, \v\()15, 0x80
        .endif
        .ifc    \op, xor
        vpternlogq \v\()8, \v\()16, \v\()15, 0x28
        .endif
        count   \v
        .ifc    \v, zmm
        vpaddq  zmm\i, zmm\i, zmm8
        .else
        vmovdqa64 ymm\i, ymm8
        .endif
        .endm

// Adds up the lanes of eight sums in ymm, or of one, stores the totals and goes on to the next rows. Rows
// left after the last whole strip are counted with its last ones.
        .macro store number, name, loop
        .if     \number > 1
        vshufps ymm0, ymm0, ymm1, 0x88
        vshufps ymm2, ymm2, ymm3, 0x88
        vshufps ymm4, ymm4, ymm5, 0x88
        vshufps ymm6, ymm6, ymm7, 0x88
        vphaddd ymm0, ymm0, ymm2
        vphaddd ymm4, ymm4, ymm6
        vshufi64x2 ymm1, ymm0, ymm4, 0
        vshufi64x2 ymm2, ymm0, ymm4, 3
        vpaddd  ymm0, ymm1, ymm2
        vmovdqu [out], ymm0
        .else
        vextracti128 xmm1, ymm0, 1
        vpaddd  xmm0, xmm0, xmm1
        vpshufd xmm1, xmm0, 0x4e
        vpaddd  xmm0, xmm0, xmm1
        vmovd   [out], xmm0
        .endif
        lea     rows, [rows + \number*stride]
        add     out, 4*\number
        sub     n, \number
        jae     .L\loop\()_\number\()_\name
        .if     \number > 1
        lea     out, [out + 4*n]
        mov     rax, n
        imul    rax, stride
        add     rows, rax
        add     n, \number
        mov     eax, 0
        cmovnz  n, rax
        jnz     .L\loop\()_\number\()_\name
        .endif
        jmp     .Lrestore_\name
        .endm

// Main loop: `number` rows per iteration while they last. On entry n is the row count minus `number`.
        .macro strips number, name, op
        mov     rax, singles
        or      rax, blocks
        jnz     .Lstrip_\number\()_\name
        cmp     rest, 256
        ja      .Lstrip_\number\()_\name

        // Rows of at most 256 bits.
.Lnarrow_\number\()_\name:
        mov     low, rows
        .if     \number > 1
        lea     high, [rows + 4*stride]
        .endif
        each    \number, last, \op, ymm
        store   \number, \name, narrow

.Lstrip_\number\()_\name:
        mov     low, rows
        .if     \number > 1
        lea     high, [rows + 4*stride]
        .endif
        mov     at, query
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < \number
        vpxor   xmm\i, xmm\i, xmm\i
        .endif
        .endr
        mov     left, blocks
        test    left, left
        jz      .Lsingles_\number\()_\name

        .balign 32
.Lblock_\number\()_\name:
        each    \number, four, \op
        add     low, 256
        add     high, 256
        add     at, 256
        dec     left
        jnz     .Lblock_\number\()_\name

.Lsingles_\number\()_\name:
        mov     left, singles
        test    left, left
        jz      .Lrest_\number\()_\name
.Lsingle_\number\()_\name:
        .ifnc   \op, none
        vmovdqu64 of_query, [at]
        .endif
        each    \number, single, \op
        add     low, 64
        add     high, 64
        add     at, 64
        dec     left
        jnz     .Lsingle_\number\()_\name

.Lrest_\number\()_\name:
        test    rest, rest
        jz      .Ltotal_\number\()_\name
        each    \number, last, \op, zmm
.Ltotal_\number\()_\name:
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < \number
        vextracti64x4 ymm8, zmm\i, 1
        vpaddq  ymm\i, ymm\i, ymm8
        .endif
        .endr
        store   \number, \name, strip
        .endm

        .macro count_rows name, op
        test    n, n
        jz      .Ldone_\name
        .irp    register, rbx, rbp, r12, r13
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        .if     TABLES
        vbroadcasti32x4 by_1, [rip + .Lby_1]
        vpaddb  by_2, by_1, by_1
        vpbroadcastd nibble, [rip + .Lnibble]
        vpxord  zero, zero, zero
        .endif
        lea     stride3, [stride + 2*stride]
        mov     singles, bits
        shr     singles, 9

        // The mask of the last vector's bytes, then of its bits: the whole bytes, and the one after.
        mov     rest, bits
        and     rest, 511
        mov     rax, -1
        lea     r10, [rest + 7]
        shr     r10, 3
        bzhi    r10, rax, r10
        kmovq   k1, r10
        mov     r11, rest
        shr     r11, 3
        bzhi    r11, rax, r11
        kmovq   k2, r11
        mov     ecx, r13d
        and     ecx, 7
        bzhi    ecx, eax, ecx
        vpbroadcastb rest_bits{k1}{z}, ecx
        vpternlogd zmm8, zmm8, zmm8, 0xff
        vmovdqu8 rest_bits{k2}, zmm8
        mov     rax, singles
        shl     rax, 6
        .ifnc   \op, none
        vmovdqu8 of_rest{k1}{z}, [query + rax]
        .endif
        mov     blocks, singles
        shr     blocks, 2
        and     singles, 3

        sub     n, 8
        jb      .Lfew_\name
        strips  8, \name, \op

        // Less than 8 rows.
.Lfew_\name:
        add     n, 7
        strips  1, \name, \op

.Lrestore_\name:
        vzeroupper
        .irp    register, r13, r12, rbp, rbx
        pop     \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endr
.Ldone_\name:
        ret
        .endm
