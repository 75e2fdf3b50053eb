// Gates of multivectors, for the vectors of SSE2, AVX2 and AVX-512, of LANES floats; such a vector in the
// frame is a row.
//
// A block has LANES multivectors, and a pass some blocks. Each pass has three steps:
//
//   arguments   the arguments of S: one row for a block or, for kind 4, a row for each grade
//   gates       S of these rows, two rows at a time
//   products    x times the gates, in turn with the arguments of the next pass, block by block
//
// The blocks of a pass have the same channels, and share the rows of parameters. If no two blocks
// have the same channels, a pass has successive blocks, and each loads its parameters.
//
// The file that includes this defines LANES, ROW (bytes), LOG_ROW, V(i) (vector i), ALL(constant) (an operand), and
//
//   parts n, g                 loads coefficients 4 g to 4 g + 3 of the block at `at` into
//                              vectors 0..3, which `transpose` makes rows; g = 0, 1, ..
//   apply n, by_grade          multiplies a block by the gates of a row or, if `by_grade` is 1, by its records
//
// A record holds the gates of four grades of a multivector. It is the part of 128 bits that
// `transpose` makes of rows of these grades. Fifth grades follow the records, in a row.

#include "frame_x86_64.h"
#include "vectors_x86_64.h"

#define kind    rdi
#define blades  rsi

// The block whose arguments are next: its x and its rows; bytes to the next block; blocks left.
#define at      r11
#define to      rbx
#define step    r12
#define left    r13

// The block whose products are next: its x, its z and its gates; bytes to the next block; blocks
// left.
#define x_now   rcx
#define z_now   r15
#define gates   r8
#define step_now r9
#define left_now r10

// The number of the first multivector of the next pass.
#define first   r14

#define MEAN    2
#define GELU    3
#define SILU    4

// A pass has at most 4 BLOCKS / n blocks of n blades. If x has more than LARGE floats, too many for
// a cache, it has at most 16 BLOCKS / n^2: memory is faster if loads and stores alternate more
// often.
#define BLOCKS  16
#define LARGE   0x100000

// The frame: rows of arguments, which become gates, or records; rows of weights; rows of signs
// (kind 4) or copied weights (kind 0); a copy of x; rows of bias. Kind 3 keeps rows of x[0] at X0.
#define X0      (BLOCKS*ROW)
#define WEIGHTS (4*BLOCKS*ROW)
#define SIGNS   (WEIGHTS + 16*ROW)
#define COPY    (SIGNS + 16*ROW)
#define BIAS    (COPY + 16*ROW)
#define LOCALS  (BIAS + 5*ROW)
#define FRAME   (LOCALS + 176)

#define local(i) qword ptr [rsp + LOCALS + 8*i]
#define channels local(0)
#define weights local(1)
#define bias    local(2)
#define x_at    local(3)
#define z_at    local(4)
#define all     local(5)                // number of multivectors
#define rest    local(6)                // multivectors after the last whole block
#define distance local(7)               // multivectors to the next block with these channels
#define most    local(8)                // largest number of blocks of a pass
#define tile    local(9)                // end of the first part of the tile (see .Lpass)
#define x_pass  local(10)               // x of the pass
#define number  local(11)               // blocks of the pass
#define argument_rows local(12)         // bytes of the arguments of a block
#define gate_rows local(13)             // bytes of the gates of a block
#define channel local(14)               // channel of the first multivector of a block
#define loaded  local(15)               // channel whose parameters are in the frame
#define turn    local(16)               // channels from a block of the pass to the next one
#define turn_of_lanes local(17)         // channels from a block to the successive one
#define saved_at local(18)
#define saved_to local(19)
#define saved_left local(20)

#include "gate_logistic_x86_64.h"
#include "gate_blocks_x86_64.h"

// The kernel.
        .macro  gate
        save_registers
        lea     rsp, [rsp - FRAME]
        and     rsp, -ROW
        mov     [rsp + 2*FRAME/3], rsp  // touches the first page, and the second
        mov     [rsp + FRAME/3], rsp

        // Locals.
        mov     rax, [rbp + 24]
        test    rax, rax
        jz      .Ldone
        mov     all, rax
        and     eax, LANES - 1
        mov     rest, rax
        mov     weights, rcx
        mov     bias, r8
        mov     rax, [rbp + 16]
        mov     x_at, rax
        mov     rax, [rbp + 32]
        mov     z_at, rax
        mov     argument_rows, ROW
        mov     gate_rows, ROW

        // Blocks of a pass.
        bsf     rcx, blades
        mov     eax, 4*BLOCKS
        mov     left, all
        imul    left, blades
        cmp     left, LARGE
        jbe     .Lmost
        mov     eax, 16*BLOCKS
        shr     eax, cl
.Lmost:
        shr     eax, cl
        mov     most, rax

        // Only kinds 0 and 4 have channels.
        mov     eax, 1
        test    kind, kind
        cmovz   rax, rdx
        cmp     kind, SILU
        jne     .Lchannels

        // Rows of signs. A block has a row of arguments for each grade, 3, 4 or 5, and
        // at least 4 rows of gates.
        mov     to, blades
        shl     to, LOG_ROW
        mov     left, blades
.Lsigns:
        sub     to, ROW
        .if     ROW == 16
        movss   xmm0, [r9 + 4*left - 4]
        shufps  xmm0, xmm0, 0
        .else
        vbroadcastss V(0), [r9 + 4*left - 4]
        .endif
        move    [rsp + to + SIGNS], V(0)
        sub     left, 1
        jnz     .Lsigns
        bsf     rax, blades
        add     rax, 1
        shl     rax, LOG_ROW
        mov     argument_rows, rax
        mov     left, 4*ROW
        cmp     rax, left
        cmovb   rax, left
        mov     gate_rows, rax
        mov     rax, rdx

        // The distance is lcm(channels, LANES).
.Lchannels:
        mov     channels, rax
        .rept   LOG_ROW - 2
        test    al, 1
        jnz     .Lodd
        shr     rax, 1
        .endr
.Lodd:
        shl     rax, LOG_ROW - 2
        mov     distance, rax
        mov     tile, rax
        mov     eax, LANES
        xor     edx, edx
        div     channels
        mov     turn_of_lanes, rdx
        mov     loaded, -1
        xor     first, first
        xor     left_now, left_now

        // Fewer multivectors than lanes are copied, with zeros after them. Their z is the copy,
        // too.
        mov     left, all
        cmp     left, LANES
        jae     .Lpass
        clear   0
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        move    [rsp + COPY + \i*ROW], V(0)
        .endr
        imul    left, blades
        shl     left, 2
        mov     at, x_at
.Lcopy_x:
        copy_16 [rsp + COPY + left - 16], [at + left - 16]
        sub     left, 16
        jnz     .Lcopy_x
        lea     at, [rsp + COPY]
        mov     x_at, at
        mov     z_at, at
        mov     all, LANES
        mov     rest, 0

        // The next pass has whole blocks, or the last block, which begins early enough to be whole,
        // or nothing: `left` is 0. A tile has `most` parts of `distance` multivectors. Its passes
        // begin with each block of the first part.
.Lpass:
        mov     to, rsp
        lea     rax, [first + LANES]
        cmp     rax, all
        jbe     .Lwhole
        cmp     rest, 0
        je      .Lfound
        mov     rest, 0
        mov     first, all
        mov     tile, first
        sub     first, LANES

        // The channel of its first multivector, and its x.
.Lwhole:
        mov     rdx, first
        cmp     rdx, channels
        jb      .Lchannel
        mov     rax, rdx
        xor     edx, edx
        div     channels
.Lchannel:
        mov     channel, rdx
        mov     at, first
        imul    at, blades
        shl     at, 2
        add     at, x_at
        mov     x_pass, at

        // The number of blocks at the distance from each other, up to the last whole one.
        mov     rax, all
        sub     rax, LANES
        sub     rax, first
        xor     edx, edx
        div     distance
        lea     left, [rax + 1]
        mov     rdx, most
        test    rax, rax
        jz      .Lsuccessive

        // The next pass begins with the successive block.
        cmp     left, rdx
        cmova   left, rdx
        mov     turn, 0
        mov     step, distance
        add     first, LANES
        jmp     .Lnumber

        // If there is one only, the pass has successive blocks of the first part instead.
.Lsuccessive:
        mov     left, tile
        cmp     left, all
        cmova   left, all
        sub     left, first
        shr     left, LOG_ROW - 2
        cmp     left, rdx
        cmova   left, rdx
        mov     rax, turn_of_lanes
        mov     turn, rax
        imul    rax, left, LANES
        add     first, rax
        mov     step, LANES
.Lnumber:
        mov     number, left
        imul    step, blades
        shl     step, 2

        // After the first part, the next tile begins.
        cmp     first, tile
        jne     .Lfound
        mov     rax, distance
        sub     first, rax
        imul    rax, most
        add     first, rax
        add     tile, rax
.Lfound:
        cmp     blades, 8
        jb      .Lblocks_4
        ja      .Lblocks_16
        blocks  8, 4
        blocks  4, 3
        blocks  16, 5

        // S of two rows at a time.
.Lgates:
        mov     gates, rsp
        cmp     gates, to
        je      .Lcopied
.Lgate:
        logistic
        move    [gates], V(2)
        move    [gates + ROW], V(3)
        add     gates, 2*ROW
        cmp     gates, to
        jb      .Lgate

        // The products of the pass.
        mov     gates, rsp
        mov     left_now, number
        mov     step_now, step
        mov     x_now, x_pass
        mov     z_now, x_now
        sub     z_now, x_at
        add     z_now, z_at
        cmp     kind, GELU
        jb      .Lpass
        ja      .Lrecords

        // For GELU x[0] times S, or 0.
.Ltimes_x:
        move    V(0), [gates]
        move    V(1), [gates + X0]
        .if     ROW == 16
        mulps   xmm1, xmm0
        clear   2
        cmpneqps xmm0, xmm2             // not 0, or NaN
        andps   xmm0, xmm1
        .elseif ROW == 32
        clear   2
        vcmpps  ymm2, ymm0, ymm2, 4     // not 0, or NaN
        vmulps  ymm0, ymm0, ymm1
        vandps  ymm0, ymm0, ymm2
        .else
        clear   2
        vcmpps  k1, zmm0, zmm2, 4       // not 0, or NaN
        vmulps  zmm0{k1}{z}, zmm0, zmm1
        .endif
        move    [gates], V(0)
        add     gates, ROW
        cmp     gates, to
        jb      .Ltimes_x
        mov     gates, rsp
        jmp     .Lpass

        // Records, from the last block to the first, because records may take more room than the
        // rows of grades.
.Lrecords:
        mov     left, left_now
        mov     rax, gate_rows
        imul    rax, left
        add     rax, rsp
.Lrecord:
        sub     to, argument_rows
        sub     rax, gate_rows
        .irp    i, 0, 1, 2, 3
        move    V(\i), [to + \i*ROW]
        .endr
        transpose
        .irp    i, 0, 1, 2, 3
        move    [rax + \i*ROW], V(\i)
        .endr
        sub     left, 1
        jnz     .Lrecord
        jmp     .Lpass

        // The copy goes to z.
.Lcopied:
        mov     left, [rbp + 24]
        cmp     left, LANES
        jae     .Ldone
        imul    left, blades
        shl     left, 2
        mov     at, [rbp + 32]
.Lcopy_z:
        copy_16 [at + left - 16], [rsp + COPY + left - 16]
        sub     left, 16
        jnz     .Lcopy_z
.Ldone:
        restore_registers
        .if     ROW > 16
        vzeroupper
        .endif
        ret
        .endm
