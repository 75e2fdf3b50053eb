// The network of the SSE2 kernels. A step exchanges a bit of the register index with a bit of the
// byte index (by interleaving) or of the bit index (by `exchange`). The two kinds alternate, since
// shuffles and shifts have only two pipes.
//
// Arguments are register numbers. Results are not moved back into order.

#define stride3 r8
#define stride5 r9
#define stride7 r10
#define stride8 r8
#define stride24 r9
#define plane   rax

// Interleaves the bytes (bw) or words (wd) of a and b: the lower halves go to a, the upper halves to t; b is free.
        .macro interleave unit, a, b, t
        movdqa  xmm\t, xmm\a
        punpckl\unit xmm\a, xmm\b
        punpckh\unit xmm\t, xmm\b
        .endm

// Exchanges the bits of a whose index has bit `shift` set with the bits of b whose index has it clear.
        .macro exchange shift, a, b, t
        movdqa  xmm\t, xmm\a
        psrlw   xmm\t, \shift
        pxor    xmm\t, xmm\b
        pand    xmm\t, [rip + .Lmask\shift]
        pxor    xmm\b, xmm\t
        .if \shift == 1
        paddb   xmm\t, xmm\t
        .else
        psllw   xmm\t, \shift
        .endif
        pxor    xmm\a, xmm\t
        .endm

// Steps over registers 0 .. 7: on pairs that differ in bit 2 of the index, then in bit 1, then in bit
// 0, each with its shift. The results are in 0, 6, 7, 1, 8, 2, 3, 4; 5 is free.
        .macro eight step, shift2, shift1, shift0
        \step   \shift2, 0, 4, 8
        \step   \shift2, 1, 5, 4
        \step   \shift2, 2, 6, 5
        \step   \shift2, 3, 7, 6
        \step   \shift1, 0, 2, 7
        \step   \shift1, 1, 3, 2
        \step   \shift1, 8, 5, 3
        \step   \shift1, 4, 6, 5
        \step   \shift0, 0, 1, 6
        \step   \shift0, 7, 2, 1
        \step   \shift0, 8, 4, 2
        \step   \shift0, 3, 5, 4
        .endm
