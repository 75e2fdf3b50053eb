//! Progress on standard error: bars on a terminal, else lines.

use std::fmt;
use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// A progress bar with the remaining time, on standard error if that is a terminal.
pub fn bar(length: u64) -> ProgressBar {
    styled(length, |style| style, "{msg:22} {wide_bar} {eta:>4} left")
}

/// Like [`bar`], and shows the rate divided by `divisor`, in `unit` per second.
pub fn bar_at_rate(length: u64, unit: &'static str, divisor: f64) -> ProgressBar {
    let rate = move |state: &ProgressState, to: &mut dyn fmt::Write| {
        let _ = write!(to, "{:.1e} {unit}/s", state.per_sec() / divisor);
    };
    styled(length, |style| style.with_key("rate", rate), "{msg:10} {wide_bar} {rate:>12} {eta:>4} left")
}

fn styled(length: u64, with_keys: impl FnOnce(ProgressStyle) -> ProgressStyle, template: &str) -> ProgressBar {
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
