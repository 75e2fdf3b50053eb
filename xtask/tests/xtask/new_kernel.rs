use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{ROOT, copy_of_the_tree, mirror, run, xtask, xtask_in};

#[test]
fn what_cannot_be_is_refused() {
    let refused = |kernel: &str, line: &str| xtask(["new-kernel", kernel]).refuses(line);
    refused("reduce", "`reduce` is not FAMILY/NAME, as reduce/norm_f32");
    refused("reduce//norm_f32", "`reduce//norm_f32` is not FAMILY/NAME, as reduce/norm_f32");
    refused("reduce/norm/f32", "src/reduce/norm has no kernels; they are in reduce reduce/vectors");
    refused(
        "clifford/norm_f32",
        "src/clifford has no kernels; they are in clifford/common clifford/gate clifford/multiply clifford/transform",
    );
    refused("reduce/sum_f32", "reduce/sum_f32 exists");
    refused("reduce/match", "`match` is a word of Rust");
    refused("reduce/sums", "src/reduce/mod.rs uses the name `sums`");
    refused("reduce/norm_avx2", "`norm_avx2` ends in an instruction set, as the symbols of variants do");
    for name in ["Norm", "2norm", "norm-f32", "_norm", "norm_", "norm__f32", "norm f32", "größe"] {
        let line = format!("`{name}` is no name: lower-case words of letters and digits, with `_` between them");
        refused(&format!("reduce/{name}"), &line);
    }
    let outcome = xtask(["new-kernel", "reduze/norm_f32"]);
    assert!(outcome.stderr.contains("no family is called `reduze`; there are random exp "), "{}", outcome.stderr);
}

/// The bytes of all files.
fn files(folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => files(&path, found),
            false => drop(found.insert(path.display().to_string(), fs::read(&path).unwrap())),
        }
    }
}

/// One of the places is missing: no file is touched.
#[test]
fn nothing_is_written_half() {
    let tree = copy_of_the_tree("half");
    let header = tree.join("include/hotloops_kernels.h");
    let text = fs::read_to_string(&header).unwrap();
    fs::write(&header, text.replace("#ifdef __cplusplus\n}", "}")).unwrap();
    let look = || {
        let mut found = BTreeMap::new();
        files(&tree, &mut found);
        found
    };
    let before = look();
    xtask_in(&tree, ["new-kernel", "reduce/norm_f32"])
        .refuses("include/hotloops_kernels.h: the place for the kernel is not found");
    fs::write(&header, &text).unwrap();
    fs::create_dir(tree.join("asm/reduce/norm_f32_neon.new-kernel")).unwrap();
    let outcome = xtask_in(&tree, ["new-kernel", "reduce/norm_f32"]);
    assert!(outcome.stderr.contains("asm/reduce/norm_f32_neon.S: ") && outcome.status == 2, "{}", outcome.stderr);
    fs::remove_dir(tree.join("asm/reduce/norm_f32_neon.new-kernel")).unwrap();
    fs::write(&header, text.replace("#ifdef __cplusplus\n}", "}")).unwrap();
    assert!(before == look());
}

/// Every folder with a reference has the places where a kernel goes.
#[test]
fn every_family_takes_a_kernel() {
    let tree = copy_of_the_tree("families");
    let list = fs::read_to_string(format!("{ROOT}/src/lib.rs")).unwrap();
    let families: Vec<_> = list.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let families = families.into_iter().filter(|family| Path::new(ROOT).join("asm").join(family).is_dir());
    for family in families {
        let source = Path::new(ROOT).join("src").join(family);
        let entries = fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path());
        let places = entries.chain([source]).filter(|path| path.join("scalar.rs").is_file());
        let mut count = 0;
        for (i, place) in places.enumerate() {
            let place = place.strip_prefix(Path::new(ROOT).join("src")).unwrap().display().to_string();
            let kernel = format!("{place}/norm{i}_f32");
            let outcome = xtask_in(&tree, ["new-kernel", &kernel]);
            assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{kernel}");
            xtask_in(&tree, ["new-kernel", &kernel]).refuses(&format!("{family}/norm{i}_f32 exists"));
            count += 1;
        }
        assert!(count > 0, "{family}");
    }
}

/// The skeleton builds, is seen by the tests that judge kernels, and passes them.
#[test]
fn the_skeleton_passes_the_tests_of_kernels() {
    let fresh = copy_of_the_tree("skeleton");
    assert_eq!(xtask_in(&fresh, ["new-kernel", "reduce/norm_f32"]).status, 0);
    assert_eq!(xtask_in(&fresh, ["new-kernel", "clifford/gate/norm_f32"]).status, 0);
    let tree = fresh.with_file_name("skeleton-built");
    mirror(&fresh, &tree);
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--package", "hotloops", "--manifest-path"]).arg(tree.join("Cargo.toml"));
    cargo.args(["--test", "contract", "--test", "dispatch", "--test", "c_api"]);
    cargo.args(["--", "norm_f32", "every_assembly_function_is_a_row", "every_declaration_is_listed"]);
    cargo.args(["rows_are_in_a_legal_order", "titles_are", "prototypes_are", "uses_and_stack_are"]);
    // Quick to build; a folder of its own, because cargo's file names are the same for both trees.
    cargo.env("CARGO_TARGET_DIR", tree.with_file_name("skeleton-target"));
    cargo.envs([("CARGO_PROFILE_DEV_OPT_LEVEL", "0"), ("CARGO_PROFILE_DEV_DEBUG", "false")]);
    cargo.env("HOTLOOPS_TEST_LARGEST", "16384").env_remove("HOTLOOPS_TEST_ISA");
    let outcome = run(&mut cargo);
    assert!(outcome.status == 0, "{}\n{}", outcome.stdout, outcome.stderr);
    for test in ["reduce::norm_f32", "clifford::norm_f32"] {
        assert!(outcome.stdout.contains(&format!("test variants::{test} ... ok")), "{}", outcome.stdout);
    }
}
