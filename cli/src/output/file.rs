//! Output files.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
#[cfg(unix)]
use std::os::{
    fd::BorrowedFd,
    unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown},
};
use std::path::{Path, PathBuf};

use super::claim::{Claim, Lock, behind_links, beside, is_standard_output, unusable};
use super::suffix;
use crate::durable;
use crate::failure::Failure;
use crate::interrupt;
use crate::unfinished;

/// An output file. A regular file appears complete or not at all: a draft is written in the same
/// folder and then renamed. It keeps the rights of the file that it replaces, and no other process of this
/// command can write the same file meanwhile. Devices, pipes and open descriptors such as /dev/stdout cannot be
/// replaced by renaming; they are written directly. The path `-` is standard output.
pub struct NewFile {
    target: PathBuf,
    place: Place,
}

enum Place {
    /// Path of the draft until the file is complete.
    Draft {
        draft: PathBuf,
        _claim: Claim,
        _lock: Lock,
    },
    Straight {
        file: File,
        _claim: Claim,
    },
    StandardOutput {
        _claim: Claim,
    },
}

impl NewFile {
    /// Tries to create a file at `path`, so that an unusable path is reported before the work.
    pub fn create(option: &str, path: &Path) -> Result<Self, Failure> {
        if is_standard_output(path) {
            let place = Place::StandardOutput { _claim: Claim::of(option, path)? };
            return Ok(NewFile { target: path.to_owned(), place });
        }
        suffix::check(option, path)?;
        let wrong =
            |error: io::Error| Failure::Usage(format!("{option} {}: {}", path.display(), unusable(path, &error)));
        let target = behind_links(path).map_err(wrong)?;
        let straight = straight(&target).map_err(wrong)?;
        let claim = Claim::of(option, path)?;
        if let Some(file) = straight {
            return Ok(NewFile { target, place: Place::Straight { file, _claim: claim } });
        }
        interrupt::watch()?;
        let lock = Lock::of(&target).map_err(wrong)?.ok_or_else(|| {
            let why = "another process of this command writes it; wait until that process ends, or choose another file";
            Failure::Job(format!("{option} {}: {why}", path.display()))
        })?;
        let draft = beside(&target, ".hotloops-draft");
        remove_stale(&draft).map_err(wrong)?;
        Ok(NewFile { target, place: Place::Draft { draft, _claim: claim, _lock: lock } })
    }

    /// The file of an option, or standard output without one.
    pub fn or_standard_output(option: &str, path: Option<&Path>) -> Result<Self, Failure> {
        NewFile::create(option, path.unwrap_or(Path::new("-")))
    }

    /// The file that symbolic links lead to.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Refuses a file that is one of the inputs, which are given with their names.
    pub fn check_inputs<'a>(
        &self,
        option: &str,
        inputs: impl IntoIterator<Item = (&'a str, &'a Path)>,
    ) -> Result<(), Failure> {
        let is_same = |path: &Path| fs::canonicalize(path).is_ok_and(|path| path == self.target);
        match inputs.into_iter().find(|(_, path)| is_same(path)) {
            Some((name, _)) => Err(Failure::Usage(format!(
                "{option} {}: is the file of {name}; choose another",
                self.target.display()
            ))),
            None => Ok(()),
        }
    }

    /// The folder of a regular file.
    pub fn folder(&self) -> Option<&Path> {
        match self.place {
            Place::Draft { .. } => self.target.parent(),
            Place::Straight { .. } | Place::StandardOutput { .. } => None,
        }
    }

    /// Writes the whole file and replaces an older one. The result survives a power failure.
    pub fn write(&self, content: &[u8]) -> Result<(), Failure> {
        self.write_with(|file| file.write_all(content))
    }

    /// Like `write`, for content that does not fit into memory.
    pub fn write_with(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::Job(format!("{}: {error}", self.target.display()));
        match &self.place {
            Place::Draft { draft, .. } => {
                let old = fs::metadata(&self.target).ok();
                let file = create_draft(draft, old.as_ref()).map_err(failed)?;
                let result = durable::replace(draft, file, &self.target, write);
                if result.is_err() {
                    let _ = fs::remove_file(draft);
                }
                unfinished::forget(draft);
                result.map_err(failed)
            }
            Place::Straight { file, .. } => {
                let mut file = BufWriter::new(file);
                match write(&mut file).and_then(|()| file.flush()) {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::Unread),
                    result => result.map_err(failed),
                }
            }
            Place::StandardOutput { .. } => {
                let mut out = BufWriter::new(io::stdout().lock());
                Ok(write(&mut out).and_then(|()| out.flush())?)
            }
        }
    }
}

/// Removes the draft of a process that was killed.
fn remove_stale(draft: &Path) -> io::Result<()> {
    match fs::remove_file(draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Creates a draft with the rights of the file that it will replace.
fn create_draft(draft: &Path, old: Option<&Metadata>) -> io::Result<File> {
    remove_stale(draft)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if old.is_some() {
        options.mode(0o600);
    }
    let file = unfinished::create(draft, || options.open(draft))?;
    #[cfg(unix)]
    if let Some(old) = old {
        keep_rights(&file, old)?;
    }
    #[cfg(not(unix))]
    let _ = old;
    Ok(file)
}

/// Gives a file the owner, the group and the mode of an old one, as far as the system permits. A group that it
/// does not get has no rights.
#[cfg(unix)]
fn keep_rights(file: &File, old: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    if old.uid() != new.uid() {
        let _ = fchown(file, Some(old.uid()), None);
    }
    let has_group = old.gid() == new.gid() || fchown(file, None, Some(old.gid())).is_ok();
    let mode = old.mode() & if has_group { 0o777 } else { 0o707 };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// What cannot be replaced by renaming, opened.
fn straight(target: &Path) -> io::Result<Option<File>> {
    if let Some(file) = descriptor(target) {
        return file.map(Some);
    }
    match fs::metadata(target).map(|meta| meta.file_type()) {
        Ok(kind) if kind.is_dir() => Err(io::Error::other("is a folder")),
        Ok(kind) if is_disk(&kind) => Err(io::Error::other("is a disk")),
        Ok(kind) if !kind.is_file() => OpenOptions::new().write(true).open(target).map(Some),
        _ => Ok(None),
    }
}

/// A duplicate of an open descriptor, which shares its position and mode. `None` if the path is not
/// that of a descriptor.
#[cfg(unix)]
fn descriptor(path: &Path) -> Option<io::Result<File>> {
    let number = path
        .file_name()?
        .to_str()?
        .parse()
        .ok()
        .filter(|_| path.parent().is_some_and(super::claim::is_of_descriptors))?;
    if !path.exists() {
        return Some(Err(io::Error::from_raw_os_error(libc::ENOENT)));
    }
    // SAFETY: the system lists the descriptor as open.
    let open = unsafe { BorrowedFd::borrow_raw(number) };
    Some(open.try_clone_to_owned().map(File::from))
}

#[cfg(not(unix))]
fn descriptor(_: &Path) -> Option<io::Result<File>> {
    None
}

#[cfg(unix)]
fn is_disk(kind: &FileType) -> bool {
    kind.is_block_device()
}

#[cfg(not(unix))]
fn is_disk(_: &FileType) -> bool {
    false
}
