//! Clean and faulty functions of this architecture.

use super::{Copier, Function, Functions};

fn avx() -> bool {
    is_x86_feature_detected!("avx")
}

fn avx512() -> bool {
    is_x86_feature_detected!("avx512bw")
}

pub fn clean() -> Functions {
    let mut list = functions! {
        "kept registers and the red zone" =>
            "push rbx", "push rbp", "mov ebx, edi", "mov ebp, esi", "mov [rsp - 128], rbx",
            "cvttss2si rax, xmm0", "add rax, rbp", "add rax, [rsp - 128]", "pop rbp", "pop rbx";
        "flags and MMX left clean, a division by zero" =>
            "std", "cld", "movq mm0, rdi", "emms", "mov edi, edi", "mov esi, esi", "cvttss2si rax, xmm0",
            "xorps xmm1, xmm1", "divss xmm0, xmm1", "add rax, rdi", "add rax, rsi";
    };
    if avx() {
        list.extend(functions! { "upper halves left clean" =>
            "vinsertf128 ymm9, ymm0, xmm0, 1", "vaddps ymm9, ymm9, ymm9", "vzeroupper",
            "mov edi, edi", "mov esi, esi", "cvttss2si rax, xmm0", "add rax, rdi", "add rax, rsi";
        });
    }
    if avx512() {
        list.extend(functions! { "zmm16-31 and masks, which may be left" =>
            "vpternlogd zmm20, zmm20, zmm20, 255", "kxnorq k1, k1, k1",
            "vpaddd zmm0{{k1}}, zmm0, zmm20", "vpsubd zmm0, zmm0, zmm20", "vzeroupper",
            "mov edi, edi", "mov esi, esi", "cvttss2si rax, xmm0", "add rax, rdi", "add rax, rsi";
        });
    }
    list
}

pub fn corrupters() -> Functions {
    let mut list = each! { "not " "": "rbx" "rbp" "r12" "r13" "r14" "r15" };
    list.extend(functions! {
        "rsp" => "ret 8";
        "mxcsr" =>
            "stmxcsr [rsp - 4]", "xor dword ptr [rsp - 4], 0x2000", "ldmxcsr [rsp - 4]";
        "mxcsr" =>
            "stmxcsr [rsp - 4]", "xor dword ptr [rsp - 4], 0x8040", "ldmxcsr [rsp - 4]";
        "x87 control word" =>
            "fnstcw [rsp - 2]", "xor word ptr [rsp - 2], 0x300", "fldcw [rsp - 2]";
        "x87 tag word" => "fld1";
        "x87 tag word" => "pxor mm0, mm0";
        "direction flag" => "std";
        "stack word 0" => "mov byte ptr [rsp + 8], 0";
        "stack word 15" => "mov qword ptr [rsp + 128], 0";
    });
    list
}

/// Functions that write the given number of bytes below their caller's stack pointer.
pub fn diggers() -> Vec<(usize, Function)> {
    let list = functions! {
        "1" => "mov byte ptr [rsp - 1], 0";
        "8" => "push rax", "pop rax";
        "128" => "lea r10, [rsp - 128]", "mov [r10], rdi";
        "4096" => "mov r10, rsp", "sub r10, 4096", "mov [r10], rdi";
        "4096" => "sub rsp, 4096", "mov byte ptr [rsp + 7], 0", "add rsp, 4096";
        "8184" => "mov byte ptr [rsp - 4096], 0", "mov dword ptr [rsp - 8184], 0";
    };
    list.into_iter().map(|(bytes, function)| (bytes.parse().unwrap(), function)).collect()
}

/// Functions that touch a page of their frame before the one above it, and the bytes that they use.
pub fn skippers() -> Vec<(usize, Function)> {
    let list = functions! {
        "4168" => "sub rsp, 4160", "mov [rsp], rdi", "mov [rsp + 4096], rdi", "add rsp, 4160";
        "8208" => "mov byte ptr [rsp - 8200], 0";
        "12296" => "mov byte ptr [rsp - 4096], 0", "mov byte ptr [rsp - 12288], 0", "mov byte ptr [rsp - 8192], 0";
    };
    list.into_iter().map(|(bytes, function)| (bytes.parse().unwrap(), function)).collect()
}

pub fn phase() -> Functions {
    functions! { "the phase at the call" => "lea rax, [rsp + 8]", "and rax, 63"; }
}

pub fn wants_an_aligned_stack() -> Functions {
    functions! { "in two of four phases" => "lea r10, [rsp + 8]", "test r10, 16", "jz 2f", "ud2", "2:"; }
}

macro_rules! copier {
    ($load:expr, $tail:expr) => {
        concat!(
            "sub rdx, 16\njb 3f\n",
            "2:\n",
            $load,
            "\nmovdqu [rsi], xmm0\nadd rdi, 16\nadd rsi, 16\nsub rdx, 16\njae 2b\n",
            "3:\nadd rdx, 16\n",
            $tail,
            "\ntest rdx, rdx\njz 5f\n",
            "4:\nmov al, [rdi]\nmov [rsi], al\ninc rdi\ninc rsi\ndec rdx\njnz 4b\n5:\nret"
        )
    };
}
pub fn copies() -> Functions<Copier> {
    copiers! { "a copy" => "movdqu xmm0, [rdi]", ""; }
}

pub fn trespassers() -> Functions<Copier> {
    copiers! {
        "a whole vector is read" => "movdqu xmm0, [rdi]", "movdqu xmm0, [rdi]";
        "the byte before is read" => "movdqu xmm0, [rdi]", "mov al, [rdi - 1]";
        "the byte past the end is written as it was" =>
            "movdqu xmm0, [rdi]", "mov al, [rsi + rdx]\nmov [rsi + rdx], al";
        "the byte before the output is cleared" => "movdqu xmm0, [rdi]", "mov byte ptr [rsi - 1], 0";
    }
}

pub fn wants_alignment() -> Functions<Copier> {
    copiers! {
        "an aligned load" => "movdqa xmm0, [rdi]", "";
        "a memory operand" => "pxor xmm0, xmm0\npor xmm0, [rdi]", "";
        "a store past the caches" => "movdqu xmm0, [rdi]\nmovntdq [rsi], xmm0", "";
    }
}

pub fn breaks_with_a() -> Functions {
    functions! { "rbx" => "mov edi, edi", "add rbx, rdi"; }
}

pub fn leavers_of_dirty_upper_halves() -> Functions {
    let mut list = Vec::new();
    if avx() {
        list.extend(functions! {
            "ymm3" => "vinsertf128 ymm3, ymm3, xmm0, 1";
            "ymm15" => "vbroadcastf128 ymm15, [rsp]";
        });
    }
    if avx512() {
        list.extend(functions! { "zmm0" => "vpternlogd zmm0, zmm0, zmm0, 255"; });
    }
    list
}

/// Functions that return bits which no argument defines. The call checker sets those bits to ones.
pub fn readers() -> Functions {
    let mut list = each! { "mov rax, " "": "rax" "rcx" "rdx" "r8" "r9" "r10" "r11" };
    list.extend(functions! {
        "edi above 32" => "mov rax, rdi", "sar rax, 32";
        "esi above 32" => "mov rax, rsi", "sar rax, 32";
        "xmm0 above 32" => "movq rax, xmm0", "sar rax, 32";
        "xmm0 above 64" => "movhlps xmm0, xmm0", "movq rax, xmm0";
    });
    list.extend(each! { "movq rax, " "":
        "xmm1" "xmm2" "xmm3" "xmm4" "xmm5" "xmm6" "xmm7" "xmm8"
        "xmm9" "xmm10" "xmm11" "xmm12" "xmm13" "xmm14" "xmm15"
    });
    if avx() {
        list.extend(each! { "vextractf128 xmm0, " ", 1\nvmovq rax, xmm0\nvzeroupper":
            "ymm0" "ymm1" "ymm7" "ymm8" "ymm15"
        });
    }
    if avx512() {
        list.extend(each! { "vextractf64x4 ymm0, " ", 1\nvmovq rax, xmm0\nvzeroupper":
            "zmm0" "zmm7" "zmm8" "zmm15" "zmm16" "zmm31"
        });
        list.extend(each! { "vmovq rax, " "\nvzeroupper": "xmm16" "xmm31" });
        list.extend(each! { "kmovq rax, " "": "k0" "k1" "k2" "k3" "k4" "k5" "k6" "k7" });
    }
    list
}
