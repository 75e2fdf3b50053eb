//! Temporary files.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Seek, Write};
#[cfg(target_os = "linux")]
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::NewFile;
use crate::failure::Failure;

/// Bytes that are written to an output file later. Most of them are in a temporary file, whose name is
/// removed at once.
pub struct Scratch {
    folder: PathBuf,
    recent: Vec<u8>,
    file: Option<File>,
}

impl Scratch {
    /// Bytes in memory at most, besides the last addition.
    const RECENT: usize = 1 << 20;

    /// The temporary file is in the folder of `file`, or in that of the system.
    pub fn beside(file: Option<&NewFile>) -> Self {
        let folder = file.and_then(NewFile::folder);
        Scratch { folder: folder.map_or_else(std::env::temp_dir, Path::to_owned), recent: Vec::new(), file: None }
    }

    /// A temporary file. Errors name its folder.
    pub fn file(folder: &Path) -> io::Result<File> {
        Scratch::nameless(folder).map_err(|error| Scratch::unusable(folder, &error))
    }

    /// The error of a temporary file, with its folder and the remedy.
    pub fn unusable(folder: &Path, error: &io::Error) -> io::Error {
        let remedy = match folder == std::env::temp_dir() {
            true => "free space there, or set TMPDIR to another folder",
            false => "free space there, or choose another folder for the output",
        };
        io::Error::new(error.kind(), format!("temporary file in {}: {error}; {remedy}", folder.display()))
    }

    fn nameless(folder: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        // A file without a name, on file systems that have such files: a kill leaves nothing.
        #[cfg(target_os = "linux")]
        if let Ok(file) = options.clone().custom_flags(libc::O_TMPFILE).open(folder) {
            return Ok(file);
        }
        let path = folder.join(format!(".hotloops.{:016x}", RandomState::new().hash_one(std::process::id())));
        let file = options.create_new(true).open(&path)?;
        fs::remove_file(&path)?;
        Ok(file)
    }

    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.recent.extend(bytes);
        if self.recent.len() > Self::RECENT {
            let recent = std::mem::take(&mut self.recent);
            self.write(&recent).map_err(|error| Failure::Job(error.to_string()))?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(Scratch::file(&self.folder)?);
        }
        let file = self.file.as_mut().expect("created");
        file.write_all(bytes).map_err(|error| Scratch::unusable(&self.folder, &error))
    }

    /// Writes all bytes.
    pub fn copy_to(mut self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.rewind()?;
            io::copy(file, out)?;
        }
        out.write_all(&self.recent)
    }

    /// Writes all bytes to a file.
    pub fn finish(self, file: &NewFile) -> Result<(), Failure> {
        file.write_with(|out| self.copy_to(out))
    }
}
