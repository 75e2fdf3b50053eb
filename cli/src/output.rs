//! Standard output that may be closed, and files that appear whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Writes `text` to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// A file that appears whole or not at all: it is written beside its place and then renamed.
pub struct NewFile {
    target: PathBuf,
    draft: PathBuf,
}

impl NewFile {
    /// Tries `path`, so that a name that cannot be written is refused before the work.
    pub fn create(option: &str, path: &Path) -> Result<Self, Failure> {
        let refuse = |why: String| Failure::Usage(format!("{option} {}: {why}", path.display()));
        // Through a link to the file behind it; never over a device or a folder.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if target.exists() && !target.is_file() {
            return Err(refuse("is not a regular file".to_owned()));
        }
        let Some(name) = target.file_name() else {
            return Err(refuse("is not the name of a file".to_owned()));
        };
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}", std::process::id()));
        let draft = target.with_file_name(hidden);
        File::create_new(&draft).and_then(|_| fs::remove_file(&draft)).map_err(|error| refuse(error.to_string()))?;
        Ok(NewFile { target, draft })
    }

    /// Writes the whole file.
    pub fn write(self, content: &[u8]) -> Result<(), Failure> {
        let draft = || {
            let mut file = File::create_new(&self.draft)?;
            file.write_all(content)?;
            file.sync_all()?;
            fs::rename(&self.draft, &self.target)
        };
        draft().map_err(|error| {
            let _ = fs::remove_file(&self.draft);
            Failure::Job(format!("{}: {error}", self.target.display()))
        })
    }
}
