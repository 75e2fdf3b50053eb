//! Standard output and standard error (either may be closed), progress, tables, output files.

mod claim;
mod file;
mod scratch;
mod suffix;

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::failure::Failure;
pub use claim::Claim;
pub use file::NewFile;
pub use scratch::Scratch;

/// Keeps standard output for the report of a job, while it lives.
pub fn keep_for_report() -> Result<Claim, Failure> {
    Claim::of("the report", Path::new("-"))
}

/// Rejects standard output in place of a folder.
pub fn check_folder(option: &str, path: &Path) -> Result<(), Failure> {
    match claim::is_standard_output(path) {
        true => {
            Err(Failure::Usage(format!("{option}-: several files are written, not standard output; choose a folder")))
        }
        false => Ok(()),
    }
}

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
