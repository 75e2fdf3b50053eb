// Kernels of single rows, with AVX-512: all instances of one template.
//
// Eight rows at a time, each with a sum in 64-bit lanes. The last vector of a row is read under a
// mask. The including file defines
//
//   count v, t           replaces each 64-bit lane of v by its popcount; overwrites t
//   four i, row, op      adds four vectors to the sum zmm<i>; overwrites zmm8..zmm13
//
// and may use zmm24..zmm27 for constants, which `constants` loads.

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

        .macro vector_and to, row, offset
        vmovdqu64 \to, [at+\offset]
        vpandq  \to, \to, [\row+\offset]
        .endm

        .macro vector_xor to, row, offset
        vmovdqu64 \to, [at+\offset]
        vpxorq  \to, \to, [\row+\offset]
        .endm

        .macro vector_none to, row, offset
        vmovdqu64 \to, [\row+\offset]
        .endm

        .macro single_and to, row
        vpandq  \to, of_query, [\row]
        .endm

        .macro single_xor to, row
        vpxorq  \to, of_query, [\row]
        .endm

        .macro single_none to, row
        vmovdqu64 \to, [\row]
        .endm

        .macro load_none
        .endm

        .macro load_and
        vmovdqu64 of_query, [at]
        .endm

        .macro load_xor
        vmovdqu64 of_query, [at]
        .endm

// (v8 op v16) & v15, for the width v of the vectors: of the row, the query and the mask.
        .macro masked_and v
        vpternlogq \v\()8, \v\()16, \v\()15, 0x80
        .endm

        .macro masked_xor v
        vpternlogq \v\()8, \v\()16, \v\()15, 0x28
        .endm

        .macro masked_none v
        vpandq  \v\()8, \v\()8, \v\()15
        .endm

// Calls a macro for each of 8 rows, or for one: with the number of its sum and the row's address.
        .macro each_8 statement, op
        \statement 0, low, \op
        \statement 1, low+stride, \op
        \statement 2, low+2*stride, \op
        \statement 3, low+stride3, \op
        \statement 4, high, \op
        \statement 5, high+stride, \op
        \statement 6, high+2*stride, \op
        \statement 7, high+stride3, \op
        .endm

        .macro each_1 statement, op
        \statement 0, low, \op
        .endm

        .macro clear i, row, op
        vpxor   xmm\i, xmm\i, xmm\i
        .endm

        .macro single i, row, op
        single_\op zmm8, \row
        count   zmm8, zmm9
        vpaddq  zmm\i, zmm\i, zmm8
        .endm

        .macro last i, row, op
        vmovdqu8 zmm8{k1}{z}, [\row]
        masked_\op zmm
        count   zmm8, zmm9
        vpaddq  zmm\i, zmm\i, zmm8
        .endm

        .macro narrow i, row, op
        vmovdqu8 ymm8{k1}{z}, [\row]
        masked_\op ymm
        count   ymm8, ymm9
        vmovdqa64 ymm\i, ymm8
        .endm

        .macro fold i, row, op
        vextracti64x4 ymm8, zmm\i, 1
        vpaddq  ymm\i, ymm\i, ymm8
        .endm

// Adds up the lanes of eight sums in ymm, or of one, and stores the totals.
        .macro store_8
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
        .endm

        .macro store_1
        vextracti128 xmm1, ymm0, 1
        vpaddd  xmm0, xmm0, xmm1
        vpshufd xmm1, xmm0, 0x4e
        vpaddd  xmm0, xmm0, xmm1
        vmovd   [out], xmm0
        .endm

        .macro point number
        mov     low, rows
        .if     \number > 1
        lea     high, [rows + 4*stride]
        .endif
        .endm

// The next rows. Rows that are left after the last whole strip are counted with the last ones of it.
        .macro next number, name, loop
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

        .macro step vectors
        add     low, 64*\vectors
        add     high, 64*\vectors
        add     at, 64*\vectors
        .endm

// Main loop: `number` rows per iteration while they last. On entry n is the row count minus `number`.
        .macro strips number, name, op
.Lstrip_\number\()_\name:
        point   \number
        mov     at, query
        each_\number clear, \op
        mov     left, blocks
        test    left, left
        jz      .Lsingles_\number\()_\name

        .balign 32
.Lblock_\number\()_\name:
        each_\number four, \op
        step    4
        dec     left
        jnz     .Lblock_\number\()_\name

.Lsingles_\number\()_\name:
        mov     left, singles
        test    left, left
        jz      .Lrest_\number\()_\name
.Lsingle_\number\()_\name:
        load_\op
        each_\number single, \op
        step    1
        dec     left
        jnz     .Lsingle_\number\()_\name

.Lrest_\number\()_\name:
        test    rest, rest
        jz      .Ltotal_\number\()_\name
        each_\number last, \op
.Ltotal_\number\()_\name:
        each_\number fold, \op
        store_\number
        next    \number, \name, strip
        .endm

// Rows of at most 256 bits.
        .macro narrow_strips number, name, op
.Lnarrow_\number\()_\name:
        point   \number
        each_\number narrow, \op
        store_\number
        next    \number, \name, narrow
        .endm

        .macro rest_none
        .endm

        .macro rest_of_query
        vmovdqu8 of_rest{k1}{z}, [query + rax]
        .endm

        .macro rest_and
        rest_of_query
        .endm

        .macro rest_xor
        rest_of_query
        .endm

        .macro count_rows name, op
        test    n, n
        jz      .Ldone_\name
        .irp    register, rbx, rbp, r12, r13
        push    \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endr
        constants
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
        rest_\op
        mov     blocks, singles
        shr     blocks, 2
        and     singles, 3

        sub     n, 8
        jb      .Lfew_\name
        mov     rax, singles
        or      rax, blocks
        jnz     .Lstrip_8_\name
        cmp     rest, 256
        ja      .Lstrip_8_\name
        narrow_strips 8, \name, \op
        strips  8, \name, \op

        // Less than 8 rows.
.Lfew_\name:
        add     n, 7
        mov     rax, singles
        or      rax, blocks
        jnz     .Lstrip_1_\name
        cmp     rest, 256
        ja      .Lstrip_1_\name
        narrow_strips 1, \name, \op
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
