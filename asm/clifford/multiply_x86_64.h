// Products of multivectors, for the vectors of SSE2, AVX2 and AVX-512, of ROW bytes.
//
// A multivector per lane: each coefficient becomes a row, a vector on the stack; further rows hold
// the negatives of y. Vector 15 is -0 in all lanes, to which any number can be added. The file that includes this
// defines, for elements of 1 << LOG bytes:
//
//   load      vectors 0..3 = four coefficients at `part`; from + stride, from + 2 stride and from + three, and the
//             same of `upper` and others, are those of further multivectors
//   store     the inverse

#include "vectors_x86_64.h"
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

// Vector i = -vector i.
        .macro  negate i
        .if     ROW == 64
        vpxorq  V(\i), V(\i), V(15)
        .else
        op      xorps, V(\i), V(\i), V(15)
        .endif
        .endm

// The coefficients of a group.
        .macro  group name, t, width
        .set    WIDTH, \width
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < WIDTH
        move    V(\i), V(15)
        .endif
        .endr
        movzx   number, word ptr [next]
        add     next, 2
.Lterms_\name\()_\width:
        movzx   eax, word ptr [next]
        move    V(8), [rsp + index*SCALE + X]
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < WIDTH
        movzx   eax, word ptr [next + 2*\i + 2]
        .if     ROW == 16
        movaps  xmm9, [rsp + index*SCALE + Y]
        mul\t   xmm9, xmm8
        .else
        vmul\t  V(9), V(8), [rsp + index*SCALE + Y]
        .endif
        op      add\t, V(\i), V(\i), V(9)
        .endif
        .endr
        add     next, 2 + 2*WIDTH
        sub     number, 1
        jnz     .Lterms_\name\()_\width
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     \i < WIDTH
        movzx   eax, word ptr [next + 2*\i]
        move    [rsp + index*SCALE + Z], V(\i)
        .endif
        .endr
        add     next, 2*WIDTH
        sub     left, WIDTH
        .endm

// Copies the multivectors of an array that are fewer than the lanes, with zeros after them.
        .macro  copy to, from, name
        move    V(0), V(15)
        negate  0
        lea     next, [\to]
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        move    [next + \i*ROW], V(0)
        .endr
        copy_whole next, \from, \name
        .endm

// Copies multivectors that are fewer than the lanes.
        .macro  copy_whole to, from, name
        xor     left, left
.Lcopy_\name:
        mov     number, [\from + left]
        mov     [\to + left], number
        add     left, 8
        cmp     left, whole
        jne     .Lcopy_\name
        .endm

// Products of multivectors, LANES at a time, for elements of 1 << `log` bytes.
        .macro  multiply name, t, log
        .set    LOG, \log
        .set    LANES, ROW >> LOG
        save_registers
        lea     rsp, [rsp - FRAME]
        and     rsp, -ROW
        test    count, count
        jz      .Ldone_\name
        mov     [rsp + FRAME/2], rsp    // touches the first page
        .if     ROW == 16
        movsd   xmm15, [rip + .Lminus_\name]
        unpcklpd xmm15, xmm15
        .else
        vbroadcastsd V(15), [rip + .Lminus_\name]
        .endif
        shl     stride, LOG
        lea     three, [stride + 2*stride]
        xor     whole, whole
        sub     count, LANES
        jae     .Lblock_\name

        // Fewer multivectors are copied.
        lea     whole, [count + LANES]
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
        load
        .irp    i, 0, 1, 2, 3
        move    [next + \i*ROW + X], V(\i)
        .endr
        add     part, 4 << LOG
        add     next, 4*ROW
        sub     left, 4 << LOG
        jnz     .Lx_\name
        mov     part, y
        mov     next, rsp
        mov     left, stride
        mov     number, stride
        shl     number, LOG_ROW - LOG
        add     number, rsp
.Ly_\name:
        load
        .irp    i, 0, 1, 2, 3
        move    [next + \i*ROW + Y], V(\i)
        negate  \i
        move    [number + \i*ROW + Y], V(\i)
        .endr
        add     part, 4 << LOG
        add     next, 4*ROW
        add     number, 4*ROW
        sub     left, 4 << LOG
        jnz     .Ly_\name

        // Groups of 8, 4 or 1 coefficients.
        mov     left, stride
        shr     left, LOG
        lea     next, [terms + 2]
        cmp     word ptr [terms], 4
        je      .Lfour_\name
        jb      .Lone_\name
.Leight_\name:
        group   \name, \t, 8
        jnz     .Leight_\name
        jmp     .Lz_\name
.Lfour_\name:
        group   \name, \t, 4
        jnz     .Lfour_\name
        jmp     .Lz_\name
.Lone_\name:
        group   \name, \t, 1
        jnz     .Lone_\name

        // Rows of z.
.Lz_\name:
        mov     part, z
        mov     next, rsp
        mov     left, stride
.Lstore_\name:
        .irp    i, 0, 1, 2, 3
        move    V(\i), [next + \i*ROW + Z]
        .endr
        store
        add     part, 4 << LOG
        add     next, 4*ROW
        sub     left, 4 << LOG
        jnz     .Lstore_\name

        // The next block, or the last one, which begins early enough to be whole.
        test    count, count
        jz      .Llast_\name
        mov     left, LANES
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
        copy_whole z, rsp + X, z_\name
.Ldone_\name:
        restore_registers
        .if     ROW > 16
        vzeroupper
        .endif
        ret
        .endm
