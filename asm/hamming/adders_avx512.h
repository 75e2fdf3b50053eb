// Full adders that reduce 16 words to one, and the popcount of that word, for AVX-512 without
// VPOPCNT.
//
// The including file defines VECTORS, the indices v of the vectors counted at a time: 1, or 1 and
// 2. Register n of vector v is zmm<v><n>: registers 0 to 3 are the sums of weight 1, 2, 4 and 8,
// and register 8 counts the sixteens in 64-bit lanes. The file passes `sixteen` a macro
//
//   two k, sum, after    adds words 2k and 2k + 1, leaves the new first sum in register `after` and
//                        the carry in `sum`
//
// The macros overwrite zmm4 and read zmm5 to zmm7, which `constants` loads. The file ends with
// `adders_rodata`.

#define ones_table  zmm5
#define low_nibbles zmm6
#define zero        zmm7

// Functions of three bits for vpternlog: the exclusive or, and the carry of a full adder from the
// old sum, the first word and the new sum.
#define XOR         0x96
#define CARRY       0xd4

        .macro constants
        vbroadcasti32x4 ones_table, [rip + .Lones]
        vpbroadcastd low_nibbles, [rip + .Llow]
        vpxor   xmm7, xmm7, xmm7
        .endm

// Repeats a statement for each vector v.
        .macro each statement:vararg
        .irp v, VECTORS
        \statement
        .endr
        .endm

        .macro clear v
        .irp n, 0, 1, 2, 3, 8
        vpxord  zmm\v\n, zmm\v\n, zmm\v\n
        .endr
        .endm

// The popcount of each byte.
        .macro ones bits
        vpsrlw  zmm4, \bits, 4
        vpandq  \bits, \bits, low_nibbles
        vpandq  zmm4, zmm4, low_nibbles
        vpshufb \bits, ones_table, \bits
        vpshufb zmm4, ones_table, zmm4
        vpaddb  \bits, \bits, zmm4
        .endm

// Adds a and b to the sum: the new sum replaces b, the carry replaces the sum.
        .macro adder v, sum, a, b
        vpternlogq zmm\v\b, zmm\v\sum, zmm\v\a, XOR
        vpternlogq zmm\v\sum, zmm\v\a, zmm\v\b, CARRY
        .endm

// The first sum goes to c, the second to b; the carry is in t.
        .macro four two, k, s, t, b, c
        \two    \k, \s, \b
        \two    \k+1, \b, \c
        each    adder \v, \t, \s, \b
        .endm

// The first sum goes to d, the second to s, the third to b; the carry is in u.
        .macro eight two, k, s, t, u, b, c, d
        four    \two, \k, \s, \t, \b, \c
        four    \two, \k+2, \c, \b, \s, \d
        each    adder \v, \u, \t, \b
        .endm

        .macro sixteen two
        eight   \two, 0, 0, 1, 2, 4, 5, 6
        eight   \two, 4, 6, 0, 4, 1, 5, 7
        each    adder \v, 3, 2, 4
        each    carry \v
        .endm

// Counts the sixteens and moves the sums back to registers 0 to 3.
        .macro carry v
        ones    zmm\v\()3
        vpsadbw zmm\v\()3, zmm\v\()3, zero
        vpaddq  zmm\v\()8, zmm\v\()8, zmm\v\()3
        vmovdqa64 zmm\v\()0, zmm\v\()7
        vmovdqa64 zmm\v\()2, zmm\v\()1
        vmovdqa64 zmm\v\()1, zmm\v\()6
        vmovdqa64 zmm\v\()3, zmm\v\()4
        .endm

// The total count, in register 8. A byte holds at most 15 times 8.
        .macro total v
        ones    zmm\v\()3
        add_ones \v, 2
        add_ones \v, 1
        add_ones \v, 0
        vpsadbw zmm\v\()3, zmm\v\()3, zero
        vpsllq  zmm\v\()8, zmm\v\()8, 4
        vpaddq  zmm\v\()8, zmm\v\()8, zmm\v\()3
        .endm

        .macro add_ones v, n
        ones    zmm\v\n
        vpaddb  zmm\v\()3, zmm\v\()3, zmm\v\()3
        vpaddb  zmm\v\()3, zmm\v\()3, zmm\v\n
        .endm

        .macro adders_rodata
        RODATA
        .balign 16
.Lones:                                 // popcount of each nibble
        .byte   0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4
.Llow:                                  // the lower nibble of each byte
        .long   0x0f0f0f0f
        .endm
