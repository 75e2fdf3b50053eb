//! Runs the command.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The words of a command line. Spaces in the path of the workspace do not separate words.
pub fn words(line: &str) -> Vec<&'static str> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_str().unwrap();
    let line: &str = line.replace(workspace, "\0").leak();
    let word = |word: &'static str| match word.contains('\0') {
        true => word.replace('\0', workspace).leak(),
        false => word,
    };
    line.split_whitespace().map(word).collect()
}

pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hotloops"));
    command.args(words);
    #[cfg(unix)]
    heed_signals(&mut command);
    command
}

/// Undoes what a shell does that runs the tests in the background, which ignores SIGINT, and nohup with SIGHUP: the
/// command leaves ignored signals ignored.
#[cfg(unix)]
fn heed_signals(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let reset = || {
        for signal in [libc::SIGINT, libc::SIGHUP] {
            // SAFETY: the default action has no precondition.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: `signal` may be called between fork and exec.
    unsafe { command.pre_exec(reset) };
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

/// An empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Asserts status 2, for a wrong argument, a message that contains `names`, and no standard output.
#[track_caller]
pub fn refused(words: &[&str], names: &str) {
    ends(2, words, names);
}

/// Asserts status 3, for a wrong input file, a message that contains `names`, and no standard output.
#[track_caller]
pub fn unreadable(words: &[&str], names: &str) {
    ends(3, words, names);
}

/// Asserts a status, a message that contains `names`, and no standard output.
#[track_caller]
pub fn ends(status: i32, words: &[&str], names: &str) {
    let output = run(words);
    assert_eq!(output.status.code(), Some(status), "{words:?}: {}", stderr(&output));
    assert!(output.stdout.is_empty(), "{words:?}");
    assert!(stderr(&output).contains(names), "{words:?}: {}", stderr(&output));
}

pub fn keys(value: &Value) -> HashSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}
