//! The header of FPS text: a version line, then lines `#key=value`.
//!
//! The lines are kept as they are, so that an index file can hold them. Other keys than those named
//! here say nothing that changes a result.

use crate::failure::{Failure, say};

/// Maximum number of bits of a fingerprint, and one more.
const BITS: usize = 1 << 30;
/// Keys whose values must agree for a comparison to make sense.
const KINDS: [&str; 2] = ["type", "aromaticity"];

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Keys in lower case, and values. The key `type` may have several values in an index of several files.
    pairs: Vec<(String, String)>,
}

/// The number of bits, and whether a header states it. If none does, it follows from the number of digits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Width {
    pub bits: usize,
    pub is_given: bool,
}

impl Width {
    pub fn bytes(self) -> usize {
        self.bits.div_ceil(8)
    }

    pub fn digits(self) -> usize {
        2 * self.bytes()
    }
}

impl Header {
    /// Adds a line of a file. `is_first`: nothing is before it.
    pub fn add(&mut self, line: &[u8], is_first: bool) -> Result<(), String> {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end();
        let Some((key, value)) = line.split_once('=') else {
            return match line {
                "#FPS1" if is_first => Ok(()),
                _ if is_first => Err(format!("'{}' is not #FPS1, the only supported version", shown(line))),
                _ if line.starts_with("#x-") || line.starts_with("#X-") => Ok(()),
                _ => Err(format!("'{}' is not #key=value", shown(line))),
            };
        };
        let (key, value) = (key[1..].trim().to_ascii_lowercase(), value.trim());
        if ["num_bits", "num_bytes", "type"].contains(&key.as_str()) && self.values(&key).next().is_some() {
            return Err(format!("{key} is given twice"));
        }
        if let "num_bits" | "num_bytes" = key.as_str() {
            let end = if key == "num_bits" { BITS } else { BITS / 8 };
            if !value.parse().is_ok_and(|number: usize| (1..end).contains(&number)) {
                return Err(format!("{key}: '{}' is not a number from 1 to {}", shown(value), end - 1));
            }
        }
        self.pairs.push((key, value.to_owned()));
        match (self.number("num_bits"), self.number("num_bytes")) {
            (Some(bits), Some(bytes)) if bits.div_ceil(8) != bytes => {
                Err(format!("num_bits={bits} and num_bytes={bytes} contradict each other"))
            }
            _ => Ok(()),
        }
    }

    fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.pairs.iter().filter(move |(other, _)| other == key).map(|(_, value)| value.as_str())
    }

    fn number(&self, key: &str) -> Option<usize> {
        self.values(key).next()?.parse().ok()
    }

    pub fn num_bits(&self) -> Option<usize> {
        self.number("num_bits")
    }

    pub fn num_bytes(&self) -> Option<usize> {
        self.number("num_bytes")
    }

    /// The lines of an index of two files: the widths of the first, everything else of both.
    pub fn joined(&self, more: &Header) -> Header {
        let mut all = self.clone();
        for pair in &more.pairs {
            if !pair.0.starts_with("num_") && !all.pairs.contains(pair) {
                all.pairs.push(pair.clone());
            }
        }
        all
    }

    /// The lines for an index file.
    pub fn text(&self) -> String {
        self.pairs.iter().map(|(key, value)| format!("#{key}={value}\n")).collect()
    }

    /// Reads these lines. Those of a file that was changed may be no text.
    pub fn of_text(text: &[u8]) -> Header {
        let text = String::from_utf8_lossy(text);
        let pair = |line: &str| line.strip_prefix('#')?.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned()));
        Header { pairs: text.lines().filter_map(pair).collect() }
    }

    /// Says on standard error that two files hold different kinds of fingerprints, or with `is_strict` refuses
    /// them. A file without a line says nothing of its kind; only `is_strict` calls that a difference.
    pub fn check_kind(&self, name: &str, other: &Header, other_name: &str, is_strict: bool) -> Result<(), Failure> {
        for key in KINDS {
            let [own, others] = [self, other].map(|header| {
                let mut values: Vec<_> = header.values(key).map(|value| format!("'{}'", shown(value))).collect();
                values.sort_unstable();
                values.dedup();
                if values.is_empty() { "none".to_owned() } else { values.join(" and ") }
            });
            let is_known = own != "none" && others != "none";
            if own == others || (!is_known && !is_strict) {
                continue;
            }
            let why = format!("#{key} is {own} in {name}, but {others} in {other_name}");
            match is_strict {
                true => {
                    return Err(Failure::Input(format!(
                        "{other_name}: {why} (--strict-type); leave that out to compare them all the same"
                    )));
                }
                false => say(format_args!("hotloops: warning: {why}: scores may mean nothing")),
            }
        }
        Ok(())
    }
}

/// The first 64 characters of a text, escaped.
fn shown(text: &str) -> String {
    const MAX: usize = 64;
    let mut shown: String = text.chars().take(MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX).is_some() {
        shown += "..";
    }
    shown
}
