//! Who writes which file: within this process a list of paths, between processes locks.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::failure::Failure;
use crate::unfinished;

/// The files that this process writes, with their options.
static CLAIMS: Mutex<Vec<(PathBuf, String)>> = Mutex::new(Vec::new());

/// The right to write a file, once in this process.
pub struct Claim {
    /// The path that symbolic links lead to.
    target: PathBuf,
}

/// The target of the path `-`; files have absolute ones.
const STANDARD_OUTPUT: &str = "-";

/// Whether an output is standard output, the path `-`.
pub fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == STANDARD_OUTPUT
}

impl Claim {
    /// The right to write a file, or to standard output for the path `-`.
    pub fn of(option: &str, path: &Path) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::Usage(format!("{option} {}: {why}", path.display()));
        let is_stdout = is_standard_output(path);
        let target = if is_stdout { Ok(path.to_owned()) } else { behind_links(path) };
        let target = target.map_err(|error| wrong(unusable(path, &error)))?;
        let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, other)) = claims.iter().find(|(claimed, _)| *claimed == target) {
            return Err(wrong(match is_stdout {
                true => format!("standard output has {other}; choose a file"),
                false => format!("is the file of {other}; choose another"),
            }));
        }
        claims.push((target.clone(), option.to_owned()));
        Ok(Claim { target })
    }
}

/// Why a path cannot be written, and what to do.
pub fn unusable(path: &Path, error: &io::Error) -> String {
    let has_folder = path.parent().is_none_or(|folder| folder == Path::new("") || folder.is_dir());
    match error.kind() {
        io::ErrorKind::NotFound if !has_folder => format!("{error}; create its folder first, or choose another file"),
        _ => format!("{error}; choose another file"),
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        CLAIMS.lock().unwrap_or_else(PoisonError::into_inner).retain(|(claimed, _)| *claimed != self.target);
    }
}

/// A hidden file beside `target`.
pub fn beside(target: &Path, suffix: &str) -> PathBuf {
    let mut hidden = OsString::from(".");
    hidden.push(target.file_name().unwrap_or_default());
    hidden.push(suffix);
    target.with_file_name(hidden)
}

/// The right to replace a file, once among all processes: the lock of a hidden file beside it. The file to be
/// replaced cannot be the locked one, since its replacement is another.
pub struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// `None` if another process has the lock.
    pub fn of(target: &Path) -> io::Result<Option<Self>> {
        let path = beside(target, ".hotloops-lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        // Nobody else can make this process open another file by a link.
        #[cfg(unix)]
        options.custom_flags(libc::O_NOFOLLOW);
        loop {
            let mut is_locked = true;
            let open = || {
                let file = options.open(&path)?;
                match file.try_lock() {
                    Err(TryLockError::WouldBlock) => {
                        is_locked = false;
                        Err(io::ErrorKind::WouldBlock.into())
                    }
                    Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => Err(error),
                    _ => Ok(file),
                }
            };
            match unfinished::create(&path, open) {
                // The last owner may have removed the file before it was locked here.
                Ok(file) if is_at(&file, &path)? => return Ok(Some(Lock { path, _file: file })),
                Ok(_) => unfinished::forget(&path),
                Err(_) if !is_locked => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The lock ends after that, with the file.
        let _ = fs::remove_file(&self.path);
        unfinished::forget(&self.path);
    }
}

/// Whether a path is that of an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    Ok(fs::symlink_metadata(path).is_ok_and(|named| (named.dev(), named.ino()) == (open.dev(), open.ino())))
}

/// Open files are not removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// The path that symbolic links lead to. The file itself need not exist.
pub fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // Linux follows at most 40 links.
    for _ in 0..40 {
        let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let folder = fs::canonicalize(folder)?;
        let name = path.file_name().ok_or_else(|| io::Error::other("is a folder"))?;
        path = folder.join(name);
        match fs::read_link(&path) {
            Ok(next) if !is_of_descriptors(&folder) => path = folder.join(next),
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("is a loop of links"))
}

/// Whether the files of a folder are the open descriptors of this process.
pub fn is_of_descriptors(folder: &Path) -> bool {
    ["/proc/self/fd", "/dev/fd"].iter().any(|name| fs::canonicalize(name).is_ok_and(|own| own == folder))
}
