//! The C library as users get it: built and installed with `make`, once for all tests. It contains
//! assembly if the tests do. Also a tokeniser for its headers.
#![allow(dead_code)] // each test binary uses a part of it

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// The header of the ABI.
pub const HEADER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include/hotloops.h");
/// The header of kernels that only the archive exports.
pub const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include/hotloops_kernels.h");

/// The C compiler that build.rs found.
pub const CC: Option<&str> = match option_env!("HOTLOOPS_CC") {
    Some(cc) if !cc.is_empty() => Some(cc),
    _ => None,
};

pub struct Library {
    /// Its actual location. This differs from the configured prefix, and the library must work
    /// anyway.
    pub prefix: PathBuf,
    /// The archive built by cargo, before it is linked into one object.
    pub members: PathBuf,
}

/// The installed library. Without one, prints why and returns `None`.
pub fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    LIBRARY.get_or_init(install).as_ref()
}

fn install() -> Option<Library> {
    let (Some(cc), Some(target)) = (CC, option_env!("HOTLOOPS_TARGET")) else {
        println!("not run: the crate was built without a C compiler");
        return None;
    };
    if !cfg!(unix) || cfg!(target_vendor = "apple") || Command::new("make").arg("--version").output().is_err() {
        println!("not run: needs make and ELF objects");
        return None;
    }
    let (folder, flags) =
        if cfg!(feature = "assembly") { ("capi", "") } else { ("capi-intrinsics", "--no-default-features") };
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&base).unwrap();
    let lock = File::create(base.join("lock")).unwrap();
    lock.lock().unwrap();
    let stage = base.join(target).join("stage");
    succeed(
        Command::new("make")
            .args(["-C", &format!("{ROOT}/capi"), "install", "PREFIX=/opt/hotloops"])
            .arg(format!("DESTDIR={}", stage.display()))
            .env("CC", cc)
            .env("CARGO_BUILD_TARGET", target)
            .env("CARGO_TARGET_DIR", &base)
            .env("CARGO_FLAGS", flags),
    );
    let members = base.join(target).join("capi/libhotloops_capi.a");
    Some(Library { prefix: stage.join("opt/hotloops"), members })
}

/// Runs `command`, which must succeed, and returns its standard output.
pub fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, text(&output.stderr));
    text(&output.stdout)
}

/// A command that runs a program of the target through cargo's runner.
pub fn run(program: &Path) -> Command {
    let target = option_env!("HOTLOOPS_TARGET").unwrap_or_default();
    let variable = format!("CARGO_TARGET_{}_RUNNER", target.replace('-', "_").to_uppercase());
    let runner = std::env::var(variable).unwrap_or_default();
    let mut words = runner.split_whitespace().map(Path::new).chain([program]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words);
    command
}

/// The compiler's own `nm`, `readelf`, ..
pub fn tool(name: &str) -> PathBuf {
    let cc = CC.expect("a C compiler");
    succeed(Command::new(cc).arg(format!("-print-prog-name={name}"))).trim().into()
}

/// A header, and the parts of it that it includes: `hotloops_kernels_*.h`.
pub fn parts(header: &str) -> Vec<String> {
    let text = fs::read_to_string(header).unwrap();
    let part = |line: &str| line.strip_prefix("#include \"")?.strip_suffix('"').map(str::to_owned);
    let included: Vec<_> = text.lines().filter_map(part).map(|name| format!("{ROOT}/include/{name}")).collect();
    let own = format!("{}_", header.trim_end_matches(".h"));
    let more = included.iter().filter(|path| path.starts_with(&own)).map(|path| fs::read_to_string(path).unwrap());
    [text].into_iter().chain(more).collect()
}

/// A header without comments and preprocessor lines, as declarations: words with one space between them.
pub fn declarations(header: &str) -> Vec<String> {
    parts(header).iter().flat_map(|part| declarations_of(part)).collect()
}

fn declarations_of(header: &str) -> Vec<String> {
    let code = header.lines().filter(|line| !line.starts_with('#')).map(|line| line.split("//").next().unwrap());
    let mut code = code.collect::<Vec<_>>().join("\n");
    while let Some(start) = code.find("/*") {
        let length = code[start..].find("*/").expect("the end of a comment") + 2;
        code.replace_range(start..start + length, " ");
    }
    // A semicolon inside braces does not end a declaration.
    let mut depth = 0;
    let ends = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ';' && depth == 0
    };
    let code = code.replace("extern \"C\" {", "");
    code.split(ends).map(words).filter(|text| !matches!(text.as_str(), "" | "}")).collect()
}

/// `int f(const char*x)` as `int f ( const char * x )`.
pub fn words(text: &str) -> String {
    let mut spaced = String::new();
    for c in text.chars() {
        match c.is_alphanumeric() || c == '_' {
            true => spaced.push(c),
            false => spaced.extend([' ', c, ' ']),
        }
    }
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name of a function or type declared: the last word before its `(`.
pub fn declared_name(prototype: &str) -> &str {
    prototype.split(" (").next().unwrap().rsplit(' ').next().unwrap()
}

/// The prototypes of a header.
pub fn prototypes(header: &str) -> Vec<String> {
    let is_function = |text: &String| text.contains('(') && !text.starts_with("typedef");
    declarations(header).into_iter().filter(is_function).collect()
}
