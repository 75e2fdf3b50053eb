#![cfg(target_arch = "x86_64")]

use crate::support::{Outcome, has, tree_with, xtask, xtask_in};

fn of(name: &str, body: &[&str]) -> Outcome {
    of_isa("avx2", name, body)
}

fn of_isa(isa: &str, name: &str, body: &[&str]) -> Outcome {
    let tree = tree_with(name, isa, "// Stack  none", &format!("        {}", body.join("\n        ")));
    xtask_in(&tree, ["abi", &format!("family/kernel/{isa}_assembly")])
}

#[track_caller]
fn assert_fault(name: &str, body: &[&str], fault: &str) {
    assert_one_fault(&of(name, body), fault);
}

#[track_caller]
fn assert_one_fault(outcome: &Outcome, fault: &str) {
    assert_eq!(outcome.status, 1, "{}{}", outcome.stdout, outcome.stderr);
    let faults: Vec<_> = outcome.stdout.lines().filter(|line| line.starts_with("fault: ")).collect();
    assert!(faults.len() == 1 && faults[0].ends_with(fault), "{faults:?}");
}

#[test]
fn each_fault_is_found() {
    if !has("objdump") {
        return;
    }
    assert_fault("kept", &["mov ebx, 1", "ret"], "ret: rbx is not what it was at the call");
    // Restored on one path only.
    let path =
        ["push r12", "mov r12, rsi", "test rsi, rsi", "jz .Lend", "pop r12", "ret", ".Lend:", "add rsp, 8", "ret"];
    assert_fault("path", &path, "ret: r12 is not what it was at the call");
    let swapped = ["push rbx", "push rbp", "xor ebx, ebx", "pop rbx", "pop rbp", "ret"];
    assert_eq!(of("swapped", &swapped).stdout.matches("fault: ").count(), 2);
    let upper = ["vpxor ymm0, ymm0, ymm0", "vpaddd ymm0, ymm0, [rdi]", "ret"];
    assert_fault("upper", &upper, "ret: upper halves of vector registers are in use: no vzeroupper");
    assert_fault("moved", &["sub rsp, 24", "add rsp, 16", "ret"], "ret: rsp is not where it was at the call");
    assert_fault("call", &["call memcpy@PLT", "ret"], "the stack is not aligned to 16 bytes");
    assert_fault("below", &["mov [rsp - 8], rdi", "ret"], "below the stack pointer");
    assert_fault("mode", &["std", "ret"], "changes a mode that belongs to the caller");
    let clobbered = ["push rbx", "xor ebx, ebx", "add qword ptr [rsp], 1", "pop rbx", "ret"];
    assert_fault("clobbered", &clobbered, "ret: rbx is not what it was at the call");
    assert_fault("end", &["xor eax, eax"], "the end of the function is run over");
}

#[test]
fn each_fault_of_aarch64_is_found() {
    if !has("aarch64-linux-gnu-gcc") || !has("aarch64-linux-gnu-objdump") {
        return;
    }
    let neon = |name: &str, body: &[&str]| of_isa("neon", name, body);
    assert_one_fault(&neon("arm_kept", &["mov x19, #1", "ret"]), "ret: x19 is not what it was at the call");
    assert_one_fault(&neon("arm_half", &["fmov d8, d0", "ret"]), "ret: v8 is not what it was at the call");
    assert_one_fault(
        &neon("arm_moved", &["sub sp, sp, #32", "add sp, sp, #16", "ret"]),
        "sp is not where it was at the call",
    );
    assert_one_fault(&neon("arm_below", &["str x0, [sp, #-8]", "ret"]), "below the stack pointer");
    assert_one_fault(&neon("arm_mode", &["msr fpcr, x0", "ret"]), "changes a mode that belongs to the caller");
    assert_one_fault(&neon("arm_platform", &["mov x18, #1", "ret"]), "x18 is written");
    let legal = [
        "stp x29, x30, [sp, #-32]!",
        "stp d8, d9, [sp, #16]",
        "fmov d8, d0",
        "bl .Linner",
        "ldp d8, d9, [sp, #16]",
        "ldp x29, x30, [sp], #32",
        "ret",
        ".Linner:",
        "mov x0, #1",
        "ret",
    ];
    let outcome = neon("arm_legal", &legal);
    assert_eq!(outcome.status, 0, "{}{}", outcome.stdout, outcome.stderr);
}

#[test]
fn what_is_legal_passes() {
    if !has("objdump") {
        return;
    }
    let frame = [
        "push rbp",
        "mov rbp, rsp",
        "push rbx",
        "sub rsp, 72",
        "and rsp, -64",
        "mov rbx, rdi",
        "vmovaps [rsp], ymm0",
        "call .Linner",
        "vzeroupper",
        "call memcpy@PLT",
        "mov rbx, [rbp - 8]",
        "mov rsp, rbp",
        "pop rbp",
        "ret",
        ".Linner:",
        "vpxor ymm1, ymm1, ymm1",
        "push r12",
        "mov r12, rdi",
        "pop r12",
        "ret",
    ];
    let outcome = of("legal", &frame);
    assert_eq!(outcome.status, 0, "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("callee-saved registers used: rbx rbp r12\n"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("calls: memcpy\n"), "{}", outcome.stdout);
}

/// Of a program as rustc makes it, and of another architecture.
#[test]
fn variants_of_the_library_pass() {
    if !has("objdump") {
        return;
    }
    let mut variants = vec!["reduce/sum_f32/avx2_assembly", "hamming/intersections/sse2_assembly"];
    variants.extend(["exp/poly_f32/avx2_intrinsics", "ising/sweep_i8/scalar_reference"]);
    if has("aarch64-linux-gnu-gcc") && has("aarch64-linux-gnu-objdump") {
        variants.push("matmul/block_f32/neon_assembly");
    }
    for variant in variants {
        let outcome = xtask(["abi", variant]);
        assert_eq!(outcome.status, 0, "{variant}: {}{}", outcome.stdout, outcome.stderr);
        assert!(outcome.stdout.ends_with("no fault\n"), "{variant}: {}", outcome.stdout);
    }
}
