// Fixed lanes and their tree with AVX2: lanes are 8 vectors, 256 bytes of either type.
//
// A file defines BYTES, the size of an element, and DOT for the sum of products; it includes this one, and writes `lanes` as the
// body of its function and `lanes_constants` as its constants.
//
// A lane begins with its first element, and takes -0 where an element is missing: that adds nothing to any number. So the tree
// leaves out vectors that no element reached.
//
// A load that crosses cache lines costs two. So long arrays are read from the aligned address before x, as if -0 stood there: then
// lane l is where lane l + shift belongs, and all lanes are rotated before the tree.

#if BYTES == 4
# define P(operation) operation##ps
# define S(operation) operation##ss
#else
# define P(operation) operation##pd
# define S(operation) operation##sd
#endif

#define x           rdi
#ifdef DOT
# define y          rsi
# define bytes      rdx
#else
# define bytes      rsi
#endif
#define at          rax
#define signs       rcx
#define shift       r8
// Bytes from which on a rotation pays.
#define LONG        2048

#define last        ymm8
#define term        ymm9
#define mask        ymm10

        // Vector i begins, or goes on.
        .macro begin i
        P(vmovu) ymm\i, [x + 32*\i]
#ifdef DOT
        P(vmul) ymm\i, ymm\i, [y + 32*\i]
#endif
        .endm

        .macro next i
#ifdef DOT
        P(vmovu) term, [x + 32*\i]
        P(vmul) term, term, [y + 32*\i]
        P(vadd) ymm\i, ymm\i, term
#else
        P(vadd) ymm\i, ymm\i, [x + 32*\i]
#endif
        .endm

        .macro each instruction:vararg
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        \instruction
        .endr
        .endm

        .macro step
        add     x, 256
#ifdef DOT
        add     y, 256
#endif
        .endm

        // The elements behind the last whole vector, and -0. A mask of nothing could still touch a page that is not there, slowly.
        .macro load_last none
        lea     signs, [rip + .Lsigns]
        P(vmova) last, [signs]
        mov     at, bytes
        and     eax, 31
        jz      \none
        sub     signs, at
        xor     at, bytes
        P(vmovu) mask, [signs + 32]
        P(vmaskmov) term, mask, [x + at]
#ifdef DOT
        P(vmaskmov) mask, mask, [y + at]
        P(vmul) term, term, mask
#endif
        P(vor)  last, term, [signs + 64]
\none:
        .endm

        // With `count` vectors left, the last of them goes onto vector `to`.
        .macro halve count, to, from
.Ltree\count:
        P(vadd) ymm\to, ymm\to, ymm\from
        .endm

        // The same where it is `last`; `left` are whole.
        .macro halve_last left, to
.Lfew\left:
        P(vadd) ymm\to, ymm\to, last
        jmp     .Ltree\left
        .endm

        // Vector i is one whose lanes begin `shift` bytes into it, and end in the next.
        .macro rotate i, next
        P(vblendv) ymm\i, ymm\next, ymm\i, mask
        .endm

        .macro lanes
        shl     bytes, BYTES / 4 + 1
        cmp     bytes, 256
        jb      .Lfew

        xor     r8d, r8d
        cmp     bytes, LONG
        jae     .Lalign
.Lbegin:
        begin   0
.Lbegin_behind:
        .irp    i, 1, 2, 3, 4, 5, 6, 7
        begin   \i
        .endr
        step
        sub     bytes, 512
        jb      .Lrest
        .balign 32
.Lloop:
        each    next \i
        step
        sub     bytes, 256
        jae     .Lloop

        // The rest: whole vectors, then a part.
.Lrest:
        add     bytes, 256
        jz      .Lfull
        load_last .Lwhole
        .irp    i, 0, 1, 2, 3, 4, 5, 6
        cmp     bytes, 32*\i + 32
        jb      .Lrest\i
        next    \i
        .endr
        P(vadd) ymm7, ymm7, last

.Lfull:
        test    r8d, r8d
        jnz     .Lrotate

        // The upper half of the lanes onto the lower half, until one is left.
        halve   8, 3, 7
        halve   7, 2, 6
        halve   6, 1, 5
        halve   5, 0, 4
        halve   4, 1, 3
        halve   3, 0, 2
        halve   2, 0, 1
.Ltree1:
        vextractf128 xmm1, ymm0, 1
        P(vadd) xmm0, xmm0, xmm1
        vunpckhpd xmm1, xmm0, xmm0
#if BYTES == 4
        vaddps  xmm0, xmm0, xmm1
        vmovshdup xmm1, xmm0
#endif
        S(vadd) xmm0, xmm0, xmm1
        S(vucomi) xmm0, xmm0
        vzeroupper
        jp      .Lnan
        ret
.Lnan:
        S(vmov) xmm0, [rip + .Lquiet]
        ret

        .irp    i, 0, 1, 2, 3, 4, 5, 6
.Lrest\i:
        P(vadd) ymm\i, ymm\i, last
        jmp     .Lfull
        .endr

        // The first vector, from the aligned address, if elements are not split by it.
.Lalign:
        test    dil, BYTES - 1
        jnz     .Lbegin
        mov     r8d, edi
        and     r8d, 31
        jz      .Lbegin
        lea     signs, [rip + .Lsigns]
        sub     signs, shift
        sub     x, shift
        add     bytes, shift
        P(vmovu) mask, [signs + 64]
        P(vmaskmov) ymm0, mask, [x]
#ifdef DOT
        sub     y, shift
        P(vmaskmov) term, mask, [y]
        P(vmul) ymm0, ymm0, term
#endif
        P(vor)  ymm0, ymm0, [signs + 32]
        jmp     .Lbegin_behind

.Lrotate:
        lea     signs, [rip + .Lsigns]
        P(vmovu) mask, [signs + shift]
        lea     signs, [rip + .Lnumbers]
        vmovups term, [signs + shift]
        each    vpermps ymm\i, term, ymm\i
        P(vmova) last, ymm0
        rotate  0, 1
        rotate  1, 2
        rotate  2, 3
        rotate  3, 4
        rotate  4, 5
        rotate  5, 6
        rotate  6, 7
        rotate  7, 8
        jmp     .Ltree8

        // Fewer elements than lanes.
.Lfew:
        test    bytes, bytes
        jz      .Lnothing
        load_last .Lfew_whole
        .irp    i, 0, 1, 2, 3, 4, 5, 6
        cmp     bytes, 32*\i + 32
        jb      .Lfew\i
        begin   \i
        .endr
        halve_last 7, 3
        halve_last 6, 2
        halve_last 5, 1
        halve_last 4, 0
        halve_last 3, 1
        halve_last 2, 0
        halve_last 1, 0
.Lfew0:
        P(vmova) ymm0, last
        jmp     .Ltree1
.Lnothing:
        vxorps  xmm0, xmm0, xmm0
        ret
        .endm

        .macro lanes_constants
        .balign 32
.Lsigns:                                // of -0, of +0, of -0: a window of them is a mask, or what fills it up
        .irp    sign, 1, 0, 1
        .rept   32 / BYTES
#if BYTES == 4
        .long   \sign << 31
#else
        .quad   \sign << 63
#endif
        .endr
        .endr
.Lnumbers:                              // of the elements of 4 bytes, modulo 8
        .long   0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7
.Lquiet:                                // NaN
#if BYTES == 4
        .long   0x7fc00000
#else
        .quad   0x7ff8000000000000
#endif
        .endm
