// The sums of tiles: see transform_x86_64.h. For AVX2 and AVX-512.

// Forms. The arguments on the stack:
#define F_STRIDE  [rbp + 16]
#define F_Y       [rbp + 24]
#define F_Y_OUTER [rbp + 32]
#define F_PLANE   [rbp + 40]
#define F_TERMS   [rbp + 48]
#define F_ENDS    [rbp + 56]
#define F_KEPT    [rbp + 64]
#define F_SUMS    [rbp + 72]

// The rows of a multivector. Behind the kept sums, the first plane, or 0 when it is their turn, and the
// distance of results.
#define rows_at r10
#define planes_at r13
#define distance r12
#define distance_32 r12d

// The forms of tiles of 1 << `log` vectors.
        .macro  forms_tile name, w, log
        .set    WIDE, 1 << \log
        .set    LOG_PITCH, \log + LOG_LANES + LOG
        .set    PITCH, 1 << LOG_PITCH
.Ltile_\name\()_\w\log:
        mov     stride, F_STRIDE
        mov     x_at, place
        imul    x_at, stride
        add     x_at, X
        mov     y_at, F_Y
        index   y_at, y_at, place
        mov     rax, M
        mov     LEFT, rax

        // The rows of the blades.
.Lforms_\name\()_\w\()_\log:
        mov     stride, F_STRIDE
        mov     from_at, x_at
        mov     row_at, F_KEPT
        shl     row_at, LOG_PITCH
        add     row_at, rsp
        move_blades read, \name, \w, \log

        // The kept sums go to rows, the others to planes.
        mov     rows_at, rsp
.Lmultivector_\name\()_\w\()_\log:
        mov     term_at, F_TERMS
        mov     ends_at, F_ENDS
        lea     factors, [rip + .Lsigns_\name]
        mov     target, rsp
        mov     distance_32, PITCH
        mov     sums_left, F_KEPT
        mov     planes_at, y_at
.Lsums_\name\()_\w\()_\log:
        sub     sums_left, 1
        jae     .Lsum_\name\()_\w\()_\log
        test    planes_at, planes_at
        jz      .Lall_\name\()_\w\()_\log
        mov     target, planes_at
        mov     distance, F_PLANE
        mov     sums_left, F_SUMS
        xor     planes_at, planes_at
        jmp     .Lsums_\name\()_\w\()_\log
.Lsum_\name\()_\w\()_\log:
        mov     terms_end_32, [ends_at]
        add     ends_at, 4
        shl     terms_end, 2
        add     terms_end, F_TERMS
        begin   \w
        je      .Lput_\name\()_\w\()_\log
.Lterm_\name\()_\w\()_\log:
        mov     eax, [term_at]
        add     term_at, 4
        mov     ecx, eax
        and     ecx, 1
        xor     eax, ecx
        shl     rax, LOG_PITCH - 1
        shl     ecx, LOG
        spread  \w, 8, factors + rcx
        .irp    i, 0, 1, 2, 3
        .if     \i < WIDE
        term    \w, \i, rows_at + rax + \i*(PITCH/WIDE)
        .endif
        .endr
        cmp     term_at, terms_end
        jne     .Lterm_\name\()_\w\()_\log
.Lput_\name\()_\w\()_\log:
        .irp    i, 0, 1, 2, 3
        .if     \i < WIDE
        put     \w, \i, target + \i*(PITCH/WIDE)
        .endif
        .endr
        add     target, distance
        jmp     .Lsums_\name\()_\w\()_\log

.Lall_\name\()_\w\()_\log:
        add     x_at, X_OUTER
        add     y_at, F_Y_OUTER
        sub     qword ptr LEFT, 1
        jz      .Lend_\name\()_\w\()_\log
        mov     rax, ROWS
        cmp     rax, BLADES
        je      .Lforms_\name\()_\w\()_\log
        test    byte ptr LEFT, 1
        jz      .Lforms_\name\()_\w\()_\log
        add     rows_at, 2*PITCH
        jmp     .Lmultivector_\name\()_\w\()_\log
.Lend_\name\()_\w\()_\log:
        add     place, 1 << (\log + LOG_LANES)
        cmp     place, N
        jb      .Lnext_\name\()_\w
        jmp     .Ldone_\name
        .endm

// Blades. The arguments on the stack:
#define B_PLANE   [rbp + 16]
#define B_START   [rbp + 24]
#define B_INNER   [rbp + 32]
#define B_Y       [rbp + 40]
#define B_Y_OUTER [rbp + 48]
#define B_STRIDE  [rbp + 56]
#define B_TERMS   [rbp + 64]
#define B_ENDS    [rbp + 72]
#define B_KEPT    [rbp + 80]

#define kept    r13
#define start_at r10                    // of the next blade, or 0

// The blades of tiles of 1 << `log` vectors. START is where the starts of a multivector are, or 0:
// ADVANCE bytes further for the next one of the outer dimension, and STEP bytes further for the next
// blade.
        .macro  blades_tile name, w, log
        .set    WIDE, 1 << \log
        .set    LOG_PITCH, \log + LOG_LANES + LOG
        .set    PITCH, 1 << LOG_PITCH
.Ltile_\name\()_\w\log:
        mov     x_at, X
        index   x_at, x_at, place
        mov     y_at, place
        imul    y_at, B_STRIDE
        add     y_at, B_Y
        mov     rax, M
        mov     LEFT, rax
        mov     rax, B_START
        cmp     dword ptr B_INNER, 0
        je      .Louter_\name\()_\w\()_\log
        index   rax, rax, place
.Louter_\name\()_\w\()_\log:
        mov     START, rax

        // The kept sums and the blades go to rows.
.Lblades_\name\()_\w\()_\log:
        mov     target, rsp
.Lmultivector_\name\()_\w\()_\log:
        mov     term_at, B_TERMS
        mov     ends_at, B_ENDS
        lea     factors, [rip + .Lsigns_\name]
        mov     plane, B_PLANE
        mov     kept, B_KEPT
        mov     sums_left, kept
        add     sums_left, BLADES
        xor     start_at, start_at
.Lsum_\name\()_\w\()_\log:
        mov     terms_end_32, [ends_at]
        add     ends_at, 4
        shl     terms_end, 2
        add     terms_end, B_TERMS
        cmp     sums_left, BLADES
        jne     .Lbegin_\name\()_\w\()_\log
        mov     start_at, START
.Lbegin_\name\()_\w\()_\log:
        test    start_at, start_at
        jnz     .Lstart_\name\()_\w\()_\log
        begin   \w
.Lany_\name\()_\w\()_\log:
        cmp     term_at, terms_end
        je      .Lput_\name\()_\w\()_\log
.Lterm_\name\()_\w\()_\log:
        mov     eax, [term_at]
        add     term_at, 4
        mov     ecx, eax
        and     ecx, 1
        shl     ecx, LOG
        spread  \w, 8, factors + rcx
        shr     eax, 1
        mov     rcx, rax
        sub     rcx, kept
        imul    rcx, plane
        add     rcx, x_at
        cmp     rax, kept
        jae     .Lunit_\name\()_\w\()_\log
        shl     rax, LOG_PITCH
        lea     rcx, [rsp + rax]
.Lunit_\name\()_\w\()_\log:
        .irp    i, 0, 1, 2, 3
        .if     \i < WIDE
        term    \w, \i, rcx + \i*(PITCH/WIDE)
        .endif
        .endr
        cmp     term_at, terms_end
        jne     .Lterm_\name\()_\w\()_\log
.Lput_\name\()_\w\()_\log:
        .irp    i, 0, 1, 2, 3
        .if     \i < WIDE
        put     \w, \i, target + \i*(PITCH/WIDE)
        .endif
        .endr
        add     target, PITCH
        sub     sums_left, 1
        jnz     .Lsum_\name\()_\w\()_\log
        mov     rax, ADVANCE
        add     START, rax
        add     x_at, X_OUTER
        sub     qword ptr LEFT, 1
        mov     rax, ROWS
        cmp     rax, BLADES
        je      .Lmultivectors_\name\()_\w\()_\log
        test    byte ptr LEFT, 1
        jnz     .Lmultivector_\name\()_\w\()_\log

        // The blades of the multivectors.
.Lmultivectors_\name\()_\w\()_\log:
        mov     stride, B_STRIDE
        mov     from_at, y_at
        mov     row_at, kept
        shl     row_at, LOG_PITCH
        add     row_at, rsp
        move_blades write, \name, \w, \log
        add     y_at, B_Y_OUTER
        mov     rax, ROWS
        cmp     rax, BLADES
        je      .Lone_\name\()_\w\()_\log
        add     y_at, B_Y_OUTER
.Lone_\name\()_\w\()_\log:
        cmp     qword ptr LEFT, 0
        jne     .Lblades_\name\()_\w\()_\log
        add     place, 1 << (\log + LOG_LANES)
        cmp     place, N
        jb      .Lnext_\name\()_\w
        jmp     .Ldone_\name

        // The start of a blade, for all lanes or for each.
.Lstart_\name\()_\w\()_\log:
        cmp     dword ptr B_INNER, 0
        je      .Lsame_\name\()_\w\()_\log
        .irp    i, 0, 1, 2, 3
        .if     \i < WIDE
        get     \w, \i, start_at + \i*(PITCH/WIDE)
        .endif
        .endr
        add     start_at, STEP
        jmp     .Lany_\name\()_\w\()_\log
.Lsame_\name\()_\w\()_\log:
        .irp    i, 0, 1, 2, 3
        .if     \i < WIDE
        spread  \w, \i, start_at
        .endif
        .endr
        add     start_at, STEP
        jmp     .Lany_\name\()_\w\()_\log
        .endm
