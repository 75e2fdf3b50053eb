//! The format of checkpoints: the work that is done, in an append-only file of records.
//!
//! ```text
//! file     8 magic bytes of the kind of job, the job's record, records of work
//! record   length of the body (u32), CRC-32 of the length (u32), body, CRC-32 of the body (u32)
//! job      names and values as lines of text, the version first
//! work     a body as the job defines it
//! ```
//!
//! All integers are little-endian. Each CRC continues the previous one; the first continues the CRC
//! of the magic bytes. So a record that is changed, dropped, repeated or moved is detected, unless
//! all records after it are dropped too. A crash can truncate the last record: the job removes it,
//! and its work is done again. A file with any other fault is refused by name and not written to.

use std::io::{self, BufRead, Read};

use crate::failure::Failure;

/// Bytes of a length or a checksum.
const WORD: usize = 4;
/// Bytes before the first record.
const MAGIC: u64 = 8;
/// Maximum number of bytes of a job's own record.
const MAX_DESCRIPTION: usize = 1 << 24;

/// A kind of job.
pub struct Kind {
    /// The last byte is the version of the format.
    pub magic: &'static [u8; 8],
    /// The command, for messages.
    pub command: &'static str,
    /// What the command does: a search, for example.
    pub noun: &'static str,
    /// Maximum number of bytes of the body of a record.
    pub max_body: usize,
}

/// Names and values that determine the result, without the version.
pub type Description = [(&'static str, String)];

/// Why a file cannot be read.
pub enum Fault {
    Io(io::Error),
    Wrong(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Fault::Io(error)
    }
}

impl Fault {
    /// Damage that is found at a byte of a file whose records before it are whole.
    fn damaged(at: u64, why: &str) -> Self {
        let remedy = match at {
            0..=MAGIC => "start again with another file".to_owned(),
            _ => format!("a copy truncated to {at} bytes keeps the work before it"),
        };
        Fault::Wrong(format!("is damaged at byte {at}: {why}; nothing was written; {remedy}"))
    }

    /// The failure of a file with this name.
    pub fn of(self, name: &str) -> Failure {
        match self {
            Fault::Io(error) if error.kind() == io::ErrorKind::OutOfMemory => Failure::Job(format!("{name}: {error}")),
            Fault::Io(error) => Failure::Input(format!("{name}: {error}")),
            Fault::Wrong(why) => Failure::Input(format!("{name}: {why}")),
        }
    }
}

/// The CRC-32 that continues `crc` with `bytes`.
fn chained(crc: u32, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(crc);
    hasher.update(bytes);
    hasher.finalize()
}

/// A record and its last CRC.
pub fn record(crc: u32, body: &[u8]) -> (Vec<u8>, u32) {
    let length = (body.len() as u32).to_le_bytes();
    let first = chained(crc, &length);
    let last = chained(first, body);
    ([&length, first.to_le_bytes().as_slice(), body, &last.to_le_bytes()].concat(), last)
}

fn with_version(description: &Description) -> impl Iterator<Item = (&'static str, &str)> {
    let version = [("version", env!("CARGO_PKG_VERSION"))];
    version.into_iter().chain(description.iter().map(|(name, value)| (*name, &**value)))
}

/// The beginning of a job's file and its last CRC.
pub fn beginning(kind: &Kind, description: &Description) -> (Vec<u8>, u32) {
    let job: String = with_version(description).map(|(name, value)| format!("{name} {value}\n")).collect();
    let (record, crc) = record(chained(0, kind.magic), job.as_bytes());
    ([kind.magic.as_slice(), &record].concat(), crc)
}

/// The records of a file, one at a time.
struct Reader<R> {
    from: R,
    /// The end of the last whole record, and its last CRC.
    at: u64,
    crc: u32,
    max_body: usize,
}

impl<R: BufRead> Reader<R> {
    /// Reads the body of the next record. Returns `false` at the end, also before a truncated record.
    fn next(&mut self, body: &mut Vec<u8>) -> Result<bool, Fault> {
        let damaged = |why| Err(Fault::damaged(self.at, why));
        body.clear();
        self.from.by_ref().take(2 * WORD as u64).read_to_end(body)?;
        let Some((length, first)) = body.split_first_chunk::<WORD>() else { return Ok(false) };
        let crc = chained(self.crc, length);
        if !crc.to_le_bytes().starts_with(first) {
            return damaged("the checksum of a length is wrong");
        }
        if u32::from_le_bytes(*length) as usize > self.max_body {
            return damaged("a length is impossible");
        }
        if first.len() < WORD {
            return Ok(false);
        }
        let whole = u32::from_le_bytes(*length) as usize + WORD;
        body.clear();
        self.from.by_ref().take(whole as u64).read_to_end(body)?;
        if body.len() < whole {
            return Ok(false);
        }
        let last = u32::from_le_bytes(*body.last_chunk().expect("a checksum"));
        body.truncate(whole - WORD);
        if chained(crc, body) != last {
            return damaged("the checksum of a record is wrong");
        }
        self.at += (WORD + WORD + whole) as u64;
        self.crc = last;
        Ok(true)
    }
}

/// What a file holds.
pub struct Content {
    /// The end of the last record to keep; 0 if the job's own record is incomplete.
    pub end: u64,
    /// The CRC up to there.
    pub crc: u32,
}

/// Reads the file of a job. `each` receives the bodies of the records of work, and tells whether the file may
/// end after the record.
pub fn read(
    mut from: impl BufRead,
    kind: &Kind,
    description: &Description,
    mut each: impl FnMut(&[u8]) -> Result<bool, &'static str>,
) -> Result<Content, Fault> {
    let (expected, crc) = beginning(kind, description);
    let mut head = Vec::new();
    from.by_ref().take(expected.len() as u64).read_to_end(&mut head)?;
    if head.len() < expected.len() && expected.starts_with(&head) {
        return Ok(Content { end: 0, crc });
    }
    let magic = MAGIC as usize;
    if !head.starts_with(kind.magic) {
        return Err(Fault::Wrong(match head.starts_with(&kind.magic[..magic - 1]) {
            true => "is a checkpoint of another version of this command; choose another file".to_owned(),
            false => format!("is not a checkpoint of `{}`; choose another file", kind.command),
        }));
    }
    let from = head[magic..].chain(from);
    let mut reader = Reader { from, at: MAGIC, crc: chained(0, kind.magic), max_body: MAX_DESCRIPTION };
    let mut body = Vec::new();
    if !reader.next(&mut body)? {
        return Err(Fault::damaged(MAGIC, &format!("it ends within the description of another {}", kind.noun)));
    }
    if (reader.at, reader.crc) != (expected.len() as u64, crc) {
        return Err(Fault::Wrong(other_job(&body, kind, description)));
    }
    reader.max_body = kind.max_body;
    let mut content = Content { end: reader.at, crc };
    loop {
        let at = reader.at;
        if !reader.next(&mut body)? {
            return Ok(content);
        }
        if each(&body).map_err(|why| Fault::damaged(at, why))? {
            content = Content { end: reader.at, crc: reader.crc };
        }
    }
}

/// The message that names the first line that differs.
fn other_job(then: &[u8], kind: &Kind, description: &Description) -> String {
    let then = String::from_utf8_lossy(then);
    let mut lines = then.lines();
    for (name, now) in with_version(description) {
        let then = lines.next().unwrap_or("nothing");
        let now = format!("{name} {now}");
        if then != now {
            let what = match name {
                "version" => "was written by another version".to_owned(),
                _ => format!("is a checkpoint of another {}", kind.noun),
            };
            return format!("{what}: {then}, not {now}; choose another file");
        }
    }
    format!("is a checkpoint of another {}: it has more lines; choose another file", kind.noun)
}
