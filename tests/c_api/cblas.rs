//! A C program written against BLAS runs with `libhotloops_blas`, using its own header or the
//! system's. It agrees with another BLAS if one is installed. The library exports its header.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use hotloops::isa::{Isa, usable};

use crate::c;

fn compile(library: &c::Library, options: &[&str], name: &str) -> Option<Command> {
    let program = library.prefix.join(name);
    let mut compiler = Command::new(c::CC?);
    compiler.args(["-x", "c", "-std=gnu99", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]).args(options);
    compiler.arg("-I").arg(library.prefix.join("include")).arg("-o").arg(&program);
    compiler.arg(format!("{}/tests/c/cblas.c", c::ROOT)).args(["-x", "none"]);
    c::succeed(compiler.arg(library.prefix.join("lib/libhotloops_blas.a")).args(["-lm", "-ldl"]));
    Some(c::run(&program))
}

/// Whether the compiler finds `<cblas.h>`.
fn has_system_header() -> bool {
    let known = |compiler| {
        Command::new(compiler).args(["-x", "c", "-fsyntax-only", "-include", "cblas.h", "/dev/null"]).output()
    };
    c::CC.and_then(|compiler| known(compiler).ok()).is_some_and(|output| output.status.success())
}

/// The library of another BLAS for this machine.
fn other() -> Option<&'static str> {
    const NAME: &str = "libopenblas.so.0";
    let text = |program: &str, option: &str| {
        let output = Command::new(program).arg(option).output().ok()?;
        String::from_utf8(output.stdout).ok()
    };
    let own = text("uname", "-m")?.trim() == std::env::consts::ARCH;
    (own && text("/sbin/ldconfig", "-p")?.contains(NAME)).then_some(NAME)
}

/// Fortran names without a C name.
const FORTRAN_ALONE: [&str; 10] = [
    "lsame_",
    "xerbla_array_",
    "sgetrf_",
    "dgetrf_",
    "sgetrf2_",
    "dgetrf2_",
    "spotrf_",
    "dpotrf_",
    "spotrf2_",
    "dpotrf2_",
];

/// The libraries hold the header's functions, each by both of its names, and nothing else; with integers of 64 bits
/// by the names of netlib and of OpenBLAS too.
#[test]
fn the_library_shows_its_header_and_nothing_else() {
    let Some(library) = c::library() else { return };
    let read = |name| std::fs::read_to_string(format!("{}/include/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let header = ["hotloops_cblas.h", "hotloops_cblas_level3.h"].map(read).concat();
    let lines = header.lines().filter(|line| !["/*", " *", "#"].iter().any(|start| line.starts_with(start)));
    let words = lines.filter_map(|line| line.split_once('(')?.0.rsplit(' ').next());
    let functions: BTreeSet<_> = words.filter(|word| word.starts_with("cblas_") || word.starts_with("hl_")).collect();
    assert!(functions.contains("cblas_dsdot"), "{functions:?}");
    let fortran = |c: &str| Some(format!("{}_", c.strip_prefix("cblas_")?.trim_end_matches("_sub")));
    let names: BTreeSet<_> = functions.iter().filter_map(|name| fortran(name)).collect();
    let names: BTreeSet<_> = names.into_iter().chain(functions.iter().map(|&name| name.to_owned())).collect();
    let symbols = |file: &Path, options: &[&str]| -> BTreeSet<String> {
        let listing = c::succeed(Command::new(c::tool("nm")).arg("-P").args(options).arg(file));
        let all = listing.lines().filter_map(|line| line.split_once(' ')).map(|(name, _)| name.to_owned());
        all.filter(|name| !FORTRAN_ALONE.contains(&name.as_str())).collect()
    };
    let lib = library.prefix.join("lib");
    assert_eq!(symbols(&lib.join("libhotloops_blas.a"), &["--defined-only", "--extern-only"]), names);
    assert_eq!(symbols(&lib.join("libhotloops_blas.so"), &["-D", "--defined-only"]), names);
    let wide = symbols(&lib.join("libhotloops_blas64.so"), &["-D", "--defined-only"]);
    for name in &names {
        assert!(wide.contains(name), "{name}");
        let other = match name.strip_suffix('_') {
            _ if name.starts_with("hl_") => continue,
            Some(fortran) => [format!("{fortran}_64_")].to_vec(),
            None => [format!("{name}64_"), format!("{name}_64")].to_vec(),
        };
        assert!(other.iter().all(|name| wide.contains(name)), "{other:?}");
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    let Some(library) = c::library() else { return };
    let Some(compiler) = c::CC else { return };
    let program = library.prefix.join("blas-threads");
    let mut compiler = Command::new(compiler);
    compiler.args(["-std=gnu99", "-O1", "-Wall", "-Wextra", "-Werror", "-I"]).arg(library.prefix.join("include"));
    compiler.arg(format!("{}/tests/c/blas_threads.c", c::ROOT)).arg(library.prefix.join("lib/libhotloops_blas.a"));
    c::succeed(compiler.arg("-lpthread").arg("-o").arg(&program));
    let mut run = c::run(&program);
    if run.get_program() != program.as_os_str() {
        run.arg("without forks"); // The child of a program with threads may hang under QEMU.
    }
    assert_eq!(c::succeed(run.env("HOTLOOPS_NUM_THREADS", "3")), "done\n");
}

#[test]
fn a_program_with_its_own_hook_runs() {
    let Some(library) = c::library() else { return };
    let Some(mut program) = compile(library, &[], "cblas-own") else { return };
    for isa in [Isa::sse2, Isa::avx2, Isa::avx512, Isa::neon].into_iter().filter(|&isa| usable(isa)) {
        assert_eq!(c::succeed(program.env("HOTLOOPS_ISA", isa.word())), "done\n", "{}", isa.word());
    }
    program.env_remove("HOTLOOPS_ISA");
    match other() {
        Some(other) => assert_eq!(c::succeed(program.arg(other)), "done, with another BLAS\n"),
        None => println!("not run: there is no other BLAS"),
    }
}

#[test]
fn a_program_with_the_systems_header_runs() {
    let Some(library) = c::library() else { return };
    if !has_system_header() {
        return println!("not run: there is no <cblas.h>");
    }
    let options = ["-DSYSTEM_CBLAS", "-DDEFAULT_HOOK", "-Wno-enum-conversion"];
    let Some(mut program) = compile(library, &options, "cblas-system") else { return };
    assert_eq!(c::succeed(&mut program), "done\n");
}

#[test]
fn wrong_arguments_are_printed() {
    let Some(library) = c::library() else { return };
    let Some(mut program) = compile(library, &["-DDEFAULT_HOOK"], "cblas-default") else { return };
    let output = program.output().unwrap();
    let lines: Vec<_> = std::str::from_utf8(&output.stderr).unwrap().lines().collect();
    let line = |(routine, argument)| format!("{routine}: the value of {argument} is illegal");
    let arguments = [
        "layout", "transa", "transb", "m", "n", "k", "lda", "lda", "lda", "ldb", "ldb", "ldc", "ldc", "ldb", "transa",
        "n",
    ];
    let fortran = [("SGEMM", "transb"), ("SGEMM", "lda"), ("SGEMV", "m"), ("SGER", "incy"), ("SSYRK", "uplo")];
    let calls = arguments.map(|argument| ("cblas_sgemm", argument)).into_iter().chain(fortran);
    assert_eq!(lines, calls.map(line).collect::<Vec<_>>());
    assert!(output.status.success());
}
