//! The installed compilers.

use std::path::Path;
use std::process::Command;

use crate::c;

pub const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

/// A compiler command for a standard, or `None` if the compiler does not support it.
pub fn compiler(name: &str, language: &str, standard: &str) -> Option<Command> {
    let command = || {
        let mut command = Command::new(name);
        command.args(["-x", language, &format!("-std={standard}")]);
        command
    };
    let known = command().args(["-fsyntax-only", "/dev/null"]).output().is_ok_and(|output| output.status.success());
    if !known {
        println!("not run: {name} knows no {standard}");
    }
    known.then(command)
}

/// The C++ compiler of the C compiler's family, which also links the C++ library.
pub fn cxx() -> Option<String> {
    let cc = c::CC?;
    let (folder, name) = cc.split_at(cc.rfind('/').map_or(0, |slash| slash + 1));
    let name = match name.contains("clang") {
        true => name.replace("clang", "clang++"),
        false => name.replace("gcc", "g++").replace("cc", "c++"),
    };
    let path = format!("{folder}{name}");
    let found = Command::new(&path).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("not run: there is no {path}");
    }
    found.then_some(path)
}

/// Compiles and links a program of tests/c.
pub fn compile(mut compiler: Command, library: &c::Library, shared: bool, source: &str, program: &Path) {
    let lib = library.prefix.join("lib");
    compiler.args(WARNINGS).arg("-I").arg(library.prefix.join("include")).arg("-o").arg(program);
    compiler.arg(format!("{}/tests/c/{source}", c::ROOT)).args(["-x", "none"]);
    match shared {
        true => {
            compiler.args(["-DSHARED", &format!("-Wl,-rpath,{}", lib.display())]).arg("-L").arg(lib).arg("-lhotloops")
        }
        false => compiler.arg(lib.join("libhotloops.a")),
    };
    c::succeed(compiler.arg("-lm"));
}
