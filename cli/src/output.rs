//! Standard output that may be closed, progress, tables, and files that appear whole or not at all.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::durable;
use crate::failure::Failure;

/// Writes `text` to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// A bar with the time left on standard error, and only if that is a terminal.
pub fn progress(length: u64) -> ProgressBar {
    bar(length, |style| style, "{msg:22} {wide_bar} {eta:>4} left")
}

/// The same with a rate: that of the bar over `divisor`, in `unit` per second.
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

pub fn table<S: AsRef<str>>(header: &[S]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header.iter().map(AsRef::as_ref));
    table
}

/// The table as lines; numbers, from column `first` on, to the right.
pub fn lines(mut table: Table, first: usize) -> String {
    table.column_iter_mut().skip(first).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    format!("{table}\n")
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
        let in_folder = || {
            let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
            Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
        };
        let target = fs::canonicalize(path).ok().or_else(in_folder).unwrap_or_else(|| path.to_owned());
        if target.exists() && !target.is_file() {
            return Err(refuse("is not a regular file".to_owned()));
        }
        let Some(name) = target.file_name() else {
            return Err(refuse("is not the name of a file".to_owned()));
        };
        let mut hidden = OsString::from(".");
        hidden.push(name);
        // Nobody else's, and not left by a process that was killed.
        hidden.push(format!(".{:016x}", RandomState::new().hash_one(std::process::id())));
        let draft = target.with_file_name(hidden);
        File::create_new(&draft).and_then(|_| fs::remove_file(&draft)).map_err(|error| refuse(error.to_string()))?;
        Ok(NewFile { target, draft })
    }

    /// The file itself, behind all links.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Writes the whole file, in the place of one that is there; it outlives a loss of power.
    pub fn write(&self, content: &[u8]) -> Result<(), Failure> {
        self.write_with(|file| file.write_all(content))
    }

    /// The same, with content that is too much to be in memory.
    pub fn write_with(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        durable::replace(&self.draft, &self.target, write).map_err(|error| {
            let _ = fs::remove_file(&self.draft);
            Failure::Job(format!("{}: {error}", self.target.display()))
        })
    }
}
