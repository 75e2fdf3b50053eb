// Popcounts of rows of less than 32 bytes, a word at a time, for AVX2, whose bundle has POPCNT and BMI2.
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
        ja      .Lwords_\name\()_4
        cmp     bytes, 16
        ja      .Lwords_\name\()_3
        cmp     bytes, 8
        ja      .Lwords_\name\()_2
        .irp    number, 1, 2, 3, 4
.Lwords_\name\()_\number:
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
        jnz     .Lwords_\name\()_\number
        ret
        .endr

        // Less than a word: the last 4, 2 or 1 bytes, and the same number from the start. The mask
        // removes the bytes that both have.
.Lpieces_\name:
        cmp     bytes, 4
        jae     .Lpieces_\name\()_4
        cmp     bytes, 2
        jae     .Lpieces_\name\()_2
        .irp    size, 1, 2, 4
.Lpieces_\name\()_\size:
        mov     r11d, 8*\size
        sub     r11d, ecx
        mov     rax, -1
        bzhi    mask, rax, r11
        lea     ecx, [8*r12 - 8*\size]
        bzhi    rax, rax, rcx
        shl     rax, 8*\size
        or      mask, rax
        piece   \size, rbx, ebx, rdi
.Lpiece_\name\()_\size:
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
        jnz     .Lpiece_\name\()_\size
        ret
        .endr
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
