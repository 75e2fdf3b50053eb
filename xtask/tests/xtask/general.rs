use crate::support::{ROOT, xtask};

const COMMANDS: [&str; 6] = ["new-kernel", "mca", "step", "abi", "compare", "rows"];

#[test]
fn every_help_has_an_example() {
    let help = xtask(["--help"]);
    assert_eq!(help.status, 0);
    assert!(help.stdout.contains("\nExample:\n  cargo xtask new-kernel "), "{}", help.stdout);
    for command in COMMANDS {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "{command} is not listed");
        let help = xtask([command, "--help"]);
        assert!(help.stdout.contains(&format!("\nExample:\n  cargo xtask {command} ")), "{}", help.stdout);
        assert!(help.stdout.contains(&format!("Usage: cargo xtask {command} ")), "{}", help.stdout);
    }
}

#[test]
fn a_mistyped_command_is_corrected() {
    let outcome = xtask(["new-kernl", "reduce/x"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("'new-kernel'"), "{}", outcome.stderr);
}

#[test]
fn cargo_finds_it() {
    let alias = std::fs::read_to_string(format!("{ROOT}/.cargo/config.toml")).unwrap();
    assert!(alias.contains("xtask = \"run --quiet --package xtask --\""), "{alias}");
}

/// `step` and `abi` take the same names.
#[test]
fn a_mistyped_variant_is_named() {
    for command in ["step", "abi"] {
        let refused = |variant: &str, line: &str| xtask([command, variant]).refuses(line);
        let usage = "is no variant: FAMILY/KERNEL/ISA_FORM, as reduce/sum_f32/avx2_assembly";
        refused("reduce/sum_f32", &format!("`reduce/sum_f32` {usage}"));
        refused(
            "exp/fast_f33/avx2_assembly",
            "no kernel of `exp` is called `fast_f33`; there are fast_f32 accurate_f32 poly_f32",
        );
        let rows = "avx2_intrinsics sse2_intrinsics neon_intrinsics scalar_reference";
        let line = format!("exp/accurate_f32 has no variant `avx2_assembly`; there are {rows}");
        refused("exp/accurate_f32/avx2_assembly", &line);
        let outcome = xtask([command, "expo/fast_f32/avx2_assembly"]);
        let families = "no family is called `expo`; there are random exp bitslice ";
        assert!(outcome.stderr.starts_with(&format!("cargo xtask: {families}")), "{}", outcome.stderr);
    }
}
