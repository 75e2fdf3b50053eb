//! The repository's files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub const ROOT: &str = env!("CARGO_MANIFEST_DIR");

pub fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All files and folders below the root, relative to it, without build outputs and hidden files other than CI's.
pub fn entries() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![PathBuf::from(ROOT)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let is_hidden = name.starts_with('.') && ![".ci", ".github"].contains(&name.as_str());
            if is_hidden || ["target", "__pycache__", "shared", "node_modules"].contains(&name.as_str()) {
                continue;
            }
            let path = entry.path();
            found.insert(path.strip_prefix(ROOT).unwrap().to_str().unwrap().to_owned());
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            }
        }
    }
    found
}
