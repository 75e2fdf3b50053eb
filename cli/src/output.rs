//! Standard output and standard error (either may be closed), progress, tables, output files.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, FileType, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, IsTerminal, Seek, Write};
#[cfg(unix)]
use std::os::{fd::BorrowedFd, unix::fs::FileTypeExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::durable;
use crate::failure::Failure;
use crate::memory;

/// Writes `text` to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// A progress bar with the remaining time, on standard error if that is a terminal.
pub fn progress(length: u64) -> ProgressBar {
    bar(length, |style| style, "{msg:22} {wide_bar} {eta:>4} left")
}

/// Like `progress`, and shows the rate divided by `divisor`, in `unit` per second.
pub fn progress_at_rate(length: u64, unit: &'static str, divisor: f64) -> ProgressBar {
    let rate = move |state: &ProgressState, to: &mut dyn fmt::Write| {
        let _ = write!(to, "{:.1e} {unit}/s", state.per_sec() / divisor);
    };
    bar(length, |style| style.with_key("rate", rate), "{msg:10} {wide_bar} {rate:>12} {eta:>4} left")
}

fn bar(length: u64, with_keys: impl FnOnce(ProgressStyle) -> ProgressStyle, template: &str) -> ProgressBar {
    let bar = match io::stderr().is_terminal() {
        true => ProgressBar::new(length),
        false => return ProgressBar::hidden(),
    };
    let style = ProgressStyle::with_template(template).expect("a valid template");
    bar.enable_steady_tick(Duration::from_millis(200));
    bar.with_style(with_keys(style))
}

/// When to write a line of progress to a standard error that is not a terminal.
pub struct Log {
    every: Duration,
    last: Mutex<Instant>,
    is_terminal: bool,
}

impl Log {
    pub fn new(every: Duration) -> Self {
        Log { every, last: Mutex::new(Instant::now()), is_terminal: io::stderr().is_terminal() }
    }

    /// Whether a line is due; the caller writes it.
    pub fn is_due(&self) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = !self.is_terminal && last.elapsed() >= self.every;
        if is_due {
            *last = Instant::now();
        }
        is_due
    }
}

pub fn table<S: AsRef<str>>(header: &[S]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header.iter().map(AsRef::as_ref));
    table
}

/// The table as lines; columns from `first` on are right-aligned.
pub fn lines(mut table: Table, first: usize) -> String {
    table.column_iter_mut().skip(first).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    format!("{table}\n")
}

/// An output file. A regular file appears complete or not at all: a draft is written in the same
/// folder and then renamed. Devices, pipes and open descriptors such as /dev/stdout cannot be
/// replaced by renaming; they are written directly.
pub struct NewFile {
    target: PathBuf,
    place: Place,
}

enum Place {
    /// Path of the draft until the file is complete.
    Draft(PathBuf),
    Straight(File),
}

impl NewFile {
    /// Tries to create a file at `path`, so that an unusable path is reported before the work.
    pub fn create(option: &str, path: &Path) -> Result<Self, Failure> {
        NewFile::at(path).map_err(|error| Failure::Usage(format!("{option} {}: {error}", path.display())))
    }

    fn at(path: &Path) -> io::Result<Self> {
        let target = behind_links(path)?;
        if let Some(file) = descriptor(&target) {
            return Ok(NewFile { target, place: Place::Straight(file?) });
        }
        match fs::metadata(&target).map(|meta| meta.file_type()) {
            Ok(kind) if kind.is_dir() => return Err(io::Error::other("is a folder")),
            Ok(kind) if is_disk(&kind) => return Err(io::Error::other("is a disk")),
            Ok(kind) if !kind.is_file() => {
                let file = OpenOptions::new().write(true).open(&target)?;
                return Ok(NewFile { target, place: Place::Straight(file) });
            }
            _ => {}
        }
        let mut hidden = OsString::from(".");
        hidden.push(target.file_name().unwrap_or_default());
        // A unique name: no other process uses it, and no killed process left a file of this name.
        hidden.push(format!(".{:016x}", RandomState::new().hash_one(std::process::id())));
        let draft = target.with_file_name(hidden);
        memory::create_draft(&draft).and_then(|_| fs::remove_file(&draft))?;
        memory::forget_draft();
        Ok(NewFile { target, place: Place::Draft(draft) })
    }

    /// The file that symbolic links lead to.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Writes the whole file and replaces an older one. The result survives a power failure.
    pub fn write(&self, content: &[u8]) -> Result<(), Failure> {
        self.write_with(|file| file.write_all(content))
    }

    /// Like `write`, for content that does not fit into memory.
    pub fn write_with(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::Job(format!("{}: {error}", self.target.display()));
        match &self.place {
            Place::Draft(draft) => {
                let file = memory::create_draft(draft).map_err(failed)?;
                let result = durable::replace(draft, file, &self.target, write);
                if result.is_err() {
                    let _ = fs::remove_file(draft);
                }
                memory::forget_draft();
                result.map_err(failed)
            }
            Place::Straight(file) => {
                let mut file = BufWriter::new(file);
                match write(&mut file).and_then(|()| file.flush()) {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::Unread),
                    result => result.map_err(failed),
                }
            }
        }
    }
}

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
        let straight = |file: &&NewFile| matches!(file.place, Place::Draft(_));
        let folder = file.filter(straight).and_then(|file| file.target.parent());
        Scratch { folder: folder.map_or_else(std::env::temp_dir, Path::to_owned), recent: Vec::new(), file: None }
    }

    /// A temporary file.
    pub fn file(folder: &Path) -> io::Result<File> {
        let path = folder.join(format!(".hotloops.{:016x}", RandomState::new().hash_one(std::process::id())));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
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

/// The path that symbolic links lead to. The file itself need not exist.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
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
fn is_of_descriptors(folder: &Path) -> bool {
    ["/proc/self/fd", "/dev/fd"].iter().any(|name| fs::canonicalize(name).is_ok_and(|own| own == folder))
}

/// A duplicate of an open descriptor, which shares its position and mode. `None` if the path is not
/// that of a descriptor.
#[cfg(unix)]
fn descriptor(path: &Path) -> Option<io::Result<File>> {
    let number = path.file_name()?.to_str()?.parse().ok().filter(|_| path.parent().is_some_and(is_of_descriptors))?;
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
