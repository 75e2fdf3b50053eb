// The 16-bit sweep, shared by SSE2, AVX2 and AVX-512. All arrays advance by 64 bytes a site, so they are
// addressed relative to the site's own row. An including file defines ARGUMENTS, the bytes between rsp and
// the return address; the registers `left` and `start`; and for `add_links`
//
//   couple at, offset   subtracts the link at [links + at] where its neighbour, at this offset, is -1

#define spins       rdi
#define end         rdx
#define below       rcx
#define above       r8
#define links       r9
#define own         r10
#define random      r11
#define offset      rax
#define next        r13

// Offsets from rsp: the caller's arguments.
#define FACTORS     (ARGUMENTS + 8)
#define RANDOM      (ARGUMENTS + 16)
#define LIVE        (ARGUMENTS + 24)
#define FLIPS       (ARGUMENTS + 32)
#define DOUBT       (ARGUMENTS + 40)

        .macro begin rule
        mov     r10, [rsp + DOUBT]
        mov     dword ptr [r10], 0
        xor     eax, eax
        test    rdx, rdx
        jz      .Lnone_\rule

        shl     rsi, 6
        lea     own, [spins + rsi]
        mov     start, own
        shl     rdx, 6
        add     end, own
        mov     random, [rsp + RANDOM]
        sub     below, own
        sub     above, own
        sub     random, own
        .endm

        // The links of a site, two at a time.
        .macro add_links rule
        sub     left, 2
        jb      .Lfew_\rule
.Ltwo_\rule:
        mov     eax, [links]
        mov     r13d, [links + 8]
        couple  0, offset
        couple  8, next
        add     links, 16
        sub     left, 2
        jae     .Ltwo_\rule
.Lfew_\rule:
        inc     left
        jnz     .Lsummed_\rule
        mov     eax, [links]
        couple  0, offset
        add     links, 8
.Lsummed_\rule:
        .endm
