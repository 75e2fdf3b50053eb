//! The bytes of messages between ranks.
//!
//! ```text
//! request  the number of units wanted, or 2^64 - 1 in the rank's last message, then of each unit handed
//!          in: its number, with bit 63 if it failed, the number of bytes of its result (u64 each), the
//!          result or the failure
//! reply    firsts and ends of ranges of units (u64 each), or nothing if all are handed out; only if
//!          units are wanted
//! ```

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// The number of units wanted in the last message of a rank.
pub(super) const LAST: u64 = u64::MAX;

/// The bit of a unit whose work has failed. Its result is the failure.
pub(super) const FAILED: u64 = 1 << 63;

/// A failure as bytes.
pub(super) fn packed(failure: Failure) -> Vec<u8> {
    let (kind, why) = match failure {
        Failure::Usage(why) => (b'u', why),
        Failure::Input(why) => (b'i', why),
        Failure::Job(why) => (b'j', why),
        Failure::Interrupted(why) => (b's', why),
        Failure::Unread => (b'r', String::new()),
    };
    [&[kind], why.as_bytes()].concat()
}

/// The failure of a unit on a rank. Rank 0 reports it as its own, but names the rank of a failed job, whose machine may
/// be the cause.
pub(super) fn unpacked(rank: usize, bytes: &[u8]) -> Failure {
    let (kind, why) = bytes.split_first().expect("a rank sends the kind");
    let why = String::from_utf8_lossy(why).into_owned();
    match kind {
        b'u' => Failure::Usage(why),
        b's' => Failure::Interrupted(why),
        b'i' => Failure::Input(why),
        b'j' => Failure::Job(format!("rank {rank}: {why}")),
        _ => Failure::Unread,
    }
}

/// A value as bytes.
pub fn encoded(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("plain data")
}

/// The value that a rank sent as bytes.
pub fn decoded<T: DeserializeOwned>(message: &[u8]) -> T {
    postcard::from_bytes(message).expect("a rank sends plain data")
}

/// Appends a number, the length of a message, and the message.
pub(super) fn frame(bytes: &mut Vec<u8>, number: u64, message: &[u8]) {
    bytes.extend(number.to_le_bytes());
    bytes.extend((message.len() as u64).to_le_bytes());
    bytes.extend(message);
}

/// The first number, its message, and the rest.
pub(super) fn framed(bytes: &[u8]) -> (u64, &[u8], &[u8]) {
    let (number, rest) = word(bytes);
    let (length, rest) = word(rest);
    let (message, rest) = rest.split_at(length as usize);
    (number, message, rest)
}

pub(super) fn word(bytes: &[u8]) -> (u64, &[u8]) {
    let (word, rest) = bytes.split_first_chunk().expect("a rank sends whole words");
    (u64::from_le_bytes(*word), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_back() {
        let mut bytes = Vec::new();
        frame(&mut bytes, 5, b"five");
        frame(&mut bytes, 6, b"");
        let (number, message, rest) = framed(&bytes);
        assert_eq!((number, message, framed(rest)), (5, &b"five"[..], (6, &b""[..], &b""[..])));
    }
}
