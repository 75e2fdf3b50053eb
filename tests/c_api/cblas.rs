//! A C program written against BLAS runs with `libhotloops_blas`, using its own header or the
//! system's. It agrees with another BLAS if one is installed. The library exports its header.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

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

/// Both libraries, and the archive they are made from, hold the header's functions, each by both of
/// its names. The handlers are weak references.
#[test]
fn the_library_shows_its_header_and_nothing_else() {
    let Some(library) = c::library() else { return };
    let header = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/include/hotloops_cblas.h")).unwrap();
    let lines = header.lines().filter(|line| !line.starts_with("//") && !line.contains("xerbla"));
    let routines = lines.filter_map(|line| line.split("cblas_").nth(1)?.split_once('(')).map(|(name, _)| name);
    let names: BTreeSet<_> = routines.flat_map(|name| [format!("cblas_{name}"), format!("{name}_")]).collect();
    assert!(names.contains("dsdot_"), "{names:?}");
    let symbols = |file: &Path, options: &[&str]| -> BTreeSet<String> {
        let listing = c::succeed(Command::new(c::tool("nm")).arg("-P").args(options).arg(file));
        listing.lines().filter_map(|line| line.split_once(' ')).map(|(name, _)| name.to_owned()).collect()
    };
    let lib = library.prefix.join("lib");
    assert_eq!(symbols(&lib.join("libhotloops_blas.a"), &["--defined-only", "--extern-only"]), names);
    assert_eq!(symbols(&lib.join("libhotloops_blas.so"), &["-D", "--defined-only"]), names);
    let own = symbols(&library.members, &["--defined-only", "--extern-only"]);
    let own: BTreeSet<_> = own.into_iter().filter(|name| name.starts_with("cblas_")).collect();
    assert_eq!(own, names.into_iter().filter(|name| name.starts_with("cblas_")).collect());
    let undefined = c::succeed(Command::new(c::tool("nm")).args(["-P", "-D"]).arg(lib.join("libhotloops_blas.so")));
    for handler in ["cblas_xerbla w", "xerbla_ w"] {
        assert!(undefined.lines().any(|line| line.starts_with(handler)), "{undefined}");
    }
}

#[test]
fn a_program_with_its_own_hook_runs() {
    let Some(library) = c::library() else { return };
    let Some(mut program) = compile(library, &[], "cblas-own") else { return };
    assert_eq!(c::succeed(&mut program), "done\n");
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
