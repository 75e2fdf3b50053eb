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

    /// A temporary file.
    pub fn file(folder: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        // A file without a name, on file systems that have such files: a kill leaves nothing.
        #[cfg(target_os = "linux")]
        if let Ok(file) = options.clone().custom_flags(libc::O_TMPFILE).open(folder) {
            return Ok(file);
        }
        let path = folder.join(format!(".hotloops.{:016x}", RandomState::new().hash_one(std::process::id())));
        let file = options.create_new(true).open(&path);
        let file = file.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        fs::remove_file(&path)?;
        Ok(file)
    }

    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.recent.extend(bytes);
        if self.recent.len() > Self::RECENT {
            let recent = std::mem::take(&mut self.recent);
            self.write(&recent).map_err(|error| Failure::Job(format!("cannot write a temporary file: {error}")))?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(Scratch::file(&self.folder)?);
        }
        self.file.as_mut().expect("created").write_all(bytes)
    }

    /// Writes all bytes.
    pub fn copy_to(mut self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.rewind()?;
            io::copy(file, out)?;
        }
        out.write_all(&self.recent)
    }

    /// Writes all bytes to a file, or to standard output.
    pub fn finish(self, file: Option<&NewFile>) -> Result<(), Failure> {
        match file {
            Some(file) => file.write_with(|out| self.copy_to(out)),
            None => {
                let mut out = io::stdout().lock();
                self.copy_to(&mut out)?;
                Ok(out.flush()?)
            }
        }
    }
}
