//! A C program written against CBLAS runs with `libhotloops_blas.a`, using its own header or the
//! system's. It agrees with another BLAS if one is installed.
#![cfg(unix)]

mod c;

use std::process::Command;

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
    let line = |argument| format!("cblas_sgemm: the value of {argument} is illegal");
    let arguments = [
        "layout", "transa", "transb", "m", "n", "k", "lda", "lda", "lda", "ldb", "ldb", "ldc", "ldc", "ldb", "transa",
        "n",
    ];
    assert_eq!(lines, arguments.map(line));
    assert!(output.status.success());
}
