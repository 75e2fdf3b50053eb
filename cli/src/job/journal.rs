//! The checkpoint of a job as an open file, to which it appends records.
//!
//! A job holds the lock of its file to the end, so a second job cannot write to it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

use super::checkpoint::{Content, Description, Fault, Kind, beginning, read, record};
use crate::durable;
use crate::failure::{Failure, say};
use crate::output::{self, Claim};

/// The file of a job, which holds its lock.
pub struct Journal {
    name: String,
    file: File,
    crc: u32,
    /// Records were written since the file was synchronised.
    is_dirty: bool,
    /// A record could not be written or synchronised: none may follow it.
    broken: Option<String>,
    _claim: Claim,
}

/// Opens or creates the file of a job, named by --checkpoint, and reads it by [`read`].
pub fn open(
    path: &Path,
    kind: &Kind,
    description: &Description,
    each: impl FnMut(&[u8]) -> Result<bool, &'static str>,
) -> Result<Journal, Failure> {
    output::check_file("--checkpoint", path)?;
    let claim = Claim::of("--checkpoint", path)?;
    let name = format!("--checkpoint {}", path.display());
    let failed = |error: io::Error| Fault::Io(error).of(&name);
    let mut file = opened(path, &name)?;
    let content = read(BufReader::new(&file), kind, description, each).map_err(|fault| fault.of(&name))?;
    let Content { mut end, crc } = content;
    let length = file.metadata().map_err(failed)?.len();
    if end == 0 {
        let (beginning, _) = beginning(kind, description);
        file.rewind().and_then(|()| file.write_all(&beginning)).map_err(failed)?;
        file.sync_all().and_then(|()| durable::sync_folder(path)).map_err(failed)?;
        end = beginning.len() as u64;
    } else if end < length {
        let cut = length - end;
        say(format_args!("hotloops: {name}: the last record is truncated; dropped {cut} bytes"));
        file.set_len(end).and_then(|()| file.sync_all()).map_err(failed)?;
    }
    file.seek(SeekFrom::Start(end)).map_err(failed)?;
    Ok(Journal { name, file, crc, is_dirty: false, broken: None, _claim: claim })
}

/// The file, locked.
fn opened(path: &Path, name: &str) -> Result<File, Failure> {
    let failed = |error: io::Error| Fault::Io(error).of(name);
    if path.metadata().is_ok_and(|file| !file.is_file()) {
        return Err(Failure::Usage(format!("{name}: is not a regular file; choose another")));
    }
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let why = "another job writes to it; wait until that job ends, or choose another file";
            Err(Failure::Job(format!("{name}: {why}")))
        }
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => Err(failed(error)),
        _ => Ok(file),
    }
}

impl Journal {
    /// Writes a record, which survives a kill of the process from now on.
    pub fn append(&mut self, body: &[u8]) {
        let (record, crc) = record(self.crc, body);
        if self.broken.is_none() {
            let written = self.file.write_all(&record);
            self.keep(written);
            (self.crc, self.is_dirty) = (crc, true);
        }
    }

    /// Makes all records safe from a power failure.
    pub fn sync(&mut self) {
        if self.is_dirty && self.broken.is_none() {
            self.is_dirty = false;
            let result = self.file.sync_data();
            self.keep(result);
        }
    }

    fn keep(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.broken.get_or_insert(error.to_string());
        }
    }

    /// The failure to write a record.
    pub fn check(&self) -> Result<(), Failure> {
        match &self.broken {
            Some(why) => Err(Failure::Job(format!("{}: {why}", self.name))),
            None => Ok(()),
        }
    }

    /// Reads the file again.
    pub fn read_again(
        &mut self,
        kind: &Kind,
        description: &Description,
        each: impl FnMut(&[u8]) -> Result<bool, &'static str>,
    ) -> io::Result<()> {
        let end = self.file.stream_position()?;
        self.file.rewind()?;
        let content = read(BufReader::new(&self.file), kind, description, each);
        self.file.seek(SeekFrom::Start(end))?;
        let why = match content {
            Ok(content) if content.end == end => return Ok(()),
            Ok(_) => "another program has truncated it".to_owned(),
            Err(Fault::Io(error)) => error.to_string(),
            Err(Fault::Wrong(why)) => why,
        };
        Err(io::Error::other(format!("{}: {why}", self.name)))
    }

    /// Its file, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }
}
