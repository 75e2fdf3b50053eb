use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// What a call gave: its exit status, its output and its errors.
pub struct Outcome {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Fails unless the status is 2, nothing is printed and the error is the line given.
    #[track_caller]
    pub fn refuses(&self, line: &str) {
        let Outcome { status, stdout, stderr } = self;
        assert_eq!((*status, stdout.as_str(), stderr.as_str()), (2, "", format!("cargo xtask: {line}\n").as_str()));
    }
}

pub fn xtask(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Outcome {
    run(Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments))
}

/// The same in another tree.
pub fn xtask_in<const N: usize>(tree: &Path, arguments: [&str; N]) -> Outcome {
    run(Command::new(env!("CARGO_BIN_EXE_xtask")).arg("--root").arg(tree).args(arguments))
}

pub fn run(command: &mut Command) -> Outcome {
    let output = command.current_dir(ROOT).output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Outcome { status: output.status.code().unwrap(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// Whether a program is there; says what is not run if it is not.
pub fn has(tool: &str) -> bool {
    let there = Command::new(tool).arg("--version").output().is_ok();
    if !there {
        println!("not run: there is no {tool}");
    }
    there
}

pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("xtask").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A copy of the sources, without what is built.
pub fn copy_of_the_tree(name: &str) -> PathBuf {
    let tree = scratch(name);
    mirror(Path::new(ROOT), &tree);
    tree
}

/// Makes `to` a copy of the sources in `from`. Files with the same bytes keep their time, so that
/// cargo builds only what has changed.
pub fn mirror(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(to).unwrap().map(|entry| entry.unwrap()) {
        let (path, source) = (entry.path(), from.join(entry.file_name()));
        match path.is_dir() {
            _ if source.exists() && source.is_dir() == path.is_dir() => {}
            true => fs::remove_dir_all(path).unwrap(),
            false => fs::remove_file(path).unwrap(),
        }
    }
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let (path, name) = (entry.path(), entry.file_name());
        let copy = to.join(&name);
        match path.is_dir() {
            _ if name == "target" || name == ".git" => {}
            true => mirror(&path, &copy),
            false if fs::read(&copy).is_ok_and(|bytes| bytes == fs::read(&path).unwrap()) => {}
            false => drop(fs::copy(&path, copy).unwrap()),
        }
    }
}

/// A tree with the kernel `family/kernel(x: *const u64, n: usize) -> u64`, whose only variant before
/// the reference is this assembly for `isa`, between its `FUNC` and `END`.
pub fn tree_with(name: &str, isa: &str, banner: &str, body: &str) -> PathBuf {
    let tree = scratch(name);
    let write = |path: &str, text: &str| {
        let path = tree.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for path in ["build.rs", "asm/hl.h"] {
        write(path, &fs::read_to_string(Path::new(ROOT).join(path)).unwrap());
    }
    write("src/lib.rs", "        $callback! {\n            family { kernel }\n        }\n");
    let declaration = format!(
        "kernel! {{\n    \"hl_family_kernel\" unsafe fn kernel(x: *const u64, n: usize) -> u64;\n    \
         assembly: {isa};\n}}\n"
    );
    write("src/family/kernels.rs", &declaration);
    let symbol = format!("hl_family_kernel_{isa}");
    let text = format!(
        "// Nothing.\n//\n//   uint64_t {symbol}(const uint64_t *x, size_t n);\n//\n{banner}\n\
         #include \"hl.h\"\n\nFUNC({symbol})\n{body}\nEND({symbol})\n"
    );
    write(&format!("asm/family/kernel_{isa}.S"), &text);
    tree
}
