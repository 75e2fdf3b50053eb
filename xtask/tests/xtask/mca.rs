use crate::support::{ROOT, has, run, tree_with, xtask, xtask_in};

#[test]
fn what_is_no_assembly_file_is_refused() {
    let outcome = xtask(["mca", "asm/reduce/sum.S"]);
    assert!(outcome.status == 2 && outcome.stderr.starts_with("cargo xtask: asm/reduce/sum.S: "), "{}", outcome.stderr);
    xtask(["mca", "asm/hl.h"]).refuses("asm/hl.h: not an assembly file of asm/");
}

#[test]
fn a_machine_without_llvm_mca_is_told_so() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_xtask"));
    let outcome = run(command.args(["mca", "asm/reduce/sums_avx2.S"]).env("PATH", ""));
    outcome.refuses("llvm-mca is not installed (it comes with LLVM)");
}

#[test]
#[cfg(target_arch = "x86_64")]
fn the_loop_is_held_against_the_bound() {
    if !has("llvm-mca") {
        return;
    }
    // A chain of four additions of one cycle each.
    let body = "        xor     eax, eax\n.Lloop:\n        add     rax, 1\n        add     rax, 1\n        \
        add     rax, 1\n        add     rax, 1\n        dec     rsi\n        jnz     .Lloop\n.Lother:\n        \
        dec     rsi\n        jnz     .Lother\n        ret";
    let tree = tree_with("mca", "avx2", "// Bound   4 cycles for 1 elements on Zen 3", body);
    let file = tree.join("asm/family/kernel_avx2.S");
    let outcome = xtask_in(&tree, ["mca", file.to_str().unwrap()]);
    let text = "hl_family_kernel_avx2: .Lloop, 6 instructions: 4.0";
    assert!(outcome.stdout.starts_with(text), "{}{}", outcome.stdout, outcome.stderr);
    let bound = " cycles a turn on znver3; 4 cycles for 1 elements on Zen 3: +";
    assert!(outcome.stdout.contains(bound), "{}", outcome.stdout);
    let other = xtask_in(&tree, ["mca", "--loop", ".Lother", "--cpu", "znver2", file.to_str().unwrap()]);
    assert!(
        other.stdout.contains(".Lother, 2 instructions: 1.0") && other.stdout.contains("znver2"),
        "{}",
        other.stdout
    );
    let none = xtask_in(&tree, ["mca", "--loop", ".Lnone", file.to_str().unwrap()]);
    assert!(none.stdout.contains("no such loop; its innermost loops are at .Lloop .Lother"), "{}", none.stdout);
}

/// The file of the example.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_sums_are_modelled() {
    if !has("llvm-mca") {
        return;
    }
    let outcome = xtask(["mca", &format!("{ROOT}/asm/reduce/sums_avx2.S")]);
    assert_eq!((outcome.status, outcome.stdout.lines().count()), (0, 2), "{}{}", outcome.stdout, outcome.stderr);
}
