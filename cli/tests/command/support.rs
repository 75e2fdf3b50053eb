//! The command, run as its caller would.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hotloops"));
    command.args(words);
    command
}

pub fn run(words: &[&str]) -> Output {
    command(words).output().unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub fn shipped() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/chimera_4x3.coo")
}

/// An empty folder of its own for each test. The path is relative to the package, where cargo runs tests, if the target
/// folder lies in the workspace: command lines are split at spaces, and the workspace's own path may hold some.
pub fn folder(name: &str) -> PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let inside = temporary.strip_prefix(workspace).map(|path| Path::new("..").join(path));
    let path = inside.unwrap_or(temporary.to_owned()).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Refused with status 2 and a message that names what is wrong; nothing on standard output.
pub fn refused(words: &[&str], names: &str) {
    let output = run(words);
    assert_eq!(output.status.code(), Some(2), "{words:?}");
    assert!(output.stdout.is_empty(), "{words:?}");
    assert!(stderr(&output).contains(names), "{words:?}: {}", stderr(&output));
}

pub fn keys(value: &Value) -> HashSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}
