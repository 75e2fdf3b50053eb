// Products of multivectors, for the vectors of SSE2, AVX2 and AVX-512, of ROW bytes.
//
// A multivector per lane: each coefficient becomes a row, a vector on the stack; further rows hold
// the negatives of y. The file that includes this defines, for floats (ps) and doubles (pd):
//
//   load_ps, load_pd         vectors 0..3 = four coefficients at `part`; from + stride, from + 2 stride
//                            and from + three, and the same of `upper` and others, are those of further
//                            multivectors
//   store_ps, store_pd       the inverse
//   get i, at; put i, at     aligned rows
//   begin i                  vector i = -0 in all lanes, to which any number can be added
//   negate i                 changes signs
//   term t, i, at            adds to vector i the product of vector 8 and the row
//   minus at                 sets up -0 from a constant

#include "frame_x86_64.h"

#define terms   rdi
#define stride  rsi
#define x       rdx
#define y       rcx
#define count   r8
#define z       r9
#define index   rax
#define left    r10
#define number  r11
#define next    rbx
#define part    r12
#define three   r13
#define upper   r14
#define whole   r15

// Rows of x, of y and its negatives, and of z, and a copy of y. Copies of x and z take the rows of z
// and x.
#define X       0
#define Y       (16*ROW)
#define Z       (48*ROW)
#define COPY    (64*ROW)
#define FRAME   (80*ROW)

// The coefficients of a group.
        .macro group t, width, name
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < \width
        begin   \i
        .endif
        .endr
        movzx   number, word ptr [next]
        add     next, 2
.Lterms_\name\()_\width:
        movzx   eax, word ptr [next]
        get     8, rsp + index*SCALE + X
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < \width
        movzx   eax, word ptr [next + 2*\i + 2]
        term    \t, \i, rsp + index*SCALE + Y
        .endif
        .endr
        add     next, 2 + 2*\width
        sub     number, 1
        jnz     .Lterms_\name\()_\width
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < \width
        movzx   eax, word ptr [next + 2*\i]
        put     \i, rsp + index*SCALE + Z
        .endif
        .endr
        add     next, 2*\width
        sub     left, \width
        .endm

// Copies the multivectors of an array that are fewer than the lanes, with zeros after them.
        .macro copy to, from, name
        begin   0
        negate  0
        lea     next, [\to]
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        put     0, next + \i*ROW
        .endr
        move    next, \from, \name
        .endm

// Copies multivectors that are fewer than the lanes.
        .macro move to, from, name
        xor     left, left
.Lmove_\name:
        mov     number, [\from + left]
        mov     [\to + left], number
        add     left, 8
        cmp     left, whole
        jne     .Lmove_\name
        .endm

// Products of multivectors, `lanes` at a time, for elements of 2^`log` bytes.
        .macro multiply name, t, log, lanes
        save_registers
        lea     rsp, [rsp - FRAME]
        and     rsp, -ROW
        test    count, count
        jz      .Ldone_\name
        mov     [rsp + FRAME/2], rsp    // touches the first page
        minus   [rip + .Lminus_\name]
        shl     stride, \log
        lea     three, [stride + 2*stride]
        xor     whole, whole
        sub     count, \lanes
        jae     .Lblock_\name

        // Fewer multivectors are copied.
        lea     whole, [count + \lanes]
        imul    whole, stride
        xor     count, count
        copy    rsp + Z, x, x_\name
        copy    rsp + COPY, y, y_\name
        lea     x, [rsp + Z]
        lea     y, [rsp + COPY]
        mov     [rsp + COPY + 16*ROW - 8], z
        lea     z, [rsp + X]

        // Rows of x, y and its negatives.
.Lblock_\name:
        mov     part, x
        mov     next, rsp
        mov     left, stride
.Lx_\name:
        load_\t
        .irp    i, 0, 1, 2, 3
        put     \i, next + \i*ROW + X
        .endr
        add     part, 4 << \log
        add     next, 4*ROW
        sub     left, 4 << \log
        jnz     .Lx_\name
        mov     part, y
        mov     next, rsp
        mov     left, stride
        mov     number, stride
        shl     number, LOG_ROW - \log
        add     number, rsp
.Ly_\name:
        load_\t
        .irp    i, 0, 1, 2, 3
        put     \i, next + \i*ROW + Y
        negate  \i
        put     \i, number + \i*ROW + Y
        .endr
        add     part, 4 << \log
        add     next, 4*ROW
        add     number, 4*ROW
        sub     left, 4 << \log
        jnz     .Ly_\name

        // Groups of 8, 4 or 1 coefficients.
        mov     left, stride
        shr     left, \log
        lea     next, [terms + 2]
        cmp     word ptr [terms], 4
        je      .Lfour_\name
        jb      .Lone_\name
.Leight_\name:
        group   \t, 8, \name
        jnz     .Leight_\name
        jmp     .Lz_\name
.Lfour_\name:
        group   \t, 4, \name
        jnz     .Lfour_\name
        jmp     .Lz_\name
.Lone_\name:
        group   \t, 1, \name
        jnz     .Lone_\name

        // Rows of z.
.Lz_\name:
        mov     part, z
        mov     next, rsp
        mov     left, stride
.Lstore_\name:
        .irp    i, 0, 1, 2, 3
        get     \i, next + \i*ROW + Z
        .endr
        store_\t
        add     part, 4 << \log
        add     next, 4*ROW
        sub     left, 4 << \log
        jnz     .Lstore_\name

        // The next block, or the last one, which begins early enough to be whole.
        test    count, count
        jz      .Llast_\name
        mov     left, \lanes
        cmp     count, left
        cmovb   left, count
        sub     count, left
        imul    left, stride
        add     x, left
        add     y, left
        add     z, left
        jmp     .Lblock_\name

.Llast_\name:
        test    whole, whole
        jz      .Ldone_\name
        mov     z, [rsp + COPY + 16*ROW - 8]
        move    z, rsp + X, z_\name
.Ldone_\name:
        restore_registers
        leave_vectors
        ret
        .endm
