//! The progress of a search on standard error: a bar on a terminal, else lines.

use std::ops::Range;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use crate::failure::say;
use crate::job::progress::{Log, bar_at_rate};

pub struct Progress {
    /// When this run began.
    pub begun: Instant,
    bar: ProgressBar,
    log: Log,
    /// Number of arguments, in all and before this run.
    total: f64,
    before: u64,
}

impl Progress {
    /// The progress over a number of arguments, of which an earlier run has searched some. Lines follow each other
    /// after `seconds`.
    pub fn new(arguments: u64, searched: u64, seconds: u64) -> Self {
        let begun = Instant::now();
        let bar = bar_at_rate(arguments, "arguments", 1.0);
        bar.set_position(searched);
        bar.reset_eta();
        let log = Log::new(Duration::from_secs(seconds));
        let (total, before) = (arguments as f64, bar.position());
        Progress { begun, bar, log, total, before }
    }

    /// Shows the number of cases found.
    pub fn show(&self, cases: u64) {
        self.bar.set_message(format!("{cases} cases"));
    }

    /// Adds searched arguments.
    pub fn advance(&self, arguments: u64) {
        self.bar.inc(arguments);
    }

    /// Writes a line if one is due.
    pub fn log(&self, cases: u64) {
        if !self.log.is_due() {
            return;
        }
        let searched = self.bar.position();
        let rate = (searched - self.before) as f64 / self.begun.elapsed().as_secs_f64();
        let (percent, left) = (100.0 * searched as f64 / self.total, span((self.total - searched as f64) / rate));
        say(format_args!("hotloops: {percent:.2} % searched, {cases} cases, {rate:.1e} arguments/s, {left} left"));
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A duration to two places.
fn span(seconds: f64) -> String {
    let seconds = seconds as u64;
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match (minutes, hours) {
        (0, _) => format!("{seconds} s"),
        (_, 0) => format!("{minutes} min {:02} s", seconds % 60),
        _ => format!("{hours} h {:02} min", minutes % 60),
    }
}

/// Formats the first of some ascending numbers as "3-5, 9".
pub fn runs(numbers: impl Iterator<Item = u64>) -> String {
    const MAX_RUNS: usize = 16;
    let mut runs: Vec<Range<u64>> = Vec::new();
    for number in numbers {
        match runs.last_mut().filter(|run| run.end == number) {
            Some(run) => run.end += 1,
            None => runs.push(number..number + 1),
        }
        if runs.len() > MAX_RUNS {
            break;
        }
    }
    let text = |run: &Range<u64>| match run.end - run.start {
        1 => run.start.to_string(),
        _ => format!("{}-{}", run.start, run.end - 1),
    };
    let first: Vec<_> = runs.iter().take(MAX_RUNS).map(text).collect();
    let more = if runs.len() > MAX_RUNS { ", .." } else { "" };
    if first.is_empty() { "none".to_owned() } else { first.join(", ") + more }
}
