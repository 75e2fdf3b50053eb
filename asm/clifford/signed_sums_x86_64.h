// Signed sums of vectors of numbers: rows, in each its sums, in each parts of 4, 2 and single vectors and
// single numbers.
//
// The file that includes this defines, for vectors of width \w (x, y or z; s for a single number) of
// floats (\e is s) or doubles (d):
//
//   zero w, i              vector i = +0
//   get w, e, i, at        loads vector i
//   put w, e, i, at        stores it
//   sign w, e              vector 8 = the sign at signs[term], 1 or -1, in all lanes
//   term w, e, i, at       adds to vector i the product of vector 8 and the vector at an address
//   parts name, e, log     the parts of a sum, from wide to narrow
//   leave_vectors

#define next    rdi
#define n       rsi
#define x_at    rdx
#define source  rcx
#define y_at    r8
#define signs   r9
#define terms   r10
#define ends    r11
#define sums    rbx
#define to      r12
#define at      r13
#define end     r14
#define from    r15
#define begin   rbp
#define number  rax

// Strides of rows in bytes, the rows left, and the arguments on the stack.
#define X_ROW   rsp
#define Y_ROW   rsp + 8
#define ROWS    rsp + 16
#define ENDS    rsp + 88
#define SUMS    rsp + 96
#define BEGINS_AT_Y rsp + 104

// As many parts of `count` vectors of `bytes` bytes as there are; then falls through.
        .macro part name, w, e, bytes, count
        lea     source, [at + \count*\bytes]
        cmp     source, n
        ja      .Lend_\name\()_\w\()\count
.Lpart_\name\()_\w\()\count:
        .irp    i, 0, 1, 2, 3
        .if     \i < \count
        zero    \w, \i
        .endif
        .endr
        cmp     dword ptr [BEGINS_AT_Y], 0
        je      .Lbegin_\name\()_\w\()\count
        lea     from, [to + at]
        .irp    i, 0, 1, 2, 3
        .if     \i < \count
        get     \w, \e, \i, from + \i*\bytes
        .endif
        .endr
.Lbegin_\name\()_\w\()\count:
        lea     source, [x_at + at]
        mov     next, begin
        cmp     next, end
        je      .Lput_\name\()_\w\()\count
.Lterm_\name\()_\w\()\count:
        mov     eax, [terms + 4*next]
        mov     r15d, eax
        shr     r15d, 1
        imul    from, n
        add     from, source
        and     eax, 1
        sign    \w, \e
        .irp    i, 0, 1, 2, 3
        .if     \i < \count
        term    \w, \e, \i, from + \i*\bytes
        .endif
        .endr
        add     next, 1
        cmp     next, end
        jne     .Lterm_\name\()_\w\()\count
.Lput_\name\()_\w\()\count:
        lea     from, [to + at]
        .irp    i, 0, 1, 2, 3
        .if     \i < \count
        put     \w, \e, \i, from + \i*\bytes
        .endif
        .endr
        add     at, \count*\bytes
        lea     source, [at + \count*\bytes]
        cmp     source, n
        jbe     .Lpart_\name\()_\w\()\count
.Lend_\name\()_\w\()\count:
        .endm

// Sums of numbers of 2^`log` bytes.
        .macro signed_sums name, e, log
        push    rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbx, 0
        push    rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        push    r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r12, 0
        push    r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r13, 0
        push    r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r14, 0
        push    r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r15, 0
        sub     rsp, 24
        .cfi_adjust_cfa_offset 24
        shl     n, \log
        shl     rcx, \log
        shl     r9, \log
        mov     [X_ROW], rcx
        mov     [Y_ROW], r9
        mov     terms, [rsp + 80]
        lea     signs, [rip + .Lsigns_\name]
        mov     [ROWS], rdi
        test    rdi, rdi
        jz      .Ldone_\name
.Lrow_\name:
        mov     ends, [ENDS]
        mov     sums, [SUMS]
        mov     to, y_at
        xor     ebp, ebp
        test    sums, sums
        jz      .Lnext_\name
.Lsum_\name:
        mov     r14d, [ends]
        add     ends, 4
        xor     r13d, r13d
        parts   \name, \e, \log
        add     to, n
        mov     begin, end
        sub     sums, 1
        jnz     .Lsum_\name
.Lnext_\name:
        add     x_at, [X_ROW]
        add     y_at, [Y_ROW]
        sub     qword ptr [ROWS], 1
        jnz     .Lrow_\name
.Ldone_\name:
        add     rsp, 24
        .cfi_adjust_cfa_offset -24
        pop     r15
        .cfi_adjust_cfa_offset -8
        .cfi_restore r15
        pop     r14
        .cfi_adjust_cfa_offset -8
        .cfi_restore r14
        pop     r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore r13
        pop     r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore r12
        pop     rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbp
        pop     rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbx
        leave_vectors
        ret
        .endm
