//! Programs that use the installed library.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::c;
use crate::compilers::{compile, compiler, cxx};
use crate::transcript::{Linked, assert_transcript, assert_transcript_of};

#[test]
fn a_consumer_gets_the_results_of_the_crate() {
    let Some(library) = c::library() else { return };
    for (language, standard) in [("c", "c99"), ("c++", "c++17")] {
        for shared in [false, true] {
            let Some(compiler) = compiler(c::CC.unwrap(), language, standard) else { continue };
            let name = format!("consumer-{standard}-{}", if shared { "so" } else { "a" });
            let program = library.prefix.join(&name);
            compile(compiler, library, shared, "consumer.c", &program);
            let linked = if shared { Linked::Shared } else { Linked::Archive };
            assert_transcript_of(linked, &name, &c::succeed(&mut c::run(&program)));

            let refused = c::run(&program).env("HOTLOOPS_ISA", "avx1024").output().unwrap();
            let text = String::from_utf8_lossy(&refused.stderr);
            assert!(!refused.status.success() && text.contains("HOTLOOPS_ISA=avx1024 is not the name"), "{text}");
        }
    }
}

/// Whether a compiler is installed, targets this machine, and links with these options.
fn links(name: &str, options: &[&str], library: &c::Library) -> bool {
    let machine = |name: &str| {
        let output = Command::new(name).arg("-dumpmachine").output().ok()?;
        Some(String::from_utf8(output.stdout).ok()?.split('-').next()?.to_owned())
    };
    let (source, program) = (library.prefix.join("empty.c"), library.prefix.join("empty"));
    fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let mut command = Command::new(name);
    command.args(options).arg(source).arg("-o").arg(program);
    let known = machine(name).is_some_and(|found| machine(c::CC.unwrap()) == Some(found))
        && command.output().is_ok_and(|output| output.status.success());
    if !known {
        println!("not run: {name} {options:?}");
    }
    known
}

#[test]
fn the_archive_links_in_every_way() {
    let Some(library) = c::library() else { return };
    let cc = c::CC.unwrap();
    let ways: [(&str, &[&str]); 9] = [
        (cc, &["-static"]),
        (cc, &["-static-pie", "-fPIE"]),
        (cc, &["-pie", "-fPIE"]),
        (cc, &["-no-pie", "-fno-pie"]),
        (cc, &["-flto"]),
        (cc, &["-Wl,--gc-sections"]),
        (cc, &["-fuse-ld=lld"]),
        ("clang", &[]),
        ("musl-gcc", &["-static"]),
    ];
    for (name, options) in ways.into_iter().filter(|(name, options)| links(name, options, library)) {
        let Some(mut compiler) = compiler(name, "c", "c99") else { continue };
        compiler.args(options);
        let program = library.prefix.join("consumer-linked");
        compile(compiler, library, false, "consumer.c", &program);
        assert_transcript(&format!("{name} {options:?}"), &c::succeed(&mut c::run(&program)));
    }
}

#[test]
fn the_first_call_may_come_from_anywhere() {
    let Some(library) = c::library() else { return };
    let Some(cxx) = cxx() else { return };
    let build = |options: &[&str], shared, source: &str, name: &str| {
        let mut compiler = Command::new(&cxx);
        compiler.args(["-x", "c++", "-std=c++11", "-pthread"]).args(options);
        let program = library.prefix.join(name);
        compile(compiler, library, shared, source, &program);
        program
    };
    let before_main = build(&[], false, "first_call.cpp", "before-main");
    assert_transcript("before main", &c::succeed(&mut c::run(&before_main)));

    let plugin = build(&["-shared", "-fPIC"], false, "first_call.cpp", "plugin.so");
    let load = build(&["-Wl,--no-as-needed", "-ldl"], false, "load.cpp", "load");
    let mut load = c::run(&load);
    assert_transcript("in dlopen", &c::succeed(load.arg(plugin).arg(library.prefix.join("lib/libhotloops.so"))));
}

/// A program with raised privileges ignores HOTLOOPS_ISA.
#[test]
#[cfg(target_os = "linux")]
fn a_privileged_program_ignores_the_cap() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let Some(library) = c::library() else { return };
    let build = |name: &str, options: &[&str]| {
        let mut compiler = compiler(c::CC.unwrap(), "c", "c99").unwrap();
        compiler.args(options);
        let program = library.prefix.join(name);
        compile(compiler, library, false, "privileged.c", &program);
        program
    };
    let says = |program: &Path, word: &str| c::run(program).env("HOTLOOPS_ISA", word).output().unwrap();
    let ignores = |program: &Path| {
        for word in ["scalar", "avx1024", ""] {
            let output = says(program, word);
            let chosen = c::succeed(c::run(program).env_remove("HOTLOOPS_ISA"));
            assert!(output.status.success() && output.stderr.is_empty(), "{word}: {output:?}");
            assert_eq!(String::from_utf8_lossy(&output.stdout), chosen);
            assert!(chosen.starts_with("1 ") && !chosen.ends_with(" scalar\n"), "{chosen}");
        }
    };
    ignores(&build("privileged-simulated", &["-DSIMULATED"]));

    // Owned by another user than the one who runs it.
    let program = build("privileged", &[]);
    assert_eq!(says(&program, "scalar").stdout, b"0 scalar\n");
    assert!(!says(&program, "avx1024").status.success());
    if chown(&program, Some(65534), None).is_err() {
        return println!("simulated only: changing the owner of a program needs root");
    }
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    if !says(&program, "scalar").stdout.starts_with(b"1 ") {
        return println!("simulated only: this machine ignores the setuid bit");
    }
    ignores(&program);
}
