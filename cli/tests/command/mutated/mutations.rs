//! Random changes of an input.

use sha2::{Digest, Sha256};

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ word >> 31) % end.max(1) as u64) as usize
    }

    pub fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

const WORDS: [&str; 31] = [
    "99999999999999999999",
    "1e999",
    "-1e999",
    "1e308",
    "-1e308",
    "1e39",
    "1e-320",
    "1e-46",
    "NaN",
    "inf",
    "-inf",
    "-0",
    "0x10",
    "1_000",
    "",
    "+5",
    "-1",
    "4294967296",
    "1048575",
    "134217728",
    "18446744073709551616",
    "0.1",
    "3.5e5",
    "-77.25",
    "#",
    "\"",
    "null",
    "{}",
    "[]",
    "true",
    "2147483648",
];

/// A random line: its beginning, and its end after the line feed.
fn line(bytes: &[u8], random: &mut Random) -> (usize, usize) {
    let at = random.below(bytes.len());
    let start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
    (start, end)
}

pub fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    let insert = |bytes: &mut Vec<u8>, at: usize, new: &[u8]| drop(bytes.splice(at..at, new.iter().copied()));
    match random.below(18) {
        _ if bytes.is_empty() => bytes.push(b'\n'),
        0 | 1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.below(256) as u8,
        3 => {
            let end = bytes.len().min(at + 1 + random.below(40));
            bytes.drain(at..end);
        }
        4 => bytes.truncate(at),
        5 | 6 => {
            let (start, end) = line(bytes, random);
            let copy = bytes[start..end].to_vec();
            let (to, _) = line(bytes, random);
            insert(bytes, to, &copy);
        }
        7 => {
            let (start, end) = line(bytes, random);
            bytes.drain(start..end);
        }
        8 | 9 => {
            // Replace a number by another word.
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
            let start = bytes[..at].iter().rposition(|byte| !is_part(byte)).map_or(0, |end| end + 1);
            let end = bytes[at..].iter().position(|byte| !is_part(byte)).map_or(bytes.len(), |end| at + end);
            bytes.splice(start..end, random.of(&WORDS).bytes());
        }
        10 => {
            let (start, _) = line(bytes, random);
            insert(bytes, start, random.of(&["\n", "\r\n", "\n\n\n", " \n", "\t\n"]).as_bytes());
        }
        11 => *bytes = String::from_utf8_lossy(bytes).replace('\n', "\r\n").into_bytes(),
        12 => insert(
            bytes,
            at,
            random.of(&["\r", "\r\n", "\0", "\u{feff}", "\u{a0}", "\u{2028}", "\u{85}", "\"", "#", ","]).as_bytes(),
        ),
        13 => insert(
            bytes,
            at,
            random.of::<&[u8]>(&[b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"]),
        ),
        14 => {
            let length = 1 << random.below(18);
            insert(bytes, at, &vec![random.of(b"0a9 \t,.-\"#\n"); length]);
        }
        15 => {
            let (start, end) = line(bytes, random);
            bytes[start..end].sort_unstable();
        }
        16 => bytes.extend_from_within(..at),
        _ => insert(
            bytes,
            0,
            random.of(&["\u{feff}", "#", "\n", "#FPS1\n", "#num_bits=166\n", "x,y,theta\n"]).as_bytes(),
        ),
    }
}

/// A checkpoint with a corrected hash, as an attacker could make it.
pub fn rehash(bytes: &mut [u8]) {
    if let Some(end) = bytes.len().checked_sub(32).filter(|&end| end > 16) {
        let length = (end - 16) as u64;
        bytes[8..16].copy_from_slice(&length.to_le_bytes());
        let hash = Sha256::digest(&bytes[..end]);
        bytes[end..].copy_from_slice(&hash);
    }
}
