//! Checks when ranks join: each has found the others, and all run the same command.

use std::ffi::OsString;

use crc32fast::Hasher;

use super::messages::{send, wait_for};
use super::{Cluster, link};
use crate::failure::Failure;

static VERSION: &str = concat!("version ", env!("CARGO_PKG_VERSION"), " of hotloops");

/// The version, and a hash of the arguments except --threads, which may differ between machines.
fn introduction(mut arguments: impl Iterator<Item = OsString>) -> String {
    let mut hash = Hasher::new();
    while let Some(argument) = arguments.next() {
        let bytes = argument.as_encoded_bytes();
        if bytes == b"--threads" {
            arguments.next();
        } else if !bytes.starts_with(b"--threads=") {
            hash.update(bytes);
            hash.update(b"\0");
        }
    }
    format!("{VERSION}\n{:08x}", hash.finalize())
}

/// Fails if a launcher has started several processes that do not find each other. Each would do the whole job
/// and write the same files.
pub(super) fn check_alone() -> Result<(), Failure> {
    let size = |name: &&str| std::env::var(name).ok()?.parse::<u64>().ok();
    match link::SIZES.iter().find_map(size) {
        Some(size) if size > 1 => Err(Failure::Job(format!("{size} processes were started, but {}", link::WHY_ALONE))),
        _ => Ok(()),
    }
}

impl Cluster {
    /// Fails on rank 0 if a rank runs another version of the command, or with other arguments.
    pub(super) fn check_equal(&self) -> Result<(), Failure> {
        let Some(link) = &self.link else { return Ok(()) };
        let (tag, own) = (self.next_tag(), introduction(std::env::args_os().skip(1)));
        if !self.leads() {
            send(link, &[(0, own.as_bytes())], tag);
            return Ok(());
        }
        let mut others: Vec<(usize, Vec<u8>)> = (1..self.ranks()).map(|_| wait_for(link, tag)).collect();
        others.sort_unstable();
        let Some((rank, other)) = others.iter().find(|(_, other)| *other != own.as_bytes()) else { return Ok(()) };
        let other = String::from_utf8_lossy(other);
        let version = |text: &str| text.split('\n').next().unwrap_or_default().to_owned();
        Err(match (version(&own), version(&other)) {
            (own, other) if own != other => Failure::Job(format!("rank {rank} runs {other}, but rank 0 runs {own}")),
            _ => Failure::Usage(format!(
                "rank {rank} has other arguments than rank 0; give all ranks the same, except --threads"
            )),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_introduced() {
        let of = |words: &str| introduction(words.split(' ').map(OsString::from));
        assert!(of("correlation a.csv").starts_with(VERSION));
        assert_ne!(of("correlation a.csv"), of("correlation a .csv"));
        assert_ne!(of("correlation a.csv --average"), of("correlation a.csv"));
        assert_eq!(of("correlation --threads 2 a.csv"), of("correlation a.csv --threads=3"));
    }
}
