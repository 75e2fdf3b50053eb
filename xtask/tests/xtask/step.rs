#[cfg(target_arch = "x86_64")]
use crate::support::{has, xtask};

#[test]
#[cfg(target_arch = "x86_64")]
fn gdb_stands_at_the_first_instruction() {
    if !has("gdb") {
        return;
    }
    for (variant, arguments) in [
        ("reduce/sum_f32/sse2_assembly", &["x: *const f32 = 0x", "n: usize = "][..]),
        ("hamming/cosine/sse2_intrinsics", &["ones: u32 = ", "empty: f32 = "]),
        ("matmul/block_f32/scalar_reference", &["m: usize = ", "c_row: isize = ", "accumulate: u32 = "]),
    ] {
        let outcome = xtask(["step", "--batch", variant]);
        if outcome.stderr.contains("ptrace: Operation not permitted") {
            return println!("not run: this machine lets no debugger trace a program");
        }
        let text = &outcome.stdout;
        assert_eq!(outcome.status, 0, "{variant}: {text}{}", outcome.stderr);
        for argument in arguments {
            assert!(text.contains(argument), "{variant}: {argument:?} is not in\n{text}");
        }
        // Disassembly begins at the function itself, not within it.
        let first = text.lines().find(|line| line.starts_with("=> ")).unwrap_or_default();
        assert!(first.contains(">:") && !first.contains("+"), "{variant}: {text}");
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_variant_of_another_architecture_is_not_there() {
    if !has("gdb") {
        return;
    }
    let variant = "reduce/sum_f32/neon_assembly";
    xtask(["step", "--batch", variant]).refuses(&format!("{variant} is not in this build, which is for x86_64"));
}
