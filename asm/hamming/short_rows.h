// Popcounts of rows of less than 32 bytes, a word at a time, for AVX2, whose bundle has POPCNT
// and BMI2.
//
// The including file defines the macros `combine_<op> word, other`, which combine a word of a row
// with one of the query. On entry rdi = query, rsi = rows, rdx = n > 0, rcx = bits > 0, r8 = stride,
// r9 = out and r12 = the bytes of a row. Overwrites rax, rbx, rcx, rdx, rsi, r9, r10 and r11.

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
        combine_\op rax, [rdi+bytes-8]
        and     rax, mask
        popcnt  rax, rax
        .if     \number > 1
        word_at 0, \op
        .endif
        .if     \number > 2
        word_at 8, \op
        .endif
        .if     \number > 3
        word_at 16, \op
        .endif
        mov     [r9], eax
        add     rsi, stride
        add     r9, 4
        dec     n
        jnz     .Lwords_\number\()_\name
        ret
        .endm

        .macro word_at offset, op
        mov     r11, [rsi+\offset]
        combine_\op r11, [rdi+\offset]
        popcnt  r11, r11
        add     eax, r11d
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
        piece_\size rbx, ebx, rdi
.Lpiece_\size\()_\name:
        piece_\size rax, eax, rsi
        combine_\op rax, rbx
        and     rax, mask
        popcnt  rax, rax
        mov     [r9], eax
        add     rsi, stride
        add     r9, 4
        dec     n
        jnz     .Lpiece_\size\()_\name
        ret
        .endm

        .macro piece_4 to, low, row
        mov     r11d, [\row]
        mov     \low, [\row+bytes-4]
        shl     r11, 32
        or      \to, r11
        .endm

        .macro piece_2 to, low, row
        movzx   r11d, word ptr [\row]
        movzx   \low, word ptr [\row+bytes-2]
        shl     r11, 16
        or      \to, r11
        .endm

        .macro piece_1 to, low, row
        movzx   \low, byte ptr [\row]
        .endm
