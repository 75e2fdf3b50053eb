//! How long a rank sleeps between two probes for a message.

use std::thread;
use std::time::{Duration, Instant};

/// Time between two probes for a message that a rank needs to go on: the shortest that the system allows, then a
/// fixed part of the time waited so far.
const MIN_WAIT: Duration = Duration::from_micros(20);
const PART: u32 = 4;
/// Time between two probes while threads have work: it doubles from the first on.
const WITH_STOCK: Duration = Duration::from_millis(1);
const MAX_WAIT: Duration = Duration::from_millis(10);

/// The wait for something that a rank needs to go on.
pub(super) struct Wait {
    begin: Instant,
    /// The next sleep takes at least this time.
    least: Duration,
}

impl Wait {
    pub(super) fn new() -> Self {
        Wait::after(MIN_WAIT)
    }

    /// A wait that probably takes longer than some time.
    pub(super) fn after(time: Duration) -> Self {
        Wait { begin: Instant::now(), least: time }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    pub(super) fn sleep(&mut self) {
        let least = std::mem::replace(&mut self.least, MIN_WAIT);
        thread::sleep(after(self.begin).max(least).min(MAX_WAIT));
    }
}

/// The time between two probes by a rank that has waited since `begin`.
fn after(begin: Instant) -> Duration {
    (begin.elapsed() / PART).clamp(MIN_WAIT, MAX_WAIT)
}

/// The times between probes for a message of unknown time.
pub(super) struct Probes {
    begin: Instant,
    with_work: Duration,
}

impl Probes {
    pub(super) fn new() -> Self {
        Probes { begin: Instant::now(), with_work: WITH_STOCK }
    }

    /// The time until the next probe; `has_idle` if a thread without work waits for the message.
    pub(super) fn pause(&mut self, has_idle: bool) -> Duration {
        let with_work = self.with_work;
        self.with_work = MAX_WAIT.min(2 * with_work);
        if has_idle { after(self.begin) } else { with_work }
    }
}
