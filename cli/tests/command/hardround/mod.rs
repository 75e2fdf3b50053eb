//! `hotloops hardround`: published counts, merged and verified files, and errors that name the
//! fault.

mod arguments;
pub mod checkpoints;
mod estimate;
mod files;
mod formats;
mod judge;
#[cfg(target_os = "linux")]
mod memory;
mod output;
mod published;
#[cfg(unix)]
mod slurm;

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::{run, stderr, words};
use sha2::{Digest, Sha256};

/// 2^40 binary64 numbers, in 64 units.
pub const WHOLE: &str = "hardround search --func exp --from 0x1p0 --to 0x1.001p0";

/// 2^37 binary64 numbers, in 8 units.
pub const PIECE: &str = "hardround search --func exp --from 0x1p0 --to 0x1.0002p0 --within 0x1p-30";

pub fn success(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn printed(line: &str) -> String {
    success(&run(&words(line)))
}

pub fn written(path: &Path, content: impl AsRef<[u8]>) -> String {
    fs::write(path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The lines after the header.
pub fn body(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.to_owned() + "\n").collect()
}

/// The values of a name in the header.
pub fn head<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let value = |line: &'a str| line.strip_prefix("# ")?.strip_prefix(name)?.strip_prefix('\t');
    text.lines().filter_map(value).collect()
}

/// The file with other lines and a header that matches them.
pub fn forged(text: &str, change: impl Fn(&str) -> String) -> String {
    let (before, lines) = (body(text), change(&body(text)));
    let text = text.replace(&before, &lines).replace(&hash(&before), &hash(&lines));
    let count = |lines: &str| format!("# cases\t{}\n", lines.lines().count());
    forged_head(&text.replace(&count(&before), &count(&lines)))
}

/// The file with a hash that matches its header.
fn forged_head(text: &str) -> String {
    let (head, _) = text.split_once("# check\t").unwrap();
    format!("{head}# check\t{}\n{}", hash(head), body(text))
}
