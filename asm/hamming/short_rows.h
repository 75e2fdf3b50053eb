// Popcounts of rows of less than 32 bytes, a word at a time, for AVX2, whose bundle has POPCNT
// and BMI2.
//
// `op` combines a word of a row with one of the query: and, xor or none. On entry rdi = query, rsi =
// rows, rdx = n > 0, rcx = bits > 0, r8 = stride, r9 = out and r12 = the bytes of a row. Overwrites
// rax, rbx, rcx, rdx, rsi, r9, r10 and r11.

#define bytes       r12
#define mask        r10

        .macro short_rows name, op
        // ecx = the unused bits of the last byte.
        neg     ecx
        and     ecx, 7
        cmp     bytes, 8
        jb      .Lpieces_\name

        // One to four words. The last one ends with the row; its mask omits bits of the word before.
        mov     rax, -1
        shrx    mask, rax, rcx
        mov     ecx, r12d
        neg     ecx
        and     ecx, 7
        shl     ecx, 3
        shlx    rax, rax, rcx
        and     mask, rax
        cmp     bytes, 24
        ja      .Lwords_4_\name
        cmp     bytes, 16
        ja      .Lwords_3_\name
        cmp     bytes, 8
        ja      .Lwords_2_\name
        words   1, \name, \op
        words   2, \name, \op
        words   3, \name, \op
        words   4, \name, \op

        // Less than a word: the last 4, 2 or 1 bytes, and the same number from the start. The mask
        // removes the bytes that both have.
.Lpieces_\name:
        cmp     bytes, 4
        jae     .Lpieces_4_\name
        cmp     bytes, 2
        jae     .Lpieces_2_\name
        pieces  1, \name, \op
        pieces  2, \name, \op
        pieces  4, \name, \op
        .endm

        .macro words number, name, op
.Lwords_\number\()_\name:
        mov     rax, [rsi+bytes-8]
        .ifnc   \op, none
        \op     rax, [rdi+bytes-8]
        .endif
        and     rax, mask
        popcnt  rax, rax
        .irp    offset, 0, 8, 16
        .if     \offset < 8*\number - 8
        mov     r11, [rsi+\offset]
        .ifnc   \op, none
        \op     r11, [rdi+\offset]
        .endif
        popcnt  r11, r11
        add     eax, r11d
        .endif
        .endr
        mov     [r9], eax
        add     rsi, stride
        add     r9, 4
        dec     n
        jnz     .Lwords_\number\()_\name
        ret
        .endm

        .macro pieces size, name, op
.Lpieces_\size\()_\name:
        mov     r11d, 8*\size
        sub     r11d, ecx
        mov     rax, -1
        bzhi    mask, rax, r11
        lea     ecx, [8*r12 - 8*\size]
        bzhi    rax, rax, rcx
        shl     rax, 8*\size
        or      mask, rax
        piece   \size, rbx, ebx, rdi
.Lpiece_\size\()_\name:
        piece   \size, rax, eax, rsi
        .ifnc   \op, none
        \op     rax, rbx
        .endif
        and     rax, mask
        popcnt  rax, rax
        mov     [r9], eax
        add     rsi, stride
        add     r9, 4
        dec     n
        jnz     .Lpiece_\size\()_\name
        ret
        .endm

        .macro piece size, to, low, row
        .if     \size == 4
        mov     r11d, [\row]
        mov     \low, [\row+bytes-4]
        .elseif \size == 2
        movzx   r11d, word ptr [\row]
        movzx   \low, word ptr [\row+bytes-2]
        .else
        movzx   \low, byte ptr [\row]
        .endif
        .if     \size > 1
        shl     r11, 8*\size
        or      \to, r11
        .endif
        .endm
