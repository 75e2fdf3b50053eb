//! The checkpoint of a matrix: the lines of the units that are done, in an append-only file.
//!
//! ```text
//! file     the 8 bytes `hlmatri1`, records
//! record   length of the body (u64), units that are done after it (u64), body, CRC-32 (u32)
//! ```
//!
//! Integers are little-endian. The body of the first record describes the job, the others are lines.
//! Each CRC continues the one before. A crash can truncate the last record; [`Journal::open`]
//! removes it, and the records of a unit that is not done.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::durable;
use crate::failure::Failure;

const MAGIC: &[u8; 8] = b"hlmatri1";
const HEAD: usize = 16;
const INTERVAL: Duration = Duration::from_secs(5);

pub struct Journal {
    file: BufWriter<File>,
    crc: u32,
    /// Number of units that are done.
    pub units: u64,
    synced: Instant,
}

impl Journal {
    /// Continues the file, or creates it.
    pub fn open(path: &Path, job: &str) -> Result<Self, Failure> {
        let wrong = |why: &str| Failure::Input(format!("--checkpoint {}: {why}", path.display()));
        let failed = |error: io::Error| wrong(&error.to_string());
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        let mut reader = Reader { file: BufReader::new(&file), crc: 0 };
        let mut magic = [0; MAGIC.len()];
        let is_new = match reader.file.read(&mut magic).map_err(failed)? {
            0 => true,
            _ if magic == *MAGIC => false,
            _ => return Err(wrong("is no checkpoint of `hotloops fingerprints matrix`")),
        };
        let mut description = Vec::new();
        let first = if is_new { None } else { reader.record(&mut description).map_err(failed)? };
        let (mut crc, mut end, mut units) = (0, MAGIC.len() as u64, 0);
        if let Some((_, body)) = &first {
            if *body != job.as_bytes() {
                let then = String::from_utf8_lossy(body);
                return Err(wrong(&format!("belongs to another job or other fingerprints: {then}; not {job}")));
            }
            let mut at = end + (HEAD + body.len() + 4) as u64;
            (crc, end) = (reader.crc, at);
            let mut memory = Vec::new();
            while let Some((done, body)) = reader.record(&mut memory).map_err(failed)? {
                at += (HEAD + body.len() + 4) as u64;
                if done > units {
                    (crc, end, units) = (reader.crc, at, done);
                }
            }
        }
        drop(reader);
        file.set_len(if is_new { 0 } else { end }).map_err(failed)?;
        let mut file = BufWriter::new(file);
        file.seek(SeekFrom::Start(if is_new { 0 } else { end })).map_err(failed)?;
        if is_new {
            file.write_all(MAGIC).map_err(failed)?;
        }
        let mut journal = Journal { file, crc, units, synced: Instant::now() };
        if first.is_none() {
            journal.append(0, job.as_bytes()).and_then(|()| journal.sync()).map_err(failed)?;
            durable::sync_folder(path).map_err(failed)?;
        }
        Ok(journal)
    }

    /// Appends lines; with them, this number of units is done.
    pub fn append(&mut self, units: u64, lines: &[u8]) -> io::Result<()> {
        let head = [(lines.len() as u64).to_le_bytes(), units.to_le_bytes()].concat();
        self.crc = chained(chained(self.crc, &head), lines);
        [&head[..], lines, &self.crc.to_le_bytes()].iter().try_for_each(|part| self.file.write_all(part))?;
        if self.synced.elapsed() >= INTERVAL {
            self.sync()?;
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        self.synced = Instant::now();
        Ok(())
    }

    /// Copies all lines.
    pub fn copy(&mut self, to: &mut dyn Write) -> io::Result<()> {
        self.sync()?;
        let mut file = self.file.get_ref();
        file.seek(SeekFrom::Start(MAGIC.len() as u64))?;
        let mut reader = Reader { file: BufReader::new(file), crc: 0 };
        let mut memory = Vec::new();
        reader.record(&mut memory)?;
        while let Some((_, lines)) = reader.record(&mut memory)? {
            to.write_all(lines)?;
        }
        Ok(())
    }
}

/// The CRC-32 that continues `crc` with `bytes`.
fn chained(crc: u32, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(crc);
    hasher.update(bytes);
    hasher.finalize()
}

struct Reader<'a> {
    file: BufReader<&'a File>,
    crc: u32,
}

impl Reader<'_> {
    /// The next record: its units and its body. `None` at the end and before a truncated record.
    fn record<'m>(&mut self, memory: &'m mut Vec<u8>) -> io::Result<Option<(u64, &'m [u8])>> {
        memory.clear();
        self.file.by_ref().take(HEAD as u64).read_to_end(memory)?;
        if memory.len() < HEAD {
            return Ok(None);
        }
        let word = |at: usize| u64::from_le_bytes(memory[at..at + 8].try_into().expect("8 bytes"));
        let (length, units) = (word(0), word(8));
        let whole = length.saturating_add(4);
        self.file.by_ref().take(whole).read_to_end(memory)?;
        if memory.len() as u64 != whole.saturating_add(HEAD as u64) {
            return Ok(None);
        }
        let (covered, crc) = memory.split_last_chunk().expect("longer");
        self.crc = chained(self.crc, covered);
        Ok((self.crc == u32::from_le_bytes(*crc)).then_some((units, &covered[HEAD..])))
    }
}
