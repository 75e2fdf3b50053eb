// Registers of the miss counter, for SSE2 and AVX-512.
//
// AVX2 has intrinsics only, in src/hamming/lanes/misses.rs.

#define planes_at   rdi
#define offsets     rsi
// The end of the offsets.
#define end         rdx
#define offset      rcx
// The list of groups: the next one that is read, and the place of the next live one.
#define list        r8
#define left        r9
#define kept        r10
// Slots i and j, and bytes of a slot.
#define from        r11
#define to          rbx
#define size        r12
#define fresh       rbp
// The line of the group in plane 0, a level, and the offsets of the chunk.
#define line        rax
#define at_level    r13
#define at          r14
