//! Extracts `(symbol, Bound)` rows from banner lines such as `// Bound   26 cycles for 128 elements
//! on Zen 3`. Also records the compilers' versions, which label figures, and compiles the sources' own
//! programs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let asm = Path::new("../../asm");
    println!("cargo::rerun-if-changed={}", asm.display());
    let files = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let mut rows: Vec<String> =
        files(asm).iter().flat_map(|family| files(family)).flat_map(|file| rows(&file)).collect();
    rows.sort();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo")).join("bounds.rs");
    fs::write(out, format!("[{}]", rows.concat())).expect("OUT_DIR is writable");
    let rustc =
        Command::new(env::var_os("RUSTC").expect("set by cargo")).arg("--version").output().expect("rustc runs");
    original();
    programs("bits");
    programs("correlation");
    println!("cargo::rustc-env=C_COMPILER={}", c_compiler());
    sources();
    println!("cargo::rustc-env=RUSTC_VERSION={}", String::from_utf8_lossy(&rustc.stdout).trim());
}

/// Compiles the programs of a source at -O2 and at -O3; the names of their functions end accordingly.
fn programs(source: &str) {
    let file = format!("src/sources/{source}/programs.c");
    println!("cargo::rerun-if-changed={file}");
    for level in [2, 3] {
        cc::Build::new()
            .file(&file)
            .opt_level(level)
            .debug(false)
            .define("LEVEL", format!("_o{level}").as_str())
            .compile(&format!("hotloops_bench_{source}_o{level}"));
    }
}

/// Compiles A.1 and A.2 of the Ising paper, unoptimised and optimised.
fn original() {
    println!("cargo::rerun-if-changed=src/original.c");
    for (build, level) in [("a", 0), ("b", 3)] {
        cc::Build::new()
            .file("src/original.c")
            .define("BUILD", build)
            .opt_level(level)
            .debug(false)
            // The reference rounds every product.
            .flag_if_supported("-ffp-contract=off")
            .compile(&format!("hotloops_bench_original_{build}"));
    }
}

/// The C compiler's name and version.
fn c_compiler() -> String {
    let compiler = cc::Build::new().opt_level(2).get_compiler();
    let output = compiler.to_command().arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let line = text.lines().next().unwrap_or("a C compiler");
    // gcc says the name by which it was called, such as cc.
    match line.split_once(' ') {
        Some((_, rest)) if compiler.is_like_gnu() => format!("gcc {rest}"),
        _ => line.to_owned(),
    }
}

/// Compiles the programs of the sources without auto-vectorisation and with it. Records the flags.
fn sources() {
    let files = ["reduce", "matmul", "clifford"].map(|name| format!("src/sources/{name}.c"));
    files.iter().for_each(|file| println!("cargo::rerun-if-changed={file}"));
    let is_x86 = env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("x86_64");
    let wide = if is_x86 { "-march=x86-64-v3" } else { "" };
    for (build, level, flag) in [("plain", 2, "-fno-tree-vectorize"), ("vectorised", 3, wide)] {
        let mut cc = cc::Build::new();
        cc.files(&files).define("BUILD", build).opt_level(level).debug(false);
        if !flag.is_empty() {
            cc.flag(flag);
        }
        cc.compile(&format!("hotloops_bench_sources_{build}"));
        println!("cargo::rustc-env=SOURCES_{}={}", build.to_uppercase(), format!("-O{level} {flag}").trim());
    }
}

/// A banner states the bound of the function whose prototype it shows.
fn rows(file: &Path) -> Vec<String> {
    if file.extension().is_none_or(|end| end != "S") {
        return Vec::new();
    }
    let text = fs::read_to_string(file).expect("an assembly file is text");
    let (mut symbol, mut rows) = ("", Vec::new());
    for line in text.lines() {
        if let Some((before, _)) = line.strip_prefix("//   ").and_then(|line| line.split_once('(')) {
            symbol = before.rsplit(' ').next().filter(|word| word.starts_with("hl_")).unwrap_or(symbol);
        } else if let Some(bound) = line.strip_prefix("// Bound ") {
            let words = || {
                let (cycles, rest) = bound.trim().split_once(" cycles for ")?;
                let (elements, cpu) = rest.split_once(" elements on ")?;
                Some((cycles.parse::<f64>().ok()? / elements.parse::<f64>().ok()?, cpu))
            };
            let (cycles, cpu) = words().unwrap_or_else(|| panic!("{}: `{bound}` is not a valid bound", file.display()));
            rows.push(format!("(\"{symbol}\", Bound {{ cycles: {cycles:?}, cpu: {cpu:?} }}),\n"));
        }
    }
    rows
}
