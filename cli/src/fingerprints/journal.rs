//! The checkpoint of a matrix: a [`journal`] of the lines of the units that are done.
//!
//! ```text
//! body     units that are done after it (u64), lines
//! ```
//!
//! The records of a unit that is not done are removed, and its lines are found again.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::interrupt;
use crate::job::checkpoint::{Description, Kind};
use crate::job::journal;

/// Maximum bytes of lines of a record.
const MAX_LINES: usize = 1 << 20;
const WORD: usize = 8;
const INTERVAL: Duration = Duration::from_secs(5);

pub const KIND: Kind =
    Kind { magic: b"hlmatri2", command: "hotloops fingerprints matrix", noun: "matrix", max_body: WORD + MAX_LINES };

pub struct Journal {
    file: journal::Journal,
    job: Vec<(&'static str, String)>,
    progress: Progress,
    synced: Instant,
}

/// How many of the units are done.
#[derive(Clone, Copy)]
pub struct Progress {
    pub done: u64,
    pub units: u64,
}

impl Progress {
    /// Takes a record: its lines, and whether its unit is done.
    pub fn take<'a>(&mut self, body: &'a [u8]) -> Result<(&'a [u8], bool), &'static str> {
        let (word, lines) = body.split_first_chunk().ok_or("a record has no unit")?;
        let done = u64::from_le_bytes(*word);
        let ends = done.wrapping_sub(self.done);
        if ends > 1 || done > self.units {
            return Err("a record does not belong to the next unit");
        }
        self.done = done;
        Ok((lines, ends == 1))
    }
}

impl Journal {
    /// Continues the file of a matrix of `units`, or creates it.
    pub fn open(path: &Path, job: &Description, units: u64) -> Result<Self, Failure> {
        let mut progress = Progress { done: 0, units };
        let file = journal::open(path, &KIND, job, |body| Ok(progress.take(body)?.1))?;
        interrupt::save_by(|| ())?;
        Ok(Journal { file, job: job.to_vec(), progress, synced: Instant::now() })
    }

    /// Number of units that are done.
    pub fn done(&self) -> u64 {
        self.progress.done
    }

    /// Appends lines; with them, this number of units is done.
    pub fn append(&mut self, done: u64, lines: &[u8]) -> Result<(), Failure> {
        let mut put = |done: u64, lines: &[u8]| self.file.append(&[&done.to_le_bytes(), lines].concat());
        let mut rest = lines;
        // The unit is done with its last lines.
        while let Some((lines, more)) = rest.split_at_checked(MAX_LINES).filter(|(_, more)| !more.is_empty()) {
            put(self.progress.done, lines);
            rest = more;
        }
        put(done, rest);
        self.progress.done = done;
        if self.synced.elapsed() >= INTERVAL {
            self.sync();
        }
        self.file.check()
    }

    fn sync(&mut self) {
        self.file.sync();
        self.synced = Instant::now();
    }

    /// Copies the lines of all units, which must be done.
    pub fn copy(&mut self, to: &mut dyn Write) -> io::Result<()> {
        self.sync();
        let mut again = Progress { done: 0, ..self.progress };
        let mut written = Ok(());
        self.file.read_again(&KIND, &self.job, |body| {
            let (lines, ends) = again.take(body)?;
            if written.is_ok() {
                written = to.write_all(lines);
            }
            Ok(ends)
        })?;
        written?;
        if again.done != again.units {
            let why = format!("holds {} units instead of {}", again.done, again.units);
            return Err(io::Error::other(format!("{}: {why}; start again with another file", self.file.name())));
        }
        Ok(())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        interrupt::forget_save();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::damage::{cuts, every_flip_is_refused, mutated, random};
    use crate::job::checkpoint;

    const UNITS: u64 = 40;

    fn job() -> [(&'static str, String); 2] {
        [("bits", "64".to_owned()), ("checksum", "0123abcd".to_owned())]
    }

    /// A file, and the lines of each of its units.
    fn file() -> (Vec<u8>, Vec<String>) {
        let mut random = random("matrix");
        let (mut bytes, mut crc) = checkpoint::beginning(&KIND, &job());
        let mut units = Vec::new();
        for unit in 0..UNITS {
            // The first lines of some units are in records of their own; some units have no lines.
            let parts = if unit % 7 == 0 { 3 } else { 1 };
            let mut unit_lines = String::new();
            for part in 1..=parts {
                let lines: String = (0..random.below(5)).map(|row| format!("{row}\t{unit}\t0.5\n")).collect();
                let done = if part == parts { unit + 1 } else { unit };
                let body = [&done.to_le_bytes(), lines.as_bytes()].concat();
                let (record, last) = checkpoint::record(crc, &body);
                bytes.extend(record);
                crc = last;
                unit_lines += &lines;
            }
            units.push(unit_lines);
        }
        (bytes, units)
    }

    /// The number of units that are done and their lines.
    fn read(bytes: &[u8]) -> Option<(u64, String)> {
        let mut progress = Progress { done: 0, units: UNITS };
        let (mut lines, mut whole) = (Vec::new(), 0);
        let each = |body: &[u8]| {
            let (more, ends) = progress.take(body)?;
            lines.extend_from_slice(more);
            if ends {
                whole = lines.len();
            }
            Ok(ends)
        };
        checkpoint::read(bytes, &KIND, &job(), each).ok()?;
        lines.truncate(whole);
        Some((progress.done, String::from_utf8(lines).unwrap()))
    }

    #[test]
    fn a_damaged_checkpoint_loses_nothing_silently() {
        let (bytes, units) = file();
        let kept = |done: u64| units[..done as usize].concat();
        assert_eq!(read(&bytes), Some((UNITS, kept(UNITS))));
        every_flip_is_refused("matrix", &bytes, |bytes| read(bytes).is_none());
        for cut in cuts("matrix", &bytes) {
            let (done, lines) = read(&bytes[..cut]).unwrap_or_else(|| panic!("{cut} bytes are refused"));
            assert!(lines == kept(done) && (done < UNITS || cut == bytes.len()), "{cut} bytes");
        }
        let mut random = random("mutated matrix");
        for _ in 0..10_000 {
            let file = mutated(&bytes, &mut random);
            if let Some((done, lines)) = read(&file) {
                assert!(lines == kept(done), "{file:?}");
            }
        }
    }
}
