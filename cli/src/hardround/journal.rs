//! The checkpoint of a search: a [`journal`] of the units that are done.
//!
//! ```text
//! body     the first and the end of consecutive units (u64 each), then what was found in them: how many
//!          streams, listed exact cases and exact cases, then the ends of the streams, the exact cases and
//!          the other cases (u64 each); nothing was found in several units
//! ```
//!
//! The record of a unit with cases is written as soon as the unit is done. Units without cases, of which
//! a search may have millions, are written by a thread every [`WRITE_EVERY`], consecutive ones in one
//! record. The thread also synchronises the file every second: a power failure loses the records of the
//! last second.

use std::ops::Range;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hotloops_hardround::{Found, MAX_CASES, MAX_EXACT};

use super::io::{NamedPlan, reserve};
use super::problem;
use crate::failure::Failure;
use crate::interrupt;
use crate::job::checkpoint::{Fault, Kind};
use crate::job::{journal, threads};

pub const KIND: Kind = Kind {
    magic: b"hlhardr5",
    command: "hotloops hardround search",
    noun: "search",
    max_body: 8 * (2 * MAX_CASES + MAX_EXACT + 5),
};

/// Longest time that a unit without cases waits to be written.
const WRITE_EVERY: Duration = Duration::from_millis(100);
/// Longest time that a record waits to be synchronised, in units of [`WRITE_EVERY`].
const SYNC_EVERY: u32 = 10;

pub struct Journal {
    end: Arc<Mutex<End>>,
    /// Dropped to stop the thread that synchronises the file.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct End {
    journal: journal::Journal,
    /// Units that are done, have no cases and are not written yet.
    empty: Vec<u64>,
}

impl End {
    /// Writes the units without cases.
    fn write_empty(&mut self) {
        let mut units: Vec<Range<u64>> = self.empty.drain(..).map(|unit| unit..unit + 1).collect();
        units.sort_unstable_by_key(|units| units.start);
        join(&mut units);
        units.iter().for_each(|units| self.journal.append(&body(units, &Found::default())));
    }

    fn write_and_sync(&mut self, syncs: bool) {
        self.write_empty();
        if syncs {
            self.journal.sync();
        }
    }
}

fn lock(end: &Mutex<End>) -> MutexGuard<'_, End> {
    end.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Joins ascending ranges that touch.
fn join(ranges: &mut Vec<Range<u64>>) {
    ranges.dedup_by(|next, last| {
        let joins = last.end == next.start;
        if joins {
            last.end = next.end;
        }
        joins
    });
}

/// The units that are done.
#[derive(Default)]
pub struct Done {
    /// Their numbers, ascending.
    pub units: Vec<Range<u64>>,
    pub found: Found,
}

impl Done {
    /// Whether a unit is among them.
    pub fn contains(&self, unit: u64) -> bool {
        let next = self.units.partition_point(|units| units.end <= unit);
        self.units.get(next).is_some_and(|units| units.start <= unit)
    }

    /// Their number.
    pub fn count(&self) -> u64 {
        self.units.iter().map(|units| units.end - units.start).sum()
    }
}

/// The body of a record of units.
pub fn body(units: &Range<u64>, found: &Found) -> Vec<u8> {
    [units.start, units.end].into_iter().chain(found.words()).flat_map(u64::to_le_bytes).collect()
}

/// Collects the units of `part`, a record at a time.
pub struct Records<'a> {
    plan: &'a NamedPlan,
    part: &'a Range<u64>,
    done: Done,
    /// Memory ran out.
    failure: Option<Failure>,
}

impl<'a> Records<'a> {
    pub fn new(plan: &'a NamedPlan, part: &'a Range<u64>) -> Self {
        Records { plan, part, done: Done::default(), failure: None }
    }

    /// Adds a record.
    pub fn add(&mut self, body: &[u8]) -> Result<bool, &'static str> {
        let (units, found) = numbers(body, self.plan)?;
        let units = units.start.max(self.part.start)..units.end.min(self.part.end);
        if !units.is_empty() {
            self.done.units.push(units);
            if let Err(error) = self.done.found.extend(&found) {
                self.failure.get_or_insert(error.into());
            }
        }
        Ok(true)
    }

    /// All units, unless one is recorded twice.
    pub fn finish(mut self) -> Result<Done, Fault> {
        let Records { plan, done, .. } = &mut self;
        done.units.sort_unstable_by_key(|units| units.start);
        done.found.sort(|index| plan.begins_segment(index));
        if let Some(twice) = done.units.windows(2).find(|pair| pair[0].end > pair[1].start) {
            let unit = twice[1].start;
            let why = format!("is damaged: unit {unit} is recorded twice; start again with another file");
            return Err(Fault::Wrong(why));
        }
        join(&mut done.units);
        Ok(self.done)
    }
}

/// The units of a record and what was found in them.
fn numbers(body: &[u8], plan: &NamedPlan) -> Result<(Range<u64>, Found), &'static str> {
    const WRONG: &str = "a record contains arguments that are not cases of its unit";
    const NO_UNIT: &str = "a record does not belong to a unit of the search";
    let (numbers, rest) = body.as_chunks::<8>();
    let words: Vec<u64> = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let (&[start, end], words) = words.split_first_chunk().filter(|_| rest.is_empty()).ok_or(NO_UNIT)?;
    if start >= end || end > plan.units() {
        return Err(NO_UNIT);
    }
    let range = plan.range(&(start..end));
    let found = Found::from_words(words).ok_or(WRONG)?;
    let is_case = |&index: &u64| range.contains(&index) && matches!(plan.is_found(index), Ok(true));
    let right = (end - start == 1 || found.is_empty())
        && found.cases.iter().all(|index| is_case(index) && !plan.is_exact(*index))
        && found.exact.iter().all(|index| range.contains(index) && plan.is_exact(*index))
        && found.exact_count <= range.end - range.start
        && found.streams.iter().all(|stream| is_case(&stream.start) && is_case(&(stream.end - 1)));
    if right { Ok((start..end, found)) } else { Err(WRONG) }
}

impl Journal {
    /// Opens or creates the file of this search, and reads which units of `part` are done.
    pub fn open(path: &Path, plan: &NamedPlan, part: &Range<u64>) -> Result<(Self, Done), Failure> {
        let mut records = Records::new(plan, part);
        let description = problem::lines(&plan.problem);
        let journal = journal::open(path, &KIND, &description, |body| records.add(body))?;
        if let Some(failure) = records.failure {
            return Err(failure);
        }
        let done = records.finish().map_err(|fault| fault.of(journal.name()))?;
        let end = Arc::new(Mutex::new(End { journal, empty: Vec::new() }));
        let (stop, stopped) = channel();
        let shared = Arc::clone(&end);
        let write_and_sync = move || {
            let mut turn = 0;
            while stopped.recv_timeout(WRITE_EVERY) == Err(RecvTimeoutError::Timeout) {
                turn = (turn + 1) % SYNC_EVERY;
                lock(&shared).write_and_sync(turn == 0);
            }
        };
        let thread = thread::Builder::new().spawn(write_and_sync).map_err(|error| threads::no_thread(&error))?;
        let shared = Arc::clone(&end);
        interrupt::save_by(move || lock(&shared).write_and_sync(true))?;
        Ok((Journal { end, stop: Some(stop), thread: Some(thread) }, done))
    }

    /// Records that a unit is done. A unit with cases survives a kill from now on, one without cases after
    /// [`WRITE_EVERY`], both after a second a power failure.
    pub fn add(&self, unit: u64, found: &Found) -> Result<(), Failure> {
        let mut end = lock(&self.end);
        end.journal.check()?;
        match found.is_empty() {
            true => {
                reserve(&mut end.empty, 1)?;
                end.empty.push(unit);
            }
            false => end.journal.append(&body(&(unit..unit + 1), found)),
        }
        end.journal.check()
    }

    /// Makes all records safe from a power failure.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.stop_and_sync();
        lock(&self.end).journal.check()
    }

    fn stop_and_sync(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic there was reported there.
            let _ = thread.join();
        }
        lock(&self.end).write_and_sync(true);
    }
}

/// A search that fails keeps its finished units too.
impl Drop for Journal {
    fn drop(&mut self) {
        self.stop_and_sync();
        // The lock of the file ends with the search.
        interrupt::forget_save();
    }
}
