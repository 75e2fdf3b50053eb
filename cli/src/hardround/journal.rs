//! The units of a search that are done, in a file to which is only appended.
//!
//! The 8 bytes `hlhardr1`, and then records: the length of the body and its CRC-32 (`u32` each, little-endian), the body. That of the
//! first record is the search as text, that of each other one a unit and the arguments found in it, as postcard writes them. A
//! record that was not written to its end is cut off when the search goes on.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::failure::Failure;

const MAGIC: &[u8; 8] = b"hlhardr1";
const HEAD: usize = 8;

pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

/// Units with the numbers of the arguments found.
pub type Units = BTreeMap<u64, Vec<u64>>;

fn record(body: &[u8]) -> Vec<u8> {
    let crc = crc32fast::hash(body);
    [&(body.len() as u32).to_le_bytes(), &crc.to_le_bytes(), body].concat()
}

/// The bodies of whole records with their ends; an error where one that others follow is damaged.
fn records(bytes: &[u8]) -> Result<Vec<(usize, &[u8])>, usize> {
    let (mut at, mut records) = (MAGIC.len(), Vec::new());
    while let Some((head, rest)) = bytes[at..].split_at_checked(HEAD) {
        let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("4 bytes"));
        let Some(body) = rest.get(..word(0) as usize) else { break };
        let end = at + HEAD + body.len();
        if crc32fast::hash(body) != word(4) {
            if end < bytes.len() {
                return Err(at);
            }
            break;
        }
        records.push((end, body));
        at = end;
    }
    Ok(records)
}

impl Journal {
    /// Opens the file of this search, or makes it, and reads what is done.
    pub fn open(path: &Path, search: &str) -> Result<(Self, Units), Failure> {
        let wrong = |why: String| Failure::Usage(format!("--checkpoint {}: {why}", path.display()));
        let broken = |error: std::io::Error| wrong(error.to_string());
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(broken)?;
        file.try_lock().map_err(|_| wrong("another search writes to it".to_owned()))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(broken)?;
        let known = bytes.len().min(MAGIC.len());
        if bytes[..known] != MAGIC[..known] {
            return Err(wrong("is no checkpoint of this command".to_owned()));
        }
        let mut units = Units::new();
        let all = if bytes.len() < MAGIC.len() {
            Vec::new()
        } else {
            records(&bytes).map_err(|at| wrong(format!("is damaged at byte {at}")))?
        };
        let damaged = || wrong("is damaged: a record is none".to_owned());
        let end = match all.split_first() {
            None => {
                let head = [MAGIC.as_slice(), &record(search.as_bytes())].concat();
                file.rewind().and_then(|()| file.write_all(&head)).and_then(|()| file.sync_all()).map_err(broken)?;
                head.len()
            }
            Some((&(first, then), others)) => {
                let then = std::str::from_utf8(then).map_err(|_| damaged())?;
                if let Some((then, now)) = then.lines().zip(search.lines()).find(|(then, now)| then != now) {
                    return Err(wrong(format!("is of another search: {then}, not {now}")));
                }
                for (_, body) in others {
                    let (unit, found): (u64, Vec<u64>) = postcard::from_bytes(body).map_err(|_| damaged())?;
                    units.insert(unit, found);
                }
                others.last().map_or(first, |&(end, _)| end)
            }
        };
        file.set_len(end as u64).and_then(|()| file.seek(SeekFrom::Start(end as u64))).map_err(broken)?;
        Ok((Journal { path: path.to_owned(), file: Mutex::new(file) }, units))
    }

    /// A unit is done: it outlives a loss of power.
    pub fn add(&self, unit: u64, found: &[u64]) -> Result<(), Failure> {
        let body = postcard::to_stdvec(&(unit, found)).expect("plain data");
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&record(&body))
            .and_then(|()| file.sync_data())
            .map_err(|error| Failure::Job(format!("--checkpoint {}: {error}", self.path.display())))
    }
}
