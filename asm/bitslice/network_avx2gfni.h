// Slicing and unslicing with AVX2 and GFNI, 256 elements (half a chunk) at a time.
//
// e8 .. e0 is an element's index in its chunk, b1 b0 a byte's index in the element, k2 k1 k0 a
// bit's index in the byte. The two lanes of a vector are e7 = 0 and 1. Brackets list the index bits
// of the bytes of a lane, highest first. Unpacking two vectors by bytes makes the bit in which they
// differ the lowest byte bit; the highest byte bit then distinguishes the two results.

#define diagonal    ymm15

        .macro unpack unit, low, high, x, y
        vpunpckl\unit \low, \x, \y
        vpunpckh\unit \high, \x, \y
        .endm

// The prologue of elements of `bytes` bytes; it skips the loop if there is no half.
        .macro enter name, bytes
        .set    BYTES, \bytes
        .if     BYTES > 1
        // The frame holds 8, 24 or 64 vectors, aligned to 32 bytes.
        .if     BYTES == 8
        .set    FRAME, 2080
        .else
        .set    FRAME, 256*BYTES - 224
        .endif
        sub     rsp, FRAME
        .cfi_adjust_cfa_offset FRAME
        lea     scratch, [rsp + 31]
        and     scratch, -32
        .endif
        add     halves, halves
        jz      .Ldone_\name
        lea     stride3, [stride + 2*stride]
        .endm

        .macro leave name
.Ldone_\name:
        .if     BYTES > 1
        add     rsp, FRAME
        .cfi_adjust_cfa_offset -FRAME
        .endif
        vzeroupper
        ret
        .endm
