//! The state of a job as a file that is replaced as a whole.
//!
//! It consists of 8 bytes of the job, the last of which is the digit of the format, the length of the body (`u64`,
//! little-endian), the body in the format of postcard, and the SHA-256 hash of the preceding bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

const HEADER: usize = 16;
const HASH: usize = 32;

/// A kind of file.
pub struct Kind {
    pub magic: &'static [u8; 8],
    /// The command, for messages.
    pub command: &'static str,
}

fn hash(bytes: &[u8]) -> [u8; HASH] {
    Sha256::digest(bytes).into()
}

/// The bytes of a file.
pub fn framed(kind: &Kind, state: &impl Serialize) -> Vec<u8> {
    let body = postcard::to_stdvec(state).expect("plain data");
    let mut bytes = [kind.magic.as_slice(), &(body.len() as u64).to_le_bytes(), &body].concat();
    bytes.extend(hash(&bytes));
    bytes
}

/// The state in a file, or why there is none.
pub fn parse<T: DeserializeOwned>(kind: &Kind, bytes: &[u8]) -> Result<T, String> {
    let (name, format) = kind.magic.split_at(kind.magic.len() - 1);
    let older = (b'1'..format[0]).find(|digit| bytes.starts_with(&[name, &[*digit]].concat()));
    if let Some(digit) = older.map(char::from) {
        return Err(format!("has format {digit}, from an older version of this command; choose another file"));
    }
    let known = bytes.len().min(kind.magic.len());
    if bytes[..known] != kind.magic[..known] {
        return Err(format!("is not a checkpoint of `{}`; choose another file", kind.command));
    }
    let length = bytes.get(known..HEADER).map(|length| u64::from_le_bytes(length.try_into().expect("8 bytes")));
    let expected = length.unwrap_or(0).saturating_add((HEADER + HASH) as u64);
    if (bytes.len() as u64) < expected {
        return Err(format!("ends after {} of {expected} bytes; choose another file", bytes.len()));
    }
    if bytes.len() as u64 > expected {
        return Err(format!("continues after its {expected} bytes; choose another file"));
    }
    let (content, found) = bytes.split_at(bytes.len() - HASH);
    let damaged = || "is damaged: its hash is wrong; choose another file".to_owned();
    match found == hash(content) {
        true => postcard::from_bytes(&content[HEADER..]).map_err(|_| damaged()),
        false => Err(damaged()),
    }
}

/// Names the first option of a file, or of a job, that the other has with another value or lacks, and its remedy.
pub fn difference(
    then: &[(String, String)],
    now: &[(String, String)],
    remedy: impl Fn(&str) -> &'static str,
) -> String {
    let value = |of: &[(String, String)], name: &str| of.iter().find(|one| one.0 == name).map(|one| one.1.clone());
    let mut names = then.iter().chain(now).map(|one| one.0.as_str());
    let Some(name) = names.find(|name| value(then, name) != value(now, name)) else {
        return "was written by another version of this command; choose another file".to_owned();
    };
    let remedy = remedy(name);
    match (value(then, name), value(now, name)) {
        (Some(then), Some(now)) => format!("was written with {name} {then}, not with {name} {now}; {remedy}"),
        (Some(then), None) => format!("was written with {name} {then}; {remedy}"),
        _ => format!("was written without {name}; {remedy}"),
    }
}
