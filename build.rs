//! Sets the cfg words of the kernel tables and assembles `asm/**/*.S`.

use std::{env, fs, path::PathBuf, thread};

/// The ISA words that have code on each architecture; an ISA is added here and in `src/frame/level.rs`.
const ISA_WORDS: [(&str, &[&str]); 2] =
    [("x86_64", &["sse2", "avx2", "avx2gfni", "avx512", "avx512icl"]), ("aarch64", &["neon"])];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=asm");

    let target = |key: &str| env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    for word in ISA_WORDS.iter().flat_map(|(_, words)| *words) {
        println!("cargo::rustc-check-cfg=cfg({word})");
    }
    for word in ["scalar", "reference", "intrinsics", "assembly"] {
        println!("cargo::rustc-check-cfg=cfg({word})");
    }
    for word in ["scalar", "reference", "intrinsics"] {
        println!("cargo::rustc-cfg={word}");
    }
    let arch = target("ARCH");
    let words = ISA_WORDS
        .iter()
        .find(|(name, _)| *name == arch && target("ENDIAN") == "little")
        .map_or(&[][..], |(_, words)| words);
    for word in words {
        println!("cargo::rustc-cfg={word}");
    }

    // Documentation needs no assembler, and docs.rs may have none: call no compiler there.
    let documented = env::var_os("DOCS_RS").is_some();
    println!("cargo::rerun-if-env-changed=DOCS_RS");

    println!("cargo::rustc-env=HOTLOOPS_OPT_LEVEL={}", env::var("OPT_LEVEL").unwrap());

    // The tests of the C library compile for this target with this compiler.
    println!("cargo::rustc-env=HOTLOOPS_TARGET={}", env::var("TARGET").unwrap());
    let compiler = if documented { None } else { assembler().try_get_compiler().ok() };
    let compiler = compiler.map(|tool| tool.path().display().to_string());
    println!("cargo::rustc-env=HOTLOOPS_CC={}", compiler.unwrap_or_default());

    // asm/hl.h supports the object formats of these families.
    let known = ["unix", "windows"].contains(&target("FAMILY").as_str());
    let wanted = env::var_os("CARGO_FEATURE_ASSEMBLY").is_some() && !documented;
    if words.is_empty() || !wanted || !known {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let probe = out.join("probe.S");
    fs::write(&probe, "#include \"hl.h\"\nFUNC(hl_probe)\n ret\nEND(hl_probe)\n").unwrap();
    if let Err(error) = assembler().cargo_warnings(false).file(&probe).try_compile("hotloops_probe") {
        println!("cargo::warning=no assembler, so only intrinsics are built: {error}");
        return;
    }
    println!("cargo::rustc-cfg=assembly");
    let objects = assemble(&sources(words));
    objects.iter().fold(&mut cc::Build::new(), cc::Build::object).compile("hotloops_asm");
}

/// Assembles the files, as many at a time as cargo runs jobs.
fn assemble(files: &[PathBuf]) -> Vec<PathBuf> {
    let jobs = env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
    thread::scope(|scope| {
        // Files of one family take alike long, so each thread takes some of each.
        let part = |first| files.iter().skip(first).step_by(jobs);
        let threads: Vec<_> = (0..jobs)
            .map(|first| scope.spawn(move || assembler().files(part(first)).compile_intermediates()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("the assembler failed")).collect()
    })
}

fn assembler() -> cc::Build {
    let mut build = cc::Build::new();
    build.include("asm");
    build
}

/// Every `asm/<family>/*_<isa>.S` whose ISA word belongs to this architecture.
fn sources(words: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for family in fs::read_dir("asm").unwrap().map(|entry| entry.unwrap().path()) {
        if !family.is_dir() {
            continue;
        }
        for file in fs::read_dir(family).unwrap().map(|entry| entry.unwrap().path()) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let isa = name.strip_suffix(".S").and_then(|stem| stem.rsplit('_').next());
            if isa.is_some_and(|isa| words.contains(&isa)) {
                files.push(file);
            }
        }
    }
    files.sort();
    files
}
