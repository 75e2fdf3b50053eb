//! Finds the library with CMake and pkg-config, and builds the examples with it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::c;
use crate::compilers::{WARNINGS, compiler, cxx};
use crate::transcript::assert_transcript;

/// The programs of examples/c and examples/cpp, with their language and its oldest standard.
fn examples() -> Vec<(PathBuf, &'static str, &'static str)> {
    let folders = [("c", "c99"), ("c++", "c++11")];
    let of = |(language, standard): (&'static str, &'static str)| {
        let name = language.replace('+', "p");
        let files = fs::read_dir(format!("{}/examples/{name}", c::ROOT)).unwrap().map(|entry| entry.unwrap().path());
        let sources = files.filter(move |file| file.extension().is_some_and(|extension| *extension == *name));
        sources.map(move |source| (source, language, standard))
    };
    folders.into_iter().flat_map(of).collect()
}

#[test]
fn every_family_has_an_example() {
    for family in hotloops::kernels().map(|kernel| kernel.name().0) {
        let name = format!("{family}.cpp");
        assert!(examples().iter().any(|(source, ..)| *source.file_name().unwrap() == *name), "there is no {name}");
    }
}

#[test]
fn the_examples_run() {
    let Some(library) = c::library() else { return };
    let cc = c::CC.unwrap();
    let lib = library.prefix.join("lib");
    let archive = vec![lib.join("libhotloops.a").display().to_string()];
    let ways: Vec<_> = [Some(archive), pkg_config(library, "--libs")].into_iter().flatten().collect();
    let plain = format!("-I{}", library.prefix.join("include").display());
    let cflags = pkg_config(library, "--cflags").unwrap_or(vec![plain]);
    for (source, language, standard) in examples() {
        let linker = if language == "c" { Some(cc.to_owned()) } else { cxx() };
        let (Some(mut compiler), Some(linker)) = (compiler(cc, language, standard), linker) else { continue };
        let program = library.prefix.join(source.file_name().unwrap());
        let object = library.prefix.join("example.o");
        c::succeed(compiler.args(WARNINGS).args(&cflags).args(["-pthread", "-c", "-o"]).arg(&object).arg(&source));
        for libraries in &ways {
            let mut link = Command::new(&linker);
            link.args(["-pthread", "-o"]).arg(&program).arg(&object).args(libraries).arg("-lm");
            c::succeed(link.arg(format!("-Wl,-rpath,{}", lib.display())));
            println!("{}", c::succeed(c::run(&program).arg("10")));
        }
    }
}

#[test]
fn cmake_finds_the_library() {
    let Some(library) = c::library() else { return };
    if Command::new("cmake").arg("--version").output().is_err() {
        return println!("not run: there is no cmake");
    }
    let Some(cxx) = cxx() else { return };
    let build = library.prefix.join("build");
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(format!("{}/tests/c", c::ROOT)).arg("-B").arg(&build);
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", library.prefix.display()));
    configure.arg(format!("-DCMAKE_C_COMPILER={}", c::CC.unwrap())).arg(format!("-DCMAKE_CXX_COMPILER={cxx}"));
    c::succeed(&mut configure);
    c::succeed(Command::new("cmake").arg("--build").arg(&build).args(["--parallel", "2"]));
    assert_transcript("hotloops::static", &c::succeed(&mut c::run(&build.join("consumer"))));
    // Without --gc-sections, which the target adds, it would hold the whole archive, more than 3 MB.
    assert!(fs::metadata(build.join("little")).unwrap().len() < 300_000);
    assert_eq!(c::succeed(&mut c::run(&build.join("blas"))), "done\n");
    for (source, ..) in examples() {
        let program = source.file_name().unwrap().to_str().unwrap().replace('.', "_");
        println!("{}", c::succeed(c::run(&build.join("examples").join(program)).arg("10")));
    }
}

/// The output of pkg-config for the library, split into words. Without pkg-config, prints why and
/// returns `None`.
fn pkg_config(library: &c::Library, option: &str) -> Option<Vec<String>> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", library.prefix.join("lib/pkgconfig")).args(["--static", option, "hotloops"]);
    if command.output().is_err() {
        println!("not run: there is no pkg-config");
        return None;
    }
    // pkg-config escapes spaces in a path with a backslash.
    let words = c::succeed(&mut command).replace("\\ ", "\0");
    Some(words.split_whitespace().map(|word| word.replace('\0', " ")).collect())
}

#[test]
fn pkg_config_finds_the_library() {
    let Some(library) = c::library() else { return };
    let ask = |option| pkg_config(library, option);
    let (Some(version), Some(cflags), Some(libs)) = (ask("--modversion"), ask("--cflags"), ask("--libs")) else {
        return;
    };
    assert_eq!(version, [env!("CARGO_PKG_VERSION")]);
    let same = |path: &str, folder: &str| {
        assert_eq!(fs::canonicalize(path).unwrap(), fs::canonicalize(library.prefix.join(folder)).unwrap());
    };
    let ([include], [lib, name, option]) = (&cflags[..], &libs[..]) else { panic!("{cflags:?} {libs:?}") };
    same(include.strip_prefix("-I").unwrap(), "include");
    same(lib.strip_prefix("-L").unwrap(), "lib");
    assert_eq!([name, option], ["-lhotloops", "-Wl,--gc-sections"]);
}
