//! The checkpoint of a search: the units that are done, in an append-only file of records.
//!
//! ```text
//! file     the 8 bytes `hlhardr4`, the search's record, records of units
//! record   length of the body (u32), CRC-32 of the length (u32), body, CRC-32 of the body (u32)
//! search   names and values as text, the version first
//! units    the first and the end of consecutive units (u64 each), then what was found in them: how many
//!          streams, listed exact cases and exact cases, then the ends of the streams, the exact cases and
//!          the other cases (u64 each); nothing was found in several units
//! ```
//!
//! All integers are little-endian. Each CRC continues the previous one; the first continues the CRC
//! of the magic bytes. So a record that is changed, dropped, repeated or moved is detected, unless
//! all records after it are dropped too. A crash can truncate the last record: [`Journal::open`]
//! removes it, and its units are searched again. A file with any other fault is rejected and not
//! written to.
//!
//! The record of a unit with cases is written as soon as the unit is done. Units without cases, of which
//! a search may have millions, are written by a thread every [`WRITE_EVERY`], consecutive ones in one
//! record. The thread also synchronises the file every second: a power failure loses the records of the
//! last second.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hotloops_hardround::{Found, MAX_CASES, MAX_EXACT};

use super::io::{Plan, about, reserve, unread};
use super::problem;
use crate::durable;
use crate::failure::Failure;
use crate::memory;

const MAGIC: &[u8; 8] = b"hlhardr4";
/// The magic bytes without the version number.
const FAMILY: &[u8] = MAGIC.split_at(7).0;
const WORD: usize = 4;

/// Longest time that a unit without cases waits to be written.
const WRITE_EVERY: Duration = Duration::from_millis(100);
/// Longest time that a record waits to be synchronised, in units of [`WRITE_EVERY`].
const SYNC_EVERY: u32 = 10;

pub struct Journal {
    path: PathBuf,
    end: Arc<Mutex<End>>,
    /// Dropped to stop the thread that synchronises the file.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct End {
    file: File,
    crc: u32,
    /// Units that are done, have no cases and are not written yet.
    empty: Vec<u64>,
    /// Records were written since the file was synchronised.
    is_dirty: bool,
    /// A record could not be written or synchronised: none may follow it.
    broken: Option<String>,
}

impl End {
    fn keep(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.broken.get_or_insert(error.to_string());
        }
    }

    /// Writes a record.
    fn write(&mut self, units: &Range<u64>, found: &Found) -> Result<(), Failure> {
        let (record, crc) = record(self.crc, &body(units, found)?)?;
        if self.broken.is_none() {
            let written = self.file.write_all(&record);
            self.keep(written);
            (self.crc, self.is_dirty) = (crc, true);
        }
        Ok(())
    }

    /// Writes the units without cases.
    fn write_empty(&mut self) -> Result<(), Failure> {
        let mut units: Vec<Range<u64>> = self.empty.drain(..).map(|unit| unit..unit + 1).collect();
        units.sort_unstable_by_key(|units| units.start);
        join(&mut units);
        units.iter().try_for_each(|units| self.write(units, &Found::default()))
    }

    fn write_and_sync(&mut self, syncs: bool) {
        if let Err(Failure::Usage(why) | Failure::Input(why) | Failure::Job(why)) = self.write_empty() {
            self.broken.get_or_insert(why);
        }
        if syncs {
            self.sync();
        }
    }

    /// Makes all records safe from a power failure.
    fn sync(&mut self) {
        if self.is_dirty && self.broken.is_none() {
            self.is_dirty = false;
            let result = self.file.sync_data();
            self.keep(result);
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

/// The content of a file.
pub struct Content {
    pub done: Done,
    /// End of the last complete record; 0 if the search's own record is incomplete.
    pub end: usize,
    crc: u32,
}

/// The CRC-32 that continues `crc` with `bytes`.
fn chained(crc: u32, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(crc);
    hasher.update(bytes);
    hasher.finalize()
}

/// A record and its last CRC.
pub fn record(crc: u32, body: &[u8]) -> Result<(Vec<u8>, u32), Failure> {
    let length = (body.len() as u32).to_le_bytes();
    let first = chained(crc, &length);
    let last = chained(first, body);
    let mut record = Vec::new();
    reserve(&mut record, body.len() + 3 * WORD)?;
    [&length, first.to_le_bytes().as_slice(), body, &last.to_le_bytes()].iter().for_each(|part| record.extend(*part));
    Ok((record, last))
}

/// The beginning of a search's file and its last CRC.
pub fn beginning(plan: &Plan) -> Result<(Vec<u8>, u32), Failure> {
    let search: String = description(plan).iter().map(|(name, value)| format!("{name} {value}\n")).collect();
    let (record, crc) = record(chained(0, MAGIC), search.as_bytes())?;
    Ok(([MAGIC.as_slice(), &record].concat(), crc))
}

fn description(plan: &Plan) -> Vec<(&'static str, String)> {
    let mut lines = vec![("version", env!("CARGO_PKG_VERSION").to_owned())];
    lines.extend(problem::lines(&plan.problem));
    lines
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
pub fn body(units: &Range<u64>, found: &Found) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    reserve(&mut body, 8 * (2 + found.words_len()))?;
    body.extend([units.start, units.end].into_iter().chain(found.words()).flat_map(u64::to_le_bytes));
    Ok(body)
}

/// Whether `bytes`, shorter than two words, may be the beginning of a record of units.
fn begins_record(bytes: &[u8], crc: u32) -> bool {
    match bytes.split_first_chunk::<WORD>() {
        None => bytes.first().is_none_or(|byte| byte % 8 == 0),
        Some((length, first)) => {
            let numbers = u32::from_le_bytes(*length) as usize / 8;
            let crc = chained(crc, length).to_le_bytes();
            length[0] % 8 == 0 && (5..=2 * MAX_CASES + MAX_EXACT + 5).contains(&numbers) && crc.starts_with(first)
        }
    }
}

/// A complete record of a file.
struct Record<'a> {
    body: &'a [u8],
    length: usize,
    /// Its last CRC.
    crc: u32,
}

/// The record that follows `crc` in `bytes`. `None` if the file ends before the record does.
fn next(bytes: &[u8], crc: u32) -> Result<Option<Record<'_>>, &'static str> {
    let word = |at: usize| bytes.get(at..at + WORD).map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes")));
    let (Some(length), Some(first)) = (word(0), word(WORD)) else {
        let cut_short = begins_record(bytes, crc);
        return if cut_short { Ok(None) } else { Err("an incomplete record follows") };
    };
    if chained(crc, &length.to_le_bytes()) != first {
        return Err("the checksum of a length is wrong");
    }
    let end = 2 * WORD + length as usize;
    let Some(last) = word(end) else { return Ok(None) };
    let body = &bytes[2 * WORD..end];
    match chained(first, body) == last {
        true => Ok(Some(Record { body, length: end + WORD, crc: last })),
        false => Err("the checksum of a record is wrong"),
    }
}

/// Reads a file of the search and keeps the units of `part`. The failure explains why the file does
/// not belong to the search.
pub fn parse(bytes: &[u8], plan: &Plan, part: &Range<u64>) -> Result<Content, Failure> {
    let (expected, crc) = beginning(plan)?;
    let mut done = Done::default();
    if bytes.len() < expected.len() && expected.starts_with(bytes) {
        return Ok(Content { done, end: 0, crc });
    }
    if !bytes.starts_with(MAGIC) {
        let why = match bytes.starts_with(FAMILY) {
            true => "is a checkpoint of another version of this command",
            false => "is not a checkpoint of this command",
        };
        return Err(Failure::Input(why.to_owned()));
    }
    let damaged = |at: usize, why: &str| {
        let remedy = if at > MAGIC.len() {
            format!("; a copy truncated to {at} bytes keeps the units before it")
        } else {
            String::new()
        };
        Failure::Input(format!("is damaged at byte {at}: {why}; nothing was written{remedy}"))
    };
    let first = next(&bytes[MAGIC.len()..], chained(0, MAGIC)).map_err(|why| damaged(MAGIC.len(), why))?;
    let Some(Record { body: then, length, mut crc }) = first else {
        return Err(damaged(MAGIC.len(), "it ends within the description of another search"));
    };
    let mut at = MAGIC.len() + length;
    if bytes[..at] != expected {
        return Err(Failure::Input(other_search(then, plan)));
    }
    while let Some(record) = next(&bytes[at..], crc).map_err(|why| damaged(at, why))? {
        let (units, found) = numbers(record.body, plan).map_err(|why| damaged(at, why))?;
        let units = units.start.max(part.start)..units.end.min(part.end);
        if !units.is_empty() {
            reserve(&mut done.units, 1)?;
            done.units.push(units);
            done.found.extend(&found)?;
        }
        (at, crc) = (at + record.length, record.crc);
    }
    done.units.sort_unstable_by_key(|units| units.start);
    done.found.sort(|index| plan.begins_segment(index));
    if let Some(twice) = done.units.windows(2).find(|pair| pair[0].end > pair[1].start) {
        let unit = twice[1].start;
        return Err(Failure::Input(format!("is damaged: unit {unit} is recorded twice; nothing was written")));
    }
    join(&mut done.units);
    Ok(Content { done, end: at, crc })
}

/// The message that names the first line that differs.
fn other_search(then: &[u8], plan: &Plan) -> String {
    let then = String::from_utf8_lossy(then);
    let mut lines = then.lines();
    for (name, now) in description(plan) {
        let then = lines.next().unwrap_or("nothing");
        let now = format!("{name} {now}");
        if then != now {
            let what =
                if name == "version" { "was written by another version" } else { "is a checkpoint of another search" };
            return format!("{what}: {then}, not {now}");
        }
    }
    "is a checkpoint of another search: it has more lines".to_owned()
}

/// The units of a record and what was found in them.
fn numbers(body: &[u8], plan: &Plan) -> Result<(Range<u64>, Found), &'static str> {
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
    pub fn open(path: &Path, plan: &Plan, part: &Range<u64>) -> Result<(Self, Done), Failure> {
        let name = format!("--checkpoint {}", path.display());
        let wrong = |why: &str| Failure::Input(format!("{name}: {why}"));
        let broken = |error: io::Error| unread(&name, error);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(broken)?;
        file.try_lock().map_err(|_| wrong("another search writes to it"))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(broken)?;
        let Content { done, mut end, crc } = parse(&bytes, plan, part).map_err(|failure| about(&name, failure))?;
        if end == 0 {
            let (beginning, _) = beginning(plan)?;
            file.rewind().and_then(|()| file.write_all(&beginning)).map_err(broken)?;
            file.sync_all().and_then(|()| durable::sync_folder(path)).map_err(broken)?;
            end = beginning.len();
        } else if end < bytes.len() {
            let cut = bytes.len() - end;
            eprintln!("hotloops: {name}: the last record is truncated; dropped {cut} bytes");
            file.set_len(end as u64).and_then(|()| file.sync_all()).map_err(broken)?;
        }
        file.seek(SeekFrom::Start(end as u64)).map_err(broken)?;
        let end = Arc::new(Mutex::new(End { file, crc, empty: Vec::new(), is_dirty: false, broken: None }));
        let (stop, stopped) = channel();
        let shared = Arc::clone(&end);
        let write_and_sync = move || {
            let mut turn = 0;
            while stopped.recv_timeout(WRITE_EVERY) == Err(RecvTimeoutError::Timeout) {
                turn = (turn + 1) % SYNC_EVERY;
                lock(&shared).write_and_sync(turn == 0);
            }
        };
        let thread = thread::Builder::new().spawn(write_and_sync).map_err(|error| memory::no_thread(&error))?;
        Ok((Journal { path: path.to_owned(), end, stop: Some(stop), thread: Some(thread) }, done))
    }

    /// Records that a unit is done. A unit with cases survives a kill from now on, one without cases after
    /// [`WRITE_EVERY`], both after a second a power failure.
    pub fn add(&self, unit: u64, found: &Found) -> Result<(), Failure> {
        let mut end = lock(&self.end);
        self.check(&end)?;
        match found.is_empty() {
            true => {
                reserve(&mut end.empty, 1)?;
                end.empty.push(unit);
            }
            false => end.write(&(unit..unit + 1), found)?,
        }
        self.check(&end)
    }

    /// Makes all records safe from a power failure.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.stop_and_sync();
        self.check(&lock(&self.end))
    }

    fn check(&self, end: &End) -> Result<(), Failure> {
        match &end.broken {
            Some(why) => Err(Failure::Job(format!("--checkpoint {}: {why}", self.path.display()))),
            None => Ok(()),
        }
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
    }
}
